//! A processor among others: submits to them, and analyses what they submit to it (section 4; decision 0032, 8 and 9).
//!
//! Invariants, whatever the transport does: an ask is executed at most once; each submission has one outcome, by its timeout. An owner remembers the answers to the last
//! [`REMEMBERED`] numbers of each sender, and repeats them (`seen.rs`). An older number is not executed if a later one has taken its place there, since it may have been.

mod seen;

pub use seen::REMEMBERED;

use crate::message::{Answer, Message};
use crate::transport::Transport;
use crate::{Processor, Request};
use seen::{Known, Seen};
use std::collections::{BTreeMap, VecDeque};
use windfall_time::{Instant, Span};

/// A submission to another member.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[non_exhaustive]
pub struct Submission {
    /// To whom.
    pub to: usize,
    /// Its number, of its sender's.
    pub number: u64,
}

/// What became of a submission.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Outcome {
    /// The owner has answered.
    Answered(Answer),
    /// No answer came in time. The task may have been admitted all the same.
    TimedOut,
}

/// What happened in a turn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Event {
    /// A submission of its own has its outcome.
    Outcome(Submission, Outcome),
    /// It has analysed what another submitted: only then, and once.
    Analysed {
        /// Who submitted it.
        from: usize,
        /// Under which number.
        number: u64,
        /// What was answered.
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
    /// The number of the first of `open`.
    first: u64,
    /// By number, without gaps; `None` for those that have their outcome. The first has none.
    open: VecDeque<Option<Open>>,
    /// Nothing is to be repeated or given up before.
    due: Instant,
    seen: BTreeMap<usize, Seen>,
    /// Answers for which there was no room yet, the oldest first.
    unsent: VecDeque<(usize, Message)>,
}

impl<T: Transport> Member<T> {
    /// A member that repeats an ask after `repeat`, until there is an answer.
    #[must_use]
    pub fn new(processor: Processor, transport: T, repeat: Span) -> Member<T> {
        let (open, seen, unsent) = (VecDeque::new(), BTreeMap::new(), VecDeque::new());
        Member { processor, transport, repeat, first: 0, open, due: Instant::MAX, seen, unsent }
    }

    /// Submits to a scheduler of another member, which has until `until` to answer; `None` if the way there is full, and then nothing was submitted. It never waits: the outcome
    /// comes with a [`Member::turn`].
    #[must_use]
    pub fn submit(
        &mut self,
        to: usize,
        scheduler: usize,
        asked: Request,
        until: Instant,
    ) -> Option<Submission> {
        let (now, number) = (self.processor.now(), self.first + self.open.len() as u64);
        let message = Message::Ask { number, until, scheduler: scheduler as u64, asked };
        if !self.transport.send(now, to, message.encode()) {
            return None;
        }
        let again = now.saturating_add(self.repeat);
        self.open.push_back(Some(Open { to, message, until, again }));
        self.due = self.due.min(until).min(again);
        Some(Submission { to, number })
    }

    /// When a turn is due, whatever arrives.
    #[must_use]
    pub fn wakes(&self) -> Option<Instant> {
        self.open.iter().flatten().map(|open| open.until.min(open.again)).min()
    }

    /// Reads what has arrived, analyses what was submitted, answers, and asks again what was not answered; at the processor's time.
    pub fn turn(&mut self) -> Vec<Event> {
        let (now, mut events) = (self.processor.now(), Vec::new());
        while let Some((from, record)) = self.transport.receive(now) {
            match Message::decode(record) {
                Some(Message::Ask { number, until, scheduler, asked }) => {
                    let answer = match self.seen.entry(from).or_default().of(number) {
                        Known::Forgotten => continue, // it may have been executed, or not
                        Known::Answered(answer) => answer,
                        Known::New => {
                            let answer = self.analyse(until, scheduler, asked);
                            self.seen.entry(from).or_default().remember(number, answer);
                            events.push(Event::Analysed { from, number, answer });
                            answer
                        }
                    };
                    self.unsent.push_back((from, Message::Reply { number, answer }));
                }
                Some(Message::Reply { number, answer }) if self.close(from, number) => {
                    let submission = Submission { to: from, number };
                    events.push(Event::Outcome(submission, Outcome::Answered(answer)));
                }
                _ => {} // an answer that came before, or no message
            }
        }
        self.reply(now);
        self.ask_again(now, &mut events);
        events
    }

    /// A submission to this member has its outcome; false if it is not open.
    fn close(&mut self, to: usize, number: u64) -> bool {
        let place = number.checked_sub(self.first).and_then(|place| usize::try_from(place).ok());
        let Some(open) = place.and_then(|place| self.open.get_mut(place)) else { return false };
        let known = open.take_if(|open| open.to == to).is_some();
        self.forget_closed();
        known
    }

    fn forget_closed(&mut self) {
        while self.open.pop_front_if(|open| open.is_none()).is_some() {
            self.first += 1;
        }
    }

    /// Sends answers, as far as there is room; those that are too many to be kept are asked for again.
    fn reply(&mut self, now: Instant) {
        let transport = &mut self.transport;
        self.unsent.retain(|(to, message)| !transport.send(now, *to, message.encode()));
        self.unsent.truncate(REMEMBERED);
    }

    fn analyse(&mut self, until: Instant, scheduler: u64, asked: Request) -> Answer {
        if self.processor.now() > until {
            return Answer::TooLate;
        }
        let Ok(scheduler) = usize::try_from(scheduler) else { return Answer::Unsuitable };
        self.processor.submit(scheduler, asked).into()
    }

    fn ask_again(&mut self, now: Instant, events: &mut Vec<Event>) {
        if now < self.due {
            return;
        }
        for (number, place) in (self.first..).zip(&mut self.open) {
            let Some(open) = place else { continue };
            if open.until <= now {
                let submission = Submission { to: open.to, number };
                events.push(Event::Outcome(submission, Outcome::TimedOut));
                *place = None;
            } else if open.again <= now {
                open.again = now.saturating_add(self.repeat);
                // If the way there is full, it is tried next time.
                let _ = self.transport.send(now, open.to, open.message.encode());
            }
        }
        self.forget_closed();
        self.due = self.wakes().unwrap_or(Instant::MAX);
    }
}
