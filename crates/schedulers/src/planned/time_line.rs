//! Time line: reservations at fixed offsets in a plan that repeats, and time constraints.
//!
//! Takes    ALL on its own VP 0. It never requests further own VPs. Not RESU: a slower processor may serve one
//!          block at its beginning and the next at its end.
//! Gives    RESCS x y to each child with a reservation of x in y; NULL to one without. A child whose
//!          constraint is accepted has its work done by the deadline, if it stays ready until then.
//! Admits   a reservation if the plan has a place for it, exactly, in order of request and without moving
//!          others; a constraint if it fits into its child's blocks and the time that belongs to nobody.
//! Assumes  A1 its processor is there whenever requested; A2 overheads are inside x.
//! Costs    O(log n + 32) per event, O(n) per constraint, O(places tried) per reservation; one timer.
//! Ties     blocks never overlap; between constraints of equal deadlines, the one accepted earlier.
//! Source   HLS 6.2.4, figure 6.5 (RES+CSTR), table 5.1; Jones, Rosu and Rosu 1997 (Rialto). Differences: a
//!          block is one piece, and a new reservation begins after the deadlines of all accepted constraints.
//! Checked  laws, `tests/all/rialto.rs`, `plan.rs`.
//!
//! The block of a waiting child belongs to nobody. Time for a constraint comes first from its child's blocks, then
//! from time that belongs to nobody, earliest deadline first; the amounts are fixed when it is accepted. A plan that
//! splits or moves blocks would admit more: two reservations that together exceed the greatest common divisor of
//! their periods (3 in 10 and 8 in 100).

mod constraints;
mod plan;

use crate::catalogue::{Kind, Properties};
use crate::parameters::{CONSTRAINT, RESERVE, read_constraint};
use crate::parts::slots;
use crate::planned::time_line::constraints::Constraints;
use crate::planned::time_line::plan::Block;
use alloc::boxed::Box;
use alloc::vec::Vec;
use windfall_guarantees::{ChildParam, ChildParams, Conversion, Guarantee, Offer, Supply, Type};
use windfall_hierarchy::heap::Heap;
use windfall_hierarchy::{
    Answer, AnswerError, ChildVp, Context, Message, OwnVp, ParentNotice, Scheduler, TimerId, View,
    VpState,
};
use windfall_time::{Instant, Ratio, Span};

const TAKES: &str = "reserve, unreserve, constraint";
const OWN: OwnVp = OwnVp(0);
/// The next moment at which another child may have to run.
const TURN: TimerId = TimerId(0);

settings! { TimeLine, "time_line.rs": }

pub(crate) const KIND: Kind = TimeLine::kind(
    "time-line",
    "continuous reservations at fixed offsets, and time constraints",
    |_| Ok(Box::new(State::new())),
)
.with_parameters(&[&RESERVE, &CONSTRAINT])
.with_properties(Properties::NONE.holds_back().begins_late())
.with_conversion(|_| Ok(Box::new(Planned)));

/// The conversion `ALL -> RESCS+`.
#[derive(Clone)]
struct Planned;

impl Conversion for Planned {
    fn takes(&self) -> &'static [Type] {
        &[Type::All]
    }

    fn parameter_for(&self, requested: &Guarantee) -> Result<ChildParam, &'static str> {
        let why = "it gives `RESCS x y`, as `RESCS 3ms 10ms`";
        match *requested {
            Guarantee::Null => Ok(ChildParam::Nothing),
            Guarantee::ContinuousSoft(x, y) | Guarantee::BasicSoft(x, y) => {
                match (x.ceil(), y.floor()) {
                    (Some(amount), Some(period)) => Ok(ChildParam::Reserve { amount, period }),
                    _ => Err(why),
                }
            }
            _ => Err(why),
        }
    }

    fn give(&self, own: Supply<'_>, children: &[ChildParams]) -> Vec<Offer> {
        if own.guarantees.first() != Some(&Guarantee::All) {
            let why = "it serves its first virtual processor only, which has not `ALL`";
            return children.iter().map(|_| Offer::lacking(why.into())).collect();
        }
        let mut plan: Vec<Block> = Vec::new();
        let mut offers = Vec::with_capacity(children.len());
        for child in children {
            let Some((amount, period)) = child.reserve else {
                offers.push(Offer::nothing());
                continue;
            };
            let others = plan.iter().copied();
            let block = Block::place((amount, period), Instant::ZERO, others);
            offers.push(match block {
                Some(block) => {
                    plan.push(block);
                    let guarantee = Guarantee::ContinuousSoft(amount.into(), period.into());
                    Offer::one(guarantee, "a block at a fixed offset")
                }
                None => Offer::lacking(
                    "the plan has no place for it that never meets another's; ask for less, or for \
                     periods of which each divides the next"
                        .into(),
                ),
            });
        }
        offers
    }
}

