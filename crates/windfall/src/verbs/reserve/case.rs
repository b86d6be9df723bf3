//! What is asked: an application and how it is served, from a scenario or from `--task`.
//!
//! Invariant: under fixed priorities the members stand in decreasing order of priority; those that
//! share one stand so that the analysis of the order speaks for all of them.

use crate::cli::{Policy as Named, ReserveArgs};
use crate::command_error::CommandError;
use crate::verbs::check::load;
use crate::{Answer, VerbError};
use std::str::FromStr;
use windfall_analysis::local::Policy;
use windfall_analysis::{Supply, Task, ties};
use windfall_guarantees::Guarantee;
use windfall_scenario::{Application, Member, Scenario, Service};
use windfall_time::Span;

/// What a switch costs where nobody says.
const USUAL_COST: Span = Span::from_nanos(10_000);

/// A thread as typed: `2ms/10ms` or `2ms/10ms@8ms`.
#[derive(Clone, Debug)]
pub(crate) struct TaskText(Task);

impl FromStr for TaskText {
    type Err = String;

    fn from_str(text: &str) -> Result<TaskText, String> {
        let form = "write work, period and perhaps deadline, as `2ms/10ms` or `2ms/10ms@8ms`";
        let (work, rest) = text.split_once('/').ok_or_else(|| format!("no `/`; {form}"))?;
        let (period, deadline) = rest.split_once('@').unwrap_or((rest, rest));
        let span = |what: &str, text: &str| match text.parse::<Span>() {
            Ok(span) if span.is_zero() => Err(format!("{what} is no time at all; {form}")),
            Ok(span) => Ok(span),
            Err(why) => Err(format!("{what}: {why}")),
        };
        let task = Task::implicit(span("the work", work)?, span("the period", period)?);
        Ok(TaskText(task.deadline(span("the deadline", deadline)?)))
    }
}

/// An application and how it is served.
pub(super) struct Case {
    /// The scheduler above the threads, if they are a scenario's.
    pub(super) scheduler: Option<String>,
    pub(super) members: Vec<Member>,
    pub(super) service: Service,
    /// What is asked for the scheduler.
    pub(super) present: Option<Guarantee>,
    pub(super) switch_cost: Span,
    /// Who says so.
    pub(super) cost_said_by: &'static str,
}

impl Case {
    pub(super) fn of(args: &ReserveArgs) -> Result<Case, CommandError> {
        let named = args.policy.map(service);
        let (application, own_cost) = match &args.file {
            Some(path) => {
                let scenario = load(path)?;
                let name = node(&scenario, args)?;
                let found = scenario.application(&name);
                (found.map_err(refused)?, Some(scenario.machine.costs.switch))
            }
            None => (typed(&args.task), None),
        };
        let Application { scheduler, service, members, guarantee, .. } = application;
        let service = named.or(service).ok_or_else(|| {
            refused(format!(
                "`{scheduler}` goes by neither period, priority nor deadline; say with `--policy` \
                 what is to stand in its place"
            ))
        })?;
        let own_cost = own_cost.filter(|cost| !cost.is_zero());
        let (switch_cost, cost_said_by) = match (args.switch_cost, own_cost) {
            (Some(cost), _) => (cost, "`--switch-cost`"),
            (None, Some(cost)) => (cost, "the file"),
            (None, None) => (USUAL_COST, "assumed"),
        };
        let scheduler = args.file.is_some().then_some(scheduler);
        let present = guarantee;
        let case = Case { scheduler, members, service, present, switch_cost, cost_said_by };
        Ok(case.sorted()?)
    }

    fn sorted(mut self) -> Result<Case, VerbError> {
        if self.service != Service::EarliestDeadline {
            let order = ties::order(&self.tasks(), &self.ranks()).map_err(|at| {
                refused(format!(
                    "thread `{}` shares its priority with another and may be due after its next \
                     release; give it a priority of its own, or an earlier deadline",
                    self.members[at].name
                ))
            })?;
            self.members = order.into_iter().map(|at| self.members[at].clone()).collect();
        }
        Ok(self)
    }

    pub(super) fn tasks(&self) -> Vec<Task> {
        self.members.iter().map(|member| member.task).collect()
    }

    /// How the analysis is to serve the members, as they stand.
    pub(super) fn policy(&self) -> Policy {
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
    pub(super) fn response_times(&self, supply: &Supply) -> Vec<Option<Span>> {
        match self.service {
            Service::EarliestDeadline => self.policy().response_times(&self.tasks(), supply),
            _ => ties::response_times(&self.tasks(), &self.ranks(), supply),
        }
    }

    /// Whether every deadline is met under a guarantee.
    pub(super) fn suffices(&self, guarantee: &Guarantee) -> Answer {
        let supply = Supply::from(guarantee);
        // RESU counts between deadlines that its owner tells; fixed priorities have none to tell.
        let counts =
            self.policy() == Policy::EarliestDeadline || !matches!(guarantee, Guarantee::Slower(_));
        if counts && self.policy().schedulable(&self.tasks(), &supply) {
            Answer::Yes
        } else {
            Answer::No
        }
    }
}

fn refused(why: String) -> VerbError {
    VerbError(format!("windfall: {why}"))
}

fn service(policy: Named) -> Service {
    match policy {
        Named::RateMonotonic => Service::RateMonotonic,
        Named::DeadlineMonotonic => Service::DeadlineMonotonic,
        Named::FixedPriority => Service::FixedPriority,
        Named::Edf => Service::EarliestDeadline,
    }
}

/// The scheduler that is asked about.
fn node(scenario: &Scenario, args: &ReserveArgs) -> Result<String, VerbError> {
    if let Some(name) = &args.node {
        return Ok(name.clone());
    }
    match scenario.applications(args.policy.is_some()).as_slice() {
        [only] => Ok((*only).to_owned()),
        [] => Err(refused(
            "no scheduler that goes by period, priority or deadline has periodic threads directly \
             below; name one with `--node` and say how it is to serve with `--policy`"
                .to_owned(),
        )),
        several => Err(refused(format!(
            "several schedulers have periodic threads; choose with `--node` one of {}",
            several.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
        ))),
    }
}

/// The threads of `--task`, the first of the highest priority.
fn typed(tasks: &[TaskText]) -> Application {
    let number = |at: usize| i32::try_from(at).expect("a command line is shorter than 2 GiB");
    let member = |(at, TaskText(task)): (usize, &TaskText)| {
        Member::new(format!("t{}", at + 1), *task).priority(-number(at))
    };
    let members = tasks.iter().enumerate().map(member).collect();
    Application::new(Service::RateMonotonic, members)
}
