//! Windows 2000: 32 priority levels, quanta in thirds of a clock tick, boosts, balance set manager.
//!
//! Takes    any guarantee, on one processor or several.
//! Gives    NULL to each child.
//! Admits   everyone, at priorities 1 to 31 (real-time from 16; default 8).
//! Assumes  nothing of its children.
//! Costs    O(log n) per event; 114 bytes per child; one timer per processor (the clock tick) and one.
//! Ties     equals take turns. A preempted child goes to the head of the queue with the rest of its quantum, one
//!          that wakes goes to the end.
//! Source   Solomon and Russinovich, Inside Windows 2000, chapter 6; HLS 5.2.2.5, 3.4. Differences: one queue for
//!          all processors (no ideal processor), one boost whatever a child waited for, and starved children are
//!          found at once, where Windows looks at 16 ready threads a second.
//! Checked  laws, `tests/all/windows_time_sharing.rs`.
//!
//! Unlike in `time-sharing` (HLS 9.3.1), quanta are charged by the tick: 3 units to the child that runs then, and 1 unit
//! for each wait. A workstation's quanta are 6 units, 12 or 18 in the foreground (`share` 2 or 3), a server's 36. A child
//! that wakes is raised to `boost` above its priority, in the foreground by 1 or 2 more, never above 15, and sinks by
//! one at each end of a quantum. Once a second, at most ten children that have been ready for 3 s are raised to 15 for
//! two quanta. A yield ends the quantum.

mod tenant;

use crate::catalogue::Kind;
use crate::parameters::{PRIORITY, SHARE};
use crate::parts::policy::{Policy, Pooled};
use crate::parts::pool::Pool;
use crate::parts::quantum;
use crate::parts::slots;
use crate::parts::starvation::Starvation;
use crate::parts::ticks::Ticks;
use crate::time_sharing::windows_time_sharing::tenant::Tenant;
use alloc::boxed::Box;
use alloc::vec::Vec;
use windfall_hierarchy::{
    Answer, AnswerError, ChildVp, Context, Message, Note, OwnVp, TimerId, View, VpState,
};
use windfall_time::{Instant, Span};

const WORKSTATION: &str = "priority, share (1 to 3: times the quantum, as in the foreground)";
const SERVER: &str = "priority";
const LOWEST: i32 = 1;
const DEFAULT: i32 = 8;
/// From this priority on, a wait does not shorten the quantum.
const TIME_CRITICAL: i32 = 14;
/// The highest priority that a boost can reach.
const CEILING: i32 = 15;
const HIGHEST: i32 = 31;
/// Units of a quantum that a tick costs, and units that a wait costs.
const TICK_UNITS: i32 = 3;
const WAIT_UNITS: i32 = 1;
/// The balance set manager: how often it runs, how many children it rescues at most, and after how long a time.
const BALANCE: Span = Span::from_secs(1);
const RESCUED_AT_ONCE: u32 = 10;
const STARVED: Span = Span::from_secs(3);

settings! { Windows2000, "windows_time_sharing.rs":
    /// boost after a wait for: 1 disk or event, 2 network or window, 6 keys, 8 sound
    boost: u8 = "1" in 0..=14,
    /// quanta of 6 units, longer in the foreground, or of 36; a tick costs 3
    edition: Edition = "workstation",
    /// whether a starved child is raised above all others for a while
    rescue: bool = "true",
    /// time between two ticks of the clock
    tick: Span = "10ms",
}

pub(crate) const KIND: Kind = Windows2000::kind(
    "windows-2000",
    "the time sharing of Windows 2000: levels, ticks, boosts, rescue",
    |settings| Ok(Box::new(Pooled::new(State::new(Windows2000::read(settings))))),
)
.with_parameters(&[&SHARE, &PRIORITY]);

words! {
    /// Determines the length of quanta.
    pub enum Edition {
        /// 6 units, two or three times as many in the foreground.
        Workstation = "workstation",
        /// 36 units for all children.
        Server = "server",
    }
}

