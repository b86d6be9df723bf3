//! The reservations that are enough for an application's threads (HLS 6.1): all periods and their least amounts, the knee of
//! that boundary, a choice, and whether the reservation of a file is enough.
//!
//! Invariant: under fixed priorities the members of a [`Case`] are in decreasing order of priority; those that
//! share one are ordered so that the analysis of this order holds for all of them.

use crate::deadlines::within_all;
use crate::{Application, Member, Service, SharedLock};
use std::error::Error;
use std::fmt::{Display, Formatter};
use windfall_analysis::local::Policy;
use windfall_analysis::search::{self, Boundary, Choice, Kind, Point};
use windfall_analysis::{
    LockError, Locks, Protocol, Supply, Task, ToleranceError, UnboundedError, ties,
};
use windfall_guarantees::Guarantee;
use windfall_time::{Ratio, Span};

/// An application and how it is served.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Case {
    /// The scheduler above the threads, if they are a scenario's.
    pub scheduler: Option<String>,
    /// The threads.
    pub members: Vec<Member>,
    /// How they are served.
    pub service: Service,
    /// The requirement of the scheduler.
    pub present: Option<Guarantee>,
    /// Whether the scheduler reports its deadlines to its parent.
    pub reports_deadlines: bool,
    /// The cost of a switch; there are two in each period.
    pub switch_cost: Span,
    /// By member: how long locks held by members of lower rank delay it.
    pub blocking: Vec<Span>,
}

/// The reservations that are examined.
#[derive(Clone, Copy, Debug)]
pub struct Search {
    /// Basic or continuous ones.
    pub kind: Kind,
    /// Only this period.
    pub period: Option<Span>,
    /// The shortest period; `None`: a part of the longest.
    pub from: Option<Span>,
    /// The longest period; `None`: the shortest of the threads'.
    pub to: Option<Span>,
    /// How many periods, evenly spread.
    pub steps: u32,
    /// Amounts and periods are multiples of this.
    pub step: Span,
    /// How much above the least utilisation the knee may be, as a share of it.
    pub tolerance: Ratio,
}

/// All findings about a case.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Found {
    /// Basic or continuous reservations.
    pub kind: Kind,
    /// The periods that were examined, or the requested one.
    pub boundary: Boundary,
    /// The longest period whose utilisation is near the least.
    pub knee: Option<Point>,
    /// The reservation that is recommended.
    pub choice: Option<Choice>,
    /// The reservation in the file.
    pub present: Option<Present>,
    /// Whether every deadline is met with a whole processor.
    pub whole_suffices: bool,
    /// Each member's longest response time under the choice.
    pub responses: Vec<Option<Span>>,
}

/// The reservation that a file requires, and its effect.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Present {
    /// The reservation.
    pub guarantee: Guarantee,
    /// Whether every deadline is met under it.
    pub suffices: bool,
    /// Each member's longest response time under it.
    pub responses: Vec<Result<Span, UnboundedError>>,
}

/// Why the search for a reservation is impossible.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum ReserveError {
    /// A thread shares its priority with another and may be due after its next release.
    SharedPriority {
        /// The thread.
        thread: String,
    },
    /// A thread that holds this lock keeps its own rank, so others may wait for it without bound.
    NoProtocol {
        /// The lock.
        lock: String,
    },
    /// Threads take this lock in two orders.
    LockCycle {
        /// The lock.
        lock: String,
    },
    /// Critical sections are too long to be counted.
    LongSections,
    /// The step of amounts is zero.
    NoStep,
    /// A reservation cannot have this period.
    NoPeriod(Span),
    /// The longest period is shorter than the shortest.
    Reversed {
        /// The shortest.
        from: Span,
        /// The longest.
        to: Span,
    },
    /// No multiple of the step is a period between the ends.
    NoMultiple {
        /// The step.
        step: Span,
        /// The shortest period.
        from: Span,
        /// The longest.
        to: Span,
    },
    /// How far the knee may be above the least cannot be counted with.
    Tolerance(ToleranceError),
}

impl From<ToleranceError> for ReserveError {
    fn from(why: ToleranceError) -> ReserveError {
        ReserveError::Tolerance(why)
    }
}

impl Error for ReserveError {}

impl Display for ReserveError {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        match self {
            ReserveError::SharedPriority { thread } => write!(
                f,
                "thread `{thread}` shares its priority with another and may be due after its next release; give it a \
                 priority of its own, or an earlier deadline"
            ),
            ReserveError::NoProtocol { lock } => write!(
                f,
                "no reservation is enough: the lock `{lock}` has no protocol, so that others may run for any time while it \
                 is waited for; write `protocol = \"inherit\"` or `\"ceiling\"` in `[locks.{lock}]`"
            ),
            ReserveError::LockCycle { lock } => write!(
                f,
                "no reservation is enough: the lock `{lock}` is taken in two orders, so that threads may wait for each \
                 other; take locks in one order, or write `protocol = \"ceiling\"`"
            ),
            ReserveError::LongSections => {
                f.write_str("critical sections are too long to be counted; write shorter ones")
            }
            ReserveError::NoStep => f.write_str("a step of 0s is no unit; write 1ns or more"),
            ReserveError::NoPeriod(period) => write!(
                f,
                "{period} cannot be the period of a reservation; write one above zero and below 292 years"
            ),
            ReserveError::Reversed { from, to } => {
                write!(f, "no period lies from {from} to {to}; exchange them")
            }
            ReserveError::NoMultiple { step, from, to } => {
                write!(f, "no multiple of {step} lies from {from} to {to}; write a smaller step")
            }
            ReserveError::Tolerance(why) => why.fmt(f),
        }
    }
}

