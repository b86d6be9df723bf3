//! A run whose virtual times are deadlines: events are handled ahead in idle time, and undone, only as long as all can be done once more in time (PORTS 2.5 and 2.6; decision 0038).
//!
//! Each event that is known and not certain has a slot, due at its virtual time: what handling it takes at most, and undoing all that may be done ahead, which it may lead to. Invariants: the slots fit, whole, from now on; nothing comes from
//! outside for a time until `until` any longer. A slot fits if the processor time is sure, by the supply that the run counts on: the list is measured on that (`account.rs`).

mod account;
mod by_event;
mod input;
mod memory;
mod slots;

use crate::commit::{Certain, Committer};
use crate::event::Entry;
use crate::part::{Change, Message, Part, begin};
use crate::{Cancellation, Counts, Key, Model, ProcessNumber, RunError};
use account::Account;
pub use account::Moment;
use by_event::ByEvent;
pub use input::InputError;
use memory::Memory;
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use windfall_admission::{Admission, BPlusTree, Supply, Ticket};
use windfall_time::{Instant, Span};

const NANOSECOND: Span = Span::from_nanos(1);

/// How far a run goes ahead.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Ahead {
    /// So many events are done and not certain at most.
    pub most: u32,
    /// Undoing one of them takes so long at most.
    pub undo: Span,
}

/// An event that may be handled, and what comes of it given away, after its virtual time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Late {
    /// It did not fit when it was sent. It may make others late.
    Unfit(Key),
    /// It was promised to be done in time; since then a bound was exceeded, the processor was away, or an event that did not fit was handled.
    Lost(Key),
}

impl Late {
    /// Which event.
    #[must_use]
    pub const fn event(self) -> Key {
        match self {
            Late::Unfit(event) | Late::Lost(event) => event,
        }
    }
}

/// The effects of a turn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Turn {
    /// It handled an event, ahead in idle time or not.
    Worked {
        /// Which.
        event: Key,
        /// Whether it can still be undone; and handled again in time, if that was promised.
        ahead: bool,
    },
    /// There is nothing to do until then, unless an event comes from outside; `None` if not without one. The run is to be runnable again by then, or when an event was admitted.
    Waits(Option<Instant>),
}

/// A run of which each output is given away no later than the virtual time of its event, as long as bounds and promises hold. Events may come from outside while it runs.
// Fields: the model and its bounds, the events and their slots, what came from outside, and how far all is certain.
#[derive(Debug)]
pub struct Timed<M: Model, B> {
    model: M,
    bound: B,
    ahead: Ahead,
    part: Part<M>,
    certain: Certain<M>,
    committer: Committer,
    /// Its time is the position of the supply, and its deadlines are places.
    list: Admission<BPlusTree>,
    account: Account,
    slots: ByEvent<Ticket>,
    /// Events from outside that no process knows yet, and how many there were.
    inputs: ByEvent<M::Event>,
    came: u64,
    late: VecDeque<Late>,
    untaken: u64,
    until: Instant,
    end: Instant,
    ended: Option<RunError>,
}

impl<M: Model, B: Fn(ProcessNumber, &M::Event) -> Span> Timed<M, B> {
    /// A run at its beginning, at the real time `now`, with a whole processor. It handles events before `end`; at most so many wait in order. `bound` says how much processor time handling an event takes at most, with the turn that does it. All memory is taken now: for so many events, and twice for what may be ahead.
    ///
    /// # Errors
    /// When a process sends at its beginning what cannot be; when there is no memory for so many events.
    pub fn new(
        model: M,
        (now, end): (Instant, Instant),
        most: u32,
        ahead: Ahead,
        bound: B,
    ) -> Result<Self, RunError> {
        Timed::below(Supply::WHOLE, model, (now.into(), end), most, ahead, bound)
    }

    /// The same, runnable from its first turn or input on, with the processor time that a scheduler above is sure to give. Each time that is told from now on must say how much of it was [received](Moment::received).
    ///
    /// # Errors
    /// As for [`new`](Self::new).
    pub fn below(
        supply: Supply,
        model: M,
        (now, end): (Moment, Instant),
        most: u32,
        ahead: Ahead,
        bound: B,
    ) -> Result<Self, RunError> {
        let account = Account::new(supply, now);
        let (mut parts, committer) = begin(&model, 1, most as usize, Cancellation::Lazy)?;
        let mut part =
            parts.pop().unwrap_or_else(|| Part::new(ProcessNumber(0), 1, Cancellation::Lazy));
        part.changes = Some(part.all().map(Change::Came).collect());
        let memory = Memory::take(&mut part, (most, ahead.most), account.begin())?;
        let Memory { certain, list, slots, inputs, late } = memory;
        let mut run = Timed {
            model,
            bound,
            ahead,
            part,
            certain,
            committer,
            list,
            account,
            slots,
            inputs,
            came: 0,
            late,
            untaken: 0,
            until: Instant::ZERO,
            end,
            ended: None,
        };
        run.admit_changes();
        Ok(run)
    }

