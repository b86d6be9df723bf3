//! Limit: one child, which gets at most an amount of processor time in each period.
//!
//! Takes    any guarantee that leaves a least amount in the cap's period.
//! Gives    RESBH x y if the cap is x in y and its own guarantee leaves x in any interval of y; if it leaves less,
//!          RESBS with that amount. Without a cap, its own guarantee.
//! Admits   one child.
//! Assumes  one processor: it never requests further own VPs.
//! Costs    O(1) per event; one timer while the child runs or waits for its next period.
//! Ties     none.
//! Source   HLS 5.3.1.3. Difference: RESBS x y yields RESBH x y only if the periods of both schedulers begin
//!          together; otherwise RESBH x (2y - x).
//! Checked  laws, `tests/all/limit.rs`.
//!
//! The cap comes from the settings, or from the child's `reserve`, which replaces it and begins a period; without a
//! cap nothing is limited. Periods follow each other without gaps. When the child has received its amount, the
//! processor is released, and requested again when the next period begins. An overrun through a coarse timer is not
//! taken from the next period.

use crate::catalogue::{Kind, Properties, SettingError};
use crate::parameters::RESERVE;
use crate::parts::reservation::Reservation;
use alloc::boxed::Box;
use alloc::format;
use alloc::vec::Vec;
use windfall_guarantees::{
    ChildParam, ChildParams, Conversion, Guarantee, Length, Offer, Supply, Type, least,
};
use windfall_hierarchy::{
    Answer, AnswerError, ChildVp, Context, Message, Note, OwnVp, Scheduler, TimerId, View, VpState,
};
use windfall_time::{Instant, Span};

const TAKES: &str = "reserve, unreserve; job and periodic, for its parent";
const OWN: OwnVp = OwnVp(0);
/// Fires at the end of the budget while the child runs, at the end of the period while it must not run.
const TURN: TimerId = TimerId(0);

settings! { Limit, "limit.rs":
    /// processor time in each period, at most the period; without it, no limit
    amount: Option<Span>,
    /// length of a period; goes with `amount`
    period: Option<Span>,
}

pub(crate) const KIND: Kind = Limit::kind(
    "limit",
    "one child, which gets at most an amount of processor time in each period",
    |settings| Ok(Box::new(State::new(Limit::read(settings).cap()?))),
)
.with_parameters(&[&RESERVE])
.with_properties(Properties {
    passes_on: true,
    one_child: true,
    holds_back: true,
    ..Properties::NONE
})
.with_conversion(|settings| {
    Ok(Box::new(Capped { cap: Limit::read(settings).cap()?, tick: Length::ZERO }))
});

impl Limit {
    /// The amount and period of the cap, if the settings have one.
    fn cap(&self) -> Result<Option<(Span, Span)>, SettingError> {
        match (self.amount, self.period) {
            (None, None) => Ok(None),
            (Some(amount), Some(period)) if amount <= period => Ok(Some((amount, period))),
            (Some(amount), Some(_)) => {
                Err(SettingError::value("amount", amount, "at most the period"))
            }
            (Some(amount), None) => {
                Err(SettingError::value("amount", amount, "only with `period`"))
            }
            (None, Some(period)) => {
                Err(SettingError::value("period", period, "only with `amount`"))
            }
        }
    }
}

/// The conversion: the least that its own guarantee leaves in any interval of the cap's period, up to the cap.
#[derive(Clone)]
struct Capped {
    cap: Option<(Span, Span)>,
    /// The most by which its timers may be late.
    tick: Length,
}

