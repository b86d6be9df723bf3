//! SFS: surplus fair scheduling, proportional share on several processors.
//!
//! Takes    PS on each own VP; any guarantee if only fairness is wanted.
//! Gives    PS to each child, by readjusted weights: none counts for more than the others together make
//!          feasible. The bound allows for own VPs that wait at times (`long_run.rs`).
//! Admits   everyone. A child of weight 0 is in the background.
//! Assumes  A1 quanta end on time, or at the next tick; A2 parents do not charge an own VP for times when it waits.
//! Costs    O(k + log n) per event on k processors, O(k log n) when the heaviest change; amortised;
//!          400 to 500 bytes per child; one timer per processor.
//! Ties     the running child stays.
//! Source   Chandra, Adler, Goyal and Shenoy 2000: weight readjustment, start tags, surplus. Differences:
//!          the least surplus is found exactly, not among a few; readjusting weights preserves a child's
//!          surplus, not its start tag (else a child whose weight was reduced would owe the difference
//!          later); a child that waits ahead of virtual time counts until it no longer is; nobody is
//!          charged while no child waits for a processor.
//! Checked  laws, `tests/all/sfs.rs`.
//!
//! A child's start tag advances by the time that it receives divided by its weight. Virtual time is the smallest
//! tag among the children that do not wait. A child's surplus is its weight times the distance of its tag from
//! virtual time, that is, the time it received beyond its share. The child of least surplus has the next turn.

mod readjusted;
mod tournament;
mod weights;

use crate::catalogue::{Kind, Properties};
use crate::parameters::SHARE;
use crate::parts::fluid::{Clock, scaled};
use crate::parts::policy::{Policy, Pooled};
use crate::parts::pool::Pool;
use crate::parts::quantum;
use crate::share::sfs::readjusted::Readjusted;
use crate::share::sfs::tournament::{Line, Tournament};
use alloc::boxed::Box;
use alloc::vec::Vec;
use core::cmp::Reverse;
use windfall_hierarchy::heap::Heap;
use windfall_hierarchy::{Answer, ChildVp, Context, Message, OwnVp, TimerId, View, VpState};
use windfall_time::{Instant, Span};

settings! { Sfs, "sfs.rs":
    /// the longest turn
    quantum: Span = "10ms",
}

pub(crate) const KIND: Kind = Sfs::kind(
    "sfs",
    "processor time in proportion to weights on several processors, by least surplus",
    |settings| Ok(Box::new(Pooled::new(State::new(Sfs::read(settings).quantum)))),
)
.with_parameters(&[&SHARE])
.with_properties(Properties::NONE.quantum(|settings| Some(Sfs::read(settings).quantum)))
.with_conversion(|settings| Ok(Box::new(Readjusted(Sfs::read(settings).quantum))));

/// Weights are in units of 2^-16, because readjusted weights are fractions.
const WEIGHT: i128 = 1 << 16;
/// Right shift for comparisons: tags are compared in units of 2^-20 virtual ns, so that products stay within 128
/// bits.
const COARSE: u32 = 40;

#[derive(Clone, Copy)]
struct Sharer {
    /// The weight that was set; 0 in the background.
    weight: i128,
    /// The readjusted weight; at least 1.
    counts: i128,
    start: Clock,
    /// Order among the children in the background.
    turn: u64,
}

const UNKNOWN: Sharer =
    Sharer { weight: WEIGHT, counts: WEIGHT, start: Clock { at: 0, rest: 0 }, turn: 0 };

impl Sharer {
    const fn line(&self) -> Line {
        Line { start: self.start.at >> COARSE, slope: self.counts }
    }
}

/// The child that runs on an own VP, and its accounting.
#[derive(Clone, Copy)]
struct Run {
    charged: Instant,
    ends: Instant,
}

/// The scheduler. Except for the pool's keys, everything below concerns children with a weight.
#[derive(Clone)]
// Fields: orders of the same children by several keys; each event updates all of them.
pub(crate) struct State {
    quantum: Span,
    sharers: Vec<Sharer>,
    runs: Vec<Run>,
    /// Virtual time.
    now: i128,
    /// Ready children, by surplus and start tag.
    ready: Tournament,
    starts: Heap<(i128, u32)>,
    /// Children that count, the heaviest first: those that do not wait, or that wait ahead of virtual time.
    count: Heap<(Reverse<i128>, u32)>,
    weights: i128,
    ahead: Heap<(i128, u32)>,
    /// Children whose weights are reduced, and a list to be reused.
    held: Vec<u32>,
    spare: Vec<u32>,
    chosen: Option<ChildVp>,
    turn: u64,
}

