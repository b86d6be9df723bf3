//! A journey as a page that plays it, and fetches nothing.

use super::missions::Mission;
use crate::findings::Raw;
use maud::html;
use serde_json::{Value, json};
use windfall_report::html::{Page, data};
use windfall_robot::Stood;
use windfall_robot::terrain::Terrain;

/// The data that the page's script reads.
fn played(terrain: &Terrain, mission: &Mission) -> Value {
    let blocked = (0_u32..).zip(&terrain.blocked).filter(|(_, blocked)| **blocked);
    let blocked: Vec<u32> = blocked.map(|(cell, _)| cell).collect();
    let changes = terrain.changes.iter();
    let changes: Vec<Value> = changes
        .map(|change| json!([change.at.as_nanos() / 1_000_000, change.cell, change.blocked]))
        .collect();
    let steps = mission.journey.steps.iter().map(|step| {
        let stood = step.stood.map(|why| match why {
            Stood::Arrived => "arrived",
            Stood::NoWay => "no way is known",
            Stood::Late => "the plan is late",
            Stood::Obstacle => "an obstacle came up",
            Stood::Elsewhere => "the plan is for elsewhere",
        });
        let seen: Vec<Value> =
            step.seen.iter().map(|(cell, blocked)| json!([cell, blocked])).collect();
        json!({ "at": step.at, "stood": stood, "way": step.way, "seen": seen })
    });
    let rollbacks = mission.journey.rollbacks.iter();
    let rollbacks: Vec<Value> =
        rollbacks.map(|one| json!([one.at.as_nanos() / 1_000_000, one.events])).collect();
    json!({
        "wide": terrain.size.wide,
        "high": terrain.size.high,
        "start": terrain.start,
        "goal": terrain.goal,
        "step_ms": 50,
        "blocked": blocked,
        "changes": changes,
        "steps": steps.collect::<Vec<_>>(),
        "rollbacks": rollbacks,
    })
}

/// The page.
pub(super) fn page(terrain: &Terrain, mission: &Mission) -> Raw {
    let title = "A robot that plans ahead, and takes back what was wrong";
    let body = html! {
        h1 { (title) }
        p {
            "The robot (blue) goes from the upper left corner to the lower right one. It plans as if nothing were in its way but what its sensors have seen (dark); what is there and not seen yet is pale. "
            "The thin line is its plan. When something new is seen, steps that were planned ahead are taken back."
        }
        div.controls {
            button id="play" { "Pause" }
            input id="time" type="range" min="0" value="0" aria-label="step";
            output id="said" {}
        }
        canvas id="terrain" {}
        (data("journey", &played(terrain, mission)))
    };
    let (style, script) = (include_str!("animation.css"), include_str!("animation.js"));
    Raw { name: "robot-journey.html".to_owned(), text: Page { title, style, script, body }.text() }
}