    /// An event comes from outside, at the real time `now`, for a virtual time. Nothing is undone yet. Its sender is the first number that no process has. If it is admitted, a run that waits is runnable from now on.
    ///
    /// # Errors
    /// When it comes too late, is for a time after the end, or cannot be done in time; nothing has changed then.
    pub fn input(
        &mut self,
        now: impl Into<Moment>,
        to: ProcessNumber,
        at: Instant,
        event: M::Event,
    ) -> Result<Key, InputError> {
        if let Some(error) = &self.ended {
            return Err(InputError::Run(error.clone()));
        }
        self.pass(now.into());
        let from = self.outside();
        if to >= from {
            let error = RunError::NoProcess { from, to, processes: from.0 };
            return Err(InputError::Run(error));
        }
        if at <= self.until {
            return Err(InputError::Past { until: self.until });
        }
        if at >= self.end {
            return Err(InputError::AfterEnd { end: self.end });
        }
        // It is told to its process first, which may undo.
        let work = self.slot(to, &event).saturating_add(self.undo_all());
        let key = Key { at, to, from, number: self.came };
        let ticket = self.admit(work, at)?;
        if let Err(error) = self.committer.comes(from, 1) {
            _ = self.list.withdraw(ticket);
            return Err(InputError::Run(error));
        }
        self.account.wakes();
        self.came += 1;
        self.slots.insert(key, ticket);
        self.inputs.insert(key, event);
        Ok(key)
    }

    /// The sender of events from outside.
    fn outside(&self) -> ProcessNumber {
        ProcessNumber(self.model.processes())
    }

    /// No event comes from outside for a time until then any longer: what is next of that is certain, and may be handled at any time.
    pub fn close_until(&mut self, at: Instant) {
        self.until = self.until.max(at);
    }

    /// Gives away what is certain at the real time `now`, and handles nothing.
    ///
    /// # Errors
    /// As for [`turn`](Self::turn).
    pub fn give(
        &mut self,
        now: impl Into<Moment>,
        mut take: impl FnMut(Key, M::Output),
    ) -> Result<(), RunError> {
        self.whole(|run| {
            run.pass(now.into());
            run.commit(&mut take)
        })
    }

    /// Gives away what is certain, and handles an event if there is time for it, or if it is due. `clock` tells the real time, and what was received by then if the run has no whole processor. After an event that was
    /// handled, the next turn comes at once.
    ///
    /// # Errors
    /// When the model did what cannot be, in an event that is certain; when undoing an event, cloning a state or comparing what was sent panics. The run is over then; what was given away before stays.
    ///
    /// # Panics
    /// When `clock` panics. The run is over then.
    pub fn turn<T: Into<Moment>>(
        &mut self,
        mut clock: impl FnMut() -> T,
        mut take: impl FnMut(Key, M::Output),
    ) -> Result<Turn, RunError> {
        self.whole(|run| run.take_turn(&mut || clock().into(), &mut take))
    }

    /// Does something that is whole, or the run is over.
    fn whole<T>(
        &mut self,
        act: impl FnOnce(&mut Self) -> Result<T, RunError>,
    ) -> Result<T, RunError> {
        if let Some(error) = &self.ended {
            return Err(error.clone());
        }
        self.ended = Some(RunError::Interrupted);
        let done = catch_unwind(AssertUnwindSafe(|| act(self)));
        let done = done.unwrap_or_else(|panic| match self.part.interrupted(panic.as_ref()) {
            RunError::Interrupted => resume_unwind(panic), // not of the model
            error => Err(error),
        });
        self.ended = done.as_ref().err().cloned();
        done
    }

