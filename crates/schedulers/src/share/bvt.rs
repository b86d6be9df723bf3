//! BVT: borrowed virtual time, on one processor or several.
//!
//! Takes    PS on each own VP; any guarantee if only fairness is wanted.
//! Gives    PS to each child, whatever the warps: with weight w of W, on one processor w/W of the supply, on k
//!          processors w/(W + (k - 1) w) of the sum or more (`long_run.rs`). There `affinity = "strong"` lets
//!          a child run three allowances ahead instead of one. Nothing while a child is bound to some own VPs.
//! Admits   everyone. A child of weight 0 is in the background.
//! Assumes  A1 allowances end on time, or at the next tick; A2 parents do not charge an own VP for times when it waits.
//! Costs    O(log n) per event, and per wake-up one step more for each processor; 172 bytes per child, 48
//!          more with affinity on several processors; one timer per processor.
//! Ties     the running child stays; else the lower slot.
//! Source   Duda and Cheriton 1999: warp, warp time limit L, unwarp time requirement U, context switch allowance
//!          C. Differences: virtual time is exact; a child that has run warped for L loses its warp for U, and
//!          until its next wake-up or end of an allowance; one that has not run for U may run warped for L again.
//! Checked  laws, `tests/all/bvt.rs`.
//!
//! The child of smallest effective virtual time runs: actual virtual time, minus the warp if the child is warped.
//! The order is examined again every C, and when a child wakes. A child that wakes catches up with the smallest
//! actual virtual time among the children that do not wait; if all wait, with the largest.

mod promise;
mod system_time;

use crate::catalogue::{Kind, Properties};
use crate::parameters::{PROCESSORS, SHARE, WARP, WARP_LIMIT, read_warp, read_warp_limit};
use crate::parts::affinity::Affinity;
use crate::parts::policy::{Policy, Pooled};
use crate::parts::pool::Pool;
use crate::parts::quantum;
use crate::parts::slots;
use crate::parts::virtual_time::{Account, Virtual};
use crate::settings::shared::AFFINITY;
use crate::share::bvt::promise::LongRun;
use alloc::boxed::Box;
use alloc::vec::Vec;
use windfall_hierarchy::heap::Heap;
use windfall_hierarchy::{
    Answer, AnswerError, ChildVp, Context, Message, OwnVp, TimerId, View, VpState,
};
use windfall_time::{Instant, Span};

settings! { Bvt, "bvt.rs":
    affinity: Affinity as AFFINITY,
    /// how far a child may run ahead before another has its turn, in processor time
    allowance: Span = "10ms",
}

pub(crate) const KIND: Kind = Bvt::kind(
    "bvt",
    "processor time in proportion to weights, with warps that are limited in time",
    |settings| {
        let Bvt { affinity, allowance } = Bvt::read(settings);
        Ok(Box::new(Pooled::new(State::new(allowance, affinity))))
    },
)
.with_parameters(&[&SHARE, &WARP, &WARP_LIMIT, &PROCESSORS])
.with_properties(Properties::NONE.quantum(|settings| Some(Bvt::read(settings).allowance)))
.with_conversion(|settings| {
    let Bvt { affinity, allowance } = Bvt::read(settings);
    Ok(Box::new(LongRun { allowance, affinity }))
});

#[derive(Clone, Copy)]
struct Borrower {
    account: Account,
    /// Runs only when no child with a share is ready.
    background: bool,
    warp: Span,
    /// Warp time limit and unwarp time requirement.
    limit: Option<(Span, Span)>,
    /// How much longer it may run warped before the limit.
    left: Span,
    /// It runs without its warp until then, and until it is next reviewed.
    unwarped: Option<Instant>,
    /// When it last ran.
    ran: Instant,
}

const UNKNOWN: Borrower = Borrower {
    account: Account::new(1),
    background: false,
    warp: Span::ZERO,
    limit: None,
    left: Span::ZERO,
    unwarped: None,
    ran: Instant::ZERO,
};

impl Borrower {
    /// How much longer it may run warped, if that is limited.
    fn limited(&self) -> Option<Span> {
        let limited = self.limit.is_some() && self.unwarped.is_none() && !self.warp.is_zero();
        limited.then_some(self.left)
    }

    fn charge(&mut self, ran: Span, now: Instant) {
        self.account.charge(ran);
        self.ran = now;
        if let (Some(left), Some((_, unwarp))) = (self.limited(), self.limit) {
            self.left = left.saturating_sub(ran);
            if self.left.is_zero() {
                self.unwarped = Some(now.saturating_add(unwarp));
            }
        }
    }