/// The child that is to run, and why.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Choice {
    child: ChildVp,
    /// Whether it runs in a block of its own.
    reserved: bool,
    /// The constraint that it serves: place and deadline.
    constraint: Option<(usize, Instant)>,
}

/// The plan of blocks, the constraints that were accepted beside it, and the child that is served by one of them.
#[derive(Clone, Default)]
pub(crate) struct State {
    blocks: Vec<Option<Block>>,
    /// The next blocks of the children that do not wait.
    starts: Heap<Instant>,
    /// The current block's child, which does not wait, and the block's end.
    present: Option<(ChildVp, Instant)>,
    constraints: Constraints,
    /// The running child, why it runs, and the moment up to which its time is accounted for.
    serving: Option<(Choice, Instant)>,
}

impl State {
    /// Creates an instance without reservations.
    #[must_use]
    pub(crate) fn new() -> State {
        State::default()
    }

    /// The child that is to run, if the children for which `waits` is true wait.
    fn choose(&self, waits: impl Fn(ChildVp) -> bool) -> Option<Choice> {
        if let Some((child, _)) = self.present.filter(|(child, _)| !waits(*child)) {
            let constraint = self.constraints.in_block(child);
            return Some(Choice { child, reserved: true, constraint });
        }
        let (child, constraint) = self.constraints.in_free_time(waits)?;
        Some(Choice { child, reserved: false, constraint: Some(constraint) })
    }

    /// Accounts for the time since the last event, and brings the plan up to `now`.
    fn catch_up(&mut self, now: Instant) {
        if let Some((choice, since)) = &mut self.serving {
            let ran = now.saturating_since(*since);
            *since = now;
            if let Some((place, _)) = choice.constraint {
                self.constraints.charge(place, ran, choice.reserved);
            }
        }
        self.present = self.present.filter(|(_, end)| *end > now);
        while let Some((_, slot)) = self.starts.peek().filter(|(at, _)| *at <= now) {
            self.enter(ChildVp(slot), now);
        }
    }

    /// A child does not wait: finds out whether it is in a block now, and when its next one begins.
    fn enter(&mut self, child: ChildVp, now: Instant) {
        let Some(block) = self.blocks[child.index()] else {
            self.starts.remove(child.0);
            return;
        };
        self.starts.set(child.0, block.next(now));
        if let Some(end) = block.end(now) {
            self.present = Some((child, end));
        }
    }

    /// A child waits, or no longer has a reservation.
    fn leave(&mut self, child: ChildVp) {
        self.starts.remove(child.0);
        self.present = self.present.filter(|(present, _)| *present != child);
    }

    /// Makes the right child run, if any, and sets the timer to the next change.
    fn steer(&mut self, context: &mut Context<'_>) {
        let now = context.now();
        self.catch_up(now);
        self.constraints.drop_stale(now);
        let choice = self.choose(|child| context.child(child) == VpState::Waiting);
        let held = context.held_by(OWN);
        if let Some(child) = held.filter(|held| choice.is_none_or(|choice| choice.child != *held)) {
            context.revoke(child);
            self.serving = None;
        }
        match (choice, context.own(OWN)) {
            (None, VpState::Waiting) | (Some(_), VpState::Ready) => {}
            (None, _) => context.release(OWN),
            (Some(_), VpState::Waiting) => context.request(OWN),
            (Some(choice), VpState::Running(_)) => self.serve(choice, context),
        }
        let mut due = self.starts.peek().map(|(at, _)| at);
        let mut sooner = |at: Instant| due = Some(due.map_or(at, |due| due.min(at)));
        self.present.into_iter().for_each(|(_, end)| sooner(end));
        self.constraints.first_deadline().into_iter().for_each(&mut sooner);
        if let Some((Choice { reserved, constraint: Some((place, _)), .. }, _)) = self.serving {
            sooner(now.saturating_add(self.constraints.left(place, reserved)));
        }
        context.set_timer(TURN, due);
    }

    /// Runs the chosen child and notifies it of the constraint that it serves.
    fn serve(&mut self, choice: Choice, context: &mut Context<'_>) {
        let deadline = |choice: &Choice| choice.constraint.map(|(_, deadline)| deadline);
        let known = self.serving.map(|(before, _)| deadline(&before));
        if known != Some(deadline(&choice)) {
            context.notify_child(choice.child, ParentNotice::Constrained(deadline(&choice)));
        }
        if context.held_by(OWN).is_none() {
            context.grant(choice.child, OWN);
        }
        self.serving = Some((choice, context.now()));
    }

