//! One thread that is asked about: what it does, and where the time of its open episodes goes.
//!
//! Invariant: everything before `accounted` is in the accounts of the episodes that were open then;
//! what the processors did since, as far as it is over and may matter, is in `tally`.

mod periods;

use super::account::raise;
use super::findings::Window;
use super::jobs::Jobs;
use super::period_rule::PeriodRule;
use super::{Account, Ending, Explained, Kind, Part, Question, Wake};
use crate::timeline::follow::Follower;
use crate::timeline::{Slice, State, Stretch, What};
use crate::{Cpu, NodeId, ThreadId};
use std::collections::BTreeMap;
use windfall_time::{Instant, Span};

/// Which processors matter to a thread at a moment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Place {
    /// None: it waits, or this is unknown.
    Nowhere,
    /// The one that it has.
    On(Cpu),
    /// Any, since it is ready.
    Anywhere,
}

// Fields: the state of one thread in one pass over a trace; each record may change any of it.
#[derive(Clone, Debug)]
pub(super) struct Watch {
    thread: ThreadId,
    /// Where it stands in the follower.
    place: usize,
    accounted: Instant,
    at: Place,
    tally: BTreeMap<Cpu, BTreeMap<What, Span>>,
    last_cpu: Option<Cpu>,
    last_wake: Option<Wake>,
    /// It has ended.
    gone: bool,
    /// It was known to wait when it was last looked at.
    asleep: bool,
    /// It was not known what it did when it was last looked at.
    unsure: bool,
    /// The scheduler that noted that the thread's own reservation is used up.
    held: Option<NodeId>,
    /// The scheduler above it whose reservation is used up.
    held_above: Option<NodeId>,
    pub(super) jobs: Jobs,
    burst: Option<Window>,
    bursts: u64,
    rule: Option<PeriodRule>,
    /// Its scheduler notes when a period begins.
    told: bool,
    period: Option<Window>,
    pub(super) found: Explained,
}

impl Watch {
    pub(super) fn new(thread: ThreadId, place: usize, at: Instant) -> Watch {
        Watch {
            thread,
            place,
            accounted: at,
            at: Place::Nowhere,
            tally: BTreeMap::new(),
            last_cpu: None,
            last_wake: None,
            gone: false,
            asleep: false,
            unsure: false,
            held: None,
            held_above: None,
            jobs: Jobs::default(),
            burst: None,
            bursts: 0,
            rule: None,
            told: false,
            period: None,
            found: Explained::new(thread),
        }
    }

    /// Whether it matters what processors do.
    pub(super) fn is_up(&self) -> bool {
        self.at != Place::Nowhere
    }

    /// When the period that is under way ends.
    pub(super) fn period_end(&self) -> Option<Instant> {
        let window = self.rule?.window(self.told);
        self.period.as_ref()?.from.checked_add(window)
    }

    /// A processor did one thing for a while.
    pub(super) fn slice(&mut self, cpu: Cpu, slice: Slice) {
        let matters = match self.at {
            Place::Nowhere => false,
            Place::On(own) => own == cpu,
            Place::Anywhere => true,
        };
        if matters {
            let span = slice.to.saturating_since(slice.from.max(self.accounted));
            raise(self.tally.entry(cpu).or_default(), slice.what, span);
        }
    }

    /// The thread was in one state for a while.
    pub(super) fn stretch(&mut self, stretch: Stretch, follower: &Follower, question: &Question) {
        self.settle(stretch.to, stretch.state, follower, question);
    }

    /// Puts down everything up to `at`, in the middle of a stretch.
    fn cut(&mut self, at: Instant, follower: &Follower, question: &Question) {
        if let Some(state) = follower.state(self.place) {
            self.settle(at, state, follower, question);
        }
    }

