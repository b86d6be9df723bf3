//! Experiments and their findings as text, for people.

use crate::experiment::{Catalogue, Experiment};
use crate::findings::{ClaimStatus, Findings};
use windfall_report::terminal::table;

/// All experiments.
#[must_use]
pub fn list(width: Option<usize>) -> String {
    let row = |one: &Experiment| {
        let hosts: Vec<_> = one.hosts.iter().map(|host| host.name()).collect();
        let names: Vec<_> = one.names().collect();
        vec![names.join(", "), hosts.join(", "), one.title.to_owned(), one.source.to_owned()]
    };
    let rows = Catalogue::default().kinds().map(row).collect();
    table(&["NAME", "HOSTS", "ABOUT", "SOURCE"], 4, rows, width)
}

/// The findings of an experiment.
#[must_use]
pub fn findings(experiment: &Experiment, findings: &Findings, width: Option<usize>) -> String {
    let names: Vec<_> = experiment.names().collect();
    let mut text = format!(
        "{}: {}\nSource:   {}\nQuestion: {}\nClaim:    {}\n",
        names.join(", "),
        experiment.title,
        experiment.source,
        experiment.question,
        experiment.claim,
    );
    for line in &findings.circumstances {
        text.push_str(&format!("Measured: {line}\n"));
    }
    for one in &findings.tables {
        let head: Vec<&str> = one.head.iter().map(String::as_str).collect();
        text.push_str(&format!("\n{}\n", one.title));
        text.push_str(&table(&head, one.words, one.rows.clone(), width));
    }
    if !findings.notes.is_empty() {
        text.push('\n');
    }
    for note in &findings.notes {
        text.push_str(&format!("Note: {note}\n"));
    }
    let word = match findings.verdict.standing {
        ClaimStatus::Stands => "stands",
        ClaimStatus::Calibrated => "calibrated with the paper's figures, not confirmed",
        ClaimStatus::Refuted => "REFUTED",
        ClaimStatus::Open => "not decided",
    };
    text.push_str(&format!("\nClaim {word}: {}\n", findings.verdict.why));
    text
}
