//! All that an instance holds: the supply of its parents, and laxity that was moved to it (PORTS 2.5, decision 0034).
//!
//! Invariant: the time of the supply is at most [`Holding::at`] and, while all of it holds, at least [`Holding::least`].

use super::rate::Rate;
use alloc::vec::Vec;
use windfall_hierarchy::ParentNotice;
use windfall_time::{Instant, Span};

/// Laxity that a giver moves: what passes of its supply's time from a place on, until the work is complete.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Moved {
    /// The giver's.
    pub(super) rate: Rate,
    /// A place on the giver's time.
    pub(super) from: Instant,
    pub(super) work: Span,
}

impl Moved {
    /// Reads a notice; `None` if it ends an earlier move.
    pub(super) fn of(notice: ParentNotice) -> Option<Moved> {
        let ParentNotice::Moved { work, from, amount, period, latency } = notice else {
            return None;
        };
        let rate = Rate::new(amount, period, latency, false).filter(|_| !work.is_zero())?;
        Some(Moved { rate, from, work })
    }

    /// The notice that says so.
    pub(super) const fn notice(self) -> ParentNotice {
        let Moved { rate: Rate { line, .. }, from, work } = self;
        let (amount, period, latency) = (line.amount(), line.period(), line.latency());
        ParentNotice::Moved { work, from, amount, period, latency }
    }

    /// The part that lies before a place.
    fn before(&self, place: Instant) -> Span {
        place.saturating_since(self.from).min(self.work)
    }

    /// The part that has passed by a deadline, if the giver's supply holds.
    fn until_deadline(&self, deadline: Instant) -> Span {
        self.before(self.rate.line.place(deadline))
    }

    /// By then all of it has passed, if the giver's supply holds.
    fn until(&self) -> Instant {
        self.rate.deadline(self.from.saturating_add(self.work))
    }
}

/// The same for the receiver, who cannot know whether what it received was this or its own supply.
#[derive(Clone, Copy, Debug)]
pub(super) struct Coming {
    moved: Moved,
    /// The most that can have been received of it, or have passed while nobody could receive it.
    passed: Span,
}

impl Coming {
    /// The part that would have passed by a deadline.
    pub(super) fn until(&self, deadline: Instant) -> Span {
        self.moved.until_deadline(deadline)
    }
}

/// A supply, and what was moved to it. Empty, it can promise nothing.
#[derive(Clone, Default, Debug)]
pub(super) struct Holding {
    rate: Option<Rate>,
    /// Whether places are by all that is sure to be received, and not by the line alone (decision 0037).
    exact: bool,
    /// With `exact`, the time of the supply is what is received: so much more than the most that the line can have passed.
    ahead: Span,
    /// Laxity that was moved to it and has passed, in all.
    past: Span,
    coming: Vec<Coming>,
}

impl Holding {
    /// Nothing.
    pub(super) fn new(exact: bool) -> Holding {
        Holding { exact, ..Holding::default() }
    }

    /// Whether places are by all that is sure to be received.
    pub(super) const fn is_exact(&self) -> bool {
        self.exact
    }

    /// The supply of its parents; `None` if that bounds no window.
    pub(super) const fn rate(&self) -> Option<Rate> {
        self.rate
    }

    /// The instance holds another supply.
    pub(super) const fn hold(&mut self, rate: Option<Rate>) {
        self.rate = rate;
    }

    /// Whether nothing was ever to be had.
    pub(super) fn is_empty(&self) -> bool {
        self.rate.is_none() && self.past.is_zero() && self.coming.is_empty()
    }

    /// Whether it grows with time, and as a line.
    pub(super) fn is_line(&self) -> bool {
        self.rate.is_some() && self.coming.is_empty() && !self.exact
    }

    /// Laxity is moved to it.
    pub(super) fn gain(&mut self, moved: Moved) {
        self.coming.push(Coming { moved, passed: Span::ZERO });
    }

    /// Cancels laxity that was moved to it and has not passed. Returns all of it.
    pub(super) fn cancel(&mut self) -> Vec<Coming> {
        core::mem::take(&mut self.coming)
    }

    /// By then all that was moved to it has passed; `None` if it has.
    pub(super) fn moving_until(&self) -> Option<Instant> {
        self.coming.iter().map(|coming| coming.moved.until()).max()
    }

    /// Laxity that was moved to it and has passed.
    pub(super) const fn past(&self) -> Span {
        self.past
    }

    fn sum(&self, own: impl Fn(Rate) -> Instant, each: impl Fn(&Coming) -> Span) -> Instant {
        let own = self.rate.map_or(Instant::ZERO, own);
        let own = own.saturating_add(self.past).saturating_add(self.ahead);
        self.coming.iter().map(each).fold(own, Instant::saturating_add)
    }

    /// The place of a deadline, rounded down.
    pub(super) fn place(&self, deadline: Instant) -> Instant {
        self.sum(|rate| rate.line.place(deadline), |coming| coming.moved.until_deadline(deadline))
    }

