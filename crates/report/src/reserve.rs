//! Which reservations are enough for an application's threads: as text and as JSON; the picture is `reserve/figure.rs`.

#[cfg(feature = "pictures")]
mod figure;

#[cfg(feature = "pictures")]
pub use figure::scene;

use crate::plural::count;
use crate::terminal::table;
use serde_json::{Value, json};
use windfall_analysis::search::{Kind, Point};
use windfall_scenario::Member;
use windfall_scenario::reserve::{Case, Found, Present, Search};
use windfall_time::{Ratio, Span};

/// The question.
#[derive(Clone, Copy, Debug)]
pub struct Basis<'a> {
    /// Which reservations were looked at.
    pub search: &'a Search,
    /// Where the cost of a switch comes from, in words.
    pub cost_by: &'a str,
}

/// Rows of the table of periods, at most.
const ROWS: usize = 10;

/// A share in per cent, two places.
fn percent(share: f64) -> String {
    format!("{:.2}%", share * 100.0)
}

/// For people.
#[must_use]
pub fn text(case: &Case, found: &Found, requested: &Basis<'_>, width: Option<usize>) -> String {
    let mut text = threads(case, found, width);
    text.push_str(&format!(
        "\n{}, {}, utilisation {}; no gap may exceed {}\n\n",
        count(case.members.len(), "thread"),
        case.service.name(),
        percent(case.utilisation()),
        case.longest_gap(),
    ));
    text.push_str(&periods(found, case.switch_cost, width));
    text.push('\n');
    if let Some(knee) = &found.knee
        && let (Some(amount), Some(share)) = (knee.amount, knee.utilisation())
    {
        text.push_str(&format!(
            "knee    {}  {}: the longest period whose utilisation is within {} of the least\n",
            found.guarantee(amount, knee.period),
            percent(share.to_f64()),
            percent(requested.search.tolerance.to_f64()),
        ));
    }
    match &found.choice {
        Some(choice) => {
            let guarantee = found.guarantee(choice.amount, choice.period);
            text.push_str(&format!(
                "choice  {guarantee}  {}: {}\n\nguarantee = \"{guarantee}\"\n",
                percent(choice.utilisation.to_f64()),
                heuristic(case, requested),
            ));
        }
        None if found.boundary.points.iter().any(|point| point.amount.is_some()) => text.push_str(
            "choice  none: with these periods and this cost of switches, less than a whole processor \
             is not enough; ask for `ALL`, or try shorter periods\n",
        ),
        None if found.whole_suffices => text.push_str(&format!(
            "choice  none: a whole processor is enough, but with these periods no multiple of {} is; give a \
             smaller `--step`, or longer periods\n",
            requested.search.step,
        )),
        None => text.push_str(
            "choice  none: not even a whole processor is enough; let the threads do less, or be due \
             later\n",
        ),
    }
    text.push_str(&present(case, found));
    text
}

fn threads(case: &Case, found: &Found, width: Option<usize>) -> String {
    let row = |(member, response): (&Member, &Option<Span>)| {
        let task = &member.task;
        let share = task.work.over(task.period).map_or(0.0, Ratio::to_f64);
        vec![
            member.name.clone(),
            task.work.to_string(),
            task.period.to_string(),
            percent(share),
            response.map_or_else(|| "-".to_owned(), |worst| worst.to_string()),
            task.deadline.to_string(),
        ]
    };
    let rows = case.members.iter().zip(&found.responses).map(row).collect();
    table(&["THREAD", "WORK", "PERIOD", "UTILISATION", "ANSWERS WITHIN", "DUE IN"], 1, rows, width)
}

/// Some of the periods, evenly spread, the last among them.
fn periods(found: &Found, cost: Span, width: Option<usize>) -> String {
    let points = &found.boundary.points;
    let every = points.len().div_ceil(ROWS).max(1);
    let row = |point: &Point| {
        let share = |share: Option<Ratio>| {
            share.map_or_else(|| "-".to_owned(), |share| percent(share.to_f64()))
        };
        vec![
            point.period.to_string(),
            point.amount.map_or_else(|| "none".to_owned(), |amount| amount.to_string()),
            share(point.utilisation()),
            share(point.with_switches(cost)),
        ]
    };
    let shown = points.iter().rev().step_by(every).map(row);
    let rows = shown.collect::<Vec<_>>().into_iter().rev().collect();
    table(&["PERIOD", "LEAST AMOUNT", "UTILISATION", "WITH SWITCHES"], 0, rows, width)
}