impl Case {
    /// An application that is served in this way.
    ///
    /// # Errors
    /// When threads share a priority in a way that no order of them covers.
    pub fn new(
        application: Application,
        service: Service,
        switch_cost: Span,
    ) -> Result<Case, ReserveError> {
        let Application {
            scheduler, members, guarantee: present, reports_deadlines, locks, ..
        } = application;
        let scheduler = Some(scheduler).filter(|name| !name.is_empty());
        let blocking = Vec::new();
        let mut case =
            Case { scheduler, members, service, present, reports_deadlines, switch_cost, blocking };
        if case.service != Service::EarliestDeadline {
            let order = ties::order(&case.tasks(), &case.ranks()).map_err(|tie| {
                ReserveError::SharedPriority { thread: case.members[tie.task].name.clone() }
            })?;
            case.members = order.into_iter().map(|at| case.members[at].clone()).collect();
        }
        case.blocking = case.blocked(&locks)?;
        Ok(case)
    }

    /// By member: how long locks delay it.
    fn blocked(&self, locks: &[SharedLock]) -> Result<Vec<Span>, ReserveError> {
        let protocols: Vec<Protocol> = locks.iter().map(|lock| lock.protocol).collect();
        let sections: Vec<_> = self.members.iter().map(|member| member.sections.clone()).collect();
        let blocking = Locks::new(&protocols, &sections).blocking(&self.ranks());
        let blocking: Result<Vec<Span>, LockError> = blocking.into_iter().collect();
        let name = |lock: usize| locks.get(lock).map_or_else(String::new, |lock| lock.name.clone());
        blocking.map_err(|why| match why {
            LockError::NoProtocol(lock) => ReserveError::NoProtocol { lock: name(lock) },
            LockError::Cycle(lock) => ReserveError::LockCycle { lock: name(lock) },
            _ => ReserveError::LongSections,
        })
    }

    /// The threads, for an analysis.
    #[must_use]
    pub fn tasks(&self) -> Vec<Task> {
        self.members.iter().map(|member| member.task).collect()
    }

    /// The sum of work over period.
    #[must_use]
    pub fn utilisation(&self) -> f64 {
        let share = |task: &Task| task.work.over(task.period);
        self.tasks().iter().filter_map(share).map(Ratio::to_f64).sum()
    }

    /// The longest time without a processor that no deadline forbids by itself.
    #[must_use]
    pub fn longest_gap(&self) -> Span {
        let slack = |task: &Task| task.deadline.saturating_sub(task.work);
        self.tasks().iter().map(slack).min().unwrap_or(Span::ZERO)
    }

    /// Looks for reservations.
    ///
    /// # Errors
    /// When no period or no amount can be examined.
    pub fn find(&self, search: &Search) -> Result<Found, ReserveError> {
        let boundary = match search.period {
            Some(period) => self.boundary(search, &[period])?,
            None => self.sweep(search)?,
        };
        let tasks = self.tasks();
        let choice = boundary.choose(&self.application(search, &tasks), self.switch_cost);
        // One period makes no curve, and a whole processor is no reservation.
        let knee = boundary
            .knee(search.tolerance)?
            .filter(|knee| search.period.is_none() && knee.amount != Some(knee.period));
        let responses = choice.as_ref().and_then(|choice| {
            let resource = search.kind.resource(choice.period).ok()?;
            let supply = resource.supply(choice.amount).ok()?;
            Some(self.response_times(&supply).into_iter().map(Result::ok).collect())
        });
        let present = self.present.map(|guarantee| Present {
            guarantee,
            suffices: self.suffices(&guarantee),
            responses: self.under(&guarantee),
        });
        let responses = responses.unwrap_or_else(|| vec![None; tasks.len()]);
        let (kind, whole_suffices) = (search.kind, self.suffices(&Guarantee::All));
        Ok(Found { kind, boundary, knee, choice, present, whole_suffices, responses })
    }

    /// The least amount for each period between the ends, even if a single one is requested.
    ///
    /// # Errors
    /// As [`Case::find`].
    pub fn sweep(&self, search: &Search) -> Result<Boundary, ReserveError> {
        self.boundary(search, &self.periods(search)?)
    }

