//! Overrun: one child, served by its reservation, and by a partition only when the reservation is used up.
//!
//! Takes    a reservation from its parent 0, which notifies it when the budget is used up and when a period
//!          begins; any guarantee from the others, the overrun partition.
//! Gives    the guarantee of parent 0 in its soft form; of a reservation of x in y also RESPS x y z if
//!          `partition` says that the partition has z in y. Of z only a chance follows.
//! Admits   one child.
//! Assumes  the notices of parent 0 are true; without notices the partition is never used.
//! Costs    O(parents) per event; no timer but immediate ones.
//! Ties     parent 0 before all others, then the one of the higher number.
//! Source   HLS 6.2.2, figure 6.4; Chu and Nahrstedt 1999 (CPU service classes).
//! Checked  laws, `tests/all/overrun.rs`, `scenarios/probabilistic.toml`.
//!
//! Parent 0 is requested as long as the child is runnable, and serves whenever it grants: so its guarantee holds
//! whatever the partition does. The partition is requested from the moment that the budget is used up until the next
//! period begins, and not when the reservation scheduler only serves a more urgent child. The scheduler of the
//! partition decides how those that overrun share it; EDF makes it most likely that they meet their deadlines.

use crate::catalogue::{Kind, Properties};
use crate::join::passes_on;
use crate::parameters::CONSTRAINT;
use alloc::boxed::Box;
use alloc::format;
use alloc::vec::Vec;
use windfall_guarantees::{
    ChildParam, ChildParams, Conversion, Given, Guarantee, Length, Offer, Supply, Type,
};
use windfall_hierarchy::{
    Answer, AnswerError, ChildVp, Context, Message, OwnVp, ParentNotice, Scheduler, TimerId, View,
    VpState,
};
use windfall_time::Span;

const TAKES: &str = "job, periodic and constraint, for its parents; ask these for anything else";
/// The own VP of the reservation.
const RESERVED: OwnVp = OwnVp(0);
/// Fires when the answer to a request is known.
const ANSWERED: TimerId = TimerId(0);

settings! { Overrun, "overrun.rs":
    /// the overrun partition's amount in each period of the reservation; only for `RESPS`
    partition: Option<Span>,
}

pub(crate) const KIND: Kind = Overrun::kind(
    "overrun",
    "one child, served by a partition when its reservation is used up",
    |_| Ok(Box::new(State::new())),
)
.with_parameters(&[&CONSTRAINT])
.with_properties(Properties {
    passes_on: true,
    joins: true,
    one_child: true,
    holds_back: true,
    ..Properties::NONE
})
.with_conversion(|settings| Ok(Box::new(Chance(Overrun::read(settings).partition))));

/// The conversion `RESBH x y, any -> RESPS x y z`, with z.
#[derive(Clone)]
struct Chance(Option<Span>);

impl Conversion for Chance {
    fn takes(&self) -> &'static [Type] {
        &[]
    }

    fn parameter_for(&self, _: &Guarantee) -> Result<ChildParam, &'static str> {
        Ok(ChildParam::Nothing)
    }

    fn give(&self, own: Supply<'_>, children: &[ChildParams]) -> Vec<Offer> {
        let own = own.guarantees.first().copied().unwrap_or(Guarantee::Null).soft();
        let mut offer = Offer::one(own, "its reservation, soft");
        let overrun = self.0.map_or(Length::ZERO, Length::from);
        match own.reservation() {
            Some((_, period)) if overrun > period => {
                offer.lacks = Some(format!(
                    "a partition of {overrun} is more than the period of {period}; say what it has in \
                     each period"
                ));
            }
            Some((amount, period)) if !overrun.is_zero() => {
                let guarantee = Guarantee::Probabilistic(amount, period, overrun);
                let by = "its reservation, and a chance of the partition";
                offer.gives.push(Given::new(guarantee, by));
            }
            Some(_) => {}
            None => {
                offer.lacks = Some(format!("`{own}` is no reservation; its first parent needs one"))
            }
        }
        children.iter().map(|_| offer.clone()).collect()
    }
}

/// The only child, and whether it is served by its reservation or by the partition.
#[derive(Clone, Default)]
pub(crate) struct State {
    child: Option<ChildVp>,
    /// Whether the budget is used up.
    spent: bool,
}

impl State {
    /// Creates an instance without a child.
    #[must_use]
    pub(crate) fn new() -> State {
        State::default()
    }

