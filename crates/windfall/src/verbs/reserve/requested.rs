//! The question of `reserve`: an application and how it is served, from a scenario or from `--task`; which reservations
//! are searched.

use crate::VerbError;
use crate::cli::{Policy, ReserveArgs};
use crate::command_error::CommandError;
use crate::verbs::load::load;
use std::str::FromStr;
use windfall_analysis::Task;
use windfall_analysis::search::Kind;
use windfall_scenario::reserve::{Case, Search};
use windfall_scenario::{Application, Member, Scenario, Service};
use windfall_time::Span;

/// The cost of a switch where neither the file nor an option has one.
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

/// The application, and where the cost of a switch comes from.
pub(super) fn case(args: &ReserveArgs) -> Result<(Case, &'static str), CommandError> {
    let (application, own_cost) = match &args.file {
        Some(path) => {
            let scenario = load(path)?;
            let name = node(&scenario, args)?;
            let found = scenario.application(&name);
            (found.map_err(refused)?, Some(scenario.machine.costs.switch))
        }
        None => (typed(&args.task), None),
    };
    let service = args.policy.map(service).or(application.service).ok_or_else(|| {
        refused(format!(
            "`{}` serves by neither period, priority nor deadline; say with `--policy` which policy to assume",
            application.scheduler
        ))
    })?;
    let own_cost = own_cost.filter(|cost| !cost.is_zero());
    let (cost, by) = match (args.switch_cost, own_cost) {
        (Some(cost), _) => (cost, "`--switch-cost`"),
        (None, Some(cost)) => (cost, "the file"),
        (None, None) => (USUAL_COST, "assumed"),
    };
    Ok((Case::new(application, service, cost)?, by))
}

/// Which reservations are looked at.
pub(super) fn search(args: &ReserveArgs) -> Search {
    Search {
        kind: if args.continuous { Kind::Continuous } else { Kind::Basic },
        period: args.period,
        from: args.from,
        to: args.to,
        steps: args.steps,
        step: args.step,
        tolerance: args.tolerance,
    }
}

fn refused(why: impl std::fmt::Display) -> VerbError {
    VerbError(format!("windfall: {why}"))
}

fn service(policy: Policy) -> Service {
    match policy {
        Policy::RateMonotonic => Service::RateMonotonic,
        Policy::DeadlineMonotonic => Service::DeadlineMonotonic,
        Policy::FixedPriority => Service::FixedPriority,
        Policy::Edf => Service::EarliestDeadline,
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
             below; name one with `--node` and say how it is to serve with `--policy`",
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
