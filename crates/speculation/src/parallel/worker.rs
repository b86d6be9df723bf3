//! The work of one thread, turn by turn.

use super::Limits;
use crate::commit::{Certain, Committer};
use crate::gvt::Gvt;
use crate::part::{Message, Part};
use crate::store::{Room, SPARE};
use crate::sync::{AtomicBool, Mutex, Ordering, with};
use crate::{Key, Model, RunError};
use std::collections::TryReserveError;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Instant as Clock;
use windfall_time::Instant;

/// After so many turns in which it had nothing to do, it lets others have the processor.
const PATIENCE: u32 = 100;

/// How much each thread of a run may hold.
#[derive(Clone, Copy, Debug)]
pub(super) struct Share {
    /// So many events it does ahead.
    pub(super) ahead: usize,
    /// So many messages wait in its mail, and so many events that are certain until they are handed on; at least one.
    pub(super) room: usize,
}

impl Share {
    pub(super) const fn new(ahead: usize) -> Self {
        Share { ahead, room: ahead.saturating_add(SPARE) }
    }
}

/// The data that the threads of a run share.
#[derive(Debug)]
pub(super) struct Shared<'a, M: Model, F> {
    model: &'a M,
    limits: Limits,
    share: Share,
    gvt: Gvt,
    mail: Vec<Mutex<Vec<Message<M::Event>>>>,
    commits: Mutex<Commits<M, F>>,
    over: AtomicBool,
}

