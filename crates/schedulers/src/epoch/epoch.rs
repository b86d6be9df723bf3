//! Epoch: each process receives its declared need in each epoch; other time goes to ready processes in turn.
//!
//! Takes    ALL on its own VP 0. It never requests further own VPs: like each node of Chrysalis, an instance
//!          decides for one processor; create one instance for each processor.
//! Gives    RESBS need epoch to each child with a need; nothing to one without. A child that is ready from the
//!          start of an epoch, or before its critical scheduling period (CSP) begins, and stays ready receives
//!          its need in that epoch; one that becomes ready later may lose it (3.4), as RESBS allows.
//! Admits   while the sum of all needs is at most the epoch; with `overcommit = true` every child, but if the
//!          sum is larger, no child is promised anything.
//! Assumes  A1 its processor is there whenever requested; A2 overheads and stolen time are inside the need;
//!          A3 timers are precise: a slice that ends late takes time from others.
//! Costs    O(1) per event, and once more in each epoch for each ready child; 104 bytes per child; one timer.
//! Ties     first come, first served: a child that wakes or has used up its slice goes to the end of its
//!          queue; a preempted one stays at the head.
//! Source   Chrysalis (BBN report 5285, 1983) 2.2 to 3.4, 4.1. Where 3.3 and 3.4 differ, see docs/errata.md.
//! Checked  laws, `tests/all/epoch.rs`, `tests/all/epoch_laws.rs`.
//!
//! A child may set a priority of 0 to 3, a need (a reservation with the epoch as its period) and a time slice.
//! Priority p has a normal queue and a low one, p - 4. All normal queues go before all low ones. At the end of
//! a slice, or when it waits, a child gets a new slice from what is left of its need and from uncommitted time.
//! If its need is satisfied and the CSP has begun, neither is left, and it goes to its low queue until the epoch
//! ends. A new need counts in the current epoch, less the time that has passed; an increase counts from the next
//! one on, a decrease at once. Epochs follow each other without gaps from the start of the instance.
//! Read next: `accounts.rs` and `process.rs` (who is owed what), `queues.rs`, `ways.rs`, `promises.rs`.

mod renewal;

use crate::catalogue::{Kind, Properties, SettingError};
use crate::epoch::accounts::Accounts;
use crate::epoch::process::{Process, UNKNOWN};
use crate::epoch::promises::Needs;
use crate::epoch::queues::{PRIORITIES, Queues, is_low, rank};
use crate::epoch::ways::Ways;
use crate::parameters::{PRIORITY, RESERVE, TIME_SLICE};
use crate::parts::slots;
use alloc::boxed::Box;
use alloc::vec::Vec;
use windfall_hierarchy::{
    Answer, AnswerError, ChildVp, Context, Count, Message, OwnVp, Scheduler, TimerId, View, VpState,
};
use windfall_time::{Instant, Span};

const TAKES: &str = "reserve, unreserve, priority, quantum";
/// The only own VP that is used.
const OWN: OwnVp = OwnVp(0);
/// The end of the slice or of the epoch, whichever comes first.
const ENDS: TimerId = TimerId(0);

/// The slice of children that set none, where none is set for them.
const DEFAULT_SLICE: Span = Span::from_millis(10);

settings! { Epoch, "epoch.rs":
    /// the scheduling period, in which each child has its need
    epoch: Span = "100ms",
    /// admit more need than the epoch has, so that nobody is promised anything
    overcommit: bool = "false",
    /// the time slice of children that set none, at least `useful`; without it 10 ms, or `useful` if that is more
    slice: Option<Span>,
    /// the shortest useful time: a slice with less left ends, and less uncommitted time is not lent
    useful: Span = "300us",
}

/// The time slice of children that set none.
fn usual_slice(set: Option<Span>, useful: Span) -> Span {
    set.unwrap_or(DEFAULT_SLICE.max(useful))
}

pub(crate) const KIND: Kind = Epoch::kind(
    "epoch",
    "each child's need in each epoch, and the other time to ready children in turn",
    |settings| {
        let Epoch { epoch, overcommit, slice, useful } = Epoch::read(settings);
        let slice = usual_slice(slice, useful);
        if slice < useful {
            return Err(SettingError::value("slice", slice, "at least `useful`"));
        }
        Ok(Box::new(EpochScheduler {
            epoch: Accounts::new((epoch, useful), overcommit),
            slice,
            processes: Vec::new(),
            queues: Queues::new(),
            running: None,
            since: Instant::ZERO,
            ways: Ways::default(),
        }))
    },
)
.with_properties(Properties {
    keeps_epochs: true,
    holds_back: true,
    quantum: |settings| {
        let Epoch { slice, useful, .. } = Epoch::read(settings);
        Some(usual_slice(slice, useful))
    },
    ..Properties::NONE
})
.with_parameters(&[&RESERVE, &PRIORITY, &TIME_SLICE])
.with_conversion(|settings| {
    let Epoch { epoch, overcommit, .. } = Epoch::read(settings);
    Ok(Box::new(Needs { epoch, overcommit }))
});

