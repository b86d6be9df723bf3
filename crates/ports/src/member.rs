//! A processor among others: submits to them, and analyses what they submit to it (section 4; decision 0032, 8 and 9).
//!
//! Invariants, whatever the transport does: an ask is executed at most once; each submission has one outcome, by its timeout. An owner remembers the last
//! [`REMEMBERED`] answers for each sender, and repeats them; an older number is not executed, since it may have been.

use crate::message::{Answer, Message};
use crate::transport::Transport;
use crate::{Processor, Request};
use std::collections::{BTreeMap, VecDeque};
use windfall_time::{Instant, Span};

/// So many answers are remembered for each sender.
pub const REMEMBERED: usize = 1_024;

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
    message: Message,
    until: Instant,
    again: Instant,
}

/// What an owner remembers of a sender.
#[derive(Clone, Debug, Default)]
struct Seen {
    answers: BTreeMap<u64, Answer>,
    /// Numbers below are forgotten.
    from: u64,
}

/// A processor with its end of a transport.
#[derive(Debug)]
pub struct Member<T> {
    /// The processor, which this member alone changes.
    pub processor: Processor,
    transport: T,
    /// After how long an ask is repeated.
    repeat: Span,
    next: u64,
    open: BTreeMap<Submission, Open>,
    seen: BTreeMap<usize, Seen>,
    /// Answers for which there was no room yet, the oldest first.
    unsent: VecDeque<(usize, Message)>,
}

impl<T: Transport> Member<T> {
    /// A member that repeats an ask after `repeat`, until there is an answer.
    #[must_use]
    pub fn new(processor: Processor, transport: T, repeat: Span) -> Member<T> {
        let (open, seen) = (BTreeMap::new(), BTreeMap::new());
        let unsent = VecDeque::new();
        Member { processor, transport, repeat, next: 0, open, seen, unsent }
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
        let (now, number) = (self.processor.now(), self.next);
        let message = Message::Ask { number, until, scheduler: scheduler as u64, asked };
        if !self.transport.send(now, to, message.encode()) {
            return None;
        }
        self.next += 1;
        let submission = Submission { to, number };
        let again = now.saturating_add(self.repeat);
        self.open.insert(submission, Open { message, until, again });
        Some(submission)
    }

    /// When a turn is due, whatever arrives.
    #[must_use]
    pub fn wakes(&self) -> Option<Instant> {
        self.open.values().map(|open| open.until.min(open.again)).min()
    }

    /// Reads what has arrived, analyses what was submitted, answers, and asks again what was not answered; at the processor's time.
    pub fn turn(&mut self) -> Vec<Event> {
        let (now, mut events) = (self.processor.now(), Vec::new());
        while let Some((from, record)) = self.transport.receive(now) {
            match Message::decode(record) {
                Some(Message::Ask { number, until, scheduler, asked }) => {
                    let seen = self.seen.entry(from).or_default();
                    if number < seen.from {
                        continue; // it may have been executed, or not
                    }
                    let known = seen.answers.get(&number).copied();
                    let answer = known.unwrap_or_else(|| {
                        let answer = self.analyse(until, scheduler, asked);
                        self.seen.entry(from).or_default().remember(number, answer);
                        events.push(Event::Analysed { from, number, answer });
                        answer
                    });
                    self.unsent.push_back((from, Message::Reply { number, answer }));
                }
                Some(Message::Reply { number, answer }) => {
                    let submission = Submission { to: from, number };
                    if self.open.remove(&submission).is_some() {
                        events.push(Event::Outcome(submission, Outcome::Answered(answer)));
                    }
                }
                None => {}
            }
        }
        self.reply(now);
        self.ask_again(now, &mut events);
        events
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
        let over: Vec<_> = self.open.iter().filter(|(_, open)| open.until <= now).collect();
        let over: Vec<Submission> = over.into_iter().map(|(submission, _)| *submission).collect();
        for submission in over {
            self.open.remove(&submission);
            events.push(Event::Outcome(submission, Outcome::TimedOut));
        }
        for (submission, open) in self.open.iter_mut().filter(|(_, open)| open.again <= now) {
            open.again = now.saturating_add(self.repeat);
            // If the way there is full, it is tried next time.
            let _ = self.transport.send(now, submission.to, open.message.encode());
        }
    }
}

impl Seen {
    fn remember(&mut self, number: u64, answer: Answer) {
        self.answers.insert(number, answer);
        if self.answers.len() > REMEMBERED
            && let Some((first, _)) = self.answers.pop_first()
        {
            self.from = first + 1;
        }
    }
}
