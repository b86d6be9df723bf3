//! Two outcomes side by side, each as JSON that was printed.

use super::shared::{Shared, shared};
use super::{OutcomeDocument, percent};
use crate::rows::{FEW, alike};
use crate::terminal::{short, table_with, threads};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use windfall_time::{Ratio, Span};

/// The columns compared for a thread: name, and path to the value in an outcome.
pub(super) const COLUMNS: [(&str, &str); 6] = [
    ("TIME", "/received_ns"),
    ("DONE", "/jobs"),
    ("MISSED", "/deadlines_missed"),
    ("RESPONSE p50", "/response_ns/p50"),
    ("p99", "/response_ns/p99"),
    ("MAX", "/response_ns/max"),
];

/// How many threads the verdict names.
const NAMED: usize = 10;

/// Two outcomes, each as `--json` prints it.
#[derive(Clone, Debug)]
pub struct Outcomes {
    /// The first one and the other.
    pub outcomes: [OutcomeDocument; 2],
    /// The names of the two outcomes.
    pub names: [String; 2],
    /// How far a thread's processor time may be apart, as a share of it.
    pub within: Ratio,
}

impl Outcomes {
    /// For people.
    #[must_use]
    pub fn text(&self, width: Option<usize>) -> String {
        text(self, &pairs(&self.outcomes), width)
    }

    /// For programs.
    #[must_use]
    pub fn json(&self) -> Value {
        json(self, &pairs(&self.outcomes))
    }

    /// Whether every thread's processor time agrees.
    #[must_use]
    pub fn is_close(&self) -> bool {
        pairs(&self.outcomes).iter().all(|pair| pair.is_close(self.within))
    }

    /// Whether every expectation and every promise that both have came to the same verdict.
    #[must_use]
    pub fn is_judged_alike(&self) -> bool {
        let [one, other] = [promised(&self.outcomes[0]), promised(&self.outcomes[1])];
        let alike = |(owner, guarantee, state): &(String, String, String)| {
            let same = other.iter().find(|two| (&two.0, &two.1) == (owner, guarantee));
            same.is_none_or(|two| two.2 == *state)
        };
        let one_has =
            |(_, both): &(String, [String; 2])| both.iter().any(|said| said == NOT_EXPECTED);
        judged(&self.outcomes).iter().all(one_has) && one.iter().all(alike)
    }
}

/// A thread of either outcome, as each has it.
#[derive(Clone, Copy)]
pub(super) struct Pair<'a> {
    pub(super) name: &'a str,
    both: [Option<&'a Value>; 2],
}

impl Pair<'_> {
    pub(super) fn number(&self, side: usize, key: &str) -> Option<u64> {
        self.both[side].and_then(|thread| thread.pointer(key)).and_then(Value::as_u64)
    }

    /// Whether both have it, and all that is compared of it is the same.
    fn is_same(&self) -> bool {
        self.both.iter().all(Option::is_some)
            && COLUMNS.iter().all(|(_, key)| self.number(0, key) == self.number(1, key))
    }

    fn is_close(&self, within: Ratio) -> bool {
        let (Some(one), Some(other)) =
            (self.number(0, "/received_ns"), self.number(1, "/received_ns"))
        else {
            return false;
        };
        let allowed = within.checked_mul(Ratio::whole(one));
        allowed.is_some_and(|allowed| Ratio::whole(one.abs_diff(other)) <= allowed)
    }
}

/// The threads of the first outcome in order, then those that only the second has.
fn pairs(outcomes: &[OutcomeDocument; 2]) -> Vec<Pair<'_>> {
    let threads = |side: usize| outcomes[side].0["threads"].as_array().into_iter().flatten();
    let name = |thread: &Value| thread["name"].as_str().map(str::to_owned);
    let other: std::collections::HashMap<_, _> =
        threads(1).filter_map(|thread| Some((name(thread)?, thread))).collect();
    let mut known = std::collections::HashSet::new();
    let mut pairs = Vec::new();
    for one in threads(0) {
        let Some(name) = one["name"].as_str() else { continue };
        known.insert(name);
        pairs.push(Pair { name, both: [Some(one), other.get(name).copied()] });
    }
    for thread in threads(1) {
        if let Some(name) = thread["name"].as_str().filter(|name| !known.contains(name)) {
            pairs.push(Pair { name, both: [None, Some(thread)] });
        }
    }
    pairs
}