#[derive(Clone)]
struct EpochScheduler {
    epoch: Accounts,
    /// The slice of children that have set none.
    slice: Span,
    /// By child.
    processes: Vec<Process>,
    /// The ready children and the running one.
    queues: Queues,
    running: Option<ChildVp>,
    /// The running child has been charged up to here.
    since: Instant,
    ways: Ways,
}

impl EpochScheduler {
    fn rank(&self, child: ChildVp) -> u8 {
        let process = &self.processes[child.index()];
        rank(process.priority, process.is_low(&self.epoch))
    }

    /// The first child of the first queue, after its slice has been made as long as it may be.
    fn choose(&mut self, context: &mut Context<'_>) -> Option<ChildVp> {
        loop {
            let first = self.queues.first()?;
            if self.fit(first, context) {
                return Some(first);
            }
        }
    }

    /// Decides what runs, while the instance holds its processor. `before` ran until now, or no child did.
    fn decide(&mut self, before: Option<ChildVp>, context: &mut Context<'_>) {
        self.charge(context.now());
        let was_low = self.running.is_some_and(|child| is_low(self.rank(child)));
        if let Some(child) = self.running {
            self.keep_or_requeue(child, context);
        }
        let next = self.choose(context);
        self.ways.count(before, next);
        if let Some(child) = self.running
            && next != Some(child)
        {
            context.revoke(child);
            let normal = next.is_some_and(|child| !is_low(self.rank(child)));
            self.ways.interrupted_low += u64::from(was_low && normal);
        }
        match next {
            Some(child) if self.running == next => self.restart(child, context),
            Some(child) => {
                context.grant(child, OWN);
                self.restart(child, context);
            }
            None => {
                context.release(OWN);
                context.set_timer(ENDS, None);
            }
        }
        self.running = next;
    }

    /// Lets a child run from now until its slice or the epoch ends.
    fn restart(&mut self, child: ChildVp, context: &mut Context<'_>) {
        let process = &mut self.processes[child.index()];
        process.scheduled += 1;
        self.since = context.now();
        let ends = self.since.saturating_add(process.rest);
        context.set_timer(ENDS, Some(ends.min(self.epoch.end)));
    }

    /// Queues a child that became ready, or whose rank changed while it was removed.
    fn enqueue(&mut self, child: ChildVp, context: &mut Context<'_>) {
        let rank = self.rank(child);
        self.queues.push(child, rank);
        match context.own(OWN) {
            VpState::Waiting => context.request(OWN),
            VpState::Ready => {}
            VpState::Running(_) => {
                if self.running.is_some_and(|running| rank < self.rank(running)) {
                    self.decide(self.running, context);
                }
            }
        }
    }

    /// Removes a child that is no longer ready and did not run.
    fn dequeue(&mut self, child: ChildVp, context: &mut Context<'_>) {
        self.queues.remove(child);
        self.catch_up(context);
        if self.queues.first().is_none() && context.own(OWN) == VpState::Ready {
            context.release(OWN);
        }
    }

    /// Applies a change to a child that may affect who runs.
    fn change(
        &mut self,
        child: ChildVp,
        context: &mut Context<'_>,
        change: impl FnOnce(&mut Process, &mut Accounts),
    ) {
        self.charge(context.now());
        let before = self.rank(child);
        change(&mut self.processes[child.index()], &mut self.epoch);
        if before != self.rank(child) {
            self.requeue(child);
        }
        let goes_on = |child: ChildVp| {
            let fits = self.processes[child.index()].is_allotted(&self.epoch);
            fits && self.queues.first() == Some(child)
        };
        if self.running.is_some_and(|child| !goes_on(child)) {
            self.decide(self.running, context);
        }
    }
}

impl Scheduler for EpochScheduler {
    fn timers(&self, _: usize) -> usize {
        1
    }

    fn init(&mut self, context: &mut Context<'_>) {
        self.epoch.end = context.now().saturating_add(self.epoch.length);
    }

    fn register(&mut self, child: ChildVp, context: &mut Context<'_>) -> Answer {
        self.catch_up(context);
        self.queues.register(child);
        slots::put(&mut self.processes, child, UNKNOWN);
        self.processes[child.index()].renew(&self.epoch);
        Ok(())
    }

    fn unregister(&mut self, child: ChildVp, context: &mut Context<'_>) {
        self.catch_up(context);
        self.processes[child.index()].leave(&mut self.epoch);
        self.ways.forget(child);
    }

    fn request(&mut self, child: ChildVp, context: &mut Context<'_>) {
        self.catch_up(context);
        self.enqueue(child, context);
    }

