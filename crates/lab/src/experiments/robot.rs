//! PORTS, section 2.1: a robot in unknown terrain, with and without planning ahead in idle time, against how long others keep its planner from the processor.

mod animation;
mod missions;
mod picture;

use super::{SERIES, digits, solid, with_confidence};
use crate::experiment::{Experiment, Host, LabError, Settings};
use crate::findings::{Figure, Findings, Raw, Table, Verdict, record};
use crate::statistics::{difference, mean};
use missions::{Mission, Setup, terrains};
use windfall_plot::chart::{Axis, Chart, Dot, Mark};
use windfall_robot::Stood;

pub(super) static EXPERIMENT: Experiment = Experiment {
    name: "robot",
    also: &[],
    title: "a robot that plans ahead in idle time, and takes back what was wrong",
    source: "PORTS, 2.1; sections 1 and 2.6 on slots that stay until they are certain",
    question: "what does planning ahead in idle time save, when others keep the planner from the processor, and what does it cost?",
    claim: "\"scheduling latency should be low, since excessive overheads in rescheduling can lead to increased mission costs\" (2.1): without planning ahead a mission takes more steps and more energy the longer \
            others keep the processor; planned ahead it takes significantly fewer steps once that is several steps",
    hosts: &[Host::Sim],
    absent: "equal missions are compared, with the same interruptions",
    run: findings,
};

/// How long others keep the processor at most, in milliseconds; a step is 50.
const KEEP: [u32; 6] = [0, 50, 100, 150, 200, 250];
/// How many events are handled ahead at most.
const AHEAD: [u32; 4] = [0, 2, 4, 8];
/// Several steps.
const LONG: u32 = 150;

/// The missions of one line, one for each terrain.
struct Row {
    keep: u32,
    ahead: u32,
    missions: Vec<Mission>,
}

impl Row {
    fn samples(&self, of: fn(&Mission) -> f64) -> Vec<f64> {
        self.missions.iter().map(of).collect()
    }
}

fn table(rows: &[Row]) -> Table {
    let head = [
        "longest",
        "ahead",
        "steps",
        "path",
        "energy",
        "late",
        "at obstacle",
        "elsewhere",
        "used, ms",
        "thrown away, %",
        "events back",
    ];
    let title = "for each mission: steps of 50 ms, path and energy in cells, steps without a move since it was late, at an obstacle that came up, and planned for elsewhere; planning time and the part that was thrown away; \
                 events that were taken back. `Longest` is for how many ms others keep the processor";
    let mut table = Table::new(title, 2, &head);
    for row in rows {
        let of = |of: fn(&Mission) -> f64| mean(&row.samples(of));
        let stood = |why: Stood| {
            let samples: Vec<f64> = row.missions.iter().map(|one| one.stood(why)).collect();
            digits(mean(&samples).value)
        };
        table.rows.push(vec![
            row.keep.to_string(),
            row.ahead.to_string(),
            with_confidence(of(Mission::steps)),
            digits(of(Mission::path).value),
            with_confidence(of(Mission::energy)),
            stood(Stood::Late),
            stood(Stood::Obstacle),
            stood(Stood::Elsewhere),
            digits(of(Mission::used).value),
            digits(of(Mission::thrown_away).value),
            digits(of(Mission::taken_back).value),
        ]);
    }
    table
}

fn figure(rows: &[Row]) -> Figure {
    let most = rows.iter().map(|row| mean(&row.samples(Mission::steps)).value).fold(1.0, f64::max);
    let (x, y) = (
        Axis::covering("others keep the processor, at most (ms)", f64::from(KEEP[KEEP.len() - 1])),
        Axis::covering("steps of a mission", most),
    );
    let mut chart = Chart::new(
        "Steps until the goal",
        "the mean over terrains, with equal interruptions",
        x,
        y,
    );
    for (ahead, colour) in AHEAD.iter().zip(SERIES) {
        let here = rows.iter().filter(|row| row.ahead == *ahead);
        let points: Vec<(f64, f64)> = here
            .map(|row| (f64::from(row.keep), mean(&row.samples(Mission::steps)).value))
            .collect();
        let name = match ahead {
            0 => "each step planned when it comes".to_owned(),
            ahead => format!("{ahead} events ahead"),
        };
        chart.line(&points, solid(colour), &name);
        chart.dots(&points, Dot { mark: Mark::Ring, colour }, "");
    }
    Figure {
        name: "robot-steps".to_owned(),
        caption: "What others keep from the planner costs steps, unless they were planned before."
            .to_owned(),
        picture: chart.finish(),
    }
}

