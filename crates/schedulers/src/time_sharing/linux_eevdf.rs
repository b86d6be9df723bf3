//! Linux 6.12: fair scheduling by earliest eligible virtual deadline first, as in `fair.c`.
//!
//! Takes    any guarantee, on one processor or several.
//! Gives    NULL to each child (shares by weight, but a child that is added takes from all).
//! Admits   everyone. `priority` is minus the nice value: 20 to -19 (default 0).
//! Assumes  nothing of its children.
//! Costs    O(log n) per event, and one step more for each processor; 310 bytes per child; one timer per
//!          processor.
//! Ties     equal deadlines: ready children before running ones; then the lower slot.
//! Source   kernel/sched/fair.c and core.c of Linux 6.12 (`place_entity`, `pick_eevdf`, `update_curr`,
//!          `check_preempt_wakeup_fair`); Stoica and Abdel-Wahab 1995. Differences: one queue for all
//!          processors, where Linux has one each and balances them (one instance for each processor is
//!          closer, without balancing); virtual time is exact; a child that waits while ahead works that off
//!          as under delayed dequeue, but has no weight in the average meanwhile; no groups: each instance is
//!          one. A child's own slice (`sched_runtime`) is its quantum.
//! Checked  laws, `tests/all/linux_eevdf.rs`; the tree is compared with a search of all children.
//!
//! Virtual time passes for each child as it runs, at 1024 over its weight. Its lag is its distance behind the weighted
//! average V of all children that do not wait; it keeps its lag while it waits. A child that is not ahead of V is
//! eligible. The eligible child of earliest virtual deadline runs for a slice, then its deadline is put off. Until
//! then, a waking child preempts it only if it is not eligible (`parity = false`: or if its deadline is later).

mod lag;
mod task;

use crate::catalogue::{Kind, Properties};
use crate::parameters::{PRIORITY, TIME_SLICE};
use crate::parts::eligible::Eligible;
use crate::parts::nice;
use crate::parts::policy::{Policy, Pooled};
use crate::parts::pool::Pool;
use crate::parts::quantum;
use crate::parts::slots;
use crate::parts::ticks::round_up;
use crate::time_sharing::linux_eevdf::task::{Load, Task, UNIT, UNKNOWN, WEIGHTS};
use alloc::boxed::Box;
use alloc::vec::Vec;
use windfall_hierarchy::{Answer, ChildVp, Context, Message, OwnVp, TimerId, View, VpState};
use windfall_time::{Instant, Span};

settings! { LinuxEevdf, "linux_eevdf.rs":
    /// whether an eligible running child runs to the end of its slice
    parity: bool = "true",
    /// processor time at weight 1024 from a request to its deadline; the kernel's value for 8 processors
    slice: Span = "2.8ms",
    /// slices end at multiples of this; 1ns for a precise clock
    tick: Span = "1ms",
}

pub(crate) const KIND: Kind = LinuxEevdf::kind(
    "linux-eevdf",
    "the fair scheduling of Linux 6.12: earliest eligible virtual deadline first",
    |settings| Ok(Box::new(Pooled::new(State::new(LinuxEevdf::read(settings))))),
)
.with_parameters(&[&PRIORITY, &TIME_SLICE])
.with_properties(Properties::NONE.quantum(|settings| Some(LinuxEevdf::read(settings).slice)));

/// The load of all children and their average virtual time, and the ready ones that are eligible.
#[derive(Clone)]
pub(crate) struct State {
    spec: LinuxEevdf,
    tasks: Vec<Task>,
    ready: Eligible,
    load: Load,
    /// The average when the last child began to wait.
    base: i128,
    /// By own VP: the time up to which its child has been charged.
    charged: Vec<Instant>,
    /// The child that the pool serves next.
    chosen: Option<ChildVp>,
}

impl State {
    /// Creates an instance with these settings.
    pub(crate) fn new(spec: LinuxEevdf) -> State {
        State {
            spec,
            tasks: Vec::new(),
            ready: Eligible::new(),
            load: Load::default(),
            base: 0,
            charged: Vec::new(),
            chosen: None,
        }
    }

    fn charge(&mut self, child: ChildVp, own: OwnVp, now: Instant) {
        let since = core::mem::replace(&mut self.charged[own.index()], now);
        let task = &mut self.tasks[child.index()];
        let (moved, rest) = task.moves(now.saturating_since(since));
        (task.time, task.rest) = (task.time + moved, rest);
        self.load.times += task.weight * moved;
    }

