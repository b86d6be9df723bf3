//! The search for the reservation of a multi-threaded application (HLS 6.1.2, figure 6.2).
//!
//! For a period, sufficiency is monotone: a set that meets all deadlines with an amount meets them with a
//! larger one. So the boundary of the figure, the least amount for each period, decides every point
//! of it. Along the periods nothing is monotone: a longer period may take a smaller share, where its
//! blocks happen to end at deadlines. Hence the boundary is computed at each requested period.
//!
//! The knee: the longest period up to whose reservation utilisation costs next to nothing: among
//! those whose least utilisation is within a stated tolerance of the least of all, the longest.
//! The choice: the least utilisation with what switching costs, two switches in every period
//! (to the application and back); among equals the longest period.
//!
//! Absent on purpose: how periods are spread (the caller lists them), and drawing.

use crate::local::Policy;
use crate::{Resource, SupplyError, Task, ToleranceError, UnboundedError};
use core::cmp::Reverse;
use windfall_time::{Ratio, Span};

/// The kind of reservation that the search is for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Kind {
    /// `RESB`: the amount comes somewhere in each period.
    Basic,
    /// `RESC`: the amount comes in every window of the period's length.
    Continuous,
}

impl Kind {
    /// A reservation of this kind and period.
    ///
    /// # Errors
    /// For a period of zero or from 2^63 ns on.
    pub fn resource(self, period: Span) -> Result<Resource, SupplyError> {
        match self {
            Kind::Basic => Resource::periodic(period),
            Kind::Continuous => Resource::continuous(period),
        }
    }
}

/// An application's threads, its policy, and the kind of reservation to find for it.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Application<'a> {
    /// Its threads.
    pub tasks: &'a [Task],
    /// How it schedules them.
    pub policy: Policy,
    /// The kind of reservation to find.
    pub kind: Kind,
    /// Amounts are multiples of this; above zero.
    pub granule: Span,
    /// By thread: how long locks of those of lower rank delay it (`locks.rs`); none where the list ends.
    pub blocking: &'a [Span],
}

impl<'a> Application<'a> {
    /// An application of these threads, scheduled so, that needs a reservation of that kind in
    /// multiples of the granule.
    #[must_use]
    pub const fn new(
        tasks: &'a [Task],
        policy: Policy,
        kind: Kind,
        granule: Span,
    ) -> Application<'a> {
        Application { tasks, policy, kind, granule, blocking: &[] }
    }

    /// The same, in which locks delay each thread by up to so much.
    #[must_use]
    pub const fn blocking(mut self, blocking: &'a [Span]) -> Application<'a> {
        self.blocking = blocking;
        self
    }
}

/// The least amount for one period.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Point {
    /// The reservation's period.
    pub period: Span,
    /// The least amount with which every deadline is met; `None` when not even a whole processor is
    /// enough, or no multiple of the granule is.
    pub amount: Option<Span>,
}

/// A reservation and its utilisation.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Choice {
    /// Its period.
    pub period: Span,
    /// Its amount in each period.
    pub amount: Span,
    /// Amount over period.
    pub utilisation: Ratio,
    /// The same with two switches in each period.
    pub with_switches: Ratio,
    /// The longest response time of each thread, in the order of the list.
    pub response_times: Vec<Result<Span, UnboundedError>>,
}

/// The boundary of figure 6.2: the least amount for each of some periods.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Boundary {
    /// One point for each period, in the order they were listed.
    pub points: Vec<Point>,
}

impl Point {
    /// Amount over period; `None` where there is no amount.
    #[must_use]
    pub fn utilisation(&self) -> Option<Ratio> {
        self.amount?.over(self.period)
    }

    /// The same with two switches of `cost` in each period.
    #[must_use]
    pub fn with_switches(&self, cost: Span) -> Option<Ratio> {
        let switches = Ratio::whole(cost.as_nanos()).checked_mul(Ratio::whole(2))?;
        let switches = switches.checked_div(Ratio::whole(self.period.as_nanos()))?;
        self.utilisation()?.checked_add(switches)
    }
}

impl Boundary {
    /// The least amount of a reservation for each of these periods.
    ///
    /// A period of zero or from 2^63 ns on has none.
    #[must_use]
    pub fn of(application: &Application<'_>, periods: &[Span]) -> Boundary {
        let Application { policy, kind, granule, blocking, .. } = *application;
        // Sorted once, not for every period.
        let (tasks, policy) = match policy {
            Policy::EarliestDeadline => (application.tasks.to_vec(), policy),
            _ if !blocking.is_empty() => (application.tasks.to_vec(), policy),
            fixed => (fixed.sorted(application.tasks), Policy::AsListed),
        };
        let amount = |period| policy.least(&tasks, blocking, &kind.resource(period).ok()?, granule);
        let point = |period: &Span| Point { period: *period, amount: amount(*period) };
        Boundary { points: periods.iter().map(point).collect() }
    }

