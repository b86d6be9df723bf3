//! SWiFT: reservations that follow the progress of a pipeline, by feedback from its queues.
//!
//! Takes    ALL on its own VP 0. It never requests further own VPs: one instance for each processor.
//! Gives    NULL to each child: one that is added, or falls behind, takes from all.
//! Admits   as many as can have 1 % each; all together get at most `cap` of the processor.
//! Assumes  children, or the host for them, report how full the queue is that they read from (`progress`); a
//!          writer reports how empty its queue is. The aim is half full.
//! Costs    O(log n) per event, and per child and period; 200 bytes per child; four timers.
//! Ties     as `rez`; if several adjustments are due, the lower slot first.
//! Source   Steere, Goel, Gruenberg, McNamee, Pu and Walpole 1999; Goel's SWiFT toolkit 1998; HLS 2.3.1.5.
//!          Differences: no importance, no estimate of periods, and a change takes effect at the end of a
//!          child's period.
//! Checked  laws, `tests/all/swift.rs`.
//!
//! Once in each of its periods a controller adjusts a child's share. With the error e, the distance of its queue from
//! half full, the share wanted is b + p e, where b grows by i e each time. A child that reports no progress has a
//! fixed positive error while it does not wait, and a negative one while it waits. If all together want more than
//! there is, each gets 1 % and a part in proportion to what it wants beyond that (squishing). The shares are hard
//! reservations as in `rez`: reserved time that is not used is lost.

// It stands around the scheduler of `rez` and hands events on to it. As a policy it would have to hand on the order of
// children as well, since the pool asks its policy for that.

use crate::catalogue::{Kind, Properties};
use crate::parameters::{PROGRESS, RATE, read_progress};
use crate::parts::budgeted::{Budgeted, Overrun, Rules, Waking};
use crate::parts::policy::Pooled;
use crate::parts::slots;
use alloc::boxed::Box;
use alloc::vec::Vec;
use windfall_hierarchy::heap::Heap;
use windfall_hierarchy::{
    Answer, AnswerError, ChildVp, Context, Message, OwnVp, Scheduler, TimerId, View, VpState,
};
use windfall_time::{Instant, Span};

const TAKES: &str = "progress (how full its queue is), periodic (its period)";
/// Fires at the next adjustment. The timers before it belong to the reservations.
const ADJUST: TimerId = TimerId(3);
/// The whole processor, in millionths: the product of two numbers in thousandths.
const WHOLE: i64 = 1_000_000;
const HALF_FULL: i64 = 500;
/// The error of a child that reports no progress, in thousandths.
const PRESSURE: i64 = 250;
/// The smallest share.
const LEAST: i64 = WHOLE / 100;

settings! { Swift, "swift.rs":
    /// the most that all children get together, in thousandths of the processor
    cap: i64 = "950" in 10..=1000,
    /// the share of a new child, in thousandths, if that much is left
    initial: i64 = "50" in 10..=1000,
    /// gain of the sum of errors, in thousandths
    integral: i64 = "50" in 0..=10_000,
    /// the period of a child that sets none
    period: Span = "30ms",
    /// gain of the error, in thousandths
    proportional: i64 = "500" in 0..=10_000,
}

pub(crate) const KIND: Kind = Swift::kind(
    "swift",
    "reservations adjusted by feedback, to keep the queues of pipelines half full",
    |settings| Ok(Box::new(State::new(Swift::read(settings)))),
)
.with_parameters(&[&PROGRESS, &RATE])
.with_properties(Properties::NONE.holds_back());

/// A child and its controller. Shares are in millionths.
#[derive(Clone, Copy)]
struct Stage {
    period: Span,
    /// How full its queue is, in thousandths; `None` if it reports no progress.
    fill: Option<i64>,
    /// The integral part of the share: the sum of errors times the gain.
    base: i64,
    /// The share that it should have, if there is room.
    wanted: i64,
    /// The share that is reserved.
    share: i64,
}

/// A scheduler of reservations, and the feedback loop of each child that adjusts its amount.
#[derive(Clone)]
pub(crate) struct State {
    spec: Swift,
    reservations: Pooled<Budgeted>,
    stages: Vec<Stage>,
    /// The next adjustment of each child.
    due: Heap<(Instant, u32)>,
    /// Number of children, and sums over all of them.
    children: i64,
    wanted: i64,
    shared: i64,
}

impl State {
    /// Creates an instance with these controller parameters.
    #[must_use]
    pub(crate) fn new(spec: Swift) -> State {
        let (waking, overrun) = (Waking::Fixed, Overrun::Throttle);
        State {
            spec,
            reservations: Pooled::new(Budgeted::new(Rules { waking, overrun, ..Rules::HARD })),
            stages: Vec::new(),
            due: Heap::new(),
            children: 0,
            wanted: 0,
            shared: 0,
        }
    }

    fn cap(&self) -> i64 {
        self.spec.cap * 1000
    }

    /// Sets the share that a child should have, and reserves the part of it that it gets.
    fn want(&mut self, child: ChildVp, wanted: i64, context: &mut Context<'_>) {
        let cap = self.cap();
        let stage = &mut self.stages[child.index()];
        self.wanted += wanted - core::mem::replace(&mut stage.wanted, wanted);
        let least = self.children * LEAST;
        let beyond = if self.wanted > cap {
            (wanted - LEAST) * (cap - least) / (self.wanted - least)
        } else {
            wanted - LEAST
        };
        let left = cap - (self.shared - stage.share);
        let share = (LEAST + beyond).min(left);
        if share < LEAST {
            // The other children's shares are still to be reduced; until then it keeps its own.
            return;
        }
        let (period, former) = (stage.period, stage.share);
        let ns = u128::from(period.as_nanos()) * u128::from(share.unsigned_abs()) / 1_000_000;
        let amount = Span::saturating_from_nanos(ns.max(1));
        let reserve = Message::Reserve { amount, period };
        // Refused only if amounts of single nanoseconds add up to more than the processor; then the former
        // reservation stays.
        if self.reservations.message(Some(child), reserve, context).is_ok() {
            self.stages[child.index()].share = share;
            self.shared += share - former;
        }
    }

