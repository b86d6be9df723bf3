//! Join: one child, served whenever any of several parents grants a processor.
//!
//! Takes    any guarantee from each of its parents, one own VP each, numbered from 0.
//! Gives    the guarantee of its last parent, in its soft form, to its only child. If all parents serve from one
//!          processor: the guarantee of any parent; and reservations and shares add up.
//! Admits   one child.
//! Assumes  on one processor, nothing. On several, a grant of a lower-numbered parent may be given back at once,
//!          which uses up that parent's turn: nothing follows from its guarantee.
//! Costs    O(parents) per event; no timer but immediate ones.
//! Ties     of the parents that grant, the one of the highest number serves.
//! Source   HLS 5.3.1.2, 9.3.4. Difference: sums of basic reservations whose periods begin at different times.
//! Checked  laws, `tests/all/join.rs`, `hierarchy/tests/random.rs`.
//!
//! When the child becomes ready, all parents are requested, the highest number first, each after the answer of the
//! one before; no request changes until the child waits. So for each parent the join is runnable exactly as long as
//! the child is, and its guarantee counts in full. If a second parent grants on another processor, the one of the
//! higher number keeps the child; the other gets its processor back at once, and is requested again when the child
//! has no processor. The child's messages about its jobs go to all parents; laxity that one of
//! these moves (`ports`) is the child's. Parameters concern only the join and
//! each parent (`send_for` with the own VP's number).

use crate::catalogue::{Kind, Properties};
use crate::join::passes_on;
use crate::parameters::CONSTRAINT;
use crate::parts::long_run;
use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;
use windfall_guarantees::{
    Allowance, ChildParam, ChildParams, Conversion, Given, Guarantee, Length, Offer, Supply, Type,
    form, least,
};
use windfall_hierarchy::{
    Answer, AnswerError, ChildVp, Context, Message, OwnVp, ParentNotice, Scheduler, TimerId, View,
    VpState,
};
use windfall_time::Span;

const TAKES: &str = "job, periodic and constraint, for its parents; ask these for anything else";

settings! { Join, "join.rs": }

pub(crate) const KIND: Kind =
    Join::kind("join", "one child, served whenever any of several parents serves it", |_| {
        Ok(Box::new(State::new()))
    })
    .with_parameters(&[&CONSTRAINT])
    .with_properties(Properties {
        passes_on: true,
        joins: true,
        one_child: true,
        adds_up: true,
        least_parents: 2,
        holds_back: true,
        ..Properties::NONE
    })
    .with_conversion(|_| Ok(Box::new(Sums::default())));

/// Soft forms of the parents' guarantees, and their sums.
#[derive(Clone, Default)]
struct Sums {
    /// Whether each guarantee may fall short by nearly a tick, so that a sum may fall short by several.
    ticks: bool,
}

impl Conversion for Sums {
    fn takes(&self) -> &'static [Type] {
        &[]
    }

    fn parameter_for(&self, _: &Guarantee) -> Result<ChildParam, &'static str> {
        Ok(ChildParam::Nothing)
    }

    fn at_ticks(&mut self, _: Span) -> bool {
        self.ticks = true;
        true
    }

    fn give(&self, own: Supply<'_>, children: &[ChildParams]) -> Vec<Offer> {
        let gives: Vec<Given> = if own.on_one {
            let soft =
                own.guarantees.iter().enumerate().map(|(at, one)| {
                    Given::new(one.soft(), "soft form of one").since(own.since(at))
                });
            let sums = if self.ticks { Vec::new() } else { sums(own) };
            soft.chain(sums).collect()
        } else {
            let last = own.guarantees.last().copied().into_iter();
            last.map(|own| Given::new(own.soft(), "soft form of the last")).collect()
        };
        vec![Offer::all(gives); children.len()]
    }

    fn behind(
        &self,
        own: Supply<'_>,
        behind: &[Allowance],
        children: &[ChildParams],
    ) -> Option<Vec<Allowance>> {
        let last = behind.len().saturating_sub(1);
        let counts = if own.on_one { behind } else { behind.get(last..)? };
        let all = counts.iter().copied().try_fold(Allowance::ZERO, Allowance::checked_add)?;
        Some(vec![all; children.len()])
    }
}