/// The level of each child, boosts included, and the thirds of ticks that are left to it.
#[derive(Clone)]
pub(crate) struct State {
    spec: Windows2000,
    tenants: Vec<Tenant>,
    drawn: u64,
    ticks: Ticks,
    starving: Starvation,
}

impl State {
    /// Creates an instance with these settings.
    pub(crate) fn new(spec: Windows2000) -> State {
        State {
            tenants: Vec::new(),
            drawn: 0,
            ticks: Ticks::new(spec.tick),
            starving: Starvation::looked_for(spec.rescue.then_some(STARVED), BALANCE),
            spec,
        }
    }

    fn quantum(&self, child: ChildVp) -> i32 {
        match self.spec.edition {
            Edition::Workstation => 6 * i32::from(self.tenants[child.index()].stretch),
            Edition::Server => 36,
        }
    }

    /// Puts a child at the end of the queue.
    fn queue(&mut self, child: ChildVp) {
        self.drawn += 1;
        self.tenants[child.index()].turn = self.drawn;
    }

    /// Begins to watch a child that has become ready for starvation.
    fn watch(&mut self, child: ChildVp, context: &mut Context<'_>) {
        if self.tenants[child.index()].priority < CEILING {
            self.starving.watch(child, context);
        }
    }

    /// Applies the boost after a wait, and charges the wait. Returns whether the child was raised.
    fn woke(&mut self, child: ChildVp) -> bool {
        let whole = self.quantum(child);
        let tenant = &mut self.tenants[child.index()];
        if tenant.base > CEILING {
            tenant.units = whole;
            return false;
        }
        let before = tenant.priority;
        if !tenant.rescued {
            let boost = i32::from(self.spec.boost) + i32::from(tenant.stretch) - 1;
            tenant.priority = before.max((tenant.base + boost).min(CEILING));
        }
        let raised = tenant.priority > before;
        if tenant.base >= TIME_CRITICAL {
            tenant.units = whole;
        } else {
            tenant.units -= WAIT_UNITS;
            if tenant.units <= 0 {
                tenant.end_quantum(whole);
            }
        }
        raised
    }

    /// Charges a tick to the child that runs on `own`.
    fn tick(&mut self, own: OwnVp, pool: &mut Pool<Self>, context: &mut Context<'_>) {
        let Some(child) = context.held_by(own) else {
            return;
        };
        self.ticks.next(own, context);
        let whole = self.quantum(child);
        let tenant = &mut self.tenants[child.index()];
        if tenant.started == context.now() {
            // Other consequences of the tick follow in later calls.
            return;
        }
        tenant.units -= TICK_UNITS;
        if tenant.units <= 0 {
            tenant.end_quantum(whole);
            self.queue(child);
            pool.pass(child, self, context);
        }
    }

    /// Rescues the children that have starved longest (balance set manager).
    fn balance(&mut self, pool: &mut Pool<Self>, context: &mut Context<'_>) {
        for _ in 0..RESCUED_AT_ONCE {
            let Some(child) = self.starving.take(context.now()) else {
                break;
            };
            self.queue(child);
            let whole = self.quantum(child);
            let tenant = &mut self.tenants[child.index()];
            (tenant.rescued, tenant.priority, tenant.units) = (true, CEILING, 2 * whole);
            context.note(Some(child), Note::Rescued);
            pool.refresh(child, self, context);
        }
        let from = context.now().saturating_add(BALANCE);
        self.starving.arm(from, context);
        pool.preempt(self, context);
    }

    fn set_priority(
        &mut self,
        child: ChildVp,
        priority: i32,
        pool: &mut Pool<Self>,
        context: &mut Context<'_>,
    ) {
        let whole = self.quantum(child);
        let tenant = &mut self.tenants[child.index()];
        (tenant.base, tenant.priority) = (priority, priority);
        (tenant.rescued, tenant.units) = (false, whole);
        self.starving.forget(child);
        if context.child(child) == VpState::Ready {
            self.watch(child, context);
        }
        pool.rerank(child, self, context);
    }
}

impl Policy for State {
    /// The distance below the highest priority in the upper 8 bits, the place in the queue below them.
    type Key = u64;
    const LETS_YIELD: bool = true;