    /// Figure 6.2 as a grid: for each period, in order, whether each of these amounts is enough.
    ///
    /// An amount above the period is no reservation, so it is never enough. Exact where amounts are
    /// multiples of the granule; others count as the multiple below them.
    #[must_use]
    pub fn grid(&self, amounts: &[Span]) -> Vec<Vec<bool>> {
        let column = |point: &Point| {
            let enough = |amount: &Span| {
                *amount <= point.period && point.amount.is_some_and(|least| least <= *amount)
            };
            amounts.iter().map(enough).collect()
        };
        self.points.iter().map(column).collect()
    }

    /// The longest period whose least utilisation exceeds the least of all by no more than
    /// `tolerance` of that; `None` where no period has an amount.
    ///
    /// # Errors
    /// The tolerance is negative, or too fine to be counted with.
    pub fn knee(&self, tolerance: Ratio) -> Result<Option<Point>, ToleranceError> {
        if tolerance < Ratio::ZERO {
            return Err(ToleranceError::Negative);
        }
        let Some(least) = self.points.iter().filter_map(Point::utilisation).min() else {
            return Ok(None);
        };
        let more = least.checked_mul(tolerance).ok_or(ToleranceError::TooFine)?;
        let most = least.checked_add(more).ok_or(ToleranceError::TooFine)?;
        let within = |point: &&Point| point.utilisation().is_some_and(|own| own <= most);
        Ok(self.points.iter().filter(within).max_by_key(|point| point.period).copied())
    }

    /// The period of least utilisation, switches of `cost` included; among equals the longest.
    ///
    /// `None` where no period has an amount; where that is a whole processor, which needs neither a
    /// reservation nor a switch; or where amount and switches together exceed the processor.
    #[must_use]
    pub fn choose(&self, application: &Application<'_>, cost: Span) -> Option<Choice> {
        let cheap = |point: &&Point| Some((point.with_switches(cost)?, Reverse(point.period)));
        let parts = self.points.iter().filter(|point| point.amount != Some(point.period));
        let fit = |point: &&Point| point.with_switches(cost).is_some_and(|all| all <= Ratio::ONE);
        let cheapest = parts.filter(fit).min_by_key(cheap)?;
        choice(application, cheapest, cost)
    }
}

