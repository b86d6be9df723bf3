//! The context of a handler: its event's time and sender, and the acts that it may do.

use crate::{Key, Model, ProcessNumber, RunError};
use std::collections::TryReserveError;
use windfall_time::Instant;

/// An event that a handler sends; its sender numbers it.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Sent<E> {
    pub(crate) to: ProcessNumber,
    pub(crate) at: Instant,
    pub(crate) event: E,
}

impl<E> Sent<E> {
    /// Checks that it may be sent, at the beginning or when another was handled.
    #[inline]
    pub(crate) fn check(
        &self,
        from: ProcessNumber,
        cause: Option<Key>,
        processes: u32,
    ) -> Result<(), RunError> {
        let (to, at) = (self.to, self.at);
        if cause.is_some_and(|cause| at <= cause.at) {
            return Err(RunError::BeforeCause { cause, from, to, at });
        }
        if to.0 >= processes {
            return Err(RunError::NoProcess { from, to, processes });
        }
        Ok(())
    }
}

/// The effects of handling one event.
#[derive(Debug)]
pub(crate) struct Effects<M: Model + ?Sized> {
    pub(crate) sent: Vec<Sent<M::Event>>,
    pub(crate) outputs: Vec<M::Output>,
    pub(crate) changes: Vec<M::Change>,
}

impl<M: Model + ?Sized> Effects<M> {
    pub(crate) const fn new() -> Self {
        Effects { sent: Vec::new(), outputs: Vec::new(), changes: Vec::new() }
    }

    /// Takes room for so many of each.
    pub(crate) fn reserve(&mut self, room: usize) -> Result<(), TryReserveError> {
        self.sent.try_reserve_exact(room)?;
        self.outputs.try_reserve_exact(room)?;
        self.changes.try_reserve_exact(room)
    }

    pub(crate) fn clear(&mut self) {
        self.sent.clear();
        self.outputs.clear();
        self.changes.clear();
    }
}

/// A handler's view of its event, through which it acts.
#[derive(Debug)]
pub struct Context<'a, M: Model + ?Sized> {
    key: Key,
    effects: &'a mut Effects<M>,
    /// Whether changes are kept.
    logs: bool,
}

impl<'a, M: Model + ?Sized> Context<'a, M> {
    pub(crate) const fn new(key: Key, effects: &'a mut Effects<M>, logs: bool) -> Self {
        Context { key, effects, logs }
    }

    pub(crate) const fn key(&self) -> Key {
        self.key
    }

    /// The process whose state this is.
    #[must_use]
    pub const fn me(&self) -> ProcessNumber {
        self.key.to
    }

    /// The virtual time of the event; at the beginning, zero.
    #[must_use]
    pub const fn now(&self) -> Instant {
        self.key.at
    }

    /// The sender of the event; at the beginning, the process itself.
    #[must_use]
    pub const fn from(&self) -> ProcessNumber {
        self.key.from
    }

    /// Sends an event, which must be later than now: else the run ends, and names both.
    #[inline]
    pub fn send(&mut self, to: ProcessNumber, at: Instant, event: M::Event) {
        self.effects.sent.push(Sent { to, at, event });
    }

    /// Gives something to whoever runs the model, when it is certain that this event takes effect. At the beginning of a process there is none: the run is refused.
    #[inline]
    pub fn output(&mut self, output: M::Output) {
        self.effects.outputs.push(output);
    }

    /// Says how a change of the state is taken back, before it is made: if the handler panics in between, it is taken back without having been made, as [`Model::undo`] must bear if that can be.
    #[inline]
    pub fn log(&mut self, change: M::Change) {
        if self.logs {
            self.effects.changes.push(change);
        }
    }
}
