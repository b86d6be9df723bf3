//! Notices of the manager to a replica.

use crate::ReplicaNumber;
use crate::participant::{Link, Participant};
use crate::rule::Rule;
use crate::value::Value;

#[derive(Debug)]
pub(crate) enum Control {
    /// Another has begun a new life.
    Linked(ReplicaNumber, Link),
    /// Another takes part no longer.
    Retired(ReplicaNumber),
    /// Another takes part.
    Admitted(ReplicaNumber),
}

impl Control {
    pub(crate) fn reaches<V: Value, R: Rule<V> + Clone>(self, part: &mut Participant<V, R>) {
        match self {
            Control::Linked(replica, link) => part.link(replica, link),
            Control::Retired(replica) => part.retire(replica),
            // Two voters may hear of it in different orders; one that has heard is right.
            Control::Admitted(replica) => _ = part.voter.admit(replica),
        }
    }
}