    fn average(&self) -> i128 {
        self.load.average().unwrap_or(self.base)
    }

    /// The ready child to serve next, at this load. With several processors no child may be eligible; then the one
    /// that becomes eligible first.
    fn pick(&self, load: Load) -> Option<ChildVp> {
        let eligible = self.ready.first(|time| load.reaches(time));
        eligible.or_else(|| self.ready.least().map(|(_, slot)| slot)).map(ChildVp)
    }

    /// Whether a ready child goes before a running one.
    fn goes_before(&self, ready: ChildVp, running: ChildVp) -> bool {
        let (ready, running) = (&self.tasks[ready.index()], &self.tasks[running.index()]);
        match (self.load.reaches(ready.time), self.load.reaches(running.time)) {
            (true, true) => ready.deadline <= running.deadline,
            (true, false) => true,
            (false, true) => false,
            (false, false) => ready.time < running.time,
        }
    }

    /// Sets the timer to the tick at which the slice of the child that runs on `own` has ended.
    fn arm(&self, child: ChildVp, own: OwnVp, context: &mut Context<'_>) {
        let task = &self.tasks[child.index()];
        let left = (task.deadline - task.time) * task.weight - task.rest;
        let ns = (left + UNIT - 1).div_euclid(UNIT).max(1);
        let end = context.now().saturating_add(Span::saturating_from_nanos(ns.unsigned_abs()));
        context.set_timer(quantum::timer_of(own), Some(round_up(end, self.spec.tick)));
    }

    fn charge_running(&mut self, pool: &Pool<Self>, context: &Context<'_>) {
        for own in pool.own_vps() {
            if let Some(child) = context.held_by(own) {
                self.charge(child, own, context.now());
            }
        }
    }

    /// Makes the pool serve this child next.
    fn choose(&mut self, child: Option<ChildVp>, pool: &mut Pool<Self>, context: &Context<'_>) {
        let before = core::mem::replace(&mut self.chosen, child);
        for child in before.into_iter().chain(child) {
            pool.refresh(child, self, context);
        }
    }

    fn choose_best(&mut self, pool: &mut Pool<Self>, context: &Context<'_>) {
        let best = self.pick(self.load);
        self.choose(best, pool, context);
    }

    /// Finds the running child that is to be preempted first, and gives its processor to the best ready child if that
    /// goes before it. If `woken` is given, only this child may preempt.
    fn preempt(
        &mut self,
        woken: Option<ChildVp>,
        pool: &mut Pool<Self>,
        context: &mut Context<'_>,
    ) {
        let mut victim: Option<ChildVp> = None;
        for own in pool.own_vps() {
            let Some(child) = context.held_by(own) else {
                return;
            };
            if victim.is_none_or(|victim| self.goes_before(victim, child)) {
                victim = Some(child);
            }
        }
        let best = self.pick(self.load);
        let (Some(best), Some(victim)) = (best, victim) else {
            return;
        };
        let keeps = self.spec.parity && self.load.reaches(self.tasks[victim.index()].time);
        if woken.unwrap_or(best) == best && !keeps && self.goes_before(best, victim) {
            self.choose(Some(best), pool, context);
            pool.rotate(victim, self, context);
        }
    }

    /// Handles the possible end of the slice of the child that runs on `own`.
    fn tick(&mut self, own: OwnVp, pool: &mut Pool<Self>, context: &mut Context<'_>) {
        let Some(child) = context.held_by(own) else {
            return;
        };
        self.charge_running(pool, context);
        let slice = self.spec.slice;
        let task = &mut self.tasks[child.index()];
        let ended = task.time >= task.deadline;
        if ended {
            task.deadline = task.time + task.scaled(task.slice.unwrap_or(slice));
            let best = self.pick(self.load);
            if let Some(best) = best.filter(|best| self.goes_before(*best, child)) {
                self.choose(Some(best), pool, context);
                return pool.rotate(child, self, context);
            }
        }
        self.arm(child, own, context);
    }
}

