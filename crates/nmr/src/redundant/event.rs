//! A message of a replica to its manager.

use super::shelf::Served;
use crate::remedies::Heard;
use crate::{Iteration, ReplicaNumber};
use std::sync::Arc;

/// Messages to the manager.
#[derive(Debug)]
pub(super) enum Event {
    /// Reports of replicas about each other and themselves.
    Heard(Heard),
    /// A replica serves a state that does not have the hash which it says.
    Disproved { replica: ReplicaNumber, life: u32, iteration: Iteration, served: Arc<Served> },
}
