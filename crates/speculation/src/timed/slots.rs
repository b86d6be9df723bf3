//! What becomes of the slots of a [`Timed`] run as time passes, and as events come and go.

use super::{Late, Timed};
use crate::part::Change;
use crate::{Key, Model, ProcessNumber};
use windfall_admission::HORIZON;
use windfall_time::{Instant, Span};

impl<M: Model, B: Fn(ProcessNumber, &M::Event) -> Span> Timed<M, B> {
    /// Time passes in which no slot is worked on. What can no longer be done in time is named.
    pub(super) fn pass(&mut self, now: Instant) {
        let now = now.max(self.list.now()).min(HORIZON);
        self.until = self.until.max(now);
        _ = self.list.serve(Span::ZERO, now);
        while let Some((ticket, left)) = self.list.take_late() {
            let whose = self.slots.iter().find(|(_, other)| **other == ticket);
            let Some(key) = whose.map(|(key, _)| *key) else { continue };
            self.slots.remove(&key);
            self.gives_way(key, left);
        }
    }

    /// The slot of this event, of which so much is left, is too late. If it is done, before all that wait, it is certain now instead; else others that are done so give way to it.
    fn gives_way(&mut self, key: Key, left: Span) {
        let is_done = |run: &Self, key| run.next().is_none_or(|next| key < next);
        if is_done(self, key) {
            self.until = self.until.max(key.at);
            return;
        }
        while let Some(head) = self.head().filter(|head| is_done(self, *head)) {
            self.ends(head);
            if let Ok(ticket) = self.list.admit(left, key.at.min(HORIZON)) {
                self.slots.insert(key, ticket);
                return;
            }
        }
        self.late.push(Late::Lost(key));
    }

    /// Nothing comes from outside before an event any longer, which is done or about to be.
    pub(super) fn ends(&mut self, key: Key) {
        self.until = self.until.max(key.at);
        self.free(key);
    }

    /// Events that came get slots, and those that went have none any longer.
    pub(super) fn admit_changes(&mut self) {
        let Some(mut changes) = self.part.changes.take() else { return };
        let outside = self.outside();
        for change in changes.drain(..) {
            match change {
                Change::Gone(key) => {
                    self.free(key);
                    self.late.retain(|late| late.event() != key);
                }
                // It may be gone since.
                Change::Came(key) if key.at < self.end => {
                    let Some(event) = self.part.waiting(key) else { continue };
                    match self.list.admit(self.slot(key.to, event), key.at.min(HORIZON)) {
                        Ok(ticket) => _ = self.slots.insert(key, ticket),
                        // It had one, and more, before its process knew it.
                        Err(_) if key.from == outside => self.late.push(Late::Lost(key)),
                        Err(_) => self.late.push(Late::Unfit(key)),
                    }
                }
                Change::Came(_) => {}
            }
        }
        self.part.changes = Some(changes);
    }

    /// An event has no slot any longer.
    pub(super) fn free(&mut self, key: Key) {
        if let Some(ticket) = self.slots.remove(&key) {
            _ = self.list.withdraw(ticket);
        }
    }
}
