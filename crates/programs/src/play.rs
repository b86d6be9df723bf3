//! Programs under way: what each thread's next action means for its jobs, its locks and the others.
//!
//! The same on every host. A host offers a [`Stage`]: it knows the time, blocks and wakes threads,
//! and calls back when an instant has come. Nothing here computes, sleeps, or decides who runs.
//!
//! Invariant: a player acts only while it has a processor; a player that waits is woken exactly
//! once, by what it waits for.

use crate::action::{Action, Body, Resource};
use crate::body::Random;
use crate::program::{Activation, Jobs, OnLate, Program};
use crate::sync::SyncPoints;
use std::collections::{BTreeMap, VecDeque};
use windfall_time::{Instant, Span};

/// So many actions of one thread without computing or waiting are taken for a program that gets nowhere.
const PATIENCE: u32 = 100_000;
/// So many jobs of one thread may wait for it.
const MOST_WAITING: usize = 4_000_000;

/// What a player that does not run waits for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Condition {
    /// It could run, or runs.
    Runnable,
    /// It sleeps until the stage says that the time has come.
    Sleeping,
    /// It waits for its next job.
    Jobless,
    /// It waits for a wake-up by another player.
    AwaitingWake,
    /// It waits for a lock, a condition (and then takes this lock), or a barrier.
    Held(Option<Resource>),
    /// It has not begun, or has ended.
    Gone,
}

/// A job that is released and not done.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Job {
    /// When it was released.
    pub release: Instant,
    /// When it should be done by.
    pub deadline: Option<Instant>,
}

/// What a stage is to call back for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Cue {
    /// A sleep ends: [`Players::slept`].
    Wake,
    /// A job is released: [`Players::release_due`].
    Release,
    /// A job's time is over: [`Players::abort`].
    Deadline,
}

/// Why a program cannot go on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mishap {
    /// It acts for ever without computing or waiting.
    Stuck,
    /// So many of its jobs wait for it.
    Backlog(usize),
    /// It unlocks what it has not locked.
    NotOwner,
}

/// What a host offers to programs. Players are named by their numbers.
pub trait Stage {
    /// The time.
    fn now(&self) -> Instant;
    /// Has a cue given at an instant, instead of an earlier one of the same kind.
    fn cue(&mut self, player: u32, cue: Cue, at: Instant);
    /// A player waits from now on.
    fn blocked(&mut self, player: u32);
    /// A player that waited can run; `by` whom it was woken.
    fn woken(&mut self, player: u32, by: Option<u32>);
    /// A running player lets others go first.
    fn yielded(&mut self, player: u32);
    /// A player has ended.
    fn exited(&mut self, player: u32);
    /// A job was released.
    fn released(&mut self, player: u32, job: Job);
    /// A player works at a job from now on.
    fn begins(&mut self, player: u32, job: Job);
    /// A player's job is done.
    fn completed(&mut self, player: u32, job: Job);
    /// A player's job was given up.
    fn aborted(&mut self, player: u32);
    /// A program cannot go on.
    fn mishap(&mut self, player: u32, mishap: Mishap);
}

/// What a player does until it asks again.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Doing {
    /// It computes so much.
    Work(Span),
    /// It waits, or has ended; it asks again when it has been woken and has a processor.
    Waits,
    /// It has acted, and may have lost its processor by that; it asks again while it has one.
    Acted,
}

struct Source {
    jobs: Jobs,
    random: Random,
    released: u64,
}

struct Player {
    body: Box<dyn Body>,
    condition: Condition,
    /// An action that was asked for before there was a processor for it.
    resumed: Option<Action>,
    source: Option<Source>,
    job: Option<Job>,
    backlog: VecDeque<Job>,
    /// Wake-ups that came while it did not wait for one.
    wakes: u64,
    idle_actions: u32,
}

/// All programs of a run.
#[derive(Default)]
pub struct Players {
    players: Vec<Player>,
    syncs: SyncPoints,
    /// Players whose jobs are released by another's completions.
    followers: BTreeMap<u32, Vec<u32>>,
}

impl Players {
    /// Adds a program, numbered in order of adding. Equal seeds give equal behaviour.
    pub fn add(&mut self, program: &Program, seed: u64) -> u32 {
        let number = u32::try_from(self.players.len()).unwrap_or(u32::MAX);
        let source = match program {
            Program::Jobs(jobs) => {
                if let Activation::After(before) = jobs.activation {
                    let before = u32::try_from(before).unwrap_or(u32::MAX);
                    self.followers.entry(before).or_default().push(number);
                }
                Some(Source { jobs: jobs.clone(), random: Random::new(!seed), released: 0 })
            }
            _ => None,
        };
        self.players.push(Player {
            body: program.start(seed),
            condition: Condition::Gone,
            resumed: None,
            source,
            job: None,
            backlog: VecDeque::new(),
            wakes: 0,
            idle_actions: 0,
        });
        number
    }

    /// Says how many players use a barrier.
    pub fn barrier(&mut self, barrier: Resource, parties: usize) {
        self.syncs.at(barrier).parties = parties;
    }

