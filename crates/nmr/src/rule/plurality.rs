//! The value with the most support, be it a majority or not.

use super::{Agreement, Exact, Row, Rule};
use crate::{ReplicaNumber, Replicas};

/// The value that most agree with is voted, once no other can overtake it; of equals, that of the replica with the lowest number. With fewer than a majority it may be wrong.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Plurality<A = Exact>(pub A);

impl Plurality {
    /// On values that are equal.
    pub const EXACT: Plurality = Plurality(Exact);
}

impl<V, A: Agreement<V>> Rule<V> for Plurality<A> {
    fn decide(&self, row: &Row<'_, V>, last: bool) -> Option<(ReplicaNumber, Replicas)> {
        let open = if last { 0 } else { row.weight_of(row.outstanding()) };
        let support = |replica| row.weight_of(row.supporters(replica, &self.0));
        let first = row
            .present()
            .iter()
            .map(|replica| (support(replica), replica))
            .filter(|(weight, _)| *weight > 0)
            .max_by_key(|(weight, replica)| (*weight, core::cmp::Reverse(*replica)))?;
        let (most, best) = first;
        let supporters = row.supporters(best, &self.0);
        let others = row.present().but(supporters);
        // What has not come at all may still be a value of its own.
        let next = others.iter().map(support).max().unwrap_or(0) + open;
        (open == 0 || most > next).then_some((best, supporters))
    }

    fn is_right(&self, value: &V, voted: &V) -> bool {
        self.0.agree(value, voted)
    }
}
