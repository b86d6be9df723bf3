//! The promises of a scenario that are judged: all requested ones, and which of them the checker has
//! granted.

use super::{Outcome, Promise, Refused};
use crate::model::Setting;
use crate::{Guarantee, Scenario};
use windfall_guarantees::{Allowance, Length, Type, form, rewrite};
use windfall_schedulers::catalogue::{Kind, Settings};
use windfall_schedulers::kinds::ROUND_ROBIN;
use windfall_time::{Ratio, Span};

/// Every guarantee that a thread or a scheduler of the scenario requests and is granted, except `NULL`, which promises
/// nothing. Refused guarantees are not promises ([`refusals`]).
#[must_use]
pub fn promises(scenario: &Scenario) -> Vec<Promise> {
    promises_and_refusals(scenario).0
}

/// The promises, and the refused requests.
pub(crate) fn promises_and_refusals(scenario: &Scenario) -> (Vec<Promise>, Vec<Refused>) {
    let (requested, refused) = requested_and_refused(scenario);
    (requested.into_iter().filter(|promise| promise.granted).collect(), refused)
}

/// The promises, with refused requests.
pub(crate) fn requested_promises(scenario: &Scenario) -> Vec<Promise> {
    requested_and_refused(scenario).0
}

fn requested_and_refused(scenario: &Scenario) -> (Vec<Promise>, Vec<Refused>) {
    let checked = scenario.promises();
    let asked = checked.tree.vps.iter().zip(&checked.findings.vps).enumerate();
    let asked = asked.filter_map(|(at, (vp, found))| {
        let guarantee = vp.requested.filter(|requires| *requires != Guarantee::Null)?;
        let (owner, own) = checked.owner(at);
        Some(Promise {
            owner,
            own,
            guarantee,
            granted: found.granted.is_some(),
            makeup: checked.tree.is_below_makeup(at),
            behind: match found.granted {
                Some(link) => checked.findings.behind(link),
                None => Allowance::lots(grain(scenario)),
            },
        })
    });
    let refused = checked.refused().filter_map(|vp| {
        let asked = &checked.tree.vps[vp];
        let parent = asked.parent.map_or("top", |parent| &checked.tree.nodes[parent].name);
        let (owner, own) = checked.owner(vp);
        let (name, parent) = (asked.name.clone(), parent.to_owned());
        Some(Refused {
            owner,
            own,
            name,
            parent,
            requested: asked.requested?,
            why: checked.why(vp)?,
        })
    });
    (asked.collect(), refused.collect())
}

/// The same, with the reservations that are written and not requested: each as RESBS, granted if that follows.
pub(crate) fn held_promises(scenario: &Scenario) -> Vec<Promise> {
    let mut promises = requested_promises(scenario);
    let checked = scenario.promises();
    for (at, (vp, found)) in checked.tree.vps.iter().zip(&checked.findings.vps).enumerate() {
        let (Some((amount, period)), None) = (vp.params.reserve, vp.requested) else { continue };
        let guarantee = Guarantee::BasicSoft(amount.into(), period.into());
        let gives = |link: &usize| checked.findings.links[*link].gives;
        let granted = found.options.iter().any(|link| rewrite(&gives(link), &guarantee).is_ok());
        let (owner, own) = checked.owner(at);
        promises.push(Promise { own, granted, ..Promise::new(owner, guarantee) });
    }
    promises
}

/// All refused requests.
#[must_use]
pub fn refusals(scenario: &Scenario) -> Vec<Refused> {
    requested_and_refused(scenario).1
}

/// All guarantees that the checker proves anywhere in the scenario, requested or not, and the guarantees of other types that follow from them.
#[must_use]
pub fn all_promises(scenario: &Scenario) -> Vec<Promise> {
    let checked = scenario.promises();
    let mut promises = Vec::new();
    for (at, found) in checked.findings.vps.iter().enumerate() {
        let (owner, own) = checked.owner(at);
        let mut holds: Vec<(Guarantee, usize)> = Vec::new();
        for option in found.options.iter().chain(&found.granted).copied() {
            let gives = checked.findings.links[option].gives;
            follows(&gives, |guarantee| holds.push((guarantee, option)));
        }
        holds.sort_unstable_by_key(|(guarantee, _)| *guarantee);
        holds.dedup_by_key(|(guarantee, _)| *guarantee);
        holds.retain(|(guarantee, _)| *guarantee != Guarantee::Null);
        promises.extend(holds.into_iter().map(|(guarantee, link)| Promise {
            owner: owner.clone(),
            own,
            guarantee,
            granted: true,
            makeup: checked.tree.is_below_makeup(at),
            behind: checked.findings.behind(link),
        }));
    }
    promises
}

/// A guarantee, and the tightest one of each type that follows from it.
fn follows(gives: &Guarantee, mut put: impl FnMut(Guarantee)) {
    put(*gives);
    for kind in Type::ALL_TYPES {
        let steps = form(gives, kind).unwrap_or_default();
        steps.last().into_iter().for_each(|step| put(step.gives));
    }
    if let Guarantee::BasicSoft(amount, period) = *gives {
        put(Guarantee::Probabilistic(amount, period, Length::ZERO));
    }
    // Theorem 5.7, with a period of twice the least.
    if let Guarantee::BoundedShare(share, error) = *gives
        && let Some(gap) = error.checked_div(share)
        && let Some(period) = gap.checked_mul(Ratio::whole(2))
        && !error.is_zero()
    {
        put(Guarantee::ContinuousSoft(error, period));
    }
}

/// How many threads have a bound on their response time and completed jobs, and which of them exceeded it, as
/// text. Bounds count without stolen time: if time may be stolen, none counts as exceeded. Where requests change the tree, none is judged.
#[must_use]
pub fn broken_bounds(scenario: &Scenario, outcome: &Outcome) -> (u64, Vec<String>) {
    let checked = scenario.promises();
    let (mut answered, mut late) = (0, Vec::new());
    if checked.until.is_some() || !checked.requesters.is_empty() {
        return (answered, late);
    }
    for deadline in checked.deadlines(scenario) {
        let name = &checked.tree.vps[deadline.vp].name;
        let thread = outcome.threads.iter().find(|thread| thread.name == *name);
        let most = thread.and_then(|thread| thread.response.most());
        let (Ok(bound), Some(response)) = (deadline.bound, most) else { continue };
        answered += 1;
        if response > bound && scenario.interrupts.is_empty() {
            late.push(format!("{name} answered after {response}, not within {bound}"));
        }
    }
    (answered, late)
}

/// The quantum for judging a share that the checker has refused: the longest of its schedulers, and at least what
/// a round robin has without more.
fn grain(scenario: &Scenario) -> Span {
    let quantum = |kind: &Kind, settings: &[(String, Setting)]| {
        kind.quantum(&Settings(&Setting::values(settings))).ok().flatten()
    };
    let schedulers = scenario.schedulers.iter();
    let quanta = schedulers.filter_map(|one| quantum(scenario.kind_of(one)?, &one.settings));
    let longest = quanta.chain(quantum(ROUND_ROBIN, &[])).max().unwrap_or(Span::ZERO);
    longest.saturating_add(scenario.machine.timer.resolution().unwrap_or(Span::ZERO))
}
