//! The ways in which a scheduler can be supplied: for each of its own virtual processors one of the
//! guarantees that hold there, rewritten to a type that the scheduler takes.

use crate::guarantee::{Guarantee, Type};
use crate::rewrite::{Rule, Step, form};
use alloc::vec;
use alloc::vec::Vec;
use windfall_time::Instant;

/// A guarantee of a virtual processor, and since when its periods follow each other, if known.
pub(crate) type Held = (Guarantee, Option<Instant>);

/// One own virtual processor's part of a way: which of its guarantees, and the steps to the right type.
pub(crate) type Choice = (usize, Vec<Step>);

/// With more ways than this, all but the first guarantee of further virtual processors are left out.
const MANY: usize = 16;

/// All ways, as far as they are few. `own` holds what each own virtual processor has, at least one
/// each; no types at all means any.
pub(crate) fn ways(takes: &[Type], own: &[Vec<Held>]) -> Vec<Vec<Choice>> {
    if takes.is_empty() {
        let as_they_are = |has: &Vec<Held>| (0..has.len()).map(|at| (at, Vec::new())).collect();
        return product(own.iter().map(as_they_are).collect());
    }
    let of_type = |kind: &Type| {
        let formed = |has: &Vec<Held>| {
            let formed = has.iter().enumerate();
            let formed = formed.filter_map(|(at, (has, _))| Some((at, form(has, *kind)?)));
            formed.collect::<Vec<_>>()
        };
        let mut choices: Vec<Vec<Choice>> = own.iter().map(formed).collect();
        if choices.iter().all(Vec::is_empty) {
            return Vec::new();
        }
        // What is of no use counts as nothing beside what is.
        let nothing = Step { rule: Rule::Nothing, gives: Guarantee::Null };
        for choices in choices.iter_mut().filter(|choices| choices.is_empty()) {
            choices.push((0, vec![nothing]));
        }
        product(choices)
    };
    takes.iter().flat_map(of_type).collect()
}

fn product(choices: Vec<Vec<Choice>>) -> Vec<Vec<Choice>> {
    let mut ways: Vec<Vec<Choice>> = vec![Vec::new()];
    for choices in choices {
        let most = if ways.len() * choices.len() > MANY { 1 } else { choices.len() };
        let mut longer = Vec::new();
        for way in &ways {
            for choice in &choices[..most] {
                let mut way = way.clone();
                way.push(choice.clone());
                longer.push(way);
            }
        }
        ways = longer;
    }
    ways
}

/// The guarantees that a way supplies, and since when the periods of each follow each other, if
/// known.
pub(crate) fn supplied(
    way: &[Choice],
    own: &[Vec<Held>],
) -> (Vec<Guarantee>, Vec<Option<Instant>>) {
    let part = |((at, steps), has): (&Choice, &Vec<Held>)| {
        let (gives, since) = has[*at];
        let since = since.filter(|_| steps.iter().all(|step| step.rule.keeps_periods()));
        (steps.last().map_or(gives, |step| step.gives), since)
    };
    way.iter().zip(own).map(part).unzip()
}
