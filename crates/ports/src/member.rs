//! A processor among others: submits to them, and analyses what they submit to it (section 4; decision 0032, 8 and 9).
//!
//! Invariants, whatever the transport does: an ask is executed at most once; each submission has one outcome, by its timeout. An owner remembers the answers to the last
//! [`REMEMBERED`] numbers of each sender, and repeats them (`seen.rs`). An older number is not executed if a later one has taken its place there, since it may have been.

mod seen;

pub use seen::REMEMBERED;

use crate::message::{Answer, Message};
use crate::transport::Transport;
use crate::{Affinity, Processor, Reason, Request, SubmitError, TaskId};
use seen::{Known, Seen};
use std::collections::BTreeMap;
use windfall_time::{Instant, Span};

/// A turn reads so many records at most.
const AT_ONCE: usize = 256;

/// A submission to another member.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[non_exhaustive]
pub struct Submission {
    /// To whom.
    pub to: usize,
    /// Its number, of its sender's.
    pub number: u64,
}

/// The outcome of a submission.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Outcome {
    /// The owner has answered.
    Answered(Answer),
    /// No answer came in time. The task may have been admitted all the same.
    TimedOut,
}

/// Where a task went whose state lies here.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Near {
    /// It was admitted where its state is.
    Home(TaskId),
    /// It was submitted to another, whose answer comes with a [`Member::turn`].
    Away(Submission),
}

/// The events of a turn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Event {
    /// A submission of its own has its outcome.
    Outcome(Submission, Outcome),
    /// It has analysed what another submitted: only then, and once.
    Analysed {
        /// Its submitter.
        from: usize,
        /// Under which number.
        number: u64,
        /// The answer.
        answer: Answer,
    },
}

/// An ask without an answer.
#[derive(Clone, Copy, Debug)]
struct Open {
    to: usize,
    message: Message,
    until: Instant,
    again: Instant,
}

/// A processor with its end of a transport.
#[derive(Debug)]
pub struct Member<T> {
    /// The processor, which this member alone changes.
    pub processor: Processor,
    transport: T,
    /// After how long an ask is repeated.
    repeat: Span,
    /// The number of the next submission.
    next: u64,
    /// The submissions without an outcome, by number.
    open: BTreeMap<u64, Open>,
    /// Nothing is to be repeated or given up before.
    due: Instant,
    seen: BTreeMap<usize, Seen>,
    /// Answers for which there was no room yet, the oldest first.
    unsent: Vec<(usize, Message)>,
}

impl<T: Transport> Member<T> {
    /// A member that repeats an ask after `repeat`, until there is an answer.
    #[must_use]
    pub fn new(processor: Processor, transport: T, repeat: Span) -> Member<T> {
        let (open, seen, unsent) = (BTreeMap::new(), BTreeMap::new(), Vec::new());
        Member { processor, transport, repeat, next: 0, open, due: Instant::MAX, seen, unsent }
    }

    /// Submits to a scheduler of another member, which has until `until` to answer. It never waits: the outcome comes with a [`Member::turn`].
    ///
    /// `None` if the way there is full, or an answer to that member waits for a place on it, which goes first; and to a member to which there is no way, as to itself. Then
    /// nothing was submitted.
    #[must_use]
    pub fn submit(
        &mut self,
        to: usize,
        scheduler: usize,
        request: Request,
        until: Instant,
    ) -> Option<Submission> {
        if self.unsent.iter().any(|(waits, _)| *waits == to) {
            return None;
        }
        let (now, number) = (self.processor.now(), self.next);
        let message = Message::Submit { number, until, scheduler: scheduler as u64, request };
        if !self.transport.send(now, to, message.encode()) {
            return None;
        }
        let again = now.saturating_add(self.repeat);
        self.next += 1;
        self.open.insert(number, Open { to, message, until, again });
        self.due = self.due.min(until).min(again);
        Some(Submission { to, number })
    }