/// How many events were taken back, against how long there was to do them again.
fn redo(rows: &[Row]) -> (Figure, Table) {
    let last = AHEAD[AHEAD.len() - 1];
    let mut table = Table::new(
        "what was taken back: how many events, and how long until the first of them was due again, in ms",
        1,
        &[
            "ahead",
            "rollbacks",
            "events, mean",
            "events, most",
            "slack, least",
            "slack, mean",
            "redone late",
        ],
    );
    let (x, y) = (
        Axis::covering("slack until the first is due (ms)", 110.0),
        Axis::covering("events taken back", f64::from(last) + 1.0),
    );
    let mut chart = Chart::new("Depth of rollbacks against slack", "all missions", x, y);
    for (ahead, colour) in AHEAD.iter().zip(SERIES).skip(1) {
        let missions = rows.iter().filter(|row| row.ahead == *ahead).flat_map(|row| &row.missions);
        let found: Vec<(f64, f64)> = missions.flat_map(Mission::rollbacks).collect();
        let (slack, depth): (Vec<f64>, Vec<f64>) = found.iter().copied().unzip();
        let late = slack.iter().filter(|slack| **slack <= 0.0).count();
        let most = depth.iter().copied().fold(0.0, f64::max);
        let least = slack.iter().copied().fold(f64::INFINITY, f64::min);
        table.rows.push(vec![
            ahead.to_string(),
            found.len().to_string(),
            digits(mean(&depth).value),
            digits(most),
            digits(least),
            digits(mean(&slack).value),
            late.to_string(),
        ]);
        // Series beside each other, since depths are whole.
        let shifted: Vec<(f64, f64)> =
            found.iter().map(|(slack, depth)| (*slack, depth + f64::from(*ahead) / 40.0)).collect();
        chart.dots(&shifted, Dot { mark: Mark::Ring, colour }, &format!("{ahead} events ahead"));
    }
    let figure = Figure {
        name: "robot-redo".to_owned(),
        caption: "Each ring is a rollback. What is seen takes effect a step later than it could at the earliest, so that there is time to do again what was taken back; where others keep the processor, slack is lost."
            .to_owned(),
        picture: chart.finish(),
    };
    (figure, table)
}

/// The evidence against the claim, and its numbers.
fn judge(rows: &[Row]) -> (Vec<String>, String) {
    let mut against = Vec::new();
    let of = |keep: u32, ahead: u32| rows.iter().find(|row| (row.keep, row.ahead) == (keep, ahead));
    let mut words = Vec::new();
    let last = AHEAD[AHEAD.len() - 1];
    for keep in KEEP.into_iter().filter(|keep| *keep >= LONG) {
        let (Some(without), Some(with)) = (of(keep, 0), of(keep, last)) else { continue };
        for (what, of) in
            [("steps", Mission::steps as fn(&Mission) -> f64), ("energy", Mission::energy)]
        {
            // Equal terrain: the difference of each.
            let both = without.missions.iter().zip(&with.missions);
            let saved: Vec<f64> = both.map(|(without, with)| of(without) - of(with)).collect();
            let saved = mean(&saved);
            if what == "steps" {
                words.push(format!("{keep} ms: {}", with_confidence(saved)));
                if saved.value <= saved.confidence {
                    against.push(format!(
                        "at {keep} ms planning ahead saves {} steps",
                        with_confidence(saved)
                    ));
                }
            }
        }
    }
    if let (Some(free), Some(kept)) = (of(0, 0), of(KEEP[KEEP.len() - 1], 0)) {
        for (what, of) in
            [("steps", Mission::steps as fn(&Mission) -> f64), ("energy", Mission::energy)]
        {
            let more = difference(&kept.samples(of), &free.samples(of));
            if more.value <= 0.0 {
                against.push(format!(
                    "without planning ahead {what} do not grow: {}",
                    with_confidence(more)
                ));
            }
        }
    }
    (against, format!("steps that planning {last} events ahead saves: {}", words.join(", ")))
}

