//! What one thread does, turn by turn.

use super::Limits;
use crate::commit::Committer;
use crate::gvt::Gvt;
use crate::history::Certain;
use crate::part::{Message, Part};
use crate::sync::{AtomicBool, Mutex, Ordering, with};
use crate::{Key, Model, RunError};
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Instant as Clock;
use windfall_time::Instant;

/// After so many turns in which it had nothing to do, it lets others have the processor.
const PATIENCE: u32 = 100;

/// What the threads of a run share.
#[derive(Debug)]
pub(super) struct Shared<'a, M: Model, F> {
    model: &'a M,
    limits: Limits,
    gvt: Gvt,
    mail: Vec<Mutex<Vec<Message<M::Event>>>>,
    commits: Mutex<Commits<M, F>>,
    over: AtomicBool,
}

impl<'a, M: Model, F: FnMut(Key, M::Output)> Shared<'a, M, F> {
    pub(super) fn new(
        (model, limits): (&'a M, Limits),
        parts: usize,
        committer: Committer,
        take: F,
    ) -> Self {
        let none = || CertainOfPart { events: VecDeque::new(), until: Instant::ZERO };
        let parts_certain = (0..parts).map(|_| none()).collect();
        Shared {
            model,
            limits,
            gvt: Gvt::new(parts),
            mail: (0..parts).map(|_| Mutex::new(Vec::new())).collect(),
            commits: Mutex::new(Commits { committer, take, parts: parts_certain, ended: None }),
            over: AtomicBool::new(false),
        }
    }

    /// What is left of it when all threads have ended, and after how many rounds.
    pub(super) fn end(self) -> (Committer, u64, Option<RunError>) {
        let rounds = self.gvt.round() - 1;
        with(&self.commits, |commits| (commits.committer, rounds, commits.ended.take()))
    }

    /// The run is over, for all.
    pub(super) fn end_with(&self, error: RunError) {
        with(&self.commits, |commits| self.is_over(commits, error));
    }

    fn is_over(&self, commits: &mut Commits<M, F>, error: RunError) {
        commits.ended.get_or_insert(error);
        self.over.store(true, Ordering::Release);
    }
}

/// What is certain, by part, until all parts have come so far.
#[derive(Debug)]
struct Commits<M: Model, F> {
    committer: Committer,
    take: F,
    parts: Vec<CertainOfPart<M>>,
    ended: Option<RunError>,
}

/// What one part says is certain, in order: all before a time, but for events of which nothing came but one other.
#[derive(Debug)]
struct CertainOfPart<M: Model> {
    events: VecDeque<(Key, Certain<M>)>,
    until: Instant,
}

impl<M: Model, F: FnMut(Key, M::Output)> Commits<M, F> {
    /// Gives away what is certain in all parts.
    fn give(&mut self) -> Result<(), RunError> {
        let until = self.parts.iter().map(|part| part.until).min().unwrap_or(Instant::ZERO);
        loop {
            let firsts = self.parts.iter().enumerate();
            let firsts = firsts.filter_map(|(part, all)| Some((all.events.front()?.0, part)));
            let Some((first, part)) = firsts.min().filter(|(first, _)| first.at < until) else {
                return Ok(());
            };
            let Some((_, certain)) = self.parts[part].events.pop_front() else { return Ok(()) };
            self.committer.commit(first, certain, &mut self.take)?;
        }
    }
}

/// How a turn went.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Turn {
    Busy,
    Idle,
    Over,
}

/// A thread with its part.
// Fields: what it has, what it has told others and what it has still to tell.
#[derive(Debug)]
pub(super) struct Worker<M: Model> {
    index: usize,
    pub(super) part: Part<M>,
    inbox: Vec<Message<M::Event>>,
    /// The last round in which it reported, and the least time of what it has sent since.
    reported: u64,
    sent: Instant,
    /// What is certain here and not yet given away, all before `until`.
    certain: Vec<(Key, Certain<M>)>,
    until: Instant,
    /// All before this was handed on.
    handed: Instant,
    /// Events that are certain and of which nothing came but one other.
    pub(super) plain: u64,
    /// So many events it handles in a turn at most.
    longest: u32,
    /// So many messages it has put into the mail of others.
    pub(super) posted: u64,
}

impl<M: Model> Worker<M> {
    pub(super) const fn new(index: usize, part: Part<M>) -> Self {
        Worker {
            index,
            part,
            inbox: Vec::new(),
            reported: 0,
            sent: Instant::MAX,
            certain: Vec::new(),
            until: Instant::ZERO,
            handed: Instant::ZERO,
            plain: 0,
            longest: 1,
            posted: 0,
        }
    }

