//! Loops in which no time would pass: rt-app is busy there, for as long as its calls take.

use windfall_programs::{Phase, Step, Work};
use windfall_time::Span;

/// A round of a loop without end, and one of a loop that ends.
const ENDLESS: Span = Span::from_millis(1);
const SHORT: Span = Span::from_nanos(1_000);
/// The number of rounds that pass in no time at all.
const FEW: u64 = 1_000;

/// Makes every long loop take time; returns the added time of a round, if any.
pub(super) fn take_time(phases: &mut Vec<Phase>, loops: Option<u64>) -> Option<Span> {
    let mut added = None;
    for phase in phases.iter_mut().filter(|phase| phase.loops > FEW && !takes_time(phase)) {
        let each = if phase.loops == u64::MAX { ENDLESS } else { SHORT };
        phase.steps.push(Step::Run(Work::Fixed(each)));
        added = Some(each.max(added.unwrap_or(each)));
    }
    if phases.iter().any(takes_time) {
        return added;
    }
    let each = if loops.is_none() { ENDLESS } else { SHORT };
    let run = Step::Run(Work::Fixed(each));
    match phases.last_mut() {
        Some(last) => last.steps.push(run),
        None => phases.push(Phase::new("", vec![run])),
    }
    Some(each)
}

fn takes_time(phase: &Phase) -> bool {
    phase.steps.iter().any(|step| step.effect().takes_time())
}