/// The rule by which the reservation was chosen.
fn heuristic(case: &Case, requested: &Basis<'_>) -> String {
    let (cost, by) = (case.switch_cost, requested.cost_by);
    match requested.search.period {
        Some(_) => "the least amount for the period that was asked for".to_owned(),
        None => format!(
            "the least utilisation, where each period also pays two switches of {cost} ({by}); among \
             equals the longest period"
        ),
    }
}

/// Whether the reservation that the file asks for is enough.
fn present(case: &Case, found: &Found) -> String {
    let Some(Present { guarantee, suffices, responses, .. }) = &found.present else {
        return case.scheduler.as_ref().map_or_else(String::new, |scheduler| {
            format!("\nthe file asks for no guarantee for `{scheduler}`\n")
        });
    };
    let scheduler = case.scheduler.as_deref().unwrap_or_default();
    if *suffices {
        return format!("\nthe file asks for {guarantee} for `{scheduler}`: that is enough\n");
    }
    let mut text =
        format!("\nthe file asks for {guarantee} for `{scheduler}`: that is NOT enough\n");
    for (member, response) in case.members.iter().zip(responses) {
        let (name, due) = (&member.name, member.task.deadline);
        match response {
            Ok(worst) if *worst <= due => {}
            Ok(worst) => {
                text.push_str(&format!("  {name} answers within {worst}, and is due in {due}\n"));
            }
            Err(why) => {
                text.push_str(&format!("  {name} has no bound ({why}), and is due in {due}\n"))
            }
        }
    }
    text
}

/// For programs.
#[must_use]
pub fn json(case: &Case, found: &Found, requested: &Basis<'_>) -> Value {
    let ns = |span: Option<Span>| span.map(Span::as_nanos);
    let met = |response: &Option<Span>, due: Span| response.is_some_and(|worst| worst <= due);
    let thread = |(member, response): (&Member, &Option<Span>)| {
        let task = &member.task;
        json!({
            "name": member.name, "work_ns": task.work.as_nanos(),
            "period_ns": task.period.as_nanos(), "deadline_ns": task.deadline.as_nanos(),
            "response_ns": ns(*response), "met": met(response, task.deadline),
        })
    };
    let point = |point: &Point| json!({ "period_ns": point.period.as_nanos(), "amount_ns": ns(point.amount) });
    let knee = found.knee.as_ref().and_then(|knee| {
        let amount = knee.amount?;
        Some(json!({
            "period_ns": knee.period.as_nanos(), "amount_ns": amount.as_nanos(),
            "utilisation": knee.utilisation()?.to_string(),
            "tolerance": requested.search.tolerance.to_string(),
            "guarantee": found.guarantee(amount, knee.period).to_string(),
        }))
    });
    let choice = found.choice.as_ref().map(|choice| {
        json!({
            "period_ns": choice.period.as_nanos(), "amount_ns": choice.amount.as_nanos(),
            "utilisation": choice.utilisation.to_string(),
            "with_switches": choice.with_switches.to_string(),
            "switch_cost_ns": case.switch_cost.as_nanos(),
            "guarantee": found.guarantee(choice.amount, choice.period).to_string(),
            "heuristic": heuristic(case, requested),
        })
    });
    let present = found.present.as_ref().map(|present| {
        json!({
            "guarantee": present.guarantee.to_string(), "suffices": present.suffices,
            "response_ns": present.responses.iter().map(|worst| ns(worst.ok())).collect::<Vec<_>>(),
        })
    });
    json!({
        "scheduler": case.scheduler,
        "policy": case.service.name(),
        "reservation": match found.kind { Kind::Basic => "RESBS", Kind::Continuous => "RESCS" },
        "utilisation": case.utilisation(),
        "gap_ns": case.longest_gap().as_nanos(),
        "threads": case.members.iter().zip(&found.responses).map(thread).collect::<Vec<_>>(),
        "boundary": found.boundary.points.iter().map(point).collect::<Vec<_>>(),
        "knee": knee, "choice": choice, "present": present,
    })
}