impl Conversion for Capped {
    fn takes(&self) -> &'static [Type] {
        &[]
    }

    fn parameter_for(&self, requested: &Guarantee) -> Result<ChildParam, &'static str> {
        match requested {
            Guarantee::BasicHard(amount, period) => {
                // The parameters are the nearest whole nanoseconds, because no other cap gives exactly this
                // guarantee.
                match (amount.to_span(), period.to_span()) {
                    (Some(amount), Some(period)) => Ok(ChildParam::Reserve { amount, period }),
                    _ => Err("it gives `RESBH x y` of whole nanoseconds"),
                }
            }
            _ => Ok(ChildParam::Nothing),
        }
    }

    fn at_ticks(&mut self, tick: Span) -> bool {
        self.tick = tick.into();
        true
    }

    fn give(&self, own: Supply<'_>, children: &[ChildParams]) -> Vec<Offer> {
        let since = own.since(0).filter(|_| self.tick.is_zero());
        let own = own.guarantees.first().copied().unwrap_or(Guarantee::Null);
        let offer = |child: &ChildParams| match child.reserve.or(self.cap) {
            None => Offer::one(own, "without a cap").since(since),
            Some((amount, period)) => {
                // The periods of a cap from the settings begin at time zero.
                let begins =
                    if child.reserve.is_some() { child.since } else { Some(Instant::ZERO) };
                let within = own.in_periods(since, period.into(), begins);
                let offer = self.capped(&own, amount.into(), period.into(), within);
                offer.since(begins.filter(|_| since.is_some()))
            }
        };
        children.iter().map(offer).collect()
    }
}

impl Capped {
    /// `within`: what its own guarantee leaves in each period of the cap, if both are known to begin together.
    fn capped(
        &self,
        own: &Guarantee,
        amount: Length,
        period: Length,
        within: Option<Length>,
    ) -> Offer {
        match within.or_else(|| self.left(own, period)) {
            Some(left) if left >= amount => {
                Offer::one(Guarantee::BasicHard(amount, period), "capped in its own periods")
            }
            Some(left) if !left.is_zero() => {
                Offer::one(Guarantee::BasicSoft(left, period), "below the cap").lacks(format!(
                    "`{own}` leaves {left} in an interval of {period}, less than the cap of \
                     {amount}; lower the amount, or make the period longer"
                ))
            }
            Some(_) => Offer::lacking(format!(
                "`{own}` leaves nothing in some interval of {period}; make the period longer"
            )),
            None => {
                Offer::lacking(format!("`{own}` bounds no interval; a cap needs one that does"))
            }
        }
    }

    /// The amount left in each period. With ticks, a period may begin a tick late and hold a tick less.
    fn left(&self, own: &Guarantee, period: Length) -> Option<Length> {
        let rest = period.checked_sub(self.tick).unwrap_or(Length::ZERO);
        let left = least(own, rest)?;
        Some(left.checked_sub(self.tick).unwrap_or(Length::ZERO))
    }
}

/// The cap, the rest of this period's budget, and the only child.
#[derive(Clone)]
pub(crate) struct State {
    cap: Option<(Span, Span)>,
    budget: Option<Reservation>,
    child: Option<ChildVp>,
}

impl State {
    /// Creates an instance with this cap, an amount in each period.
    #[must_use]
    pub(crate) const fn new(cap: Option<(Span, Span)>) -> State {
        State { cap, budget: None, child: None }
    }

    fn set_cap(&mut self, cap: Option<(Span, Span)>, context: &Context<'_>) {
        let now = context.now();
        self.cap = cap;
        self.budget = cap.map(|(amount, period)| Reservation::new(amount, period, now));
    }

    /// Requests or releases the processor, or sets the timer, as the child and its budget require.
    fn steer(&mut self, context: &mut Context<'_>) {
        let now = context.now();
        let held = context.held_by(OWN);
        let state = self.child.map_or(VpState::Waiting, |child| context.child(child));
        if let Some(budget) = &mut self.budget {
            if held.is_some() {
                budget.charge(now);
            }
            if budget.roll(now) {
                context.note(self.child, Note::Replenished(budget.budget));
            }
        }
        let wanted = state != VpState::Waiting;
        let may = self.budget.is_none_or(|budget| !budget.budget.is_zero());
        if let (Some(child), false) = (held, may) {
            context.revoke(child);
            context.note(Some(child), Note::Exhausted);
        }
        match context.own(OWN) {
            VpState::Waiting if wanted && may => context.request(OWN),
            VpState::Waiting => {}
            _ if !(wanted && may) => context.release(OWN),
            _ => {}
        }
        let due = self.budget.filter(|_| wanted).map(|budget| match (may, held) {
            (true, None) => None,
            (true, Some(_)) => Some(now.saturating_add(budget.budget).min(budget.end)),
            (false, _) => Some(budget.end),
        });
        context.set_timer(TURN, due.flatten());
    }
}