    /// Requests the highest parent of the partition that is not requested yet and ranks above the one that serves
    /// the child. Unless it grants, the next one follows later.
    fn request_next(&self, child: ChildVp, context: &mut Context<'_>) {
        let serving = context.held_through(child);
        if !self.spent || serving == Some(RESERVED) {
            return;
        }
        let mut waiting = partition_vps(context.owns())
            .take_while(|own| Some(*own) > serving)
            .filter(|own| context.own(*own) == VpState::Waiting);
        let (first, more) = (waiting.next(), waiting.next().is_some());
        if let Some(own) = first {
            context.request(own);
        }
        if more {
            context.set_timer(ANSWERED, Some(context.now()));
        }
    }

    /// Withdraws all requests to the partition.
    fn leave(context: &mut Context<'_>) {
        for own in partition_vps(context.owns()) {
            if let Some(child) = context.held_by(own) {
                context.revoke(child);
            }
            if context.own(own) != VpState::Waiting {
                context.release(own);
            }
        }
    }

    /// The child, if it is runnable.
    fn runnable(&self, context: &Context<'_>) -> Option<ChildVp> {
        self.child.filter(|child| context.child(*child) != VpState::Waiting)
    }
}

/// The own VPs of the partition, the highest first.
fn partition_vps(owns: usize) -> impl Iterator<Item = OwnVp> {
    (1..u16::try_from(owns).expect("own VPs are numbered by 16 bits")).rev().map(OwnVp)
}

impl Scheduler for State {
    fn timers(&self, _: usize) -> usize {
        1
    }

    fn init(&mut self, _: &mut Context<'_>) {}

    fn register(&mut self, child: ChildVp, _: &mut Context<'_>) -> Answer {
        if self.child.is_some() {
            return Err(AnswerError::Full { limit: "an overrun join has one child" });
        }
        self.child = Some(child);
        Ok(())
    }

    fn unregister(&mut self, _: ChildVp, _: &mut Context<'_>) {
        self.child = None;
    }

    fn request(&mut self, _: ChildVp, context: &mut Context<'_>) {
        // The parent says again that the budget is used up when it receives the request.
        self.spent = false;
        context.request(RESERVED);
    }

    fn release(&mut self, _: ChildVp, _: Option<OwnVp>, context: &mut Context<'_>) {
        Self::leave(context);
        if context.own(RESERVED) != VpState::Waiting {
            context.release(RESERVED);
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
                context.message(RESERVED, message);
                for own in partition_vps(context.owns()) {
                    context.message(own, message);
                }
                Ok(())
            }
            _ => Err(AnswerError::NotUnderstood { message: message.name(), takes: TAKES }),
        }
    }

    fn grant(&mut self, own: OwnVp, context: &mut Context<'_>) {
        let Some(child) = self.runnable(context) else {
            return context.release(own);
        };
        match context.held_through(child) {
            None => context.grant(child, own),
            Some(serving) if own == RESERVED || serving != RESERVED && serving < own => {
                context.revoke(child);
                context.release(serving);
                context.grant(child, own);
            }
            Some(_) => context.release(own),
        }
    }

    fn revoke(&mut self, _: OwnVp, child: ChildVp, context: &mut Context<'_>) {
        context.revoke(child);
        self.request_next(child, context);
    }

    fn parent_notice(&mut self, own: OwnVp, notice: ParentNotice, context: &mut Context<'_>) {
        match notice {
            ParentNotice::Exhausted if own == RESERVED && !self.spent => {
                self.spent = true;
                if let Some(child) = self.runnable(context) {
                    self.request_next(child, context);
                }
            }
            ParentNotice::Replenished { .. } if own == RESERVED => {
                self.spent = false;
                Self::leave(context);
            }
            _ => {}
        }
    }

    fn timer(&mut self, _: TimerId, context: &mut Context<'_>) {
        if let Some(child) = self.runnable(context) {
            self.request_next(child, context);
        }
    }

    fn next(&self, _: OwnVp, view: &View<'_>) -> Option<ChildVp> {
        self.child.filter(|child| view.child(*child) == VpState::Ready)
    }

    fn check(&self, view: &View<'_>) -> Result<(), &'static str> {
        if !view.children().eq(self.child) {
            return Err("the child is not the one that was registered");
        }
        let state = self.child.map_or(VpState::Waiting, |child| view.child(child));
        let requested = view.own(RESERVED) != VpState::Waiting;
        if requested != (state != VpState::Waiting) {
            return Err("the reservation is not asked, or asked for nobody");
        }
        let mut partition = partition_vps(view.owns()).map(|own| view.own(own));
        match state {
            VpState::Ready if self.spent => {
                let all = partition.all(|own| own == VpState::Ready);
                if all { Ok(()) } else { Err("the budget is used up and the partition not asked") }
            }
            VpState::Running(_) if self.spent => Ok(()),
            _ => {
                let none = partition.all(|own| own == VpState::Waiting);
                if none { Ok(()) } else { Err("the partition is asked within the reservation") }
            }
        }
    }
}