    /// Examines whether it may be warped again, or for longer.
    fn review(&mut self, now: Instant) {
        let Some((limit, unwarp)) = self.limit else { return };
        let rested = now.saturating_since(self.ran) >= unwarp;
        if rested || self.unwarped.is_some_and(|until| until <= now) {
            (self.left, self.unwarped) = (limit, None);
        }
    }

    fn effective(&self) -> Virtual {
        let warp = if self.unwarped.is_some() { Span::ZERO } else { self.warp };
        self.account.time.earlier(warp)
    }
}

/// The child that runs on an own VP.
#[derive(Clone, Copy)]
struct Run {
    /// The child has been charged up to here.
    charged: Instant,
    /// The end of its allowance, or of its warp.
    ends: Instant,
}

/// This bit of a tag is above all virtual times that a clock of 146 years reaches.
const BACKGROUND: u32 = 126;

/// The actual virtual time and the warp of each child, and the ready children in the order of the former.
#[derive(Clone)]
pub(crate) struct State {
    borrowers: Vec<Borrower>,
    allowance: Span,
    affinity: Affinity,
    runs: Vec<Run>,
    /// Ready children that have a share, by actual virtual time.
    actual: Heap<(Virtual, u32)>,
    /// The largest actual virtual time that a child with a share has reached.
    latest: Virtual,
}

impl State {
    /// `allowance` is the context switch allowance, above zero.
    pub(crate) fn new(allowance: Span, affinity: Affinity) -> State {
        State {
            borrowers: Vec::new(),
            allowance,
            affinity,
            runs: Vec::new(),
            actual: Heap::new(),
            latest: Virtual::default(),
        }
    }

    fn charge(&mut self, child: ChildVp, own: OwnVp, now: Instant) {
        let since = core::mem::replace(&mut self.runs[own.index()].charged, now);
        let borrower = &mut self.borrowers[child.index()];
        borrower.charge(now.saturating_since(since), now);
        if !borrower.background {
            self.latest = self.latest.max(borrower.account.time);
        }
    }

    /// Begins an allowance on `own`, or the rest of a warp if that is shorter.
    fn begin(&mut self, child: ChildVp, own: OwnVp, context: &mut Context<'_>) {
        let left = self.borrowers[child.index()].limited();
        let span = left.map_or(self.allowance, |left| left.min(self.allowance));
        let ends = context.now().saturating_add(span);
        self.runs[own.index()] = Run { charged: context.now(), ends };
        context.set_timer(quantum::timer_of(own), Some(ends));
    }

    fn enter(&mut self, child: ChildVp) {
        let borrower = &self.borrowers[child.index()];
        if !borrower.background {
            self.actual.set(child.0, (borrower.account.time, child.0));
        }
    }

    /// Charges all running children.
    fn charge_running(&mut self, pool: &mut Pool<Self>, context: &Context<'_>) {
        for own in pool.own_vps() {
            if let Some(child) = context.held_by(own) {
                self.charge(child, own, context.now());
                pool.refresh(child, self, context);
            }
        }
    }

    /// Updates the pool after a child's key has changed; if the child runs, the end of its warp may have changed,
    /// too.
    fn reconsider(&mut self, child: ChildVp, pool: &mut Pool<Self>, context: &mut Context<'_>) {
        if let Some(own) = context.held_through(child) {
            self.begin(child, own, context);
        }
        pool.rerank(child, self, context);
    }
}

impl Policy for State {
    /// Effective virtual time, then the slot, as one number.
    type Key = u128;
    const GROWS: bool = true;
    const BINDS: bool = true;
    const TAKES: &'static str =
        "share, warp, warp-limit, processors, quantum (to the instance: the allowance)";

    fn key(&self, child: ChildVp) -> u128 {
        let borrower = &self.borrowers[child.index()];
        borrower.effective().tag(child.0) | u128::from(borrower.background) << BACKGROUND
    }

    fn has_affinity(&self) -> bool {
        self.affinity != Affinity::None
    }

    /// With a head start; before all others of the same time.
    fn key_at_home(&self, child: ChildVp) -> u128 {
        let borrower = &self.borrowers[child.index()];
        let ahead = self.affinity.head_start(self.allowance);
        let time = borrower.effective().before_service(ahead, borrower.account.weight);
        // The background has no times below zero.
        let least = if borrower.background { Virtual::default() } else { time };
        let tag = time.max(least).tag(0) | u128::from(borrower.background) << BACKGROUND;
        tag.min(self.key(child))
    }