    fn boundary(&self, search: &Search, periods: &[Span]) -> Result<Boundary, ReserveError> {
        if search.step.is_zero() {
            return Err(ReserveError::NoStep);
        }
        match periods.iter().find(|period| search.kind.resource(**period).is_err()) {
            Some(period) => Err(ReserveError::NoPeriod(*period)),
            None => Ok(Boundary::of(&self.application(search, &self.tasks()), periods)),
        }
    }

    fn application<'a>(&'a self, search: &Search, tasks: &'a [Task]) -> search::Application<'a> {
        let Search { kind, step: granule, .. } = *search;
        let application = search::Application::new(tasks, self.policy(), kind, granule);
        let blocked = self.blocking.iter().any(|blocking| !blocking.is_zero());
        if blocked { application.blocking(&self.blocking) } else { application }
    }

    /// Evenly spread multiples of the step between the ends, each rounded down.
    fn periods(&self, search: &Search) -> Result<Vec<Span>, ReserveError> {
        let shortest = self.members.iter().map(|member| member.task.period).min();
        let to = search.to.or(shortest.max(search.period)).unwrap_or(Span::ZERO);
        let steps = u64::from(search.steps.max(1));
        let from = search.from.unwrap_or(Span::from_nanos(to.as_nanos() / steps));
        let wide = to.checked_sub(from).ok_or(ReserveError::Reversed { from, to })?;
        let granule = search.step.as_nanos().max(1);
        let at = |n: u64| {
            // A single one is `to`.
            let (part, whole) = if steps == 1 { (1, 1) } else { (n, steps - 1) };
            let beyond = u128::from(wide.as_nanos()) * u128::from(part) / u128::from(whole);
            let at = from.saturating_add(Span::saturating_from_nanos(beyond));
            Span::from_nanos(at.as_nanos() / granule * granule)
        };
        let least = search.from.unwrap_or(Span::from_nanos(1));
        let mut periods: Vec<Span> = (0..steps).map(at).filter(|period| *period >= least).collect();
        periods.dedup();
        if periods.is_empty() {
            return Err(ReserveError::NoMultiple { step: search.step, from, to });
        }
        Ok(periods)
    }

    /// The policy of the analysis for the members, in their order.
    fn policy(&self) -> Policy {
        match self.service {
            Service::EarliestDeadline => Policy::EarliestDeadline,
            _ => Policy::AsListed,
        }
    }

    /// The smaller comes first.
    fn ranks(&self) -> Vec<i128> {
        let rank = |member: &Member| match (self.service, member.priority) {
            (Service::RateMonotonic, _) => i128::from(member.task.period.as_nanos()),
            (Service::FixedPriority, Some(priority)) => -i128::from(priority),
            (Service::FixedPriority, None) => i128::MAX,
            _ => i128::from(member.task.deadline.as_nanos()),
        };
        self.members.iter().map(rank).collect()
    }

    /// The longest response time of each member.
    fn response_times(&self, supply: &Supply) -> Vec<Result<Span, UnboundedError>> {
        match self.service {
            Service::EarliestDeadline => {
                self.policy().response_times_blocked(&self.tasks(), &self.blocking, supply)
            }
            _ => {
                let (tasks, ranks) = (self.tasks(), self.ranks());
                ties::blocked_response_times(&tasks, &ranks, &self.blocking, supply)
            }
        }
    }

    /// The longest response time of each member under a guarantee.
    fn under(&self, guarantee: &Guarantee) -> Vec<Result<Span, UnboundedError>> {
        if !matches!(guarantee, Guarantee::Slower(_)) {
            return self.response_times(&Supply::from(guarantee));
        }
        // Fixed priorities report no deadlines.
        let reports = self.reports_deadlines && self.policy() == Policy::EarliestDeadline;
        let blocked = self.blocking.iter().any(|blocking| !blocking.is_zero());
        let blocking = if blocked { &self.blocking[..] } else { &[] };
        within_all(&self.tasks(), blocking, reports, guarantee)
    }

    /// Whether every deadline is met under a guarantee.
    fn suffices(&self, guarantee: &Guarantee) -> bool {
        if matches!(guarantee, Guarantee::Slower(_)) {
            return self.under(guarantee).iter().all(Result::is_ok);
        }
        let supply = Supply::from(guarantee);
        let met = self.policy().schedulable_blocked(&self.tasks(), &self.blocking, &supply);
        met == Ok(true)
    }
}

impl Found {
    /// Whether a sufficient reservation exists, and the present one, if any, is sufficient.
    #[must_use]
    pub fn is_enough(&self) -> bool {
        let enough = self.present.as_ref().is_none_or(|present| present.suffices);
        enough && (self.choice.is_some() || self.boundary.points.iter().any(|p| p.amount.is_some()))
    }

    /// A reservation of the requested kind.
    #[must_use]
    pub fn guarantee(&self, amount: Span, period: Span) -> Guarantee {
        match self.kind {
            Kind::Basic => Guarantee::BasicSoft(amount.into(), period.into()),
            Kind::Continuous => Guarantee::ContinuousSoft(amount.into(), period.into()),
        }
    }
}
