//! SMART: of the most important jobs that can all be finished in time, the most urgent runs.
//!
//! Takes    ALL on its own VP 0. It never requests further own VPs: one instance for each processor.
//! Gives    NULL to each child: a more important one may be added at any time.
//! Admits   everyone.
//! Assumes  real-time children state their jobs with their work (`job`), or their period with its amount
//!          (`periodic`, from wake-ups). A child that states no work is conventional. So is one whose job
//!          exceeds its work or its deadline, until its next job; this is noticed at the next event, or when a
//!          quantum ends.
//! Costs    O(32 log n + 32^2) per event: at most 32 candidates are considered; 140 bytes per child; one timer.
//! Ties     the lower slot is more important; of equal deadlines, the more important.
//! Source   Nieh and Lam 1997; HLS 2.3.1.3, 2.3.1.4. Differences: one bias for all conventional children;
//!          nobody is notified that a deadline cannot be met.
//! Checked  laws, `tests/all/smart.rs`.
//!
//! Importance is priority, then the virtual time at which a child finishes its quantum, where real-time children are
//! `bias` ahead. If the most important child is conventional, it runs. Otherwise the real-time children before the
//! first conventional one are inserted into the working schedule in order of importance, by deadline. A child is left
//! out if its deadline, or that of one inserted before, could then not be met. The earliest deadline in the schedule
//! runs. If none can be met, the first conventional child runs, or the most important of all. Virtual times compare
//! within a priority: a child begins at the current one when its priority changes, and catches up with it when it
//! wakes.

mod working_schedule;

use crate::catalogue::{Kind, Properties};
use crate::deadline::smart::working_schedule::{Job, ROOM, WorkingSchedule};
use crate::parameters::{PRIORITY, RATE, SHARE};
use crate::parts::slots;
use crate::parts::virtual_time::{Account, Virtual};
use alloc::boxed::Box;
use alloc::vec::Vec;
use windfall_hierarchy::heap::Heap;
use windfall_hierarchy::{
    Answer, AnswerError, ChildVp, Context, Message, OwnVp, Scheduler, TimerId, View, VpState,
};
use windfall_time::{Instant, Span};

const TAKES: &str = "job, periodic, priority, share";
/// The only own VP that is used.
const OWN: OwnVp = OwnVp(0);
/// Fires when the running child has used its quantum.
const ENDS: TimerId = TimerId(0);
/// Number of priorities, from 0 on.
const PRIORITIES: u8 = 32;

settings! { Smart, "smart.rs":
    /// how far, in virtual time, real-time children go ahead of conventional ones
    bias: Span = "50ms",
    /// the longest time that a child runs before importance is compared
    quantum: Span = "10ms",
}

pub(crate) const KIND: Kind = Smart::kind(
    "smart",
    "the most urgent of the most important jobs that can all be done in time (SMART)",
    |settings| {
        let Smart { bias, quantum } = Smart::read(settings);
        Ok(Box::new(State::new(bias, quantum)))
    },
)
.with_parameters(&[&SHARE, &PRIORITY, &RATE])
.with_properties(
    Properties::NONE.holds_back().quantum(|settings| Some(Smart::read(settings).quantum)),
);

#[derive(Clone, Copy)]
struct Task {
    priority: u8,
    account: Account,
    /// The part of its quantum that it has used; less than a quantum.
    used: Span,
    /// Its current job, while it is real-time.
    job: Option<Job>,
    /// Relative deadline and work of the jobs that begin with a wake-up.
    periodic: Option<(Span, Span)>,
    /// Whether a `job` message has announced the job that the next wake-up begins.
    announced: bool,
}

impl Default for Task {
    fn default() -> Task {
        Task {
            priority: 0,
            account: Account::new(1),
            used: Span::ZERO,
            job: None,
            periodic: None,
            announced: false,
        }
    }
}

/// The rank by priority, then biased virtual finishing time and slot. The smallest is the most important.
type Importance = (u8, u128);

/// The importance of each child, and the candidates for the processor that follow from it.
#[derive(Clone)]
struct State {
    tasks: Vec<Task>,
    /// All children that do not wait; the running one as of its last charge.
    line: Heap<Importance>,
    /// The most important children, in order, up to the second conventional one, as of the last decision.
    candidates: Vec<ChildVp>,
    /// By priority: the virtual time of the most important child when it was last looked at.
    present: [Virtual; PRIORITIES as usize],
    bias: Span,
    quantum: Span,
    /// The running child has been charged up to here.
    charged: Instant,
}