    /// Begins or changes a reservation.
    fn reserve(&mut self, child: ChildVp, size: (Span, Span), context: &Context<'_>) -> Answer {
        let (amount, period) = size;
        if amount.is_zero() || amount > period {
            return Err(AnswerError::OutOfRange {
                what: "amount",
                allowed: "above zero, at most the period",
            });
        }
        let now = context.now();
        let others = (0_u32..).zip(&self.blocks).filter(|(slot, _)| *slot != child.0);
        let others = others.filter_map(|(_, block)| *block);
        // Accepted constraints rely on the time until their deadlines.
        let from = self.constraints.last_deadline().unwrap_or(now);
        let Some(block) = Block::place(size, from, others.clone()) else {
            let share = |block: Block| block.amount.over(block.period);
            let taken = others.map(share).try_fold(Ratio::ZERO, |sum, one| sum.checked_add(one?));
            let left = taken.and_then(|taken| Ratio::ONE.checked_sub(taken));
            return Err(match (amount.over(period), left) {
                (Some(requested), Some(left)) if requested > left => {
                    AnswerError::NoRoom { requested, left }
                }
                _ => AnswerError::NoPlace { amount, period },
            });
        };
        self.leave(child);
        self.blocks[child.index()] = Some(block);
        if context.child(child) != VpState::Waiting {
            self.enter(child, now);
        }
        Ok(())
    }
}

impl Scheduler for State {
    fn timers(&self, _: usize) -> usize {
        1
    }

    fn init(&mut self, _: &mut Context<'_>) {}

    fn register(&mut self, child: ChildVp, _: &mut Context<'_>) -> Answer {
        self.starts.reserve(child.index() + 1);
        slots::put(&mut self.blocks, child, None);
        Ok(())
    }

    fn unregister(&mut self, child: ChildVp, context: &mut Context<'_>) {
        self.catch_up(context.now());
        self.constraints.forget(child);
        self.blocks[child.index()] = None;
        self.leave(child);
        self.steer(context);
    }

    fn request(&mut self, child: ChildVp, context: &mut Context<'_>) {
        self.enter(child, context.now());
        self.steer(context);
    }

    fn release(&mut self, child: ChildVp, held: Option<OwnVp>, context: &mut Context<'_>) {
        self.catch_up(context.now());
        if held.is_some() {
            self.serving = None;
        }
        self.leave(child);
        self.steer(context);
    }

    fn message(
        &mut self,
        child: Option<ChildVp>,
        message: Message,
        context: &mut Context<'_>,
    ) -> Answer {
        let now = context.now();
        self.catch_up(now);
        let answer = match (child, message) {
            (Some(child), Message::Reserve { amount, period }) => {
                self.reserve(child, (amount, period), context)
            }
            (Some(child), Message::Unreserve) => {
                self.blocks[child.index()] = None;
                self.leave(child);
                Ok(())
            }
            (Some(child), _) if let Some((work, deadline)) = read_constraint(message) => {
                let own = self.blocks[child.index()];
                let blocks = self.blocks.iter().flatten();
                let accepted = self.constraints.accept((child, own), (work, deadline), blocks, now);
                if let (Ok(place), Some((choice, _))) = (&accepted, &mut self.serving)
                    && let Some((served, _)) = &mut choice.constraint
                    && *served >= *place
                {
                    *served += 1;
                }
                accepted.map(|_| ())
            }
            _ => Err(AnswerError::NotUnderstood { message: message.name(), takes: TAKES }),
        };
        self.steer(context);
        answer
    }

    fn grant(&mut self, _: OwnVp, context: &mut Context<'_>) {
        self.steer(context);
    }

    fn revoke(&mut self, _: OwnVp, child: ChildVp, context: &mut Context<'_>) {
        self.catch_up(context.now());
        context.revoke(child);
        self.serving = None;
        self.steer(context);
    }

    fn timer(&mut self, _: TimerId, context: &mut Context<'_>) {
        self.steer(context);
    }

    fn next(&self, own: OwnVp, view: &View<'_>) -> Option<ChildVp> {
        let held = view.held_by(own);
        let waits = |child| held == Some(child) || view.child(child) == VpState::Waiting;
        self.choose(waits).map(|choice| choice.child)
    }

    fn check(&self, view: &View<'_>) -> Result<(), &'static str> {
        let choice = self.choose(|child| view.child(child) == VpState::Waiting);
        if choice.is_some() != (view.own(OWN) != VpState::Waiting) {
            return Err("its processor is not asked for, or asked for nobody");
        }
        if view.held_by(OWN).is_some_and(|held| choice.is_none_or(|choice| choice.child != held)) {
            return Err("another runs than the plan says");
        }
        let follows = |child: &ChildVp| {
            let reserved = self.blocks.get(child.index()).copied().flatten().is_some();
            (reserved && view.child(*child) != VpState::Waiting) == self.starts.contains(child.0)
        };
        if !view.children().all(|child| follows(&child)) {
            return Err("the blocks of a child are not followed, or of one that waits");
        }
        Ok(())
    }
}