/// The figures of a point of the boundary.
fn choice(application: &Application<'_>, point: &Point, cost: Span) -> Option<Choice> {
    let Point { period, amount } = *point;
    let supply = application.kind.resource(period).ok()?.supply(amount?).ok()?;
    Some(Choice {
        period,
        amount: amount?,
        utilisation: point.utilisation()?,
        with_switches: point.with_switches(cost)?,
        response_times: application.policy.response_times_blocked(
            application.tasks,
            application.blocking,
            &supply,
        ),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Supply;
    use crate::tests::small_tasks;
    use proptest::prelude::*;

    const POLICIES: [Policy; 4] = [
        Policy::AsListed,
        Policy::RateMonotonic,
        Policy::DeadlineMonotonic,
        Policy::EarliestDeadline,
    ];

    fn us(n: u64) -> Span {
        Span::from_micros(n).unwrap()
    }

    /// Table 6.1, listed against its priorities.
    fn media_player() -> Vec<Task> {
        let threads = [(2000, 25), (500, 7), (100, 3), (100, 4), (45, 2), (10, 1)];
        let ms = Span::from_millis;
        threads.into_iter().map(|(y, x)| Task::implicit(ms(x), ms(y))).collect()
    }

    fn player(tasks: &[Task], policy: Policy) -> Application<'_> {
        Application::new(tasks, policy, Kind::Basic, us(1))
    }

    proptest! {
        #[test]
        fn limit_the_grid_is_what_each_point_says_by_itself(tasks in small_tasks(1..=3)) {
            let granule = Span::from_nanos(1);
            let kinds = [Kind::Basic, Kind::Continuous];
            for (policy, kind) in POLICIES.into_iter().flat_map(|p| kinds.map(|kind| (p, kind))) {
                let application = Application::new(&tasks, policy, kind, granule);
                let axis: Vec<Span> = (1..=12).map(Span::from_nanos).collect();
                let grid = Boundary::of(&application, &axis).grid(&axis);
                for (period, column) in axis.iter().zip(grid) {
                    for (amount, fast) in axis.iter().zip(column) {
                        let supply = kind.resource(*period).and_then(|all| all.supply(*amount));
                        let slow = supply.is_ok_and(|s| policy.schedulable(&tasks, &s) == Ok(true));
                        prop_assert_eq!(fast, slow, "{} {} {:?} {:?}", amount, period, policy, kind);
                    }
                }
            }
        }
    }

    #[test]
    fn limit_figure_6_2_is_what_each_point_says_by_itself() {
        let tasks = media_player();
        let axis: Vec<Span> = (1..=20).map(|n| us(n * 997)).collect();
        for policy in [Policy::RateMonotonic, Policy::EarliestDeadline] {
            let grid = Boundary::of(&player(&tasks, policy), &axis).grid(&axis);
            for (period, column) in axis.iter().zip(grid) {
                for (amount, fast) in axis.iter().zip(column) {
                    let supply = Supply::basic(*amount, *period);
                    let slow = supply.is_ok_and(|s| policy.schedulable(&tasks, &s) == Ok(true));
                    assert_eq!(fast, slow, "{amount} {period} {policy:?}");
                }
            }
        }
    }

    #[test]
    fn paper_the_knee_of_figure_6_2_is_1500_us_each_6_ms() {
        let tasks = media_player();
        let periods: Vec<Span> = (1..=200).map(|n| us(n * 100)).collect();
        let boundary = Boundary::of(&player(&tasks, Policy::RateMonotonic), &periods);
        let knee = boundary.knee(Ratio::new(1, 20).unwrap());
        assert_eq!(knee, Ok(Some(Point { period: us(6_000), amount: Some(us(1_500)) })));
        let below = boundary.knee(Ratio::new(-1, 20).unwrap());
        assert_eq!(below, Err(ToleranceError::Negative));
        assert_eq!(boundary.knee(Ratio::new(1, i128::MAX).unwrap()), Err(ToleranceError::TooFine));
    }

    #[test]
    fn law_dearer_switches_never_choose_a_shorter_period() {
        let tasks = media_player();
        let application = player(&tasks, Policy::RateMonotonic);
        let periods: Vec<Span> = (1..=200).map(|n| us(n * 100)).collect();
        let boundary = Boundary::of(&application, &periods);
        let costs = [0, 1, 2, 5, 10, 20, 50, 100, 500, 1_000].map(us);
        let chosen = costs.map(|cost| boundary.choose(&application, cost).unwrap());
        assert!(chosen.windows(2).all(|pair| pair[0].period <= pair[1].period));
        assert_eq!(boundary.choose(&application, us(10_000)), None, "no time is left");
        let of = |amount, period| (us(amount), us(period));
        let pairs = chosen.each_ref().map(|choice| (choice.amount, choice.period));
        assert_eq!(pairs[0], of(290, 1_200), "the least share of all");
        assert_eq!(pairs[4], of(1_429, 5_900), "at 10 us: the last period before the gap decides");
        for choice in chosen {
            for (task, response) in tasks.iter().zip(choice.response_times) {
                assert!(response.unwrap() <= task.deadline);
            }
        }
    }

    #[test]
    fn law_response_times_are_listed_as_the_tasks_are() {
        let (tasks, supply) = (media_player(), Supply::basic(us(1_500), us(6_000)).unwrap());
        let mut reversed = tasks.clone();
        reversed.reverse();
        // Of two threads with equal periods the first of the list comes first, so list them anew.
        for policy in [Policy::DeadlineMonotonic, Policy::EarliestDeadline] {
            let mut back = policy.response_times(&reversed, &supply);
            back.reverse();
            let there = policy.response_times(&tasks, &supply);
            assert_eq!(there.first(), back.first());
            assert_eq!(there.last(), back.last());
        }
        let fixed = Policy::RateMonotonic.response_times(&tasks, &supply);
        assert_eq!(fixed.last(), Some(&Ok(us(10_000))), "the thread of period 10 ms");
    }

    #[test]
    fn refuses_what_no_reservation_holds() {
        let tasks = [Task::implicit(us(3), us(2))];
        let application = player(&tasks, Policy::RateMonotonic);
        let boundary = Boundary::of(&application, &[us(1), Span::ZERO, Span::MAX]);
        assert!(boundary.points.iter().all(|point| point.amount.is_none()));
        assert_eq!(boundary.knee(Ratio::ONE), Ok(None));
        assert_eq!(boundary.choose(&application, us(1)), None);
    }

    #[test]
    fn accepts_a_whole_processor_as_the_boundary_but_chooses_none() {
        let tasks = [Task::implicit(us(2), us(2))];
        let application = player(&tasks, Policy::EarliestDeadline);
        let boundary = Boundary::of(&application, &[us(1)]);
        assert_eq!(boundary.points, [Point { period: us(1), amount: Some(us(1)) }]);
        assert_eq!(boundary.choose(&application, us(1)), None);
    }
}
