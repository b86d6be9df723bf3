//! Findings as one HTML page that holds everything and fetches nothing.
//!
//! Invariant: no text can leave its place in the page.

use crate::experiment::Experiment;
use crate::findings::{ClaimStatus, Findings, Table};

const STYLE: &str = include_str!("page.css");

/// The page.
#[must_use]
pub fn page(experiment: &Experiment, findings: &Findings) -> String {
    let names: Vec<_> = experiment.names().collect();
    let title = escaped(&format!("{}: {}", names.join(", "), experiment.title));
    let mut page = format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; \
         style-src 'unsafe-inline'\">\n<title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n\
         <body>\n<h1>{title}</h1>\n<dl>\n"
    );
    let about = [
        ("Source", experiment.source),
        ("Question", experiment.question),
        ("Claim", experiment.claim),
    ];
    for (name, text) in about {
        page.push_str(&format!("<dt>{name}</dt><dd>{}</dd>\n", escaped(text)));
    }
    for line in &findings.circumstances {
        page.push_str(&format!("<dt>Measured</dt><dd>{}</dd>\n", escaped(line)));
    }
    let (class, word) = match findings.verdict.standing {
        ClaimStatus::Stands => ("stands", "The claim stands"),
        ClaimStatus::Calibrated => {
            ("calibrated", "Calibrated with the paper's figures, not confirmed")
        }
        ClaimStatus::Refuted => ("refuted", "The claim is refuted"),
        ClaimStatus::Open => ("open", "Not decided"),
    };
    let why = escaped(&findings.verdict.why);
    page.push_str(&format!("</dl>\n<p class=\"verdict {class}\"><b>{word}:</b> {why}</p>\n"));
    for one in &findings.tables {
        table(&mut page, one);
    }
    for (number, figure) in findings.figures.iter().enumerate() {
        if number == 0 {
            page.push_str("<h2>Figures</h2>\n");
        }
        let (picture, caption) = (figure.picture.svg(), escaped(&figure.caption));
        page.push_str(&format!("<figure>\n{picture}<figcaption>{caption}</figcaption></figure>\n"));
    }
    if !findings.notes.is_empty() {
        page.push_str("<h2>To weigh it by</h2>\n");
    }
    for note in &findings.notes {
        page.push_str(&format!("<p>{}</p>\n", escaped(note)));
    }
    page.push_str("</body>\n</html>\n");
    page
}

fn table(page: &mut String, table: &Table) {
    page.push_str(&format!(
        "<h2>{}</h2>\n<div class=\"wide\"><table>\n<thead><tr>",
        escaped(&table.title)
    ));
    let class = |column: usize| match column {
        _ if column < table.words => "",
        _ if table.head[column].starts_with("paper") => " class=\"n paper\"",
        _ => " class=\"n\"",
    };
    for (column, name) in table.head.iter().enumerate() {
        page.push_str(&format!("<th scope=\"col\"{}>{}</th>", class(column), escaped(name)));
    }
    page.push_str("</tr></thead>\n<tbody>\n");
    for row in &table.rows {
        page.push_str("<tr>");
        for (column, cell) in row.iter().enumerate().take(table.head.len()) {
            page.push_str(&format!("<td{}>{}</td>", class(column), escaped(cell)));
        }
        page.push_str("</tr>\n");
    }
    page.push_str("</tbody></table></div>\n");
}

fn escaped(text: &str) -> String {
    let safe = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    safe.replace('"', "&quot;")
}
