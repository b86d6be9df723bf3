//! A node of the tree: a scheduler, and its instance.

use crate::instance::Instance;
use crate::scheduler::Scheduler;
use alloc::boxed::Box;

/// A scheduler and its instance, as separate fields so that both can be borrowed at once.
#[derive(Clone)]
pub(crate) struct Node {
    pub(crate) scheduler: Box<dyn Scheduler>,
    pub(crate) instance: Instance,
}