    /// Takes its turns until the run is over.
    pub(super) fn run<F: FnMut(Key, M::Output)>(&mut self, shared: &Shared<'_, M, F>) {
        let mut idle = 0_u32;
        loop {
            let turn = catch_unwind(AssertUnwindSafe(|| self.turn(shared)));
            match turn {
                Ok(Turn::Busy) => idle = 0,
                Ok(Turn::Idle) if idle < PATIENCE => {
                    idle += 1;
                    core::hint::spin_loop();
                }
                Ok(Turn::Idle) => std::thread::yield_now(),
                Ok(Turn::Over) => return,
                Err(_) => return shared.end_with(RunError::Interrupted),
            }
        }
    }

    pub(super) fn turn<F: FnMut(Key, M::Output)>(&mut self, shared: &Shared<'_, M, F>) -> Turn {
        if shared.over.load(Ordering::Acquire) {
            return Turn::Over;
        }
        let round = shared.gvt.round();
        with(&shared.mail[self.index], |mail| core::mem::swap(mail, &mut self.inbox));
        let had_mail = !self.inbox.is_empty();
        self.inbox.drain(..).for_each(|message| self.part.receive(shared.model, message));
        self.post(shared);
        if round > self.reported {
            let least = self.part.least().map_or(self.sent, |least| least.min(self.sent));
            shared.gvt.report(self.index, least);
            (self.reported, self.sent) = (round, Instant::MAX);
        }
        let time = shared.gvt.time();
        let is_given = self.commit(shared, time);
        if is_given && time >= shared.limits.end {
            return Turn::Over;
        }
        let handled = self.handle(shared, time);
        self.post(shared);
        if had_mail || handled > 0 { Turn::Busy } else { Turn::Idle }
    }

    /// Handles events for a while, in order.
    fn handle<F>(&mut self, shared: &Shared<'_, M, F>, time: Instant) -> u32 {
        let Limits { end, most, window, turn, longest } = shared.limits;
        let share = most.div_ceil(shared.mail.len());
        let far = time.saturating_add(window);
        let begins = Clock::now();
        let mut handled = 0;
        while handled < self.longest
            && let Some(next) = self.part.next().filter(|next| next.at < end && next.at <= far)
            && (self.part.done() < share || next.at <= time)
        {
            self.part.handle(shared.model, next);
            handled += 1;
        }
        if handled > 0 {
            let took = begins.elapsed();
            if took > turn {
                self.longest = (self.longest / 2).max(1);
            } else if took < turn / 2 && handled == self.longest {
                self.longest = (self.longest * 2).min(longest);
            }
        }
        handled
    }

    /// Puts what goes out into the mail of others.
    fn post<F>(&mut self, shared: &Shared<'_, M, F>) {
        if self.part.outgoing.is_empty() {
            return;
        }
        let mut outgoing = core::mem::take(&mut self.part.outgoing);
        self.posted += outgoing.len() as u64;
        for message in &outgoing {
            self.sent = self.sent.min(message.key().at);
        }
        for (index, mail) in shared.mail.iter().enumerate() {
            let mine = |message: &mut Message<M::Event>| self.part.of(message.key().to) == index;
            let mut all = outgoing.extract_if(.., mine).peekable();
            if all.peek().is_some() {
                with(mail, |mail| mail.extend(all));
            }
        }
        self.part.outgoing = outgoing;
    }

    /// All before this time is certain. Returns whether all that is certain here was given away, or handed to whoever does that next.
    fn commit<F: FnMut(Key, M::Output)>(
        &mut self,
        shared: &Shared<'_, M, F>,
        time: Instant,
    ) -> bool {
        if time > self.until {
            self.until = time;
            while let Some(first) = self.part.first_done().filter(|first| first.at < time) {
                let certain = self.part.commit(shared.model, first);
                if certain.is_plain() {
                    self.plain += 1;
                } else {
                    self.certain.push((first, certain));
                }
            }
        }
        if self.handed == self.until {
            return true;
        }
        let Ok(mut commits) = shared.commits.try_lock() else { return false };
        self.handed = self.until;
        if commits.ended.is_none() {
            let mine = &mut commits.parts[self.index];
            mine.until = self.until;
            mine.events.extend(self.certain.drain(..));
            if let Err(error) = commits.give() {
                shared.is_over(&mut commits, error);
            }
        }
        true
    }
}
