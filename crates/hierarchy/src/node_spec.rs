//! Description of a scheduler instance to create, and of where its virtual processors are registered.

use crate::id::Parent;
use crate::message::Message;
use crate::scheduler::Scheduler;
use alloc::boxed::Box;

/// A scheduler instance to create.
#[non_exhaustive]
pub struct NodeSpec<'a> {
    /// A name that no other living instance has.
    pub name: &'a str,
    /// The kind of scheduler, for reports.
    pub kind: &'static str,
    /// The scheduler.
    pub scheduler: Box<dyn Scheduler>,
    /// Its own virtual processors, in order: where each is registered, and its requests there.
    pub owns: &'a [(Parent, &'a [Message])],
}

impl<'a> NodeSpec<'a> {
    /// An instance of this name and kind, registered at these places.
    #[must_use]
    pub fn new(
        name: &'a str,
        kind: &'static str,
        scheduler: Box<dyn Scheduler>,
        owns: &'a [(Parent, &'a [Message])],
    ) -> NodeSpec<'a> {
        NodeSpec { name, kind, scheduler, owns }
    }
}
