//! Event blocks (Chrysalis 2.3): whether an event is posted, stands in a queue, or is gone is one word.
//!
//! A poster claims the event by that word, and then puts it into its owner's inbox, so one post is under way at a time. The
//! owner looks for it there. An event that is deleted meanwhile is doomed, and its place is free when it has arrived.
//!
//! A post counts from the claim on: a second one is refused. Only that its owner finds it takes until it has arrived.

mod block;

use crate::atomic::Ordering;
use crate::pool::NIL;
use crate::{Exchange, ExchangeError, Futex, Mine, Name};
use block::{GENERATION, PHASE, TIMES, generation, next_generation, phase, with};

pub(crate) use block::{Block, Ticket};

/// Why nothing can be handed to an event that stood in a queue.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ClaimError {
    /// It stands there no longer.
    Reset,
    /// It is gone.
    Dead,
}

/// Posted events that their owner has found, the oldest first.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Hand {
    pub(crate) first: u32,
    pub(crate) last: u32,
}

/// Operations that every process may do.
impl Exchange {
    /// Posts an event.
    ///
    /// # Errors
    /// [`ExchangeError::Posted`], [`ExchangeError::Standing`], [`ExchangeError::Gone`].
    #[inline]
    pub fn post(&self, event: Name, datum: u64, futex: &impl Futex) -> Result<(), ExchangeError> {
        let block = self.events.get(event.index).ok_or(ExchangeError::Gone)?;
        block.claim(event.generation)?;
        self.deliver(event.index, datum, futex);
        Ok(())
    }

    /// Delivers the post that one has taken upon oneself.
    #[inline]
    pub(crate) fn deliver(&self, index: u32, datum: u64, futex: &impl Futex) {
        let block = self.events.at(index);
        block.datum.store(datum, Ordering::Relaxed);
        let home = self.homes.at(block.home.load(Ordering::Relaxed));
        home.inbox.push(&self.events, index, futex);
    }

    /// Takes it upon oneself to hand something to an event that stands in a queue.
    #[inline]
    pub(crate) fn claim_standing(&self, ticket: Ticket) -> Result<u32, ClaimError> {
        let Some(block) = self.events.get(ticket.index()) else { return Err(ClaimError::Dead) };
        let claimed = with(ticket.state(), phase::CLAIMED);
        let (done, lost) = (Ordering::Acquire, Ordering::Relaxed);
        match block.state.compare_exchange(ticket.state(), claimed, done, lost) {
            Ok(_) => Ok(ticket.index()),
            Err(state) if generation(state) == generation(ticket.state()) => Err(ClaimError::Reset),
            Err(_) => Err(ClaimError::Dead),
        }
    }

    /// Whether an event still stands in its queue.
    pub(crate) fn stands(&self, ticket: Ticket) -> bool {
        let block = self.events.get(ticket.index());
        block.is_some_and(|block| block.state.load(Ordering::Relaxed) == ticket.state())
    }

    /// Whether an event has not been deleted.
    #[must_use]
    pub fn event_lives(&self, event: Name) -> bool {
        let block = self.events.get(event.index);
        block.is_some_and(|block| {
            generation(block.state.load(Ordering::Acquire)) == event.generation
        })
    }

    /// Whether the timer of an event still has this number.
    pub fn is_set(&self, event: Name, number: u64) -> bool {
        let block = self.events.get(event.index);
        block.is_some_and(|block| block.timer.load(Ordering::Relaxed) == number)
    }

    /// Takes the timer of an event that has this number, which is due; whether it was to be posted.
    pub fn timer_due(&self, event: Name, number: u64) -> bool {
        let block = self.events.get(event.index);
        block.is_some_and(|block| {
            let timer = &block.timer;
            timer.compare_exchange(number, 0, Ordering::AcqRel, Ordering::Relaxed).is_ok()
        })
    }
}

/// Operations of the owner alone.
impl Exchange {
    /// Makes an event.
    ///
    /// # Errors
    /// [`ExchangeError::NoRoom`].
    pub fn make_event(&self, mine: &mut Mine) -> Result<Name, ExchangeError> {
        let index = self.events.take().ok_or(ExchangeError::NoRoom)?;
        let block = self.events.at(index);
        block.home.store(mine.name.index, Ordering::Relaxed);
        block.timer.store(0, Ordering::Relaxed);
        block.node.store(NIL, Ordering::Relaxed);
        let state = with(block.state.load(Ordering::Relaxed), phase::IDLE);
        block.state.store(state, Ordering::Release);
        mine.events.push(index);
        Ok(Name { index, generation: generation(state) })
    }

