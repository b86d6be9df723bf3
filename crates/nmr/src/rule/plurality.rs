//! The value with the most support, be it a majority or not.

use super::{Exact, Row, Rule};
use crate::{ReplicaNumber, Replicas};

/// The value that most send is voted, once no other can overtake it; of equals, that of the replica with the lowest number. With fewer than a majority it may be wrong. For values that are equal or not: with a tolerance, which has the most would depend on the order in
/// which they came.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Plurality;

impl<V: PartialEq> Rule<V> for Plurality {
    fn decide(&self, row: &Row<'_, V>, last: bool) -> Option<(ReplicaNumber, Replicas)> {
        let open = if last { 0 } else { row.weight_of(row.outstanding()) };
        let support = |replica| row.weight_of(row.supporters(replica, &Exact));
        let (most, best) = row
            .present()
            .iter()
            .map(|replica| (support(replica), replica))
            .filter(|(weight, _)| *weight > 0)
            .max_by_key(|(weight, replica)| (*weight, core::cmp::Reverse(*replica)))?;
        let supporters = row.supporters(best, &Exact);
        let others = row.present().but(supporters);
        // What has not come at all may still be a value of its own.
        let next = others.iter().map(support).max().unwrap_or(0) + open;
        (open == 0 || most > next).then_some((best, supporters))
    }

    fn is_right(&self, value: &V, voted: &V) -> bool {
        value == voted
    }
}
