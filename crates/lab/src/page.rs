//! Findings as one HTML page that holds everything and fetches nothing.

use crate::experiment::Experiment;
use crate::findings::{ClaimStatus, Figure, Findings, Table};
use maud::{Markup, PreEscaped, html};
use windfall_report::html::{Page, Shown};

/// The page.
#[must_use]
pub fn page(experiment: &Experiment, findings: &Findings) -> String {
    let names: Vec<_> = experiment.names().collect();
    let title = format!("{}: {}", names.join(", "), experiment.title);
    let body = html! {
        h1 { (Shown(&title)) }
        dl {
            dt { "Source" } dd { (experiment.source) }
            dt { "Question" } dd { (experiment.question) }
            dt { "Claim" } dd { (experiment.claim) }
            @for line in &findings.circumstances { dt { "Measured" } dd { (Shown(line)) } }
        }
        (verdict(findings))
        @for one in &findings.tables { (table(one)) "\n" }
        @if !findings.figures.is_empty() { h2 { "Figures" } }
        @for one in &findings.figures { (figure(one)) "\n" }
        @if !findings.notes.is_empty() { h2 { "Notes" } }
        @for note in &findings.notes { p { (Shown(note)) } "\n" }
    };
    Page { title: &title, style: include_str!("page.css"), script: "", body }.text()
}

fn verdict(findings: &Findings) -> Markup {
    let (class, word) = match findings.verdict.standing {
        ClaimStatus::Stands => ("stands", "The claim stands"),
        ClaimStatus::Calibrated => {
            ("calibrated", "Calibrated with the paper's figures, not confirmed")
        }
        ClaimStatus::Refuted => ("refuted", "The claim is refuted"),
        ClaimStatus::Open => ("open", "Not decided"),
    };
    html! { p.verdict.(class) { b { (word) ":" } " " (Shown(&findings.verdict.why)) } }
}

/// A figure with its caption.
pub(crate) fn figure(figure: &Figure) -> Markup {
    html! {
        figure {
            // What a scene writes is a picture; its letters are escaped there.
            (PreEscaped(figure.picture.svg()))
            figcaption { (Shown(&figure.caption)) }
        }
    }
}

/// A table with its title.
pub(crate) fn table(table: &Table) -> Markup {
    let class = |column: usize| match column {
        _ if column < table.words => None,
        _ if table.head[column].starts_with("paper") => Some("n paper"),
        _ => Some("n"),
    };
    html! {
        h2 { (Shown(&table.title)) }
        div.wide {
            table {
                thead {
                    tr {
                        @for (column, name) in table.head.iter().enumerate() {
                            th scope="col" class=[class(column)] { (Shown(name)) }
                        }
                    }
                }
                tbody {
                    @for row in &table.rows {
                        tr {
                            @for (column, cell) in row.iter().enumerate().take(table.head.len()) {
                                td class=[class(column)] { (Shown(cell)) }
                            }
                        }
                        "\n"
                    }
                }
            }
        }
    }
}