    /// The block of an event of one's own, and its state.
    #[inline]
    pub(crate) fn own(&self, mine: &Mine, event: Name) -> Result<(&Block, u64), ExchangeError> {
        let block = self.events.get(event.index).ok_or(ExchangeError::Gone)?;
        let state = block.state.load(Ordering::Acquire);
        if generation(state) != event.generation
            || matches!(state & PHASE, phase::FREE | phase::DOOMED)
        {
            Err(ExchangeError::Gone)
        } else if block.home.load(Ordering::Relaxed) != mine.name.index {
            Err(ExchangeError::NotOwner)
        } else {
            Ok((block, state))
        }
    }

    /// Whether an event is one's own.
    ///
    /// # Errors
    /// [`ExchangeError::NotOwner`], [`ExchangeError::Gone`].
    pub fn check_own(&self, mine: &Mine, event: Name) -> Result<(), ExchangeError> {
        self.own(mine, event).map(|_| ())
    }

    /// Looks for posted events in the inbox.
    #[inline]
    fn collect(&self, mine: &mut Mine) {
        let mut index = self.home(mine).inbox.take(&self.events);
        while index != NIL {
            let block = self.events.at(index);
            let next = block.link.load(Ordering::Relaxed);
            let state = block.state.load(Ordering::Relaxed);
            if state & PHASE == phase::DOOMED {
                self.bury(index, state);
            } else {
                block.state.store(with(state, phase::ARRIVED), Ordering::Relaxed);
                block.link.store(NIL, Ordering::Relaxed);
                match mine.hand.last {
                    NIL => mine.hand.first = index,
                    last => self.events.at(last).link.store(index, Ordering::Relaxed),
                }
                mine.hand.last = index;
            }
            index = next;
        }
    }

    /// Takes an event out of one's hand that stands there behind `before`; what it was posted with.
    #[inline]
    fn pick(&self, mine: &mut Mine, before: u32, index: u32) -> u64 {
        let block = self.events.at(index);
        let next = block.link.load(Ordering::Relaxed);
        match before {
            NIL => mine.hand.first = next,
            before => self.events.at(before).link.store(next, Ordering::Relaxed),
        }
        if next == NIL {
            mine.hand.last = before;
        }
        let datum = block.datum.load(Ordering::Relaxed);
        let state = block.state.load(Ordering::Relaxed);
        block.state.store(with(state, phase::IDLE), Ordering::Release);
        datum
    }

    /// The first event in one's hand that is wanted, and what stands before it.
    #[inline]
    fn find(&self, mine: &Mine, wanted: impl Fn(u32) -> bool) -> Option<(u32, u32)> {
        let (mut before, mut index) = (NIL, mine.hand.first);
        while index != NIL {
            if wanted(index) {
                return Some((before, index));
            }
            (before, index) = (index, self.events.at(index).link.load(Ordering::Relaxed));
        }
        None
    }

    /// Waits for one of one's own events that is wanted, by its place; which, and what it was posted with.
    ///
    /// # Errors
    /// [`ExchangeError::Nothing`], [`ExchangeError::Over`].
    #[inline]
    pub fn wait(
        &self,
        mine: &mut Mine,
        wanted: impl Fn(u32) -> bool,
        futex: &impl Futex,
    ) -> Result<(Name, u64), ExchangeError> {
        if mine.events.is_empty() {
            return Err(ExchangeError::Nothing);
        }
        loop {
            self.collect(mine);
            if let Some((before, index)) = self.find(mine, &wanted) {
                let datum = self.pick(mine, before, index);
                let generation = self.events.at(index).generation();
                return Ok((Name { index, generation }, datum));
            }
            if !self.home(mine).inbox.sleep(futex) {
                return Err(ExchangeError::Over);
            }
        }
    }

    /// The datum that an event of the caller's was posted with, if it has arrived.
    ///
    /// # Errors
    /// [`ExchangeError::NotOwner`], [`ExchangeError::Gone`].
    pub fn test(&self, mine: &mut Mine, event: Name) -> Result<Option<u64>, ExchangeError> {
        self.collect(mine);
        let (block, state) = self.own(mine, event)?;
        let arrived = state & PHASE == phase::ARRIVED;
        Ok(arrived.then(|| block.datum.load(Ordering::Relaxed)))
    }