/// Each promise: its owner, the guarantee, and its status in words.
fn promised(outcome: &OutcomeDocument) -> Vec<(String, String, String)> {
    let all = outcome.0["promises"].as_array().into_iter().flatten();
    let word = |promise: &Value, key: &str| promise[key].as_str().unwrap_or_default().to_owned();
    let one =
        |promise| (word(promise, "owner"), word(promise, "guarantee"), word(promise, "state"));
    all.map(one).collect()
}

/// Owners whose promises, or their state, are not the same.
fn changed(outcomes: &[OutcomeDocument; 2]) -> Vec<(String, [String; 2])> {
    let both = [promised(&outcomes[0]), promised(&outcomes[1])];
    let mut owners: Vec<&String> = both.iter().flatten().map(|(owner, ..)| owner).collect();
    owners.sort_unstable();
    owners.dedup();
    let of = |side: usize, owner: &String| {
        let own = both[side].iter().filter(|(other, ..)| other == owner);
        let own: Vec<String> =
            own.map(|(_, guarantee, state)| format!("{guarantee} {state}")).collect();
        if own.is_empty() { "nothing".to_owned() } else { own.join(", ") }
    };
    let owners = owners.into_iter().map(|owner| (owner.clone(), [of(0, owner), of(1, owner)]));
    owners.filter(|(_, [one, other])| one != other).collect()
}

/// A line for each of these owners; many that are alike, with the same change, share one.
fn changed_in_words(changed: &[(String, [String; 2])], pairs: &[Pair<'_>]) -> String {
    let names: BTreeSet<&str> = pairs.iter().map(|pair| pair.name).collect();
    let is_thread = |owner: &String| names.contains(owner.as_str());
    let key = |(owner, both): &'_ (String, [String; 2])| {
        (alike(owner).to_owned(), is_thread(owner), both.clone())
    };
    let mut counts: BTreeMap<_, usize> = BTreeMap::new();
    changed.iter().for_each(|one| *counts.entry(key(one)).or_default() += 1);
    let mut known = BTreeSet::new();
    let mut text = String::new();
    for change in changed {
        let (owner, [one, other]) = change;
        let (key, count) = (key(change), counts[&key(change)]);
        let owner = match count {
            ..=FEW => owner.clone(),
            _ if !known.insert(key) => continue,
            _ if is_thread(owner) => threads(alike(owner), count),
            _ => format!("{} ({count} schedulers)", alike(owner)),
        };
        text.push_str(&format!("promised to {owner}: in the first {one}; in the second {other}\n"));
    }
    text
}

/// How an outcome is said to lack an expectation of the other.
const NOT_EXPECTED: &str = "not expected";

/// Expectations that held in one outcome and not in the other, or that only one has.
fn judged(outcomes: &[OutcomeDocument; 2]) -> Vec<(String, [String; 2])> {
    let all = |side: usize| outcomes[side].0["expectations"].as_array().into_iter().flatten();
    let word = |one: &Value, key: &str| one[key].as_str().unwrap_or_default().to_owned();
    let name = |one: &Value| format!("{} {}", word(one, "what"), word(one, "expected"));
    let mut names: Vec<String> = all(0).chain(all(1)).map(name).collect();
    let mut known = std::collections::HashSet::new();
    names.retain(|name| known.insert(name.clone()));
    let of = |side: usize, meant: &String| all(side).find(|one| name(one) == *meant);
    let held = |one: Option<&Value>| one.map(|one| one["held"] == true);
    names.retain(|name| held(of(0, name)) != held(of(1, name)));
    let said = |one: Option<&Value>| match (one, held(one)) {
        (Some(one), Some(true)) => format!("held, found {}", word(one, "found")),
        (Some(one), _) => format!("FAILED, found {}", word(one, "found")),
        (None, _) => NOT_EXPECTED.to_owned(),
    };
    let both = |name: String| {
        let both = [0, 1].map(|side| said(of(side, &name)));
        (name, both)
    };
    names.into_iter().map(both).collect()
}

