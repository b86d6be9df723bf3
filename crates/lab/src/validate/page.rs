//! The findings of the suite as one HTML page that holds everything and fetches nothing; it opens in sentences.

use super::found::Level;
use super::suite::{PartFound, Validation};
use crate::page::{figure, table};
use maud::{Markup, html};
use windfall_report::html::{Page, Shown};

/// The page.
#[must_use]
pub fn page(validation: &Validation) -> String {
    let title = "What this machine can be trusted with";
    let body = html! {
        h1 { (title) }
        p.dim { (Shown(&validation.machine)) }
        (opening(validation)) "\n"
        @for part in &validation.parts { (one(part)) "\n" }
        @if validation.undone().next().is_some() {
            h2 { "Not measured" }
            ul { @for one in validation.undone() { li { b { (Shown(&one.what)) } ": " (Shown(&one.why)) } } }
        }
    };
    let style = concat!(include_str!("../page.css"), include_str!("page.css"));
    Page { title, style, script: "", body }.text()
}

fn opening(validation: &Validation) -> Markup {
    html! {
        @for (part, sentence) in validation.sentences() {
            div.sentence.(sentence.level.name()) {
                p {
                    @match sentence.level {
                        Level::Fault => { b { "Fault. " } }
                        Level::Warning => { b { "Warning. " } }
                        Level::Answer | Level::Fact => {}
                    }
                    (Shown(&sentence.text))
                    @if !part.is_empty() { " " a href={ "#" (part) } { (part) } }
                }
                @for remedy in &sentence.remedies { p.remedy { (Shown(remedy)) } }
            }
            "\n"
        }
    }
}

fn one(part: &PartFound) -> Markup {
    html! {
        section id=(part.name) {
            h2.part { (part.name) ": " (part.title) }
            p { (part.question) }
            @for line in &part.found.circumstances { p.dim { (Shown(line)) } }
            @for one in part.found.figures.iter() { (figure(one)) "\n" }
            @for one in part.found.tables.iter().filter(|table| !table.rows.is_empty()) { (table(one)) "\n" }
        }
    }
}
