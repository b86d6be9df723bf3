//! What is found: the boundary, the knee, the choice, and whether what the file asks for is enough.

use super::case::Case;
use crate::cli::ReserveArgs;
use crate::{Answer, VerbError};
use windfall_analysis::search::{self, Boundary, Choice, Kind, Point};
use windfall_analysis::{Supply, Task};
use windfall_guarantees::Guarantee;
use windfall_time::Span;

/// Everything that is found about a case.
pub(super) struct Found {
    pub(super) kind: Kind,
    /// The periods that were looked at, or the one that was asked for.
    pub(super) boundary: Boundary,
    pub(super) knee: Option<Point>,
    pub(super) choice: Option<Choice>,
    pub(super) present: Option<Present>,
    /// Each member's longest response time under the choice.
    pub(super) responses: Vec<Option<Span>>,
}

/// What the file asks for.
pub(super) struct Present {
    pub(super) guarantee: Guarantee,
    pub(super) suffices: bool,
    pub(super) responses: Vec<Option<Span>>,
}

impl Found {
    pub(super) fn of(case: &Case, args: &ReserveArgs) -> Result<Found, VerbError> {
        let periods = match args.period {
            Some(period) => vec![period],
            None => periods(case, args)?,
        };
        let boundary = boundary(case, args, &periods)?;
        let tasks = case.tasks();
        let choice = boundary.choose(&application(case, args, &tasks), case.switch_cost);
        // One period is no curve, and a whole processor no reservation.
        let knee = boundary
            .knee(args.tolerance)
            .filter(|knee| args.period.is_none() && knee.amount != Some(knee.period));
        let kind = kind(args);
        let responses = choice.as_ref().and_then(|choice| {
            let supply = kind.resource(choice.period)?.supply(choice.amount)?;
            Some(case.response_times(&supply))
        });
        let present = case.present.map(|guarantee| Present {
            guarantee,
            suffices: case.suffices(&guarantee) == Answer::Yes,
            responses: case.response_times(&Supply::from(&guarantee)),
        });
        let responses = responses.unwrap_or_else(|| vec![None; tasks.len()]);
        Ok(Found { kind, boundary, knee, choice, present, responses })
    }

    pub(super) fn answer(&self) -> Answer {
        let enough = self.present.as_ref().is_none_or(|present| present.suffices);
        let any = self.choice.is_some() || self.boundary.points.iter().any(|p| p.amount.is_some());
        if enough && any { Answer::Yes } else { Answer::No }
    }

    /// A reservation of the kind that was looked for.
    pub(super) fn guarantee(&self, amount: Span, period: Span) -> Guarantee {
        match self.kind {
            Kind::Basic => Guarantee::BasicSoft(amount.into(), period.into()),
            Kind::Continuous => Guarantee::ContinuousSoft(amount.into(), period.into()),
        }
    }
}

fn kind(args: &ReserveArgs) -> Kind {
    if args.continuous { Kind::Continuous } else { Kind::Basic }
}

fn application<'a>(case: &Case, args: &ReserveArgs, tasks: &'a [Task]) -> search::Application<'a> {
    let (policy, kind, granule) = (case.policy(), kind(args), args.step);
    search::Application::new(tasks, policy, kind, granule)
}

/// The least amount for each of these periods.
pub(super) fn boundary(
    case: &Case,
    args: &ReserveArgs,
    periods: &[Span],
) -> Result<Boundary, VerbError> {
    if args.step.is_zero() {
        return Err(failed("`--step 0s` is no unit; write 1ns or more".to_owned()));
    }
    if let Some(period) = periods.iter().find(|period| kind(args).resource(**period).is_none()) {
        return Err(failed(format!(
            "{period} cannot be the period of a reservation; write one above zero and below 292 years"
        )));
    }
    Ok(Boundary::of(&application(case, args, &case.tasks()), periods))
}

/// Evenly spread multiples of the granule from `--from` to `--to`, each rounded down.
pub(super) fn periods(case: &Case, args: &ReserveArgs) -> Result<Vec<Span>, VerbError> {
    let shortest = case.members.iter().map(|member| member.task.period).min();
    let to = args.to.or(shortest.max(args.period)).unwrap_or(Span::ZERO);
    let steps = u64::from(args.steps);
    let from = args.from.unwrap_or(Span::from_nanos(to.as_nanos() / steps));
    let Some(wide) = to.checked_sub(from) else {
        return Err(failed(format!("no period lies from {from} to {to}; let them change places")));
    };
    let granule = args.step.as_nanos().max(1);
    let at = |n: u64| {
        // A single one is `to`.
        let (part, whole) = if steps == 1 { (1, 1) } else { (n, steps - 1) };
        let beyond = u128::from(wide.as_nanos()) * u128::from(part) / u128::from(whole);
        let at = from.saturating_add(Span::saturating_from_nanos(beyond));
        Span::from_nanos(at.as_nanos() / granule * granule)
    };
    let least = args.from.unwrap_or(Span::from_nanos(1));
    let mut periods: Vec<Span> = (0..steps).map(at).filter(|period| *period >= least).collect();
    periods.dedup();
    if periods.is_empty() {
        return Err(failed(format!(
            "no multiple of {} lies from {from} to {to}; write a smaller `--step`",
            args.step
        )));
    }
    Ok(periods)
}

fn failed(why: String) -> VerbError {
    VerbError(format!("windfall: {why}"))
}