    /// The least that is received from now on until a deadline.
    pub(super) fn least_until(&self, now: Instant, deadline: Instant) -> Span {
        let own = self.rate.map(|rate| rate.least_in(deadline.saturating_since(now)));
        let moved = self
            .coming
            .iter()
            .map(|Coming { moved, passed }| moved.until_deadline(deadline).saturating_sub(*passed));
        moved.fold(own.unwrap_or(Span::ZERO), Span::saturating_add)
    }

    /// The most that the time of the supply can be.
    pub(super) fn at(&self, now: Instant) -> Instant {
        self.sum(|rate| rate.line.position(now), |coming| coming.passed)
    }

    /// The least that the time of the supply can be while the supply holds.
    pub(super) fn least(&self, now: Instant) -> Instant {
        self.sum(
            |rate| rate.line.least_position(now),
            |coming| coming.moved.before(coming.moved.rate.line.least_position(now)),
        )
    }

    /// Brings the time of the supply to `to`. With `exact`, this is never too much.
    pub(super) fn reaches(&mut self, to: Instant, now: Instant) {
        if self.exact {
            self.ahead = self.ahead.saturating_add(to.saturating_since(self.at(now)));
        }
    }

    /// The instance was runnable until now and received so much.
    pub(super) fn passes(&mut self, now: Instant, received: Span) {
        let past = &mut self.past;
        self.coming.retain_mut(|Coming { moved, passed }| {
            let least = moved.before(moved.rate.line.least_position(now));
            *passed = passed.saturating_add(received).min(moved.work).max(least);
            let is_over = least == moved.work;
            if is_over {
                *past = past.saturating_add(moved.work);
            }
            !is_over
        });
    }

    /// The instance was not runnable until now: the giver's time ran for itself.
    pub(super) fn passes_idle(&mut self, now: Instant) {
        for Coming { moved, passed } in &mut self.coming {
            *passed = moved.before(moved.rate.line.position(now)).max(*passed);
        }
        self.passes(now, Span::ZERO);
    }

    /// The earliest deadline with this place or a later one; `None` if it never comes.
    pub(super) fn deadline(&self, place: Instant) -> Option<Instant> {
        let moved = self.coming.iter().map(|coming| coming.moved.work);
        let past = self.past.saturating_add(self.ahead);
        let all = moved.fold(past, Span::saturating_add);
        let own = |rate: Rate, moved: Span| match place.since(Instant::ZERO.saturating_add(moved)) {
            Some(rest) if !rest.is_zero() => rate.deadline(Instant::ZERO.saturating_add(rest)),
            _ => Instant::ZERO,
        };
        // With all that was moved, and with what has passed: it lies between.
        let (low, high) = match (self.rate, self.moving_until()) {
            (Some(rate), None) => return Some(own(rate, past)),
            (Some(rate), Some(_)) => (own(rate, all), own(rate, past)),
            (None, until) if place <= Instant::ZERO.saturating_add(all) => {
                (Instant::ZERO, until.unwrap_or(Instant::ZERO))
            }
            (None, _) => return None,
        };
        Some(low.first_to(high, |at| self.place(at) >= place))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn rate() -> impl Strategy<Value = Rate> {
        let shape = (1_u64..50).prop_flat_map(|y| (1..=y, Just(y), 0_u64..100));
        shape.prop_map(|(amount, period, latency)| {
            let [amount, period, latency] = [amount, period, latency].map(Span::from_nanos);
            Rate::new(amount, period, latency, false).unwrap()
        })
    }

    fn holding() -> impl Strategy<Value = Holding> {
        let moved = (rate(), 0_u64..1_000, 1_u64..300).prop_map(|(rate, from, work)| Moved {
            rate,
            from: Instant::from_nanos(from),
            work: Span::from_nanos(work),
        });
        let all = (proptest::option::of(rate()), prop::collection::vec(moved, 0..3));
        all.prop_map(|(rate, moved)| {
            let mut holding = Holding::default();
            holding.hold(rate);
            moved.into_iter().for_each(|one| holding.gain(one));
            holding
        })
    }

    proptest! {
        #[test]
        fn law_a_deadline_is_the_first_with_its_place_and_time_lies_between_its_bounds(
            mut holding in holding(), place in 0_u64..2_000,
            steps in prop::collection::vec((0_u64..60, 0_u64..60), 1..30),
        ) {
            let place = Instant::from_nanos(place);
            let mut now = 0;
            for (passes, received) in steps {
                now += passes;
                let at = Instant::from_nanos(now);
                holding.passes(at, Span::from_nanos(received.min(passes)));
                prop_assert!(holding.least(at) <= holding.at(at));
                let mut idle = holding.clone();
                idle.passes_idle(at);
                prop_assert!(holding.at(at) <= idle.at(at));
                let end = Instant::from_nanos(1 << 20);
                match holding.deadline(place) {
                    Some(deadline) => {
                        prop_assert!(holding.place(deadline) >= place);
                        let before = deadline.as_nanos().checked_sub(1).map(Instant::from_nanos);
                        prop_assert!(before.is_none_or(|at| holding.place(at) < place) || place == Instant::ZERO);
                    }
                    None => prop_assert!(holding.place(end) < place),
                }
            }
        }
    }
}