    fn take_turn(
        &mut self,
        clock: &mut impl FnMut() -> Moment,
        take: &mut impl FnMut(Key, M::Output),
    ) -> Result<Turn, RunError> {
        self.pass(clock());
        self.account.wakes();
        loop {
            self.commit(take)?;
            let (next, head) = (self.next(), self.head());
            let (idle, needs) = (self.laxity(), next.map_or(Span::ZERO, |next| self.needs(next)));
            // To sleep gives up what the supply owes.
            let asleep = idle.saturating_sub(self.account.sleep_costs(self.list.now()));
            if let Some(event) = next {
                // To tell a process of an input does nothing ahead.
                let has_room =
                    self.inputs.contains(event) || self.part.has_room(self.ahead.most as usize);
                let certain = event.at <= self.until;
                let ahead = !certain && needs <= idle && has_room;
                let due = head.is_none_or(|head| event <= head && asleep <= needs);
                if ahead || certain || due {
                    self.handle(event, ahead, clock);
                    return Ok(Turn::Worked { event, ahead });
                }
            }
            if needs < asleep {
                let last = head.and_then(|_| self.sleeps_to(idle.saturating_sub(needs)));
                let first = self.part.first_done().map(|first| first.at);
                let until = last.into_iter().chain(first).min();
                self.account.sleeps(until);
                return Ok(Turn::Waits(until));
            }
            // The first slot is that of an event that is done, before all that wait: it cannot be undone in time any longer.
            let Some(head) = head else { return Ok(Turn::Waits(None)) };
            self.ends(head);
        }
    }

    /// The first event that waits, here or outside.
    fn next(&self) -> Option<Key> {
        let inputs = self.inputs.iter().next().map(|(key, _)| *key);
        let first = self.part.next().into_iter().chain(inputs).min();
        first.filter(|key| key.at < self.end)
    }

    /// How long an event takes at most, with what it may undo.
    fn slot(&self, to: ProcessNumber, event: &M::Event) -> Span {
        (self.bound)(to, event).max(NANOSECOND).saturating_add(self.undo_all())
    }

    /// The most that undoing takes, of all that may be done ahead.
    fn undo_all(&self) -> Span {
        self.ahead.undo.saturating_mul(self.ahead.most.into())
    }

    /// How long the next step of an event takes at most: to be handled, or to be told to its process.
    fn needs(&self, key: Key) -> Span {
        match self.part.waiting(key) {
            Some(event) => self.slot(key.to, event),
            None => self.undo_all(),
        }
    }

    /// Handles an event, or tells it to its process. If it is not ahead, its own slot is used for that: the others have that time left without it.
    fn handle(&mut self, key: Key, ahead: bool, clock: &mut impl FnMut() -> Moment) {
        if let Some(event) = self.inputs.remove(key) {
            self.free(key);
            self.part.receive(&self.model, Message::Event(Entry { key, event }));
        } else {
            if !ahead {
                self.ends(key);
            }
            self.part.handle(&self.model, key);
        }
        self.pass(clock());
        self.admit_changes();
    }

    /// Gives away the outputs of all events that are certain: nothing comes before them from outside, and nothing else waits before them.
    fn commit(&mut self, take: &mut impl FnMut(Key, M::Output)) -> Result<(), RunError> {
        while let Some(first) = self.part.first_done().filter(|first| first.at <= self.until)
            && self.next().is_none_or(|next| first < next)
        {
            self.free(first);
            if self.part.commit(&self.model, first, &mut self.certain) {
                self.committer.plain();
            } else {
                self.committer.commit(&mut self.certain, take)?;
            }
        }
        Ok(())
    }

    /// Takes what is known to be late since the last call. It is handled all the same, in its order. There is room for as many as events; then the first make way, [untaken](Self::untaken).
    pub fn take_late(&mut self) -> impl ExactSizeIterator<Item = Late> {
        self.late.drain(..)
    }

    /// How many late events made way for others before they were taken.
    #[must_use]
    pub const fn untaken(&self) -> u64 {
        self.untaken
    }

    /// All until this time is certain.
    #[must_use]
    pub const fn until(&self) -> Instant {
        self.until
    }

    /// The events that are known, not certain and promised to be done in time.
    pub fn promised(&self) -> impl ExactSizeIterator<Item = Key> {
        self.slots.iter().map(|(key, _)| *key)
    }

    /// The states as they are now, by process, be they certain or not.
    pub fn states(&self) -> impl ExactSizeIterator<Item = &M::State> {
        self.part.states()
    }

    /// How often what happened.
    #[must_use]
    pub const fn counts(&self) -> Counts {
        Counts { committed: self.committer.committed(), ..self.part.counts() }
    }
}
