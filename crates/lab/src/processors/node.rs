//! One processor: its tasks, and until when it waits.

use std::collections::BTreeMap;
use windfall_ports::transport::Simulated;
use windfall_ports::{Answer, EarliestDeadline, Member, Processor, Request, Share, TaskId};
use windfall_time::{Instant, Span};

/// More tasks than are ever there.
const TASKS: u32 = 1 << 16;

/// A task that is offered.
#[derive(Clone, Copy, Debug)]
pub(super) struct Offer {
    pub(super) bound: Span,
    /// The part of that which it uses.
    pub(super) real: Span,
    pub(super) deadline: Instant,
    /// Whether it follows one that was refused.
    pub(super) smaller: bool,
}

impl Offer {
    pub(super) fn request(&self) -> Request {
        Request::by(self.bound, self.deadline)
    }

    /// Whether a smaller task can do with this: a quarter of the work at least.
    pub(super) fn has_use_for(&self, idle: Span) -> bool {
        idle.saturating_mul(4) >= self.bound
    }

    pub(super) fn cut_to(&self, idle: Span) -> Offer {
        Offer { bound: idle, real: self.real.min(idle), smaller: true, ..*self }
    }
}

pub(super) struct Node {
    pub(super) member: Member<Simulated>,
    /// It waits until then, and runs no task.
    pub(super) free_at: Instant,
    /// When its next task comes up.
    pub(super) next_offer: Instant,
    /// The time that its tasks will still use.
    left: BTreeMap<TaskId, Span>,
}

impl Node {
    /// A processor that repeats nothing within `patience`.
    pub(super) fn new(end: Simulated, patience: Span) -> Node {
        let mut processor = Processor::new(Instant::ZERO, TASKS);
        let whole: EarliestDeadline = EarliestDeadline::new(Share::WHOLE, Instant::ZERO, TASKS)
            .unwrap_or_else(|why| unreachable!("time begins before the horizon: {why}"));
        processor.add(whole).unwrap_or_else(|why| unreachable!("it is the only share: {why}"));
        let member = Member::new(processor, end, patience.saturating_mul(1_000));
        let (free_at, next_offer) = (Instant::ZERO, Instant::ZERO);
        Node { member, free_at, next_offer, left: BTreeMap::new() }
    }

    /// When something happens here by itself, if tasks still come up.
    pub(super) fn next_event(&self, more: bool) -> Option<Instant> {
        let now = self.member.processor.now();
        let begins = self.free_at.max(now);
        let running = self.member.processor.running();
        let ends = running.and_then(|running| {
            let left = self.left.get(&running.task)?;
            Some(begins + running.at_most.min(*left))
        });
        let waits = (self.free_at > now).then_some(self.free_at);
        let offer = more.then_some(self.next_offer.max(self.free_at));
        let wakes = [self.member.wakes(), self.member.processor.wakes()];
        let wakes = wakes.into_iter().flatten().map(|at| at.max(begins));
        [ends, waits, offer].into_iter().flatten().chain(wakes).min()
    }

    /// Time passes. While the processor waits its task gets nothing.
    pub(super) fn pass_to(&mut self, at: Instant) {
        let processor = &mut self.member.processor;
        let from = processor.now().max(self.free_at.min(at));
        let mut received = Span::ZERO;
        if let Some(running) = processor.running()
            && let Some(left) = self.left.get_mut(&running.task)
        {
            received = at.saturating_since(from);
            *left = left.saturating_sub(received);
        }
        let passed = processor.advance(at, received);
        passed.unwrap_or_else(|why| unreachable!("time moves on: {why}"));
    }

    /// Ends the tasks that have done all they had to: how many were late, and how many there were.
    pub(super) fn finish(&mut self) -> (u64, u64) {
        let (mut late, mut done) = (0, 0);
        while let Some(running) = self.member.processor.running()
            && self.left.get(&running.task).is_some_and(|left| left.is_zero())
        {
            self.left.remove(&running.task);
            if let Ok(ended) = self.member.processor.done(running.task) {
                late += u64::from(!ended.late.is_zero());
                done += 1;
            }
        }
        (late, done)
    }

    /// Submits to the processor's own scheduler.
    pub(super) fn submit(&mut self, offer: Offer) -> Answer {
        let answer = Answer::from(self.member.processor.submit(0, offer.request()));
        if let Answer::Admitted(task) = answer {
            self.begin(task, offer.real);
        }
        answer
    }

    /// A task was admitted, which will use so much.
    pub(super) fn begin(&mut self, task: TaskId, real: Span) {
        self.left.insert(task, real);
    }

    /// The processor waits this much longer.
    pub(super) fn delay(&mut self, time: Span) {
        self.free_at = self.free_at.max(self.member.processor.now()) + time;
    }
}
