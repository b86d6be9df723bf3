//! The registration of an own virtual processor at a parent.

use crate::id::Parent;
use crate::message::Message;
use alloc::vec::Vec;

/// The parent at which an own VP of an instance is registered, or was before the scheduler took it out, and its parameters there.
#[derive(Clone)]
pub(crate) struct Registration {
    /// `None` if it has lost its parent.
    pub(crate) parent: Option<Parent>,
    pub(crate) requested: Vec<Message>,
    /// Whether the scheduler has taken the VP out, and not put it back.
    pub(crate) is_out: bool,
}

impl Registration {
    pub(crate) fn new(parent: Parent, requested: &[Message]) -> Registration {
        Registration { parent: Some(parent), requested: requested.to_vec(), is_out: false }
    }

    /// Keeps a message that the parent accepted; it replaces an earlier one of the same name.
    pub(crate) fn keep(&mut self, message: Message) {
        self.requested.retain(|before| before.name() != message.name());
        match message {
            Message::Unreserve => self.requested.retain(|before| before.name() != "reserve"),
            Message::Transfer(_) => {} // it is done once
            _ => self.requested.push(message),
        }
    }
}