impl<'a, M: Model, F: FnMut(Key, M::Output)> Shared<'a, M, F> {
    /// Takes memory for what so many parts hand over.
    pub(super) fn new(
        (model, limits): (&'a M, Limits),
        (parts, share): (usize, Share),
        committer: Committer,
        take: F,
    ) -> Result<Self, TryReserveError> {
        let (mut mail, mut all) = (Vec::new(), Vec::new());
        for _ in 0..parts {
            let (mut messages, mut certain) = (Vec::new(), Certain::new());
            messages.try_reserve_exact(share.room)?;
            // What is handed on comes to what was and could not be given away.
            certain.reserve(share.room.saturating_mul(2))?;
            mail.push(Mutex::new(messages));
            all.push(CertainOfPart { certain, until: Instant::ZERO });
        }
        Ok(Shared {
            model,
            limits,
            share,
            gvt: Gvt::new(parts),
            mail,
            commits: Mutex::new(Commits { committer, take, parts: all, ended: None }),
            over: AtomicBool::new(false),
        })
    }

    /// The rest of it when all threads have ended, and the number of rounds.
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

/// Certain outputs, by part, until all parts have come so far.
#[derive(Debug)]
struct Commits<M: Model, F> {
    committer: Committer,
    take: F,
    parts: Vec<CertainOfPart<M>>,
    ended: Option<RunError>,
}

/// The certain outputs of one part, in order: all before a time, but for events with one sent event as their only effect.
#[derive(Debug)]
struct CertainOfPart<M: Model> {
    certain: Certain<M>,
    until: Instant,
}

impl<M: Model, F: FnMut(Key, M::Output)> Commits<M, F> {
    /// Gives away what is certain in all parts.
    fn give(&mut self) -> Result<(), RunError> {
        let until = self.parts.iter().map(|part| part.until).min().unwrap_or(Instant::ZERO);
        loop {
            let firsts = self.parts.iter().enumerate();
            let firsts =
                firsts.filter_map(|(part, all)| Some((all.certain.events.front()?.event, part)));
            let Some((_, part)) = firsts.min().filter(|(first, _)| first.at < until) else {
                return Ok(());
            };
            self.committer.commit(&mut self.parts[part].certain, &mut self.take)?;
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
// Its neighbour in memory is another thread's.
#[repr(align(128))]
pub(super) struct Worker<M: Model> {
    index: usize,
    pub(super) part: Part<M>,
    inbox: Vec<Message<M::Event>>,
    /// The last round in which it reported, and the least time of what it has sent since.
    reported: u64,
    sent: Instant,
    /// Certain outputs that are not yet given away, all before `until`.
    certain: Certain<M>,
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
            certain: Certain::new(),
            until: Instant::ZERO,
            handed: Instant::ZERO,
            plain: 0,
            longest: 1,
            posted: 0,
        }
    }

    /// Takes memory for so many events, and for its share.
    pub(super) fn reserve(&mut self, events: usize, share: Share) -> Result<(), TryReserveError> {
        let Share { ahead, room } = share;
        self.part.reserve(Room { events, ahead })?;
        // What it sent may all be taken back.
        self.part.outgoing.try_reserve_exact(room.saturating_mul(2))?;
        self.inbox.try_reserve_exact(room)?;
        self.certain.reserve(room)
    }

    /// Takes its turns until the run is over.
    pub(super) fn run<F: FnMut(Key, M::Output)>(&mut self, shared: &Shared<'_, M, F>) {
        let mut idle = 0_u32;
        loop {
            match self.guarded_turn(shared) {
                Turn::Busy => idle = 0,
                Turn::Idle if idle < PATIENCE => {
                    idle += 1;
                    core::hint::spin_loop();
                }
                Turn::Idle => std::thread::yield_now(),
                Turn::Over => return,
            }
        }
    }

    /// Takes a turn; a panic in it ends the run.
    pub(super) fn guarded_turn<F>(&mut self, shared: &Shared<'_, M, F>) -> Turn
    where
        F: FnMut(Key, M::Output),
    {
        let turn = catch_unwind(AssertUnwindSafe(|| self.turn(shared)));
        turn.unwrap_or_else(|panic| {
            shared.end_with(self.part.interrupted(panic.as_ref()));
            Turn::Over
        })
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
            let held = self.part.outgoing.iter().map(|message| message.key().at);
            let least = held.chain(self.part.least()).fold(self.sent, Instant::min);
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

    /// Handles events for a while, in order; none while others have no room for what came of those before.
    fn handle<F>(&mut self, shared: &Shared<'_, M, F>, time: Instant) -> u32 {
        let Limits { end, window, turn, longest, .. } = shared.limits;
        if !self.part.outgoing.is_empty() {
            return 0;
        }
        let far = time.saturating_add(window);
        let begins = Clock::now();
        let mut handled = 0;
        while handled < self.longest
            && let Some(next) = self.part.next().filter(|next| next.at < end && next.at <= far)
            && (self.part.has_room(shared.share.ahead) || next.at <= time)
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

    /// Puts what goes out into the mail of others, as far as that has room.
    fn post<F>(&mut self, shared: &Shared<'_, M, F>) {
        let mut outgoing = core::mem::take(&mut self.part.outgoing);
        for (index, mail) in shared.mail.iter().enumerate() {
            let is_mine = |message: &Message<M::Event>| self.part.of(message.key().to) == index;
            if !outgoing.iter().any(is_mine) {
                continue;
            }
            with(mail, |mail| {
                let left = shared.share.room.saturating_sub(mail.len());
                // What comes after one that has no room stays behind it.
                let all = outgoing.extract_if(.., |message| is_mine(message)).take(left);
                for message in all {
                    self.sent = self.sent.min(message.key().at);
                    self.posted += 1;
                    mail.push(message);
                }
            });
        }
        self.part.outgoing = outgoing;
    }

    /// All before this time is certain. Returns whether all that is certain here was given away, or handed to whoever does that next.
    fn commit<F: FnMut(Key, M::Output)>(
        &mut self,
        shared: &Shared<'_, M, F>,
        time: Instant,
    ) -> bool {
        let most = shared.share.room;
        while time > self.until {
            match self.part.first_done().filter(|first| first.at < time) {
                None => self.until = time,
                Some(first) if self.certain.events.len() < most => {
                    let is_plain = self.part.commit(shared.model, first, &mut self.certain);
                    self.plain += u64::from(is_plain);
                }
                // The rest is certain when these have been handed on.
                Some(first) => {
                    self.until = first.at;
                    break;
                }
            }
        }
        let is_all = self.until >= time;
        if self.handed == self.until && self.certain.events.is_empty() {
            return is_all;
        }
        let Ok(mut commits) = shared.commits.try_lock() else { return false };
        self.handed = self.until;
        if commits.ended.is_none() {
            let mine = &mut commits.parts[self.index];
            mine.until = self.until;
            mine.certain.append(&mut self.certain);
            if let Err(error) = commits.give() {
                shared.is_over(&mut commits, error);
            }
        }
        is_all
    }
}