    /// What a player waits for.
    #[must_use]
    pub fn condition(&self, player: u32) -> Condition {
        self.players.get(player as usize).map_or(Condition::Gone, |player| player.condition)
    }

    /// The job that a player works at.
    #[must_use]
    pub fn job(&self, player: u32) -> Option<Job> {
        self.players.get(player as usize)?.job
    }

    /// Whether a player's program is made of jobs.
    #[must_use]
    pub fn has_jobs(&self, player: u32) -> bool {
        self.players.get(player as usize).is_some_and(|player| player.source.is_some())
    }

    /// How many released jobs of a player that are not done are due by `end`.
    #[must_use]
    pub fn overdue(&self, player: u32, end: Instant) -> u64 {
        let Some(player) = self.players.get(player as usize) else { return 0 };
        let open = player.job.iter().chain(&player.backlog);
        let late = open.filter(|job| job.deadline.is_some_and(|deadline| deadline <= end));
        u64::try_from(late.count()).unwrap_or(u64::MAX)
    }

    /// A player begins its life. One that sleeps first, or awaits a job, needs no processor for that.
    pub fn begin(&mut self, number: u32, stage: &mut impl Stage) {
        let now = stage.now();
        let player = &mut self.players[number as usize];
        let first = player.body.next(now);
        if let Some(source) = &player.source {
            player.condition = Condition::Jobless;
            match source.jobs.activation {
                Activation::Periodic { offset, .. } | Activation::Sporadic { offset, .. } => {
                    stage.cue(number, Cue::Release, offset.max(now));
                }
                Activation::After(_) => {}
            }
            return;
        }
        match first {
            Action::SleepUntil(at) if at > now => {
                player.condition = Condition::Sleeping;
                stage.cue(number, Cue::Wake, at);
            }
            action => {
                player.resumed = Some(action);
                self.wake(number, None, stage);
            }
        }
    }

    /// What a running player does next, now that its last action is done.
    pub fn step(&mut self, number: u32, stage: &mut impl Stage) -> Doing {
        let now = stage.now();
        let player = &mut self.players[number as usize];
        let action = player.resumed.take().unwrap_or_else(|| player.body.next(now));
        if let Action::Compute(work) = action
            && !work.is_zero()
        {
            player.idle_actions = 0;
            return Doing::Work(work);
        }
        player.idle_actions += 1;
        if player.idle_actions > PATIENCE {
            stage.mishap(number, Mishap::Stuck);
            return Doing::Waits;
        }
        self.act(number, action, stage);
        let player = &mut self.players[number as usize];
        if player.condition == Condition::Runnable {
            Doing::Acted
        } else {
            player.idle_actions = 0;
            Doing::Waits
        }
    }

    /// A sleep is over.
    pub fn slept(&mut self, number: u32, stage: &mut impl Stage) {
        if self.condition(number) == Condition::Sleeping {
            self.wake(number, None, stage);
        }
    }

    /// Carries out one action other than computing.
    fn act(&mut self, number: u32, action: Action, stage: &mut impl Stage) {
        match action {
            Action::Compute(_) => {}
            Action::SleepUntil(at) if at <= stage.now() => {}
            Action::SleepUntil(at) => {
                stage.cue(number, Cue::Wake, at);
                self.block(number, Condition::Sleeping, stage);
            }
            Action::AwaitJob => self.await_job(number, stage),
            Action::JobDone => self.job_done(number, stage),
            Action::JobBegins { release, deadline } => {
                let job = Job { release, deadline };
                self.players[number as usize].job = Some(job);
                stage.released(number, job);
                stage.begins(number, job);
            }
            Action::Lock(lock) => {
                if !self.syncs.at(lock).lock(number) {
                    self.block(number, Condition::Held(None), stage);
                }
            }
            Action::Unlock(lock) => self.unlock(number, lock, stage),
            Action::Wait { condition, lock } => {
                self.unlock(number, lock, stage);
                self.syncs.at(condition).wait(number);
                self.block(number, Condition::Held(Some(lock)), stage);
            }
            Action::Signal(condition) => {
                if let Some(waiter) = self.syncs.at(condition).signal() {
                    self.signalled(waiter, number, stage);
                }
            }
            Action::Broadcast(condition) => {
                while let Some(waiter) = self.syncs.at(condition).signal() {
                    self.signalled(waiter, number, stage);
                }
            }
            Action::Barrier(barrier) => match self.syncs.at(barrier).arrive(number) {
                Some(others) => {
                    others.into_iter().for_each(|other| self.wake(other, Some(number), stage));
                }
                None => self.block(number, Condition::Held(None), stage),
            },
            Action::Yield => stage.yielded(number),
            Action::Wake(other) => self.wake_other(number, other, stage),
            Action::AwaitWake => {
                let player = &mut self.players[number as usize];
                if player.wakes > 0 {
                    player.wakes -= 1;
                } else {
                    self.block(number, Condition::AwaitingWake, stage);
                }
            }
            Action::Exit => {
                self.job_done(number, stage); // what it worked at ends with it
                self.players[number as usize].condition = Condition::Gone;
                stage.exited(number);
            }
        }
    }

