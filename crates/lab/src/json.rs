//! Experiments and their findings as JSON, for programs.

use crate::experiment::{Catalogue, Experiment};
use crate::findings::{ClaimStatus, Findings, Table};
use serde_json::{Value, json};

/// All experiments.
#[must_use]
pub fn list() -> Value {
    let one = |one: &Experiment| {
        json!({
            "names": one.names().collect::<Vec<_>>(),
            "hosts": one.hosts.iter().map(|host| host.name()).collect::<Vec<_>>(),
            "title": one.title,
            "source": one.source,
        })
    };
    json!({ "experiments": Catalogue::default().kinds().map(one).collect::<Vec<_>>() })
}

/// The findings of an experiment; its raw numbers are separate files.
#[must_use]
pub fn findings(experiment: &Experiment, findings: &Findings) -> Value {
    let table =
        |table: &Table| json!({ "title": table.title, "head": table.head, "rows": table.rows });
    json!({
        "names": experiment.names().collect::<Vec<_>>(),
        "source": experiment.source,
        "question": experiment.question,
        "claim": experiment.claim,
        "standing": standing(findings.verdict.standing),
        "why": findings.verdict.why,
        "measured": findings.circumstances,
        "tables": findings.tables.iter().map(table).collect::<Vec<_>>(),
        "notes": findings.notes,
    })
}

const fn standing(standing: ClaimStatus) -> &'static str {
    match standing {
        ClaimStatus::Stands => "stands",
        ClaimStatus::Calibrated => "calibrated",
        ClaimStatus::Refuted => "refuted",
        ClaimStatus::Open => "open",
    }
}