/// The sums of services that never overlap.
///
/// Within the periods of one reservation, the others add what they leave in any interval of that length, because
/// their own periods may begin at any time. If periods are known to begin together, the others add all that they
/// have.
fn sums(supply: Supply<'_>) -> Vec<Given> {
    let own = supply.guarantees;
    let bounds = own.iter().filter(|own| least(own, Length::ZERO).is_some());
    if bounds.filter(|own| **own != Guarantee::Null).count() < 2 {
        return shares(own).into_iter().collect();
    }
    let within = |window: Length| {
        own.iter().filter_map(|own| least(own, window)).try_fold(Length::ZERO, Length::checked_add)
    };
    let mut gives = Vec::new();
    for (at, one) in own.iter().enumerate() {
        let anchored = one.soft();
        let Some((amount, period)) = anchored.reservation() else { continue };
        let begins = supply.since(at);
        let in_its_periods = |(number, own): (usize, &Guarantee)| {
            own.in_periods(supply.since(number), period, begins).or_else(|| least(own, period))
        };
        let others = own.iter().enumerate().filter(|(number, _)| *number != at);
        let others = others.filter_map(in_its_periods).try_fold(Length::ZERO, Length::checked_add);
        let others = others.filter(|others| !others.is_zero());
        if let Some(amount) = others.and_then(|others| others.checked_add(amount)) {
            let sum = Given::new(Guarantee::BasicSoft(amount, period), "sum within its periods");
            gives.push(sum.since(begins));
        }
        let window = form(&anchored, Type::Rescs);
        let window =
            window.and_then(|steps| steps.last().map_or(Some(anchored), |s| Some(s.gives)));
        if let Some((_, window)) = window.and_then(|continuous| continuous.reservation())
            && let Some(amount) = within(window)
        {
            gives
                .push(Given::new(Guarantee::ContinuousSoft(amount, window), "sum in any interval"));
        }
    }
    gives.extend(bounded(own));
    gives.extend(shares(own));
    gives
}

/// The sum of bounded shares: shares and errors add up.
fn bounded(own: &[Guarantee]) -> Option<Given> {
    let (mut share, mut error) = (windfall_time::Ratio::ZERO, Length::ZERO);
    for own in own {
        let steps = form(own, Type::Psbe);
        let bound = steps.map(|steps| steps.last().map_or(*own, |step| step.gives));
        if let Some(Guarantee::BoundedShare(s, d)) = bound {
            (share, error) = (share.checked_add(s)?, error.checked_add(d)?);
        }
    }
    (!share.is_zero()).then(|| Given::new(Guarantee::BoundedShare(share, error), "sum of shares"))
}

/// The sum of shares in the long run.
fn shares(own: &[Guarantee]) -> Option<Given> {
    let sum = long_run::supply(own)?;
    (!sum.is_zero()).then(|| Given::new(Guarantee::Share(sum), "sum of shares"))
}

/// The only child, and the parents that are still to be requested for it.
#[derive(Clone, Default)]
pub(crate) struct State {
    child: Option<ChildVp>,
    /// Number of parents, from 0 on, that are still to be requested since the child became ready or last lost its
    /// processor. If two parents served at once, those below them are not requested.
    left: u16,
}

impl State {
    /// Creates an instance without a child.
    #[must_use]
    pub(crate) fn new() -> State {
        State::default()
    }

    /// Requests the highest parent that is not requested yet, and sets a timer to continue with the next one.
    fn update_requests(&mut self, context: &mut Context<'_>) {
        while let Some(own) = self.left.checked_sub(1).map(OwnVp) {
            self.left = own.0;
            if context.own(own) == VpState::Waiting {
                context.request(own);
                break;
            }
        }
        if self.left > 0 {
            context.set_timer(ANSWERED, Some(context.now()));
        }
    }

    /// Requests all parents that are not requested, beginning with the highest.
    fn request_all(&mut self, context: &mut Context<'_>) {
        self.left = u16::try_from(context.owns()).expect("own VPs are numbered by 16 bits");
        self.update_requests(context);
    }
}

