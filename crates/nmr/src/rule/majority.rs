//! The rule of the paper: a value is voted once more than half agree on it.

use super::{Agreement, Exact, Row, Rule};
use crate::{ReplicaNumber, Replicas};

/// A value is voted once replicas that weigh more than half of all agree with it (CMU 1982, 1.4). No faulty minority brings a wrong vote about where values agree that are equal; with a tolerance, none that is farther from correct ones.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Majority<A = Exact>(pub A);

impl Majority {
    /// On values that are equal.
    pub const EXACT: Majority = Majority(Exact);
}

impl<V, A: Agreement<V>> Rule<V> for Majority<A> {
    const EQUALS_DECIDE: bool = A::IS_EQUALITY;

    #[inline(always)]
    fn decide(&self, row: &Row<'_, V>, _: bool) -> Option<(ReplicaNumber, Replicas)> {
        if row.weight_present() * 2 <= row.total() {
            return None;
        }
        let wins = |replica: ReplicaNumber| {
            let supporters = row.supporters(replica, &self.0);
            (row.weight_of(supporters) * 2 > row.total()).then_some((replica, supporters))
        };
        let Some(came) = row.came() else { return row.present().iter().find_map(wins) };
        // A value that was no majority before is one only by the value that came, if agreement is equality; with a tolerance another may be in its middle.
        wins(came).or_else(|| row.supporters(came, &self.0).without(came).iter().find_map(wins))
    }

    fn is_right(&self, value: &V, voted: &V) -> bool {
        self.0.agree(value, voted)
    }
}