    fn settle(&mut self, to: Instant, state: State, follower: &Follower, question: &Question) {
        let from = self.accounted;
        if to <= from {
            return;
        }
        let piece = self.piece(from, to, state, follower);
        self.tally.clear();
        self.accounted = to;
        self.unsure = state == State::Unknown;
        self.asleep = false;
        match state {
            State::Running(cpu) => {
                self.held = None;
                self.last_cpu = Some(cpu);
            }
            State::Ready | State::Unknown => {}
            State::Blocked | State::Uninterruptible | State::Stopped => {
                self.asleep = true;
                self.period = None; // nobody is promised anything while it waits
                self.end_burst(from, Ending::Done, question);
            }
        }
        self.each(|account| account.add(&piece));
    }

    /// Does something to the account of everything that is open.
    fn each(&mut self, change: impl Fn(&mut Account)) {
        let mut piece = Account::default();
        change(&mut piece);
        self.jobs.add(&piece);
        for window in self.burst.iter_mut().chain(&mut self.period) {
            window.account.add(&piece);
        }
    }

    /// Where the time from `from` to `to` went, in which the thread was in one state.
    fn piece(&self, from: Instant, to: Instant, state: State, follower: &Follower) -> Account {
        let mut account = Account::default();
        let mut rest = to.saturating_since(from);
        let mut put = |account: &mut Account, part: Part, span: Span| {
            rest = rest.saturating_sub(span);
            account.put(part, span);
        };
        let otherwise = match state {
            State::Running(cpu) => {
                for (what, span) in self.tallied(cpu, from, to, follower) {
                    match what {
                        What::Thread(thread) if thread == self.thread => {
                            put(&mut account, Part::Ran, span);
                        }
                        What::Overhead(kind) => put(&mut account, Part::Stolen(kind), span),
                        _ => {}
                    }
                }
                Part::Unknown
            }
            State::Ready if self.held.is_some() => Part::Held(None),
            State::Ready if self.held_above.is_some() => Part::Held(self.held_above),
            State::Ready => {
                let place = self.waits_on(follower);
                for cpu in follower.cpus() {
                    for (what, span) in self.tallied(cpu, from, to, follower) {
                        let part = match what {
                            _ if place != Some(cpu) => {
                                if what == What::Idle {
                                    raise(&mut account.idle_elsewhere, cpu, span);
                                }
                                continue;
                            }
                            What::Thread(thread) if thread != self.thread => Part::Behind(thread),
                            What::Overhead(kind) => Part::BehindOverhead(kind),
                            What::Idle => Part::Idle,
                            What::Thread(_) | What::Unknown => continue,
                        };
                        put(&mut account, part, span);
                        raise(&mut account.waited_on, cpu, span);
                    }
                }
                if place.is_some() { Part::Unknown } else { Part::Unplaced }
            }
            State::Blocked => Part::Blocked,
            State::Uninterruptible => Part::Device,
            State::Stopped => Part::Stopped,
            State::Unknown => Part::Unknown,
        };
        account.put(otherwise, rest);
        account
    }

    /// The processor whose queue it stands in: where it runs next, else where it ran last, else the
    /// only one.
    fn waits_on(&self, follower: &Follower) -> Option<Cpu> {
        if let Some(State::Running(cpu)) = follower.state(self.place) {
            return Some(cpu);
        }
        let only = || {
            let mut cpus = follower.cpus();
            cpus.next().filter(|_| cpus.next().is_none())
        };
        self.last_cpu.or_else(only)
    }

    /// The activities of a processor from `from` to `to`, and the time of each.
    fn tallied(
        &self,
        cpu: Cpu,
        from: Instant,
        to: Instant,
        follower: &Follower,
    ) -> BTreeMap<What, Span> {
        let mut tally = self.tally.get(&cpu).cloned().unwrap_or_default();
        if let Some((since, what)) = follower.state_of(cpu) {
            raise(&mut tally, what, to.saturating_since(since.max(from)));
        }
        tally
    }