/// The own VPs, the highest first, so that the preferred parent is requested first.
fn own_vps(owns: usize) -> impl Iterator<Item = OwnVp> {
    (0..u16::try_from(owns).expect("own VPs are numbered by 16 bits")).rev().map(OwnVp)
}

/// Fires when the answer to a request is known.
const ANSWERED: TimerId = TimerId(0);

impl Scheduler for State {
    fn timers(&self, _: usize) -> usize {
        1
    }

    fn init(&mut self, _: &mut Context<'_>) {}

    fn own_added(&mut self, _: OwnVp, context: &mut Context<'_>) -> Answer {
        if self.child.is_some_and(|child| context.child(child) != VpState::Waiting) {
            self.request_all(context);
        }
        Ok(())
    }

    fn register(&mut self, child: ChildVp, _: &mut Context<'_>) -> Answer {
        if self.child.is_some() {
            return Err(AnswerError::Full { limit: "a join has one child" });
        }
        self.child = Some(child);
        Ok(())
    }

    fn unregister(&mut self, _: ChildVp, _: &mut Context<'_>) {
        self.child = None;
    }

    fn request(&mut self, _: ChildVp, context: &mut Context<'_>) {
        self.request_all(context);
    }

    fn release(&mut self, _: ChildVp, _: Option<OwnVp>, context: &mut Context<'_>) {
        for own in own_vps(context.owns()) {
            if context.own(own) != VpState::Waiting {
                context.release(own);
            }
        }
    }

    fn message(
        &mut self,
        child: Option<ChildVp>,
        message: Message,
        context: &mut Context<'_>,
    ) -> Answer {
        match (child, message) {
            (Some(_), _) if passes_on(message) => {
                for own in own_vps(context.owns()) {
                    context.message(own, message);
                }
                Ok(())
            }
            _ => Err(AnswerError::NotUnderstood { message: message.name(), takes: TAKES }),
        }
    }

    fn grant(&mut self, own: OwnVp, context: &mut Context<'_>) {
        let Some(child) = self.child else {
            return context.release(own);
        };
        let Some(serving) = context.held_through(child) else {
            return match context.child(child) {
                VpState::Ready => context.grant(child, own),
                _ => context.release(own),
            };
        };
        // Two parents serve at once, so there are several processors: the lower parent has had its turn.
        self.left = 0;
        if serving < own {
            context.revoke(child);
            context.release(serving);
            context.grant(child, own);
        } else {
            context.release(own);
        }
    }

    fn revoke(&mut self, _: OwnVp, child: ChildVp, context: &mut Context<'_>) {
        context.revoke(child);
        self.request_all(context);
    }

    fn parent_notice(&mut self, _: OwnVp, notice: ParentNotice, context: &mut Context<'_>) {
        if let (ParentNotice::Moved { .. }, Some(child)) = (notice, self.child) {
            context.notify_child(child, notice);
        }
    }

    fn timer(&mut self, _: TimerId, context: &mut Context<'_>) {
        if self.child.is_some_and(|child| context.child(child) != VpState::Waiting) {
            self.update_requests(context);
        }
    }

    fn next(&self, _: OwnVp, view: &View<'_>) -> Option<ChildVp> {
        self.child.filter(|child| view.child(*child) == VpState::Ready)
    }

    fn check(&self, view: &View<'_>) -> Result<(), &'static str> {
        if !view.children().eq(self.child) {
            return Err("the child is not the one that was registered");
        }
        let serving = own_vps(view.owns()).find(|own| view.held_by(*own).is_some());
        let state = self.child.map_or(VpState::Waiting, |child| view.child(child));
        for own in own_vps(view.owns()) {
            let right = match state {
                VpState::Waiting => view.own(own) == VpState::Waiting,
                VpState::Ready => view.own(own) == VpState::Ready,
                VpState::Running(_) if Some(own) > serving => view.own(own) == VpState::Ready,
                VpState::Running(_) if Some(own) < serving => {
                    !matches!(view.own(own), VpState::Running(_))
                }
                VpState::Running(_) => true,
            };
            if !right {
                return Err("a parent is not asked, or asked for nobody");
            }
        }
        Ok(())
    }
}
