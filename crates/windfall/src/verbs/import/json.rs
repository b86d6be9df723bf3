//! What was made of a recording or of an rt-app file, for programs.

use crate::verbs::calibrate::json::habit;
use serde_json::{Value, json};
use windfall_programs::learn::{Parent, Proposal, Row};
use windfall_scenario::Scenario;

/// The scenario, what is proposed for each thread of a recording, and what there is to say of how it was made.
pub(super) fn data(
    scenario: &Scenario,
    proposal: Option<&Proposal>,
    remarks: &str,
    wrote: &str,
) -> Value {
    let threads = scenario.threads.iter().map(|thread| {
        json!({
            "name": thread.name,
            "count": thread.count,
            "parent": thread.parent,
            "guarantee": thread.requires.guarantee.map(|guarantee| guarantee.to_string()),
        })
    });
    json!({
        "wrote": wrote,
        "processors": scenario.machine.speeds.len(),
        "length_ns": scenario.length.as_nanos(),
        "threads": threads.collect::<Vec<_>>(),
        "proposal": proposal.map(|proposal| proposal.rows.iter().map(row).collect::<Vec<_>>()),
        "remarks": remarks.lines().collect::<Vec<_>>(),
    })
}

fn row(row: &Row) -> Value {
    let reservation = match row.parent {
        Parent::Reservation { amount, period, soft, processor } => json!({
            "amount_ns": amount.as_nanos(),
            "period_ns": period.as_nanos(),
            "soft": soft,
            "processor": processor,
        }),
        Parent::TimeSharing => Value::Null,
    };
    json!({
        "name": row.name,
        "tid": row.tid,
        "habit": habit(&row.habit),
        "released_by": row.released_by,
        "work_ns": row.work.as_nanos(),
        "unknown_ns": row.unknown.as_nanos(),
        "reservation": reservation,
    })
}