impl Scheduler for State {
    fn timers(&self, _: usize) -> usize {
        1
    }

    fn init(&mut self, context: &mut Context<'_>) {
        self.set_cap(self.cap, context);
    }

    fn register(&mut self, child: ChildVp, _: &mut Context<'_>) -> Answer {
        if self.child.is_some() {
            return Err(AnswerError::Full { limit: "a limit has one child" });
        }
        self.child = Some(child);
        Ok(())
    }

    fn unregister(&mut self, _: ChildVp, _: &mut Context<'_>) {
        self.child = None;
    }

    fn request(&mut self, _: ChildVp, context: &mut Context<'_>) {
        self.steer(context);
    }

    fn release(&mut self, _: ChildVp, held: Option<OwnVp>, context: &mut Context<'_>) {
        if let (Some(budget), Some(_)) = (&mut self.budget, held) {
            budget.charge(context.now());
        }
        self.steer(context);
    }

    fn message(
        &mut self,
        child: Option<ChildVp>,
        message: Message,
        context: &mut Context<'_>,
    ) -> Answer {
        match (child, message) {
            (_, Message::Reserve { amount, period }) => {
                if amount.is_zero() || amount > period {
                    return Err(AnswerError::OutOfRange {
                        what: "amount",
                        allowed: "above zero, at most the period",
                    });
                }
                self.set_cap(Some((amount, period)), context);
                self.steer(context);
                Ok(())
            }
            (_, Message::Unreserve) => {
                self.set_cap(None, context);
                self.steer(context);
                Ok(())
            }
            (Some(_), Message::Job { .. } | Message::Periodic { .. }) => {
                context.message(OWN, message);
                Ok(())
            }
            _ => Err(AnswerError::NotUnderstood { message: message.name(), takes: TAKES }),
        }
    }

    fn grant(&mut self, own: OwnVp, context: &mut Context<'_>) {
        let child = self.child.filter(|child| context.child(*child) == VpState::Ready);
        let Some(child) = child else {
            return context.release(own);
        };
        context.grant(child, own);
        if let Some(budget) = &mut self.budget {
            // A period that ended while the child was ready did not use its budget.
            budget.roll(context.now());
            budget.since = context.now();
        }
        self.steer(context);
    }

    fn revoke(&mut self, _: OwnVp, child: ChildVp, context: &mut Context<'_>) {
        if let Some(budget) = &mut self.budget {
            budget.charge(context.now());
            context.note(Some(child), Note::Budget(budget.budget));
        }
        context.revoke(child);
        self.steer(context);
    }

    fn timer(&mut self, _: TimerId, context: &mut Context<'_>) {
        self.steer(context);
    }

    fn next(&self, _: OwnVp, view: &View<'_>) -> Option<ChildVp> {
        let may = self.budget.is_none_or(|budget| !budget.budget.is_zero());
        self.child.filter(|child| may && view.child(*child) == VpState::Ready)
    }

    fn check(&self, view: &View<'_>) -> Result<(), &'static str> {
        if !view.children().eq(self.child) {
            return Err("the child is not the one that was registered");
        }
        let state = self.child.map_or(VpState::Waiting, |child| view.child(child));
        let may = self.budget.is_none_or(|budget| !budget.budget.is_zero());
        let requested = view.own(OWN) != VpState::Waiting;
        if requested != (may && state != VpState::Waiting) {
            return Err("its parent is not asked, or asked although the budget is used up");
        }
        Ok(())
    }
}