    fn block(&mut self, number: u32, condition: Condition, stage: &mut impl Stage) {
        self.players[number as usize].condition = condition;
        stage.blocked(number);
    }

    fn wake(&mut self, number: u32, by: Option<u32>, stage: &mut impl Stage) {
        self.players[number as usize].condition = Condition::Runnable;
        stage.woken(number, by);
    }

    /// The next job begins, or the player waits for one.
    fn await_job(&mut self, number: u32, stage: &mut impl Stage) {
        let now = stage.now();
        let aborts = self.aborts(number);
        while let Some(job) = self.players[number as usize].backlog.pop_front() {
            if aborts && job.deadline.is_some_and(|deadline| deadline <= now) {
                stage.aborted(number); // its time has passed while it waited
                continue;
            }
            self.begin_job(number, job, stage);
            return;
        }
        self.block(number, Condition::Jobless, stage);
    }

    fn aborts(&self, number: u32) -> bool {
        let source = self.players[number as usize].source.as_ref();
        source.is_some_and(|source| source.jobs.late == OnLate::Abort)
    }

    fn begin_job(&mut self, number: u32, job: Job, stage: &mut impl Stage) {
        self.players[number as usize].job = Some(job);
        if let (true, Some(deadline)) = (self.aborts(number), job.deadline) {
            stage.cue(number, Cue::Deadline, deadline);
        }
        stage.begins(number, job);
    }

    /// A job is released by time; `at` is when it should have been.
    pub fn release_due(&mut self, number: u32, at: Instant, stage: &mut impl Stage) {
        let Some(source) = &mut self.players[number as usize].source else { return };
        let next = match source.jobs.activation {
            Activation::Periodic { period, .. } => at.checked_add(period),
            Activation::Sporadic { least, most, .. } => {
                let gap = source.random.between(least.as_nanos(), most.as_nanos());
                at.checked_add(Span::from_nanos(gap))
            }
            Activation::After(_) => None,
        };
        let more = source.jobs.count.is_none_or(|count| source.released + 1 < count);
        if let Some(next) = next.filter(|_| more) {
            stage.cue(number, Cue::Release, next);
        }
        self.release(number, at, stage);
    }

    /// A job is released; it begins at once if the player has nothing else to do.
    fn release(&mut self, number: u32, at: Instant, stage: &mut impl Stage) {
        let player = &mut self.players[number as usize];
        let Some(source) = &mut player.source else { return };
        if source.jobs.count.is_some_and(|count| source.released >= count) {
            return;
        }
        source.released += 1;
        let deadline = source.jobs.deadline.map(|span| at.saturating_add(span));
        let job = Job { release: at, deadline };
        stage.released(number, job);
        if player.condition == Condition::Jobless {
            self.begin_job(number, job, stage);
            self.wake(number, None, stage);
            return;
        }
        player.backlog.push_back(job);
        if player.backlog.len() > MOST_WAITING {
            stage.mishap(number, Mishap::Backlog(MOST_WAITING));
        }
    }

    fn job_done(&mut self, number: u32, stage: &mut impl Stage) {
        let Some(job) = self.players[number as usize].job.take() else { return };
        stage.completed(number, job);
        let now = stage.now();
        let followers = self.followers.get(&number).cloned().unwrap_or_default();
        followers.into_iter().for_each(|follower| self.release(follower, now, stage));
    }

    /// A job's time is over, by the program's own wish or its scheduler's; whether the player must
    /// ask for what it does next. A program that cannot give a job up goes on.
    pub fn abort(&mut self, number: u32, stage: &mut impl Stage) -> bool {
        let now = stage.now();
        let player = &mut self.players[number as usize];
        if player.source.is_none() || player.job.take().is_none() {
            return false;
        }
        player.resumed = None;
        player.body.abandon_job();
        stage.aborted(number);
        let player = &mut self.players[number as usize];
        match player.body.next(now) {
            Action::AwaitJob => self.await_job(number, stage),
            action => player.resumed = Some(action),
        }
        true
    }

    fn unlock(&mut self, number: u32, lock: Resource, stage: &mut impl Stage) {
        match self.syncs.at(lock).unlock(number) {
            Ok(Some(next)) => self.wake(next, Some(number), stage),
            Ok(None) => {}
            Err(_) => stage.mishap(number, Mishap::NotOwner),
        }
    }

    /// A player that waited for a condition goes on when it has its lock again.
    fn signalled(&mut self, waiter: u32, by: u32, stage: &mut impl Stage) {
        let Condition::Held(Some(lock)) = self.condition(waiter) else { return };
        self.players[waiter as usize].condition = Condition::Held(None);
        if self.syncs.at(lock).lock(waiter) {
            self.wake(waiter, Some(by), stage);
        }
    }

    /// Wakes a player that waits for that; else it will not wait next time.
    fn wake_other(&mut self, number: u32, other: usize, stage: &mut impl Stage) {
        let Ok(other) = u32::try_from(other) else { return };
        match self.condition(other) {
            Condition::AwaitingWake => self.wake(other, Some(number), stage),
            Condition::Gone => {}
            _ => self.players[other as usize].wakes += 1,
        }
    }
}
