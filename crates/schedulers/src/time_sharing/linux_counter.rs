//! Linux 2.2 and 2.4: time sharing by counters of clock ticks, the largest goodness first.
//!
//! Takes    any guarantee, on one processor or several.
//! Gives    NULL to each child.
//! Admits   everyone. `priority` is minus the nice value: 20 to -19 (default 0).
//! Assumes  nothing of its children.
//! Costs    O(log n) per event, where Linux looks at every ready thread at each switch; 107 bytes per child; one
//!          timer per processor (the clock tick).
//! Ties     the running child stays; else the one that woke last.
//! Source   kernel/sched.c of Linux 2.2.26 and 2.4.37 (`goodness`, `schedule`, `reschedule_idle`); HLS 3.4,
//!          5.2.2.5, table 5.1. Differences: one queue without the bonus for the processor on which a thread
//!          ran before; each child counts as an address space of its own; no real-time classes (put
//!          `fixed-priority` above); a new child does not halve its creator's counter; a child that yields
//!          comes after all that have ticks left.
//! Checked  laws, `tests/all/linux_counter.rs`.
//!
//! Each child has a counter: the ticks that it may still run in this epoch. Its goodness is zero if none is left, else
//! the counter plus its static priority. When no ready child has a tick left, a new epoch begins: every counter, also of
//! children that wait, is halved and the static priority added. This is computed when a child is next looked at: keys
//! name the epoch in which it may run.

use crate::catalogue::Kind;
use crate::parameters::PRIORITY;
use crate::parts::nice;
use crate::parts::policy::{Policy, Pooled};
use crate::parts::pool::Pool;
use crate::parts::quantum;
use crate::parts::slots;
use crate::parts::ticks::Ticks;
use alloc::boxed::Box;
use alloc::vec::Vec;
use windfall_hierarchy::{Answer, AnswerError, ChildVp, Context, Message, OwnVp, TimerId, View};
use windfall_time::{Instant, Span};

/// Counters converge to twice the ticks added in an epoch, and are below 2^8. After this many halvings any former
/// value has vanished.
const HALVINGS: u64 = 8;

settings! { Linux2_4, "linux_counter.rs":
    /// time between two ticks of the clock
    tick: Span = "10ms",
    /// at nice 0, 6 ticks in each epoch (2.4) or 20 (2.2)
    version: Version = "2.4",
}

pub(crate) const KIND: Kind = Linux2_4::kind(
    "linux-2.4",
    "the time sharing of Linux 2.2 and 2.4: counters of ticks, goodness, epochs",
    |settings| {
        let Linux2_4 { tick, version } = Linux2_4::read(settings);
        Ok(Box::new(Pooled::new(State::new(version, tick))))
    },
)
.with_parameters(&[&PRIORITY]);

words! {
    /// The kernel version whose rules apply.
    pub enum Version {
        /// From 11 ticks to 1 in each epoch (nice -20 to 19); goodness depends on the nice value.
        V2_4 = "2.4",
        /// From 40 ticks to 1.
        V2_2 = "2.2",
    }
}

impl Version {
    /// The ticks added to the counter in each epoch.
    fn ticks(self, nice: i32) -> i32 {
        match self {
            Version::V2_4 => (20 - nice) / 4 + 1,
            Version::V2_2 => (20 - nice).max(1),
        }
    }

    /// The goodness of a thread with ticks left, beyond its counter.
    fn bonus(self, nice: i32) -> i32 {
        match self {
            Version::V2_4 => 20 - nice,
            Version::V2_2 => self.ticks(nice),
        }
    }

    /// By how much the goodness of a waking child must exceed a running one's.
    fn margin(self) -> i32 {
        // One point is for the address space that the running child has loaded; 2.4 wants two more.
        match self {
            Version::V2_4 => 2,
            Version::V2_2 => 1,
        }
    }
}

#[derive(Clone, Copy)]
struct Task {
    nice: i32,
    /// Ticks left in `epoch`.
    counter: i32,
    epoch: u64,
    /// Whether all children with ticks left go first.
    yields: bool,
    /// The times at which it last began to run, and to wait.
    started: Instant,
    waits_since: Option<Instant>,
    /// Number of its last wake-up; larger is later.
    turn: u64,
}

/// The counter of ticks of each child, as of the epoch in which it was last looked at.
#[derive(Clone)]
pub(crate) struct State {
    version: Version,
    tasks: Vec<Task>,
    /// Number of epochs that have begun.
    epoch: u64,
    drawn: u64,
    ticks: Ticks,
}

impl State {
    /// Creates an instance with the rules of a version. `tick` is the time between two ticks, above zero.
    pub(crate) fn new(version: Version, tick: Span) -> State {
        let ticks = Ticks::new(tick);
        State { version, tasks: Vec::new(), epoch: 0, drawn: 0, ticks }
    }

    /// Brings a counter up to the current epoch.
    fn catch_up(&mut self, child: ChildVp) {
        let task = &mut self.tasks[child.index()];
        let added = self.version.ticks(task.nice);
        for _ in 0..(self.epoch - task.epoch).min(HALVINGS) {
            task.counter = task.counter / 2 + added;
        }
        task.epoch = self.epoch;
    }

    /// The goodness in the current epoch.
    fn goodness(&self, task: &Task) -> i32 {
        if task.counter == 0 { 0 } else { task.counter + self.version.bonus(task.nice) }
    }