    fn release(&mut self, child: ChildVp, held: Option<OwnVp>, context: &mut Context<'_>) {
        if held.is_none() {
            return self.dequeue(child, context);
        }
        self.end_epochs(context);
        self.charge(context.now());
        self.running = None;
        self.queues.remove(child);
        self.renew_slice(child, context);
        self.decide(Some(child), context);
    }

    fn lets_yield(&self) -> bool {
        true
    }

    fn message(
        &mut self,
        child: Option<ChildVp>,
        message: Message,
        context: &mut Context<'_>,
    ) -> Answer {
        self.catch_up(context);
        let now = context.now();
        match (child, message) {
            (Some(child), Message::Reserve { amount, period }) => {
                let before = self.processes[child.index()].declared;
                self.epoch.admit(amount, period, before)?;
                self.change(child, context, |process, epoch| process.declare(amount, now, epoch));
                Ok(())
            }
            (Some(child), Message::Unreserve) => {
                self.change(child, context, |process, epoch| {
                    process.declare(Span::ZERO, now, epoch)
                });
                Ok(())
            }
            (Some(child), Message::Priority(priority)) => {
                let priority = u8::try_from(priority).ok().filter(|given| *given < PRIORITIES);
                let Some(priority) = priority else {
                    return Err(AnswerError::OutOfRange { what: "priority", allowed: "0 to 3" });
                };
                self.change(child, context, |process, _| process.priority = priority);
                Ok(())
            }
            (child, Message::Quantum(slice)) => {
                if slice < self.epoch.useful {
                    let allowed = "a time slice of at least what is `useful`";
                    return Err(AnswerError::OutOfRange { what: "quantum", allowed });
                }
                match child {
                    Some(child) => self.processes[child.index()].slice = Some(slice),
                    None => self.slice = slice,
                }
                Ok(())
            }
            _ => Err(AnswerError::NotUnderstood { message: message.name(), takes: TAKES }),
        }
    }

    fn grant(&mut self, _: OwnVp, context: &mut Context<'_>) {
        self.catch_up(context);
        self.decide(None, context);
    }

    fn revoke(&mut self, _: OwnVp, child: ChildVp, context: &mut Context<'_>) {
        context.revoke(child);
        self.end_epochs(context);
        self.charge(context.now());
        self.running = None;
        self.keep_or_requeue(child, context);
        context.set_timer(ENDS, None);
    }

    fn timer(&mut self, _: TimerId, context: &mut Context<'_>) {
        self.end_epochs(context);
        if self.running.is_some() {
            self.decide(self.running, context);
        }
    }

    fn next(&self, _: OwnVp, view: &View<'_>) -> Option<ChildVp> {
        let held = view.held_by(OWN);
        self.queues.all().find(|child| Some(*child) != held)
    }

    fn stats(
        &self,
        child: Option<ChildVp>,
        at: Instant,
        report: &mut dyn FnMut(&'static str, Count),
    ) {
        let (epoch, running) = self.standing(at);
        let Some(child) = child else {
            epoch.stats(report);
            return self.ways.stats(report);
        };
        let running = running.filter(|(runs, _)| *runs == child).map(|(_, process)| process);
        running.unwrap_or(self.processes[child.index()]).stats(&epoch, self.slice, report);
    }

    fn check(&self, view: &View<'_>) -> Result<(), &'static str> {
        let mut sums = (Span::ZERO, Span::ZERO, Span::ZERO);
        for child in view.children() {
            let process = &self.processes[child.index()];
            if (view.child(child) != VpState::Waiting) != self.queues.contains(child) {
                return Err(
                    "a child that is not ready is in a queue, or one that is ready in none",
                );
            }
            let add = |sum: &mut Span, more: Span| *sum = sum.saturating_add(more);
            add(&mut sums.0, process.left(&self.epoch));
            add(&mut sums.1, process.lent(&self.epoch));
            add(&mut sums.2, process.declared);
        }
        if sums != (self.epoch.owed, self.epoch.lent, self.epoch.declared) {
            return Err("what the epoch owes is not the sum of what it owes to each");
        }
        for rank in 0..2 * PRIORITIES {
            if self.queues.of_rank(rank).any(|child| self.rank(child) != rank) {
                return Err("a child is in the queue of another rank");
            }
        }
        let due = view.now() >= self.epoch.end; // then the timer is due as well
        match view.own(OWN) {
            VpState::Running(_) if self.running != view.held_by(OWN) => Err("another one runs"),
            VpState::Running(_) if self.running != self.queues.first() && !due => {
                Err("whoever runs is not the first of the first queue")
            }
            VpState::Waiting if self.queues.first().is_some() => {
                Err("somebody is ready, and no processor is asked for")
            }
            VpState::Ready if self.queues.first().is_none() => {
                Err("a processor is asked for although nobody is ready")
            }
            VpState::Waiting | VpState::Ready if self.running.is_some() => {
                Err("somebody runs without a processor")
            }
            _ => Ok(()),
        }
    }
}