    /// Submits a task whose state lies here: to the own scheduler of this number; or, if that lacks time before the deadline and the affinity lets it go, to that of another member, which has until
    /// `until` to answer, with work that is longer by the refill of a cache (section 4). It never waits.
    ///
    /// # Errors
    /// When the own scheduler refuses it and the task may not go away, or not for want of time. `Ok(None)` if there is no way, as [`Member::submit`]; then nothing was submitted.
    pub fn submit_near(
        &mut self,
        scheduler: usize,
        affinity: Affinity,
        request: Request,
        (to, until): (usize, Instant),
    ) -> Result<Option<Near>, SubmitError> {
        let idle = request.deadline.map(|deadline| self.processor.idle_before(scheduler, deadline));
        let lacks_time = matches!(idle, Some(Ok(idle)) if idle < request.work);
        if !lacks_time || !affinity.lets_go(&request, &self.processor) {
            return self.processor.submit(scheduler, request).map(|task| Some(Near::Home(task)));
        }
        let work = request.work.saturating_add(affinity.refill());
        Ok(self.submit(to, scheduler, Request { work, ..request }, until).map(Near::Away))
    }

    /// When a turn is due at the latest, without further arrivals. The submission that it was due for may have been answered by then.
    #[must_use]
    pub fn wakes(&self) -> Option<Instant> {
        (self.due < Instant::MAX).then_some(self.due)
    }

    /// Reads what has arrived, analyses what was submitted, answers, and asks again what was not answered; at the processor's time. It reads so many records at most, and is
    /// due again at once if there may be more: else others could keep it from ending.
    pub fn turn(&mut self) -> Vec<Event> {
        let (now, mut events) = (self.processor.now(), Vec::new());
        self.send_answers(now);
        let more = (0..AT_ONCE).all(|_| self.receive(now, &mut events));
        self.submit_again(now, &mut events);
        if more {
            self.due = now;
        } else if !self.unsent.is_empty() {
            self.due = self.due.min(now.saturating_add(self.repeat));
        } else if self.open.is_empty() {
            self.due = Instant::MAX;
        }
        events
    }

    /// Takes a record; false if none has arrived.
    fn receive(&mut self, now: Instant, events: &mut Vec<Event>) -> bool {
        let Some((from, record)) = self.transport.receive(now) else { return false };
        match Message::decode(record) {
            Some(Message::Submit { number, until, scheduler, request }) => {
                let answer = match self.seen.entry(from).or_default().of(number) {
                    Known::Forgotten => return true, // it may have been executed, or not
                    Known::Answered(answer) => answer,
                    Known::New => {
                        let answer = self.analyse(until, scheduler, request);
                        self.seen.entry(from).or_default().remember(number, answer);
                        events.push(Event::Analysed { from, number, answer });
                        answer
                    }
                };
                let reply = Message::Reply { number, answer };
                let sent = self.transport.send(now, from, reply.encode());
                // Those that are too many to be kept are lost, until they are asked for again.
                if !sent && self.unsent.len() < REMEMBERED {
                    self.unsent.push((from, reply));
                }
            }
            Some(Message::Reply { number, answer }) if self.close(from, number) => {
                let submission = Submission { to: from, number };
                events.push(Event::Outcome(submission, Outcome::Answered(answer)));
            }
            _ => {} // an answer that came before, or no message
        }
        true
    }

    /// A submission to this member has its outcome; false if it is not open.
    fn close(&mut self, to: usize, number: u64) -> bool {
        let is_open = self.open.get(&number).is_some_and(|open| open.to == to);
        is_open && self.open.remove(&number).is_some()
    }

    /// Sends the answers that found no room, as far as there is room now.
    fn send_answers(&mut self, now: Instant) {
        let transport = &mut self.transport;
        self.unsent.retain(|(to, message)| !transport.send(now, *to, message.encode()));
    }

    fn analyse(&mut self, until: Instant, scheduler: u64, request: Request) -> Answer {
        if self.processor.now() > until {
            return Answer::TooLate;
        }
        let Ok(scheduler) = usize::try_from(scheduler) else {
            return Answer::Unsuitable(Reason::Unsuitable);
        };
        self.processor.submit(scheduler, request).into()
    }

    fn submit_again(&mut self, now: Instant, events: &mut Vec<Event>) {
        if now < self.due {
            return;
        }
        self.open.retain(|number, open| {
            if open.until <= now {
                let submission = Submission { to: open.to, number: *number };
                events.push(Event::Outcome(submission, Outcome::TimedOut));
                return false;
            }
            if open.again <= now {
                open.again = now.saturating_add(self.repeat);
                // If the way there is full, it is tried next time.
                let _ = self.transport.send(now, open.to, open.message.encode());
            }
            true
        });
        let due = self.open.values().map(|open| open.until.min(open.again));
        self.due = due.min().unwrap_or(Instant::MAX);
    }
}
