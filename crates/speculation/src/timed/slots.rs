//! The slots of a [`Timed`] run as time passes, and as events come and go.

use super::{InputError, Late, Moment, NANOSECOND, Timed};
use crate::part::Change;
use crate::{Key, Model, ProcessNumber};
use windfall_admission::Ticket;
use windfall_time::{Instant, Span};

impl<M: Model, B: Fn(ProcessNumber, &M::Event) -> Span> Timed<M, B> {
    /// Time passes in which no slot is worked on. Slots that can no longer be done in time are named.
    pub(super) fn pass(&mut self, moment: Moment) {
        let position = self.account.passes(self.list.now(), moment);
        self.until = self.until.max(self.account.now());
        _ = self.list.serve(Span::ZERO, position);
        while let Some((ticket, left)) = self.list.take_late() {
            let whose = self.slots.iter().find(|(_, other)| *other == ticket);
            let Some(key) = whose.map(|(key, _)| *key) else { continue };
            self.slots.remove(key);
            self.gives_way(key, left);
        }
    }

    /// Admits work that is to be done by a real time, beside all that was admitted and what is owed.
    pub(super) fn admit(&mut self, work: Span, at: Instant) -> Result<Ticket, InputError> {
        let (place, owed) = (self.account.place(at), self.account.owed());
        let idle = self.list.idle_before(place).saturating_sub(owed);
        if idle < work {
            let earliest = self.list.earliest_deadline(work.saturating_add(owed));
            let earliest = earliest.ok().flatten().and_then(|place| self.account.deadline(place));
            return Err(InputError::NoTime { work, idle, earliest });
        }
        let full = |_| InputError::NoTime { work, idle: Span::ZERO, earliest: None };
        self.list.admit(work, place).map_err(full)
    }

    /// The event that has the first slot.
    pub(super) fn head(&self) -> Option<Key> {
        let ticket = self.list.head()?.ticket;
        let (place, none) = (ticket.deadline(), ProcessNumber(0));
        let from = Key { at: self.account.deadline(place)?, to: none, from: none, number: 0 };
        let mut same =
            self.slots.from(from).take_while(|(key, _)| self.account.place(key.at) == place);
        same.find(|(_, other)| *other == ticket).map(|(key, _)| *key)
    }

    /// So much may be received before something needs to be done for any slot.
    pub(super) fn laxity(&self) -> Span {
        let Some(head) = self.list.head() else { return Span::MAX };
        let before = head.ticket.deadline().checked_sub(NANOSECOND).unwrap_or(Instant::ZERO);
        self.list.idle_before(before).saturating_sub(self.account.owed())
    }

    /// Until when the run may sleep, if its laxity may fall by so much.
    pub(super) fn sleeps_to(&self, falls: Span) -> Option<Instant> {
        let position = self.list.now().saturating_add(self.account.owed());
        self.account.sleeps_to(position.saturating_add(falls))
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
            if let Ok(ticket) = self.admit(left, key.at) {
                self.slots.insert(key, ticket);
                return;
            }
        }
        self.is_late(Late::Lost(key));
    }

    /// An event is late, as is said when it is asked.
    fn is_late(&mut self, late: Late) {
        if self.late.len() == self.late.capacity() {
            self.late.pop_front();
            self.untaken += 1;
        }
        self.late.push_back(late);
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
                    match self.admit(self.slot(key.to, event), key.at) {
                        Ok(ticket) => self.slots.insert(key, ticket),
                        // It had one, and more, before its process knew it.
                        Err(_) if key.from == outside => self.is_late(Late::Lost(key)),
                        Err(_) => self.is_late(Late::Unfit(key)),
                    }
                }
                Change::Came(_) => {}
            }
        }
        self.part.changes = Some(changes);
    }

    /// An event has no slot any longer.
    pub(super) fn free(&mut self, key: Key) {
        if let Some(ticket) = self.slots.remove(key) {
            _ = self.list.withdraw(ticket);
        }
    }
}