    /// Charges a tick to the child that runs on `own`.
    fn tick(&mut self, own: OwnVp, pool: &mut Pool<Self>, context: &mut Context<'_>) {
        let Some(child) = context.held_by(own) else {
            return;
        };
        self.ticks.next(own, context);
        self.catch_up(child);
        let task = &mut self.tasks[child.index()];
        if task.started == context.now() {
            // Other consequences of the tick follow in later calls.
            return;
        }
        task.counter = (task.counter - 1).max(0);
        if task.counter == 0 {
            pool.rotate(child, self, context);
        }
    }

    /// `reschedule_idle`: if a child that does not run has enough goodness, the running child of least goodness
    /// gives its processor to the best ready one.
    fn preempt(&mut self, child: ChildVp, pool: &mut Pool<Self>, context: &mut Context<'_>) {
        if context.held_through(child).is_some() {
            return;
        }
        let mut worst: Option<(i32, ChildVp)> = None;
        for own in pool.own_vps() {
            if let Some(held) = context.held_by(own) {
                self.catch_up(held);
                let goodness = self.goodness(&self.tasks[held.index()]);
                if worst.is_none_or(|(least, _)| goodness < least) {
                    worst = Some((goodness, held));
                }
            }
        }
        let task = &self.tasks[child.index()];
        let goodness = if task.yields { 0 } else { self.goodness(task) };
        if let Some((least, held)) = worst
            && goodness - least > self.version.margin()
        {
            pool.rotate(held, self, context);
        }
    }
}

impl Policy for State {
    /// The epoch in which it may run, then the negative goodness, then the latest wake-up first.
    type Key = (u64, i32, u64);
    const GROWS: bool = true;
    const PREEMPTS: bool = false;
    const LETS_YIELD: bool = true;

    fn key(&self, child: ChildVp) -> Self::Key {
        let task = &self.tasks[child.index()];
        let last = u64::MAX - task.turn;
        if task.counter == 0 {
            let next = self.version.ticks(task.nice) + self.version.bonus(task.nice);
            return (task.epoch + 1, -next, last);
        }
        let goodness = if task.yields { 0 } else { self.goodness(task) };
        (task.epoch, -goodness, last)
    }

    fn started(&mut self, child: ChildVp, own: OwnVp, context: &mut Context<'_>) {
        let task = &mut self.tasks[child.index()];
        (task.started, task.yields) = (context.now(), false);
        if task.counter == 0 && task.epoch == self.epoch {
            self.epoch += 1;
        }
        self.catch_up(child);
        self.ticks.started(own, context);
    }

    fn idle(&mut self, own: OwnVp, context: &mut Context<'_>) {
        self.ticks.idle(own, context);
    }

    fn timers(&self, owns: usize) -> usize {
        owns
    }

    fn init(&mut self, context: &mut Context<'_>) {
        self.ticks.init(context.owns());
    }

    fn register(&mut self, child: ChildVp) {
        let unknown = Task {
            nice: 0,
            counter: self.version.ticks(0),
            epoch: self.epoch,
            yields: false,
            started: Instant::ZERO,
            waits_since: None,
            turn: 0,
        };
        slots::put(&mut self.tasks, child, unknown);
    }

    fn request(&mut self, child: ChildVp, pool: &mut Pool<Self>, context: &mut Context<'_>) {
        self.catch_up(child);
        self.drawn += 1;
        let turn = self.drawn;
        let task = &mut self.tasks[child.index()];
        task.yields = task.waits_since == Some(context.now());
        task.turn = turn;
        pool.request(child, self, context);
        self.preempt(child, pool, context);
    }

    fn release(
        &mut self,
        child: ChildVp,
        held: Option<OwnVp>,
        pool: &mut Pool<Self>,
        context: &mut Context<'_>,
    ) {
        self.catch_up(child);
        self.tasks[child.index()].waits_since = Some(context.now());
        pool.release(child, held, self, context);
    }

    fn message(
        &mut self,
        child: Option<ChildVp>,
        message: Message,
        pool: &mut Pool<Self>,
        context: &mut Context<'_>,
    ) -> Answer {
        let (Some(child), Message::Priority(priority)) = (child, message) else {
            let takes = "priority (minus the nice value)";
            return Err(AnswerError::NotUnderstood { message: message.name(), takes });
        };
        let nice = nice::of_priority(priority)?;
        self.catch_up(child);
        self.tasks[child.index()].nice = nice;
        pool.rerank(child, self, context);
        Ok(())
    }

    fn revoke(
        &mut self,
        own: OwnVp,
        child: ChildVp,
        pool: &mut Pool<Self>,
        context: &mut Context<'_>,
    ) {
        self.catch_up(child);
        pool.revoke(own, child, self, context);
        self.preempt(child, pool, context);
    }

    fn timer(&mut self, timer: TimerId, pool: &mut Pool<Self>, context: &mut Context<'_>) {
        self.tick(quantum::own_of(timer), pool, context);
    }

    fn check(&self, _: &Pool<Self>, view: &View<'_>) -> Result<(), &'static str> {
        let early = |child: &ChildVp| self.tasks[child.index()].epoch > self.epoch;
        if view.children().any(|child| early(&child)) {
            return Err("a counter is ahead of its epoch");
        }
        Ok(())
    }
}
