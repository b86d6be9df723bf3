//! The value in the middle.

use super::{Agreement, Row, Rule};
use crate::{ReplicaNumber, Replicas};
use core::cmp::Ordering;

/// The value in the middle is voted, by weight, the lower of two, once all have come or no more are waited for. It lies between values of correct replicas as long as these weigh more than half of those that came.
/// A replica that differs from it by more than the agreement is wrong. Values that cannot be ordered, as NaN, do not count.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Median<A>(pub A);

impl<V: PartialOrd, A: Agreement<V>> Rule<V> for Median<A> {
    fn decide(&self, row: &Row<'_, V>, last: bool) -> Option<(ReplicaNumber, Replicas)> {
        if !last && !row.outstanding().is_empty() {
            return None;
        }
        let ordered = |replica: &ReplicaNumber| {
            row.value(*replica).is_some_and(|value| value.partial_cmp(value).is_some())
        };
        let counted: Replicas = row.present().iter().filter(ordered).collect();
        let total = row.weight_of(counted);
        // Fewer than a majority of all could be faulty ones only.
        if total * 2 <= row.total() {
            return None;
        }
        let compare = |one: ReplicaNumber, other: ReplicaNumber| {
            let (one, other) = (row.value(one)?, row.value(other)?);
            one.partial_cmp(other)
        };
        // The lowest value which, with all that are not above it, weighs half. Without memory for a sorted list.
        let middle = counted
            .iter()
            .filter(|middle| {
                let below =
                    |other: &ReplicaNumber| compare(*other, *middle).is_some_and(Ordering::is_le);
                row.weight_of(counted.iter().filter(below).collect()) * 2 >= total
            })
            .min_by(|one, other| compare(*one, *other).unwrap_or(Ordering::Equal))?;
        Some((middle, row.supporters(middle, &self.0)))
    }

    fn is_right(&self, value: &V, voted: &V) -> bool {
        self.0.agree(value, voted)
    }
}