impl Policy for State {
    /// The chosen child before all others: `choose` decides before the pool looks.
    type Key = (bool, u32);
    const GROWS: bool = true;
    const PREEMPTS: bool = false;
    const LETS_YIELD: bool = true;
    const TAKES: &'static str = "priority (minus the nice value), quantum (the slice: a child's own, or that of all others)";

    fn key(&self, child: ChildVp) -> Self::Key {
        (self.chosen != Some(child), child.0)
    }

    fn started(&mut self, child: ChildVp, own: OwnVp, context: &mut Context<'_>) {
        self.chosen = None;
        self.ready.remove(child.0);
        self.charged[own.index()] = context.now();
        self.arm(child, own, context);
    }

    fn stopped(&mut self, child: ChildVp, own: OwnVp, context: &mut Context<'_>) {
        if context.child(child) == VpState::Ready {
            self.charge(child, own, context.now());
            let task = &self.tasks[child.index()];
            self.ready.insert(child.0, task.deadline, task.time);
        }
    }

    fn idle(&mut self, own: OwnVp, context: &mut Context<'_>) {
        context.set_timer(quantum::timer_of(own), None);
    }

    fn timers(&self, owns: usize) -> usize {
        owns
    }

    fn init(&mut self, context: &mut Context<'_>) {
        self.charged.resize(context.owns(), Instant::ZERO);
    }

    fn register(&mut self, child: ChildVp) {
        self.ready.reserve(child.index() + 1);
        slots::put(&mut self.tasks, child, UNKNOWN);
    }

    fn request(&mut self, child: ChildVp, pool: &mut Pool<Self>, context: &mut Context<'_>) {
        self.charge_running(pool, context);
        self.enter(child, context.now());
        pool.request(child, self, context);
        self.preempt(Some(child), pool, context);
    }

    fn release(
        &mut self,
        child: ChildVp,
        held: Option<OwnVp>,
        pool: &mut Pool<Self>,
        context: &mut Context<'_>,
    ) {
        self.charge_running(pool, context);
        if let Some(own) = held {
            self.charge(child, own, context.now());
        }
        self.leave(child, context.now());
        self.choose_best(pool, context);
        pool.release(child, held, self, context);
    }

    fn message(
        &mut self,
        child: Option<ChildVp>,
        message: Message,
        pool: &mut Pool<Self>,
        context: &mut Context<'_>,
    ) -> Answer {
        match (child, message) {
            (Some(child), Message::Priority(priority)) => {
                let nice = nice::of_priority(priority)?;
                let at = usize::try_from(nice + 20).unwrap_or(0);
                self.charge_running(pool, context);
                self.reweigh(child, WEIGHTS[at], context.child(child));
                if let Some(own) = context.held_through(child) {
                    self.arm(child, own, context);
                }
                Ok(())
            }
            (Some(child), Message::Quantum(length)) => {
                // The new slice counts from the next deadline on.
                self.tasks[child.index()].slice = Some(quantum::checked(length)?);
                Ok(())
            }
            (None, Message::Quantum(length)) => {
                self.spec.slice = quantum::checked(length)?;
                Ok(())
            }
            _ => Self::not_understood(message),
        }
    }

    fn grant(&mut self, own: OwnVp, pool: &mut Pool<Self>, context: &mut Context<'_>) {
        self.charge_running(pool, context);
        self.choose_best(pool, context);
        pool.grant(own, self, context);
    }

    fn settled(&mut self, pool: &mut Pool<Self>, context: &mut Context<'_>) {
        pool.settled(self, context);
        self.charge_running(pool, context);
        self.preempt(None, pool, context);
    }

    fn timer(&mut self, timer: TimerId, pool: &mut Pool<Self>, context: &mut Context<'_>) {
        self.tick(quantum::own_of(timer), pool, context);
    }

    fn next(&self, own: OwnVp, pool: &Pool<Self>, view: &View<'_>) -> Option<ChildVp> {
        let mut load = self.load;
        for other in pool.own_vps() {
            let Some(child) = view.held_by(other) else {
                continue;
            };
            let task = &self.tasks[child.index()];
            if other == own {
                load.remove(task);
            } else {
                let ran = view.now().saturating_since(self.charged[other.index()]);
                load.times += task.weight * task.moves(ran).0;
            }
        }
        self.pick(load)
    }

    fn check(&self, _: &Pool<Self>, view: &View<'_>) -> Result<(), &'static str> {
        let mut load = Load::default();
        for child in view.children() {
            let task = &self.tasks[child.index()];
            let state = view.child(child);
            if state != VpState::Waiting {
                load.add(task);
            }
            let known = self.ready.deadline(child.0);
            if known != (state == VpState::Ready).then_some(task.deadline) {
                return Err("a ready child's deadline is not known, or is wrong");
            }
        }
        if load != self.load {
            return Err("the load is not the sum over all that do not wait");
        }
        Ok(())
    }
}