/// The threads that only one of both outcomes has, in words.
fn alone(pairs: &[Pair<'_>]) -> String {
    let of = |(side, which): (usize, &str)| {
        let alone = |pair: &&Pair<'_>| pair.both[1 - side].is_none();
        let alone: Vec<Pair<'_>> = pairs.iter().filter(alone).copied().collect();
        if alone.is_empty() {
            return String::new();
        }
        format!("only in the {which}: {}\n", listed(&alone))
    };
    [(0, "first"), (1, "second")].map(of).concat()
}

/// The names of the first of some threads, and how many more names there are.
fn listed(pairs: &[Pair<'_>]) -> String {
    let names: Vec<String> = shared(pairs).iter().map(Shared::name).collect();
    let more = names.len().saturating_sub(NAMED);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("{}{more}", names[..NAMED.min(names.len())].join(", "))
}

fn text(compared: &Outcomes, pairs: &[Pair<'_>], width: Option<usize>) -> String {
    let Outcomes { outcomes, names, within } = compared;
    let within = *within;
    let mut text = String::new();
    for (what, (name, outcome)) in ["first ", "second"].iter().zip(names.iter().zip(outcomes)) {
        let length = short(Span::from_nanos(outcome.0["length_ns"].as_u64().unwrap_or(0)));
        let machine = outcome.0["machine"].as_str().unwrap_or("an unknown machine");
        text.push_str(&format!("{what}: {name}, {length} on {machine}\n"));
    }
    text.push('\n');
    let differ = |pair: &&Pair<'_>| !pair.is_same() && pair.both.iter().all(Option::is_some);
    let differ: Vec<Pair<'_>> = pairs.iter().filter(differ).copied().collect();
    let rows: Vec<Vec<String>> = shared(&differ).iter().flat_map(Shared::rows).collect();
    if !rows.is_empty() {
        let columns = COLUMNS.iter().map(|(name, _)| *name);
        let head: Vec<&str> = ["THREAD", ""].into_iter().chain(columns).collect();
        text.push_str(&table_with(&head, 2, 5..8, rows, width));
    }
    match pairs.iter().filter(|pair| pair.is_same()).count() {
        0 => {}
        all if all == pairs.len() => text.push_str("every thread got the same in both\n"),
        same => text.push_str(&format!("{same} of {} threads got the same in both\n", pairs.len())),
    }
    text.push_str(&alone(pairs));
    for (expectation, [one, other]) in judged(outcomes) {
        text.push_str(&format!(
            "expected {expectation}: in the first {one}; in the second {other}\n"
        ));
    }
    text.push_str(&changed_in_words(&changed(outcomes), pairs));
    let far: Vec<Pair<'_>> = pairs.iter().filter(|pair| !pair.is_close(within)).copied().collect();
    text.push_str(&match far.as_slice() {
        [] => format!("\nProcessor time agrees within {}.\n", percent(within)),
        far => {
            let (within, far) = (percent(within), listed(far));
            format!("\nProcessor time differs by more than {within}: {far}.\n")
        }
    });
    text
}

fn json(compared: &Outcomes, pairs: &[Pair<'_>]) -> Value {
    let Outcomes { outcomes, names, within } = compared;
    let within = *within;
    let pair = |pair: &Pair<'_>| {
        let [first, second] = pair.both;
        let close = pair.is_close(within);
        json!({ "name": pair.name, "first": first, "second": second, "close": close })
    };
    let promises = changed(outcomes).into_iter();
    let promises = promises.map(
        |(owner, [first, second])| json!({ "owner": owner, "first": first, "second": second }),
    );
    let expectations = judged(outcomes).into_iter().map(
        |(what, [first, second])| json!({ "expectation": what, "first": first, "second": second }),
    );
    json!({
        "within": within.to_string(),
        "names": names,
        "lengths_ns": [outcomes[0].0["length_ns"], outcomes[1].0["length_ns"]],
        "threads": pairs.iter().map(pair).collect::<Vec<_>>(),
        "promises_changed": promises.collect::<Vec<_>>(),
        "expectations_changed": expectations.collect::<Vec<_>>(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn alike(one: Value, other: Value) -> bool {
        let names = ["a".to_owned(), "b".to_owned()];
        let within = Ratio::new(1, 50).expect("not by zero");
        let outcomes = [one, other].map(|one| OutcomeDocument::read(one).expect("an outcome"));
        Outcomes { outcomes, names, within }.is_judged_alike()
    }

    fn outcome(guarantee: &str, state: &str, held: bool) -> Value {
        let expected =
            json!({ "what": "audio misses", "expected": "0", "held": held, "found": "0" });
        json!({
            "length_ns": 5,
            "threads": [],
            "promises": [{ "owner": "audio", "guarantee": guarantee, "state": state }],
            "expectations": [expected],
        })
    }

    #[test]
    fn accepts_equal_verdicts_and_what_only_one_has() {
        let one = outcome("RESBH 3ms 10ms", "kept", true);
        assert!(alike(one.clone(), one.clone()));
        assert!(alike(one.clone(), outcome("RESBH 4ms 10ms", "missed", true)), "another promise");
        let nothing = json!({ "length_ns": 5, "threads": [], "promises": [], "expectations": [] });
        assert!(alike(one, nothing), "no longer expected");
    }

    #[test]
    fn limit_nine_threads_that_differ_by_their_number_have_a_row_together() {
        let of = |many: usize, ns: usize| {
            let thread = |n| json!({ "name": format!("w-{n}"), "received_ns": n * ns, "jobs": 1 });
            let threads: Vec<Value> = (1..=many).map(thread).collect();
            let state = if ns > 1_000 { "missed" } else { "kept" };
            let promise =
                |n| json!({ "owner": format!("w-{n}"), "guarantee": "ALL", "state": state });
            let owned =
                |n| json!({ "owner": format!("ts-{n}"), "guarantee": "ALL", "state": state });
            let promises: Vec<Value> =
                (1..=many).map(promise).chain((1..=many).map(owned)).collect();
            json!({ "length_ns": 5, "threads": threads, "promises": promises, "expectations": [] })
        };
        for (many, rows) in [(8, 8), (9, 1)] {
            let outcomes = [of(many, 1_000), of(many, 2_000)];
            let outcomes = outcomes.map(|one| OutcomeDocument::read(one).expect("an outcome"));
            let names = ["a".to_owned(), "b".to_owned()];
            let all = Outcomes { outcomes, names, within: Ratio::ZERO };
            let text = all.text(None);
            assert_eq!(text.matches("  first  ").count(), rows, "{text}");
            let sum = text.contains("w (9 threads)  first ") && text.contains(" 45.00us     9 ");
            assert_eq!(sum, many == 9, "{text}");
            assert_eq!(text.matches("promised to w").count(), rows, "{text}");
            assert_eq!(
                text.contains("promised to w (9 threads): in the first ALL kept"),
                many == 9
            );
            assert_eq!(text.contains("promised to ts (9 schedulers): in the first"), many == 9);
            assert_eq!(all.json()["threads"].as_array().map(Vec::len), Some(many));
        }
    }

    #[test]
    fn law_changes_of_threads_in_a_row_never_make_up_for_each_other() {
        let of = |first: bool| {
            let thread = |n: u64| {
                let misses = if n.is_multiple_of(2) == first { 5 } else { 0 };
                json!({ "name": format!("w-{n}"), "received_ns": 7, "deadlines_missed": misses })
            };
            let threads: Vec<Value> = (1..=20).map(thread).collect();
            json!({ "length_ns": 5, "threads": threads, "promises": [], "expectations": [] })
        };
        let outcomes = [true, false].map(|one| OutcomeDocument::read(of(one)).expect("an outcome"));
        let names = ["a".to_owned(), "b".to_owned()];
        let text = Outcomes { outcomes, names, within: Ratio::ZERO }.text(None);
        assert_eq!(text.matches("w (10 threads)  first ").count(), 2, "{text}");
        assert!(text.contains("-100.00%"), "{text}");
    }

    #[test]
    fn refuses_a_promise_or_an_expectation_that_came_to_another_verdict() {
        let one = outcome("RESBH 3ms 10ms", "kept", true);
        assert!(!alike(one.clone(), outcome("RESBH 3ms 10ms", "missed", true)));
        assert!(!alike(outcome("RESBH 3ms 10ms", "kept", false), one.clone()));
    }
}