    /// Performs one step of a child's controller.
    fn adjust(&mut self, child: ChildVp, context: &mut Context<'_>) {
        let cap = self.cap();
        let stage = &mut self.stages[child.index()];
        let error = match stage.fill {
            Some(fill) => fill - HALF_FULL,
            None if context.child(child) == VpState::Waiting => -PRESSURE,
            None => PRESSURE,
        };
        stage.base = (stage.base + self.spec.integral * error).clamp(0, cap);
        let wanted = (stage.base + self.spec.proportional * error).clamp(LEAST, cap.max(LEAST));
        let next = context.now().saturating_add(stage.period);
        self.due.set(child.0, (next, child.0));
        self.want(child, wanted, context);
    }

    /// Adjusts the child that is due first. The next one follows in another call, so that no call takes long.
    fn adjust_first(&mut self, context: &mut Context<'_>) {
        if let Some((_, slot)) = self.due.peek().filter(|((at, _), _)| *at <= context.now()) {
            self.adjust(ChildVp(slot), context);
        }
        self.arm(context);
    }

    fn arm(&self, context: &mut Context<'_>) {
        context.set_timer(ADJUST, self.due.peek().map(|((at, _), _)| at));
    }
}

impl Scheduler for State {
    fn timers(&self, owns: usize) -> usize {
        self.reservations.timers(owns) + 1
    }

    fn init(&mut self, context: &mut Context<'_>) {
        self.reservations.init(context);
    }

    fn register(&mut self, child: ChildVp, context: &mut Context<'_>) -> Answer {
        if (self.children + 1) * LEAST > self.cap() {
            return Err(AnswerError::Full {
                limit: "1 % of the processor for each within the cap",
            });
        }
        self.reservations.register(child, context)?;
        self.children += 1;
        self.due.reserve(child.index() + 1);
        let initial = self.spec.initial * 1000;
        let stage =
            Stage { period: self.spec.period, fill: None, base: initial, wanted: 0, share: 0 };
        slots::put(&mut self.stages, child, stage);
        self.want(child, initial.min(self.cap()), context);
        self.due.set(child.0, (context.now().saturating_add(stage.period), child.0));
        self.arm(context);
        Ok(())
    }

    fn unregister(&mut self, child: ChildVp, context: &mut Context<'_>) {
        let stage = &mut self.stages[child.index()];
        self.wanted -= core::mem::take(&mut stage.wanted);
        self.shared -= core::mem::take(&mut stage.share);
        self.children -= 1;
        self.due.remove(child.0);
        self.arm(context);
        self.reservations.unregister(child, context);
    }

    fn request(&mut self, child: ChildVp, context: &mut Context<'_>) {
        self.reservations.request(child, context);
    }

    fn release(&mut self, child: ChildVp, held: Option<OwnVp>, context: &mut Context<'_>) {
        self.reservations.release(child, held, context);
    }

    fn message(
        &mut self,
        child: Option<ChildVp>,
        message: Message,
        context: &mut Context<'_>,
    ) -> Answer {
        match (child, message) {
            (Some(child), _) if let Some(fill) = read_progress(message) => {
                if !(0..=1000).contains(&fill) {
                    let allowed = "0 to 1000 thousandths";
                    return Err(AnswerError::OutOfRange { what: PROGRESS.key, allowed });
                }
                self.stages[child.index()].fill = Some(fill);
                Ok(())
            }
            (Some(_), Message::Periodic { period, .. }) if period.is_zero() => {
                Err(AnswerError::OutOfRange { what: "period", allowed: "above zero" })
            }
            (Some(child), Message::Periodic { period, .. }) => {
                let stage = &mut self.stages[child.index()];
                stage.period = period;
                let wanted = stage.wanted;
                self.want(child, wanted, context);
                Ok(())
            }
            _ => Err(AnswerError::NotUnderstood { message: message.name(), takes: TAKES }),
        }
    }

    fn grant(&mut self, own: OwnVp, context: &mut Context<'_>) {
        self.reservations.grant(own, context);
    }

    fn revoke(&mut self, own: OwnVp, child: ChildVp, context: &mut Context<'_>) {
        self.reservations.revoke(own, child, context);
    }

    fn timer(&mut self, timer: TimerId, context: &mut Context<'_>) {
        if timer == ADJUST {
            self.adjust_first(context);
        } else {
            self.reservations.timer(timer, context);
        }
    }

    fn next(&self, own: OwnVp, view: &View<'_>) -> Option<ChildVp> {
        self.reservations.next(own, view)
    }

    fn check(&self, view: &View<'_>) -> Result<(), &'static str> {
        let stages = || view.children().map(|child| &self.stages[child.index()]);
        let wanted: i64 = stages().map(|stage| stage.wanted).sum();
        let shared: i64 = stages().map(|stage| stage.share).sum();
        let children =
            i64::try_from(view.children().count()).expect("children are numbered by 32 bits");
        if (children, wanted, shared) != (self.children, self.wanted, self.shared) {
            return Err("what is wanted or shared is not the sum over all children");
        }
        if shared > self.cap() {
            return Err("more is shared than may be");
        }
        if view.children().any(|child| !self.due.contains(child.0)) {
            return Err("nobody adjusts a child");
        }
        self.reservations.check(view)
    }
}
