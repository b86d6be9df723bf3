//! The rule of the paper: a value is voted once more than half agree on it.

use super::{Agreement, Exact, Row, Rule};
use crate::ReplicaNumber;

/// A value is voted once replicas that weigh more than half of all agree with it (CMU 1982, 1.4). No faulty minority brings a wrong vote about.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Majority<A = Exact>(pub A);

impl Majority {
    /// On values that are equal.
    pub const EXACT: Majority = Majority(Exact);
}

impl<V, A: Agreement<V>> Rule<V> for Majority<A> {
    fn decide(&self, row: &Row<'_, V>, _: bool) -> Option<ReplicaNumber> {
        let wins = |replica: &ReplicaNumber| {
            row.weight_of(row.supporters(*replica, &self.0)) * 2 > row.total()
        };
        match row.came() {
            // A value that was no majority before is one only by the value that came, if agreement is equality; with a tolerance another may be in its middle.
            Some(came) if wins(&came) => Some(came),
            Some(came) => row.supporters(came, &self.0).without(came).iter().find(wins),
            None => row.present().iter().find(wins),
        }
    }

    fn is_right(&self, value: &V, voted: &V) -> bool {
        self.0.agree(value, voted)
    }
}