impl State {
    /// Creates an instance with this quantum, above zero.
    pub(crate) fn new(quantum: Span) -> State {
        State {
            quantum,
            sharers: Vec::new(),
            runs: Vec::new(),
            now: 0,
            ready: Tournament::default(),
            starts: Heap::new(),
            count: Heap::new(),
            weights: 0,
            ahead: Heap::new(),
            held: Vec::new(),
            spare: Vec::new(),
            chosen: None,
            turn: 0,
        }
    }

    fn sharer(&self, child: ChildVp) -> &Sharer {
        &self.sharers[child.index()]
    }

    /// Inserts a child into the ready children with its current tag and weight, or removes it.
    fn place(&mut self, child: ChildVp, ready: bool) {
        let sharer = self.sharers[child.index()];
        let ready = ready && sharer.weight > 0;
        self.ready.set(child.0, ready.then(|| sharer.line()));
        if ready {
            self.starts.set(child.0, (sharer.start.at, child.0));
        } else {
            self.starts.remove(child.0);
        }
    }

    /// Charges the running children, if any child waits for a processor.
    fn charge(&mut self, held_by: impl Fn(OwnVp) -> Option<ChildVp>, now: Instant) {
        let contended = !self.starts.is_empty();
        for (run, own) in self.runs.iter_mut().zip((0..).map(OwnVp)) {
            let since = core::mem::replace(&mut run.charged, now);
            let Some(child) = held_by(own).filter(|_| contended) else { continue };
            let sharer = &mut self.sharers[child.index()];
            if sharer.weight > 0 {
                let service = scaled(now.saturating_since(since)).saturating_mul(WEIGHT);
                sharer.start.pass(service, sharer.counts);
            }
        }
    }

    /// Advances virtual time to the smallest tag. Waiting children that are no longer ahead stop counting.
    fn move_on(&mut self, held_by: impl Fn(OwnVp) -> Option<ChildVp>) {
        let owns = (0..self.runs.len()).filter_map(|own| u16::try_from(own).ok());
        let running = owns.filter_map(|own| held_by(OwnVp(own))).map(|child| self.sharer(child));
        let running = running.filter(|one| one.weight > 0).map(|one| one.start.at);
        let first = self.starts.peek().map(|((at, _), _)| at);
        let least = running.chain(first).min();
        self.now = self.now.max(least.unwrap_or(self.now));
        self.ready.move_to(self.now >> COARSE);
        let mut changed = false;
        while let Some((_, slot)) = self.ahead.peek().filter(|((at, _), _)| *at <= self.now) {
            self.ahead.remove(slot);
            self.uncount(ChildVp(slot));
            changed = true;
        }
        if changed {
            self.readjust();
        }
    }

    fn begin(&mut self, own: OwnVp, context: &mut Context<'_>) {
        let ends = context.now().saturating_add(self.quantum);
        self.runs[own.index()] = Run { charged: context.now(), ends };
        context.set_timer(quantum::timer_of(own), Some(ends));
    }

    fn charge_running(&mut self, context: &Context<'_>) {
        self.charge(|own| context.held_by(own), context.now());
        self.move_on(|own| context.held_by(own));
    }

    /// Makes the pool serve the child of least surplus next.
    fn choose(&mut self, pool: &mut Pool<Self>, context: &Context<'_>) {
        self.move_on(|own| context.held_by(own));
        let best = self.ready.lowest().map(ChildVp);
        let before = core::mem::replace(&mut self.chosen, best);
        for child in before.into_iter().chain(best) {
            pool.refresh(child, self, context);
        }
    }
}

impl Policy for State {
    /// The chosen child, then the others, then the background by turn: `choose` decides before the pool looks.
    type Key = (u8, u64, u32);
    const TAKES: &'static str = "share, quantum (to the instance)";

    fn key(&self, child: ChildVp) -> Self::Key {
        let sharer = self.sharer(child);
        match (self.chosen == Some(child), sharer.weight == 0) {
            (true, _) => (0, 0, child.0),
            (_, false) => (1, 0, child.0),
            (_, true) => (2, sharer.turn, child.0),
        }
    }

    fn preempts(ready: &Self::Key, running: &Self::Key) -> bool {
        ready.0 < 2 && running.0 == 2
    }

    fn started(&mut self, child: ChildVp, own: OwnVp, context: &mut Context<'_>) {
        self.chosen = None;
        self.place(child, false);
        self.begin(own, context);
    }

    fn stopped(&mut self, child: ChildVp, _: OwnVp, context: &mut Context<'_>) {
        if context.child(child) == VpState::Ready {
            self.place(child, true);
            if self.sharer(child).weight == 0 {
                self.join(child);
            }
        }
    }

    fn idle(&mut self, own: OwnVp, context: &mut Context<'_>) {
        context.set_timer(quantum::timer_of(own), None);
    }

    fn timers(&self, owns: usize) -> usize {
        owns
    }

