//! Which promises of a scenario are judged: all that are asked for, and which of them the checker has
//! granted.

use super::Promise;
use crate::model::Setting;
use crate::{Guarantee, Scenario};
use windfall_time::Span;

/// Every guarantee that a thread or a scheduler of the scenario asks for, but `NULL`, which promises
/// nothing.
#[must_use]
pub fn promises(scenario: &Scenario) -> Vec<Promise> {
    let checked = scenario.promises();
    let asked = checked.tree.vps.iter().zip(&checked.findings.vps).enumerate();
    let asked = asked.filter_map(|(at, (vp, found))| {
        let guarantee = vp.asks.filter(|asks| *asks != Guarantee::Null)?;
        let node = vp.child.map(|node| &checked.tree.nodes[node]);
        let own = node.and_then(|node| node.own.iter().position(|own| *own == at));
        Some(Promise {
            owner: node.map_or_else(|| vp.name.clone(), |node| node.name.clone()),
            own: own.and_then(|own| u16::try_from(own).ok()),
            guarantee,
            granted: found.granted.is_some(),
            makeup: checked.tree.is_below_makeup(at),
        })
    });
    asked.collect()
}

/// The longest quantum that the scenario sets, and at least 10 ms, which is what schedulers have that
/// are told none.
#[must_use]
pub fn grain(scenario: &Scenario) -> Span {
    let settings = scenario.schedulers.iter().flat_map(|scheduler| &scheduler.settings);
    let quanta = settings.filter_map(|(name, value)| match value {
        Setting::Span(span) if name == "quantum" => Some(*span),
        _ => None,
    });
    quanta.fold(Span::from_millis(10), Span::max)
}