impl State {
    /// `bias` is the lead of real-time children in virtual time; it and the quantum are above zero.
    fn new(bias: Span, quantum: Span) -> State {
        State {
            tasks: Vec::new(),
            line: Heap::new(),
            candidates: Vec::new(),
            present: [Virtual::default(); PRIORITIES as usize],
            bias,
            quantum,
            charged: Instant::ZERO,
        }
    }

    fn importance(&self, child: ChildVp) -> Importance {
        let task = &self.tasks[child.index()];
        let mut finish = task.account;
        finish.charge(self.quantum.saturating_sub(task.used));
        let lead = if task.job.is_some() { self.bias } else { Span::ZERO };
        (PRIORITIES - 1 - task.priority, finish.time.earlier(lead).tag(child.0))
    }

    /// Inserts a child that does not wait at its rank.
    fn rank(&mut self, child: ChildVp) {
        self.line.set(child.0, self.importance(child));
    }

    /// Charges the time that `child` ran since the last charge.
    fn charge(&mut self, child: ChildVp, now: Instant) {
        let service = now.saturating_since(core::mem::replace(&mut self.charged, now));
        let task = &mut self.tasks[child.index()];
        task.account.charge(service);
        let used = task.used.saturating_add(service);
        task.used = Span::from_nanos(used.as_nanos() % self.quantum.as_nanos());
        task.job =
            task.job.and_then(|job| Some(Job { work: job.work.checked_sub(service)?, ..job }));
        self.rank(child);
    }

    /// Charges the running child.
    fn charge_running(&mut self, context: &Context<'_>) {
        match context.held_by(OWN) {
            Some(child) => self.charge(child, context.now()),
            None => self.charged = context.now(),
        }
    }

    /// Finds the candidates, at most as many as a working schedule holds. Children found to be late become
    /// conventional.
    fn look(&mut self, now: Instant) {
        self.candidates.clear();
        let (mut conventional, mut priority) = (0, None);
        for _ in 0..ROOM {
            let Some((_, slot)) = self.line.pop() else { break };
            let (child, task) = (ChildVp(slot), &mut self.tasks[slot as usize]);
            if task.job.is_some_and(|job| job.deadline < now) {
                task.job = None;
                self.rank(child);
                continue;
            }
            if priority.replace(task.priority) != Some(task.priority) {
                let present = &mut self.present[usize::from(task.priority)];
                *present = task.account.time.max(*present);
            }
            self.candidates.push(child);
            conventional += usize::from(task.job.is_none());
            if conventional == 2 {
                break;
            }
        }
        for at in 0..self.candidates.len() {
            self.rank(self.candidates[at]);
        }
    }

    /// The child to run, given candidates in order of importance.
    fn choose(&self, candidates: impl Iterator<Item = ChildVp>, now: Instant) -> Option<ChildVp> {
        let (mut schedule, mut most) = (WorkingSchedule::new(), None);
        for child in candidates {
            let Some(job) = self.tasks[child.index()].job else {
                return schedule.first().or(Some(child));
            };
            most.get_or_insert(child);
            schedule.insert(job, child, now);
        }
        schedule.first().or(most)
    }

    /// Makes the right child run, or requests or releases the processor.
    fn decide(&mut self, context: &mut Context<'_>) {
        self.charge_running(context);
        self.look(context.now());
        let chosen = self.choose(self.candidates.iter().copied(), context.now());
        let chosen = chosen.or(self.line.peek().map(|(_, slot)| ChildVp(slot)));
        let mut ends = None;
        match (context.own(OWN), chosen) {
            (VpState::Waiting, Some(_)) => context.request(OWN),
            (VpState::Ready | VpState::Running(_), None) => context.release(OWN),
            (VpState::Running(_), Some(child)) => {
                let held = context.held_by(OWN);
                if held != chosen {
                    if let Some(held) = held {
                        context.revoke(held);
                    }
                    context.grant(child, OWN);
                }
                let left = self.quantum.saturating_sub(self.tasks[child.index()].used);
                ends = Some(context.now().saturating_add(left));
            }
            (VpState::Waiting, None) | (VpState::Ready, Some(_)) => {}
        }
        context.set_timer(ENDS, ends);
    }
}