    fn preempts(ready: &u128, running: &u128) -> bool {
        ready >> 32 < running >> 32
    }

    fn started(&mut self, child: ChildVp, own: OwnVp, context: &mut Context<'_>) {
        self.actual.remove(child.0);
        self.begin(child, own, context);
    }

    fn stopped(&mut self, child: ChildVp, own: OwnVp, context: &mut Context<'_>) {
        self.charge(child, own, context.now());
        if context.child(child) == VpState::Ready {
            self.enter(child);
        }
    }

    fn idle(&mut self, own: OwnVp, context: &mut Context<'_>) {
        context.set_timer(quantum::timer_of(own), None);
    }

    fn rebound(&mut self, child: ChildVp, pool: &Pool<Self>, context: &mut Context<'_>) {
        self.start_anew(child, pool, context);
    }

    fn timers(&self, owns: usize) -> usize {
        owns
    }

    fn init(&mut self, context: &mut Context<'_>) {
        let run = Run { charged: Instant::ZERO, ends: Instant::ZERO };
        self.runs.resize(context.owns(), run);
    }

    fn register(&mut self, child: ChildVp) {
        self.actual.reserve(child.index() + 1);
        slots::put(&mut self.borrowers, child, UNKNOWN);
    }

    fn request(&mut self, child: ChildVp, pool: &mut Pool<Self>, context: &mut Context<'_>) {
        self.charge_running(pool, context);
        let time = self.system_time(child, pool, context);
        let borrower = &mut self.borrowers[child.index()];
        if !borrower.background {
            borrower.account.catch_up(time);
        }
        borrower.review(context.now());
        self.enter(child);
        pool.request(child, self, context);
    }

    fn release(
        &mut self,
        child: ChildVp,
        held: Option<OwnVp>,
        pool: &mut Pool<Self>,
        context: &mut Context<'_>,
    ) {
        self.actual.remove(child.0);
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
            (Some(child), Message::Share(weight)) => {
                self.charge_running(pool, context);
                let time = self.system_time(child, pool, context);
                let borrower = &mut self.borrowers[child.index()];
                if borrower.background && weight > 0 {
                    borrower.account.catch_up(time);
                }
                borrower.background = weight == 0;
                borrower.account.set_weight(weight.max(1));
                self.actual.remove(child.0);
                if context.child(child) == VpState::Ready {
                    self.enter(child);
                }
                self.reconsider(child, pool, context);
                Ok(())
            }
            (Some(child), _) if let Some(warp) = read_warp(message) => {
                self.charge_running(pool, context);
                self.borrowers[child.index()].warp = warp;
                self.reconsider(child, pool, context);
                Ok(())
            }
            (Some(child), _) if let Some((limit, unwarp)) = read_warp_limit(message) => {
                if limit.is_zero() {
                    let allowed = "above zero";
                    return Err(AnswerError::OutOfRange { what: "limit", allowed });
                }
                self.charge_running(pool, context);
                let borrower = &mut self.borrowers[child.index()];
                (borrower.limit, borrower.left) = (Some((limit, unwarp)), limit);
                borrower.review(context.now());
                self.reconsider(child, pool, context);
                Ok(())
            }
            (None, Message::Quantum(length)) => {
                self.allowance = quantum::checked(length)?;
                // Head starts are counted in allowances.
                (0..context.child_slots()).for_each(|n| pool.refresh(ChildVp(n), self, context));
                pool.preempt(self, context);
                Ok(())
            }
            _ => Self::not_understood(message),
        }
    }

    fn timer(&mut self, timer: TimerId, pool: &mut Pool<Self>, context: &mut Context<'_>) {
        let own = quantum::own_of(timer);
        let Some(child) = context.held_by(own) else {
            return;
        };
        if context.now() < self.runs[own.index()].ends {
            return;
        }
        self.charge(child, own, context.now());
        if self.borrowers[child.index()].unwarped != Some(context.now()) {
            self.borrowers[child.index()].review(context.now());
        }
        if pool.pass(child, self, context) {
            pool.preempt(self, context);
        } else {
            self.begin(child, own, context);
        }
    }

    fn check(&self, _: &Pool<Self>, view: &View<'_>) -> Result<(), &'static str> {
        for child in view.children() {
            let borrower = &self.borrowers[child.index()];
            let counted = view.child(child) == VpState::Ready && !borrower.background;
            let expected = counted.then_some((borrower.account.time, child.0));
            if self.actual.key(child.0) != expected {
                return Err("a ready child's virtual time is not known, or is wrong");
            }
        }
        Ok(())
    }
}
