//! The promises of a run and their status, for people.

use crate::check::broken;
use crate::terminal::{length, table};
use core::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use windfall_guarantees::Length;
use windfall_guarantees::meaning::Verdict;
use windfall_scenario::Scenario;
use windfall_scenario::outcome::{Outcome, PromiseStatus, PromiseVerdict, groups};

/// A row for each promise. Empty without promises.
pub(crate) fn text(scenario: &Scenario, outcome: &Outcome, width: Option<usize>) -> String {
    let remarks = remarks(scenario);
    if outcome.promises.is_empty() {
        return remarks;
    }
    let rows = rows(scenario, outcome);
    let statuses: BTreeSet<_> = rows.iter().map(|(_, verdict)| verdict.status()).collect();
    let meant = statuses.into_iter().filter_map(|status| Some((status.name(), meaning(status)?)));
    let meant: String = meant.map(|(name, meaning)| format!("{name}: {meaning}\n")).collect();
    let rows = rows.into_iter().map(row).collect();
    format!("\n{}{meant}{remarks}", table(&HEAD, 6, rows, width))
}

const HEAD: [&str; 6] = ["PROMISE", "OWNER", "KEPT", "MARGIN", "TESTED", "WORST WINDOW"];

/// The promises of a run, each with its owner's name; of a group of similar threads, the worst one.
pub(crate) fn rows<'o>(
    scenario: &Scenario,
    outcome: &'o Outcome,
) -> Vec<(String, &'o PromiseVerdict)> {
    let mut together = BTreeMap::new();
    for group in groups(scenario, outcome).into_iter().filter(|group| group.together) {
        for thread in group.threads {
            together.insert(thread.name.as_str(), (group.name, group.threads.len()));
        }
    }
    let mut rows: Vec<(String, &PromiseVerdict)> = Vec::new();
    for verdict in &outcome.promises {
        let alike = together.get(verdict.promise.owner.as_str());
        let alike = alike.filter(|_| verdict.promise.own.is_none());
        let owner = alike.map_or_else(
            || verdict.owner(),
            |(name, count)| format!("{name} (worst of {count} threads)"),
        );
        match rows.iter_mut().find(|(other, _)| alike.is_some() && *other == owner) {
            Some((_, worst)) if rank(verdict) > rank(worst) => *worst = verdict,
            Some(_) => {}
            None => rows.push((owner, verdict)),
        }
    }
    rows
}

/// The meaning of a status that is neither good nor bad.
pub(crate) const fn meaning(status: PromiseStatus) -> Option<&'static str> {
    match status {
        PromiseStatus::Unused => Some("the owner was never runnable"),
        PromiseStatus::NotTested => Some(
            "the owner was never runnable for long enough at a stretch that the promise could have been broken",
        ),
        PromiseStatus::Stolen => {
            Some("less than promised because time was stolen; this does not count as missed")
        }
        PromiseStatus::Overhead => Some(
            "less than promised because switching and deciding took time; this does not count as missed",
        ),
        PromiseStatus::Kept | PromiseStatus::Exceeded | PromiseStatus::Missed => None,
    }
}

/// How many refusals are listed.
const SHOWN: usize = 10;

/// Requests that were refused and so never promised, each once with the reason, the first [`SHOWN`] of many; then
/// promises that requests of the file break.
fn remarks(scenario: &Scenario) -> String {
    let refused = windfall_scenario::outcome::refusals(scenario);
    let mut text = String::new();
    for refusal in refused.iter().take(SHOWN) {
        text.push_str(&format!("refused, and so not promised: {refusal}\n"));
    }
    if refused.len() > SHOWN {
        let more = refused.len() - SHOWN;
        text.push_str(&format!("{more} more were refused; `windfall check` explains each\n"));
    }
    for line in broken(scenario) {
        text.push_str(&format!("{line}\n"));
    }
    if text.is_empty() { text } else { format!("\n{text}") }
}

/// The worse the larger: one that counts as broken before all others; of equals the one with the smaller margin.
pub(crate) fn rank(verdict: &PromiseVerdict) -> (bool, PromiseStatus, Option<Reverse<Length>>) {
    let margin = match verdict.verdict {
        Some(Verdict::Kept { margin, .. } | Verdict::NotRefuted { margin, .. }) => Some(margin),
        _ => None,
    };
    (verdict.is_failure(), verdict.status(), margin.map(Reverse))
}

fn row((owner, verdict): (String, &PromiseVerdict)) -> Vec<String> {
    let promise = verdict.promise.guarantee.to_string();
    let tested = tested(verdict).to_string();
    vec![promise, owner, state(verdict), margin(verdict, length), tested, worst(verdict, length)]
}

/// By how much it was kept, or, with a minus, broken; lengths of time as `shown`.
pub(crate) fn margin(verdict: &PromiseVerdict, shown: fn(Length) -> String) -> String {
    match verdict.verdict {
        Some(Verdict::Kept { margin, .. } | Verdict::NotRefuted { margin, .. }) => shown(margin),
        Some(Verdict::Broken { short, .. }) => format!("-{}", shown(short)),
        Some(Verdict::Exceeded { by, .. }) => format!("-{}", shown(by)),
        Some(Verdict::NeverTested) | None => "-".to_owned(),
    }
}

/// The name of its status, and until when it was judged.
pub(crate) fn state(verdict: &PromiseVerdict) -> String {
    let mut state = verdict.status().name().to_owned();
    if let Some(until) = verdict.until {
        state += &format!(", until {until}");
    }
    state
}

/// How many windows were tested.
pub(crate) fn tested(verdict: &PromiseVerdict) -> u64 {
    verdict.verdict.as_ref().map_or(0, Verdict::tested)
}

/// The window in which it came closest to failing, or failed most.
pub(crate) fn worst(verdict: &PromiseVerdict, shown: fn(Length) -> String) -> String {
    verdict.worst().map_or_else(
        || "-".to_owned(),
        |worst| {
            let span = worst.to.checked_sub(worst.from).unwrap_or(Length::ZERO);
            let [span, from] = [span, worst.from].map(shown);
            let [received, promised] = [worst.received, worst.promised].map(shown);
            if worst.promised.is_zero() {
                return format!("{received} in {span} from {from}"); // behind by less than the error
            }
            format!("{received} of {promised} in {span} from {from}")
        },
    )
}