impl Scheduler for State {
    fn timers(&self, _: usize) -> usize {
        1
    }

    fn init(&mut self, _: &mut Context<'_>) {
        self.candidates.reserve(ROOM);
    }

    fn register(&mut self, child: ChildVp, _: &mut Context<'_>) -> Answer {
        self.line.reserve(child.index() + 1);
        slots::put(&mut self.tasks, child, Task::default());
        Ok(())
    }

    fn unregister(&mut self, _: ChildVp, _: &mut Context<'_>) {}

    fn request(&mut self, child: ChildVp, context: &mut Context<'_>) {
        let task = &mut self.tasks[child.index()];
        task.account.catch_up(self.present[usize::from(task.priority)]);
        if !core::mem::take(&mut task.announced) {
            let now = context.now();
            let job = |(due, work)| Job { deadline: now.saturating_add(due), work };
            task.job = task.periodic.map(job);
        }
        self.rank(child);
        self.decide(context);
    }

    fn release(&mut self, child: ChildVp, held: Option<OwnVp>, context: &mut Context<'_>) {
        if held.is_some() {
            self.charge(child, context.now());
        }
        self.tasks[child.index()].job = None;
        self.line.remove(child.0);
        self.decide(context);
    }

    fn message(
        &mut self,
        child: Option<ChildVp>,
        message: Message,
        context: &mut Context<'_>,
    ) -> Answer {
        let not_understood = AnswerError::NotUnderstood { message: message.name(), takes: TAKES };
        let Some(child) = child else { return Err(not_understood) };
        self.charge_running(context);
        let waits = context.child(child) == VpState::Waiting;
        let task = &mut self.tasks[child.index()];
        match message {
            Message::Job { deadline, work, .. } => {
                task.job = work.map(|work| Job { deadline, work });
                task.announced = waits;
            }
            Message::Periodic { deadline, amount, .. } => {
                task.periodic = amount.map(|amount| (deadline, amount));
            }
            Message::Priority(priority) => {
                let refusal = AnswerError::OutOfRange { what: "priority", allowed: "0 to 31" };
                let known = u8::try_from(priority).ok().filter(|known| *known < PRIORITIES);
                let priority = known.ok_or(refusal)?;
                if priority != task.priority {
                    (task.priority, task.account) = (priority, Account::new(task.account.weight));
                    task.account.catch_up(self.present[usize::from(priority)]);
                }
            }
            Message::Share(0) => {
                return Err(AnswerError::OutOfRange { what: "share", allowed: "at least 1" });
            }
            Message::Share(weight) => task.account.set_weight(weight),
            _ => return Err(not_understood),
        }
        if !waits {
            self.rank(child);
            self.decide(context);
        }
        Ok(())
    }

    fn grant(&mut self, _: OwnVp, context: &mut Context<'_>) {
        self.decide(context);
    }

    fn revoke(&mut self, _: OwnVp, child: ChildVp, context: &mut Context<'_>) {
        self.charge(child, context.now());
        context.revoke(child);
        self.decide(context);
    }

    fn timer(&mut self, _: TimerId, context: &mut Context<'_>) {
        self.decide(context);
    }

    fn next(&self, _: OwnVp, view: &View<'_>) -> Option<ChildVp> {
        let ready = self.candidates.iter().filter(|child| view.child(**child) == VpState::Ready);
        self.choose(ready.copied(), view.now())
    }

    fn check(&self, view: &View<'_>) -> Result<(), &'static str> {
        let mut count = 0;
        for child in view.children().filter(|child| view.child(*child) != VpState::Waiting) {
            count += 1;
            if self.line.key(child.0) != Some(self.importance(child)) {
                return Err("a child that does not wait is not where it belongs in the line");
            }
        }
        if count != self.line.len() {
            return Err("a child that waits is in the line");
        }
        if self.line.is_empty() != (view.own(OWN) == VpState::Waiting) {
            return Err("the processor is asked for or held for nobody, or not asked for");
        }
        Ok(())
    }
}