    #[inline]
    fn key(&self, child: ChildVp) -> u64 {
        let tenant = &self.tenants[child.index()];
        u64::from(tenant.priority.abs_diff(HIGHEST)) << 56 | tenant.turn
    }

    #[inline]
    fn preempts(ready: &u64, running: &u64) -> bool {
        ready >> 56 < running >> 56
    }

    fn started(&mut self, child: ChildVp, own: OwnVp, context: &mut Context<'_>) {
        self.starving.forget(child);
        self.tenants[child.index()].started = context.now();
        self.ticks.started(own, context);
    }

    fn stopped(&mut self, child: ChildVp, _: OwnVp, context: &mut Context<'_>) {
        if context.child(child) == VpState::Ready {
            self.watch(child, context);
        }
    }

    fn idle(&mut self, own: OwnVp, context: &mut Context<'_>) {
        self.ticks.idle(own, context);
    }

    fn timers(&self, owns: usize) -> usize {
        owns + 1
    }

    fn init(&mut self, context: &mut Context<'_>) {
        self.ticks.init(context.owns());
        let last = quantum::timers(context.owns());
        self.starving.timer = TimerId(u16::try_from(last).expect("timers are numbered by 16 bits"));
    }

    fn register(&mut self, child: ChildVp) {
        self.starving.register(child);
        let unknown = Tenant {
            base: DEFAULT,
            priority: DEFAULT,
            rescued: false,
            stretch: 1,
            units: 0,
            started: Instant::ZERO,
            waits_since: None,
            turn: 0,
        };
        slots::put(&mut self.tenants, child, unknown);
        let whole = self.quantum(child);
        self.tenants[child.index()].units = whole;
    }

    fn request(&mut self, child: ChildVp, pool: &mut Pool<Self>, context: &mut Context<'_>) {
        let waits_since = self.tenants[child.index()].waits_since;
        if waits_since == Some(context.now()) {
            let whole = self.quantum(child);
            self.tenants[child.index()].end_quantum(whole);
        } else if waits_since.is_some() && self.woke(child) {
            context.note(Some(child), Note::Boosted);
        }
        self.queue(child);
        self.watch(child, context);
        pool.request(child, self, context);
    }

    fn release(
        &mut self,
        child: ChildVp,
        held: Option<OwnVp>,
        pool: &mut Pool<Self>,
        context: &mut Context<'_>,
    ) {
        self.starving.forget(child);
        self.tenants[child.index()].waits_since = Some(context.now());
        pool.release(child, held, self, context);
    }

    fn message(
        &mut self,
        child: Option<ChildVp>,
        message: Message,
        pool: &mut Pool<Self>,
        context: &mut Context<'_>,
    ) -> Answer {
        let workstation = self.spec.edition == Edition::Workstation;
        match (child, message) {
            (Some(child), Message::Priority(priority)) => {
                if !(LOWEST..=HIGHEST).contains(&priority) {
                    return Err(AnswerError::OutOfRange { what: "priority", allowed: "1 to 31" });
                }
                self.set_priority(child, priority, pool, context);
                Ok(())
            }
            (Some(child), Message::Share(share)) if workstation => {
                let stretch = u8::try_from(share).ok().filter(|n| (1..=3).contains(n));
                let Some(stretch) = stretch else {
                    return Err(AnswerError::OutOfRange { what: "share", allowed: "1, 2 or 3" });
                };
                self.tenants[child.index()].stretch = stretch;
                let whole = self.quantum(child);
                self.tenants[child.index()].units = whole;
                Ok(())
            }
            _ => Err(AnswerError::NotUnderstood {
                message: message.name(),
                takes: if workstation { WORKSTATION } else { SERVER },
            }),
        }
    }

    fn timer(&mut self, timer: TimerId, pool: &mut Pool<Self>, context: &mut Context<'_>) {
        if timer == self.starving.timer {
            self.balance(pool, context);
        } else {
            self.tick(quantum::own_of(timer), pool, context);
        }
    }

    fn check(&self, _: &Pool<Self>, view: &View<'_>) -> Result<(), &'static str> {
        self.starving.check(view)
    }
}
