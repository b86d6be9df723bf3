//! The table of promises that `windfall simulate` prints.

use crate::output::table;
use core::cmp::Reverse;
use std::collections::BTreeMap;
use windfall_guarantees::Length;
use windfall_guarantees::meaning::Verdict;
use windfall_scenario::Scenario;
use windfall_scenario::outcome::{Faring, Outcome, PromiseVerdict, groups};

/// A row for each promise; of many threads that are alike, the one that fared worst. Empty without
/// promises.
pub(crate) fn text(scenario: &Scenario, outcome: &Outcome) -> String {
    if outcome.promises.is_empty() {
        return String::new();
    }
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
            Some((_, worst)) if standing(verdict) > standing(worst) => *worst = verdict,
            Some(_) => {}
            None => rows.push((owner, verdict)),
        }
    }
    let head = ["PROMISE", "OWNER", "KEPT", "MARGIN", "TESTED", "WORST WINDOW"];
    "\n".to_owned() + &table(&head, 6, rows.into_iter().map(row).collect())
}

/// The worse the larger; of equals the one with the smaller margin.
fn standing(verdict: &PromiseVerdict) -> (Faring, Option<Reverse<Length>>) {
    let margin = match verdict.verdict {
        Some(Verdict::Kept { margin, .. } | Verdict::NotRefuted { margin, .. }) => Some(margin),
        _ => None,
    };
    (verdict.faring(), margin.map(Reverse))
}

fn row((owner, verdict): (String, &PromiseVerdict)) -> Vec<String> {
    let margin = match verdict.verdict {
        Some(Verdict::Kept { margin, .. } | Verdict::NotRefuted { margin, .. }) => {
            margin.to_string()
        }
        Some(Verdict::Broken { short, .. }) => format!("-{short}"),
        Some(Verdict::Exceeded { by, .. }) => format!("-{by}"),
        Some(Verdict::NeverTested) | None => "-".to_owned(),
    };
    let mut state = verdict.faring().name().to_owned();
    if verdict.ticks && matches!(verdict.faring(), Faring::Missed | Faring::Exceeded) {
        state += ", the timer ticks";
    }
    if !verdict.promise.granted {
        state += ", not granted";
    }
    if let Some(until) = verdict.until {
        state += &format!(", until {until}");
    }
    let tested = verdict.verdict.as_ref().map_or(0, Verdict::tested);
    let worst = verdict.worst().map_or_else(
        || "-".to_owned(),
        |worst| {
            let span = worst.to.checked_sub(worst.from).unwrap_or(Length::ZERO);
            let (from, received, promised) = (worst.from, worst.received, worst.promised);
            if promised.is_zero() {
                return format!("{received} in {span} from {from}"); // behind by less than the error
            }
            format!("{received} of {promised} in {span} from {from}")
        },
    );
    let promise = verdict.promise.guarantee.to_string();
    vec![promise, owner, state, margin, tested.to_string(), worst]
}