    /// Makes an event of one's own as good as new; what it was posted with. Waits for a post that is under way.
    ///
    /// # Errors
    /// [`ExchangeError::NotOwner`], [`ExchangeError::Gone`], [`ExchangeError::Over`].
    pub fn reset(
        &self,
        mine: &mut Mine,
        event: Name,
        futex: &impl Futex,
    ) -> Result<Option<u64>, ExchangeError> {
        loop {
            self.collect(mine);
            let (block, state) = self.own(mine, event)?;
            match state & PHASE {
                phase::ARRIVED => {
                    let found = self.find(mine, |index| index == event.index);
                    return Ok(found.map(|(before, index)| self.pick(mine, before, index)));
                }
                phase::STANDING => {
                    let idle = with(state, phase::IDLE);
                    let (done, lost) = (Ordering::Release, Ordering::Relaxed);
                    if block.state.compare_exchange(state, idle, done, lost).is_ok() {
                        self.leave_queue(block, Ticket::new(event.index, state));
                        return Ok(None);
                    }
                }
                phase::CLAIMED => {
                    if !self.home(mine).inbox.sleep(futex) {
                        return Err(ExchangeError::Over);
                    }
                }
                _ => return Ok(None),
            }
        }
    }

    /// The block of an event of one's own that can be posted, and its state.
    #[inline]
    pub(crate) fn idle(&self, mine: &Mine, event: Name) -> Result<(&Block, u64), ExchangeError> {
        let (block, state) = self.own(mine, event)?;
        match state & PHASE {
            phase::IDLE => Ok((block, state)),
            phase::STANDING => Err(ExchangeError::Standing),
            _ => Err(ExchangeError::Posted),
        }
    }

    /// Has an event of one's own stand in a queue, which is to be told of the ticket.
    #[inline]
    pub(crate) fn stand(&self, mine: &Mine, event: Name) -> Result<Ticket, ExchangeError> {
        loop {
            let (block, state) = self.idle(mine, event)?;
            let times = (state >> 3).wrapping_add(1) & ((1 << TIMES) - 1);
            let standing = u64::from(event.generation) << GENERATION | times << 3 | phase::STANDING;
            let (done, lost) = (Ordering::Release, Ordering::Relaxed);
            if block.state.compare_exchange(state, standing, done, lost).is_ok() {
                return Ok(Ticket::new(event.index, standing));
            }
        }
    }

    /// Takes that back; the ticket was given to no other thread.
    #[inline]
    pub(crate) fn stand_down(&self, ticket: Ticket) {
        let block = self.events.at(ticket.index());
        block.state.store(with(ticket.state(), phase::IDLE), Ordering::Release);
    }

    /// Does away with an event of one's own.
    ///
    /// # Errors
    /// [`ExchangeError::NotOwner`], [`ExchangeError::Gone`].
    pub fn delete_event(&self, mine: &mut Mine, event: Name) -> Result<(), ExchangeError> {
        self.collect(mine);
        let (block, mut state) = self.own(mine, event)?;
        if let Some((before, index)) = self.find(mine, |index| index == event.index) {
            self.pick(mine, before, index);
            state = block.state.load(Ordering::Relaxed);
        }
        mine.events.retain(|index| *index != event.index);
        loop {
            let claimed = state & PHASE == phase::CLAIMED;
            let next = with(state, if claimed { phase::DOOMED } else { phase::FREE });
            let next = if claimed { next } else { next_generation(next) };
            let (done, lost) = (Ordering::AcqRel, Ordering::Relaxed);
            match block.state.compare_exchange(state, next, done, lost) {
                Ok(_) if claimed => return Ok(()), // whoever finds it in the inbox buries it
                Ok(_) => {
                    self.free(event.index, state);
                    return Ok(());
                }
                Err(other) => state = other,
            }
        }
    }

    /// A doomed event has arrived.
    fn bury(&self, index: u32, state: u64) {
        let next = next_generation(with(state, phase::FREE));
        self.events.at(index).state.store(next, Ordering::Release);
        self.free(index, state);
    }

    fn free(&self, index: u32, last: u64) {
        if generation(last) != Name::LAST {
            self.events.give(index);
        }
    }

    /// Sets the timer of an event of one's own: its number, and when it is due.
    ///
    /// # Errors
    /// [`ExchangeError::NotOwner`], [`ExchangeError::Gone`]; when it has one already, when that is due.
    pub fn set_timer(
        &self,
        mine: &Mine,
        event: Name,
        number: u64,
        due: u64,
    ) -> Result<Result<(), u64>, ExchangeError> {
        let (block, _) = self.own(mine, event)?;
        if block.timer.load(Ordering::Acquire) != 0 {
            return Ok(Err(block.due.load(Ordering::Relaxed)));
        }
        block.due.store(due, Ordering::Relaxed);
        block.timer.store(number, Ordering::Release);
        Ok(Ok(()))
    }

    /// Takes the timer of an event of one's own back; whether it was still to come.
    ///
    /// # Errors
    /// [`ExchangeError::NotOwner`], [`ExchangeError::Gone`].
    pub fn cancel(&self, mine: &Mine, event: Name) -> Result<bool, ExchangeError> {
        let (block, _) = self.own(mine, event)?;
        Ok(block.timer.swap(0, Ordering::AcqRel) != 0)
    }
}