fn notes() -> Vec<String> {
    vec![
        "Random terrains of 40 by 24 cells, a fifth of them blocked, 20 more while the robot is on its way; it knows none of them, and sees four cells far. A step takes 50 ms, sensors look every 25 ms. Looking at a cell \
         takes 20 us in planning; a motion past obstacles more; a decision 100 us. Standing for a step takes 0.3 cells' energy, starting again 0.5."
            .to_owned(),
        "Others come every 300 to 500 ms and keep the processor for 10 ms up to the longest. Sensors and motors come before them, planning after. Planned ahead, what is new takes effect a step later than it could at the earliest, so \
         that the robot goes on as planned before while the planner is kept away; its way is longer by that. Without planning ahead, each step is planned when the one before has been taken."
            .to_owned(),
        "Processor time of planning is simulated; the plans are real: D* Lite as a model of crate `speculation`, run by deadlines. Its promises reckon with sensors and motors, not with others, so some are lost where those keep the processor.".to_owned(),
    ]
}

fn findings(settings: &Settings<'_>) -> Result<Findings, LabError> {
    let terrains = terrains(settings.either(10, 4));
    let mut rows = Vec::new();
    for keep in KEEP {
        (settings.progress)(&format!("others keep the processor for up to {keep} ms"));
        for ahead in AHEAD {
            let mission = |(number, terrain): (usize, &_)| {
                Mission::run(&Setup { keep, ahead, terrain, seed: number as u64 })
            };
            let missions: Result<_, LabError> = terrains.iter().enumerate().map(mission).collect();
            rows.push(Row { keep, ahead, missions: missions? });
        }
    }
    let (against, why) = judge(&rows);
    let (depth, taken_back) = redo(&rows);
    // The first terrain, at the longest.
    let mut longest = rows.iter().filter(|row| row.keep == 200);
    let (without, with) = (longest.next(), longest.next_back());
    let mut figures = vec![figure(&rows)];
    let mut raw = Vec::new();
    if let (Some(without), Some(with), Some(terrain)) = (without, with, terrains.first()) {
        let shown = [&without.missions[0], &with.missions[0]];
        figures.push(picture::ways(terrain, shown));
        raw.push(animation::page(terrain, shown[1]));
    }
    figures.push(depth);
    raw.insert(0, records(&rows));
    Ok(Findings {
        circumstances: vec![format!(
            "sim: {} terrains, each with the same interruptions in each line",
            terrains.len()
        )],
        tables: vec![table(&rows), taken_back],
        figures,
        raw,
        notes: notes(),
        verdict: Verdict::by(&against, &why),
    })
}

/// All that was counted, mission by mission.
fn records(rows: &[Row]) -> Raw {
    let head = "keep_ms,ahead,terrain,steps,path_tenths,energy_tenths,late,used_ns,thrown_away_ns,events_taken_back,promises_lost";
    let records = rows.iter().flat_map(|row| {
        row.missions.iter().enumerate().map(|(terrain, one)| {
            let Mission { journey, used, thrown_away, taken_back, lost } = one;
            let (steps, path, energy) = (journey.steps.len(), journey.path, journey.energy);
            let late = journey.stood(Stood::Late);
            let (used, thrown_away) = (used.as_nanos(), thrown_away.as_nanos());
            record![
                row.keep,
                row.ahead,
                terrain,
                steps,
                path,
                energy,
                late,
                used,
                thrown_away,
                taken_back,
                lost
            ]
        })
    });
    Raw::csv("robot", head, records)
}
