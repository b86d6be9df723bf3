//! Expectations, as they are written.

use crate::file::{ExpectFile, Lax};
use crate::model::{Expectation, Quantity};

pub(super) fn expectation(expectation: &Expectation) -> ExpectFile {
    let Expectation { subject, quantity, bound, because } = expectation;
    ExpectFile {
        what: Lax::good(quantity.of(subject)),
        above: match quantity {
            Quantity::IntervalsAbove(limit) => Lax::good(*limit),
            _ => None,
        },
        at_most: bound.at_most.and_then(Lax::good),
        at_least: bound.at_least.and_then(Lax::good),
        equals: bound.equals.and_then(|(level, _)| Lax::good(level)),
        within: bound.equals.and_then(|(_, within)| within).and_then(Lax::good),
        because: Lax::good(because.clone()),
    }
}