    fn init(&mut self, context: &mut Context<'_>) {
        let run = Run { charged: Instant::ZERO, ends: Instant::ZERO };
        self.runs.resize(context.owns(), run);
        self.held.reserve(context.owns());
        self.spare.reserve(context.owns());
    }

    fn register(&mut self, child: ChildVp) {
        let room = self.sharers.len().max(child.index() + 1);
        self.ready.reserve(room);
        for heap in [&mut self.starts, &mut self.ahead] {
            heap.reserve(room);
        }
        self.count.reserve(room);
        self.sharers.resize(room, UNKNOWN);
        if self.ahead.contains(child.0) {
            // The child that had this slot before left ahead of its share. A new child must not get that time again.
            self.reweigh(child, WEIGHT);
        } else {
            self.sharers[child.index()] = UNKNOWN;
        }
    }

    fn request(&mut self, child: ChildVp, pool: &mut Pool<Self>, context: &mut Context<'_>) {
        self.charge_running(context);
        self.join(child);
        self.place(child, true);
        self.choose(pool, context);
        pool.request(child, self, context);
    }

    fn release(
        &mut self,
        child: ChildVp,
        held: Option<OwnVp>,
        pool: &mut Pool<Self>,
        context: &mut Context<'_>,
    ) {
        // No child holds it any longer, but this one has run until now.
        let was = |own| if held == Some(own) { Some(child) } else { context.held_by(own) };
        self.charge(was, context.now());
        self.move_on(was);
        self.leave(child);
        self.choose(pool, context);
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
                self.charge_running(context);
                let state = context.child(child);
                self.reweigh(child, i128::from(weight) * WEIGHT);
                if state != VpState::Waiting {
                    self.join(child);
                    self.place(child, state == VpState::Ready);
                }
                self.choose(pool, context);
                pool.rerank(child, self, context);
                Ok(())
            }
            (None, Message::Quantum(length)) => {
                self.quantum = quantum::checked(length)?;
                Ok(())
            }
            _ => Self::not_understood(message),
        }
    }

    fn grant(&mut self, own: OwnVp, pool: &mut Pool<Self>, context: &mut Context<'_>) {
        self.charge_running(context);
        self.choose(pool, context);
        pool.grant(own, self, context);
    }

    fn revoke(
        &mut self,
        own: OwnVp,
        child: ChildVp,
        pool: &mut Pool<Self>,
        context: &mut Context<'_>,
    ) {
        self.charge_running(context);
        pool.revoke(own, child, self, context);
    }

    fn settled(&mut self, pool: &mut Pool<Self>, context: &mut Context<'_>) {
        self.charge_running(context);
        self.choose(pool, context);
        pool.settled(self, context);
    }

    fn timer(&mut self, timer: TimerId, pool: &mut Pool<Self>, context: &mut Context<'_>) {
        self.charge_running(context);
        self.choose(pool, context);
        let own = quantum::own_of(timer);
        let Some(child) = context.held_by(own) else {
            return;
        };
        if context.now() < self.runs[own.index()].ends {
            return;
        }
        let now = self.now >> COARSE;
        let surplus = |child: ChildVp| self.sharer(child).line().at(now);
        let makes_room = match self.chosen {
            Some(best) => self.sharer(child).weight == 0 || surplus(best) < surplus(child),
            None => self.sharer(child).weight == 0 && pool.best().is_some(),
        };
        if makes_room {
            pool.rotate(child, self, context);
        } else {
            self.begin(own, context);
        }
    }

    fn next(&self, _: OwnVp, pool: &Pool<Self>, _: &View<'_>) -> Option<ChildVp> {
        self.ready.lowest().map(ChildVp).or_else(|| pool.best())
    }

    fn check(&self, _: &Pool<Self>, view: &View<'_>) -> Result<(), &'static str> {
        for child in view.children() {
            let (sharer, state) = (self.sharer(child), view.child(child));
            let ready = state == VpState::Ready && sharer.weight > 0;
            if self.starts.key(child.0) != ready.then_some((sharer.start.at, child.0))
                || self.ready.line(child.0) != ready.then(|| sharer.line())
            {
                return Err("a ready child's surplus is not known, or is wrong");
            }
            let counts = state != VpState::Waiting && sharer.weight > 0;
            if self.count.contains(child.0) != (counts || self.ahead.contains(child.0)) {
                return Err("a child that takes part does not count, or another does");
            }
            if sharer.start.at < self.now && counts {
                return Err("a child is behind virtual time");
            }
        }
        let counting = self.sharers.iter().zip(0..).filter(|(_, slot)| self.count.contains(*slot));
        if counting.map(|(sharer, _)| sharer.weight).sum::<i128>() != self.weights {
            return Err("the weights that count are not the sum over those that do");
        }
        Ok(())
    }
}