    /// Takes up the state that the thread is in after a record, all stretches before it settled.
    pub(super) fn follow(&mut self, at: Instant, follower: &Follower, question: &Question) {
        let state = follower.state(self.place);
        let before = self.at;
        self.at = match state {
            Some(State::Running(cpu)) => Place::On(cpu),
            Some(State::Ready) => Place::Anywhere,
            _ => Place::Nowhere,
        };
        if follower.waits(self.place) || state.is_none() {
            self.asleep = true;
            self.period = None;
            self.end_burst(at, Ending::Done, question);
        }
        if state.is_none() {
            self.leave_jobs(at, question);
        } else if self.gone {
            self.accounted = at; // contradicted: it is there again
        }
        self.gone = state.is_none();
        if self.is_up() {
            if self.asleep {
                self.begin_burst(at, None);
            }
            if self.period.is_none() && !(self.told && self.has_periods()) {
                self.begin_period(at);
            }
        }
        if let Place::On(cpu) = self.at
            && before != self.at
        {
            let moved = self.last_cpu.is_some_and(|last| last != cpu);
            self.last_cpu = Some(cpu);
            self.each(|account| {
                account.dispatches += 1;
                account.migrations += u64::from(moved);
            });
        }
    }

    /// The thread was woken; its stretch before that is settled.
    pub(super) fn woken(&mut self, at: Instant, by: Option<ThreadId>, question: &Question) {
        let wake = (at, by);
        self.last_wake = Some(wake);
        for job in self.jobs.open() {
            job.wake.get_or_insert(wake);
        }
        if self.is_up() {
            return; // it was ready before, or runs and is about to wait
        }
        if self.unsure {
            self.end_burst(at, Ending::Lost, question);
        }
        self.begin_burst(at, Some(wake));
    }

    fn begin_burst(&mut self, at: Instant, wake: Option<Wake>) {
        if self.burst.is_none() && !self.jobs.any() {
            self.bursts += 1;
            self.burst = Some(Window { wake, ..Window::new(self.bursts, at) });
        }
    }

    fn end_burst(&mut self, at: Instant, ending: Ending, question: &Question) {
        if let Some(window) = self.burst.take() {
            self.found.close(question, Kind::Burst, window, at, ending);
        }
    }

    /// A job of the thread was released. With the first one, bursts count no more.
    pub(super) fn release(
        &mut self,
        at: Instant,
        deadline: Option<Instant>,
        follower: &Follower,
        question: &Question,
    ) {
        if self.gone {
            return self.found.unopened += 1;
        }
        self.cut(at, follower, question);
        if !self.jobs.any() {
            self.burst = None;
            self.found.begin_jobs();
        }
        let job = self.jobs.release(at, deadline);
        job.wake = self.last_wake.filter(|(woken, _)| *woken == at);
    }

    /// The thread's oldest job ended.
    pub(super) fn end_job(
        &mut self,
        at: Instant,
        ending: Ending,
        follower: &Follower,
        question: &Question,
    ) {
        self.cut(at, follower, question);
        match self.jobs.end() {
            // Counted as refused.
            Some(job) if job.admission == Some(false) && ending == Ending::GivenUp => {}
            Some(job) => self.found.close(question, Kind::Job, job, at, ending),
            None => self.found.unopened += 1,
        }
    }

    /// The trace is over.
    pub(super) fn finish(mut self, to: Instant, question: &Question) -> Explained {
        self.end_burst(to, Ending::Open, question);
        self.leave_jobs(to, question);
        self.found
    }

    /// Ends the jobs that are still open, which will not be completed.
    fn leave_jobs(&mut self, to: Instant, question: &Question) {
        while let Some(job) = self.jobs.end() {
            let overdue = job.deadline.is_some_and(|deadline| deadline <= to);
            let ending = if overdue { Ending::Overdue } else { Ending::Open };
            self.found.close(question, Kind::Job, job, to, ending);
        }
    }
}
