//! Lengths of queues as the paper draws them: against the number of votes, up to 200.

use super::{DRAWN, GRANULARITIES, Pace, Run, Trial};
use crate::experiments::SERIES;
use crate::findings::{Figure, Raw, Table, record};
use windfall_plot::Stroke;
use windfall_plot::chart::{Axis, Chart};

/// A run with the per cent that its first subtask is slower.
#[derive(Debug)]
pub(crate) struct Curve {
    pub(crate) granularity: u64,
    pub(crate) percent: u64,
    pub(crate) run: Run,
}

impl Curve {
    /// A run for each granularity and per cent.
    pub(crate) fn all(
        percents: &[u64],
        votes: usize,
        change: impl Fn(Trial) -> Trial,
        pace: fn(u64) -> Pace,
    ) -> Vec<Curve> {
        let settings = GRANULARITIES
            .iter()
            .flat_map(|granularity| percents.iter().map(|percent| (*granularity, *percent)));
        let run = |(granularity, percent)| {
            let run = change(Trial::new(granularity, pace(percent), votes)).run();
            Curve { granularity, percent, run }
        };
        settings.map(run).collect()
    }
}

/// Lines are solid in all colours first, then of dashes, then of dots.
fn stroke(place: usize) -> Stroke {
    let dash = [None, Some((8.0, 5.0)), Some((2.5, 3.5))][place / SERIES.len() % 3];
    Stroke { colour: SERIES[place % SERIES.len()], wide: 1.8, dash }
}

/// A figure of the paper.
#[derive(Clone, Copy)]
pub(crate) struct Drawn {
    /// Of the paper, as its file is named.
    pub(crate) number: &'static str,
    /// Differences from the paper's words; nothing else is said of it.
    pub(crate) differs: &'static str,
    pub(crate) caption: &'static str,
    /// Where its axis ends.
    pub(crate) rows: f64,
    /// A line of its legend, by granularity and per cent.
    pub(crate) label: fn(&str, u64) -> String,
}

/// A granularity as the paper prints it.
fn kilo(granularity: u64) -> String {
    if granularity.is_multiple_of(1_024) {
        format!("{}K", granularity / 1_024)
    } else {
        granularity.to_string()
    }
}

/// Draws a figure of the paper.
pub(crate) fn figure(
    Drawn { number, differs, caption, rows, label }: Drawn,
    curves: &[&Curve],
) -> Figure {
    let (x, y) =
        (Axis::until("time (in number of votes)", 200.0), Axis::until("voter queue length", rows));
    let title = format!("Figure {number}: queue length of a voter against time{differs}");
    let facts =
        "simulated, 40 operations a message and 5 a row; what is longer than the axis is cut off";
    let mut chart = Chart::new(&title, facts, x, y);
    for (place, curve) in curves.iter().enumerate() {
        let lengths = curve.run.lengths.iter().take(DRAWN);
        let points: Vec<(f64, f64)> =
            (1_u32..).zip(lengths).map(|(vote, rows)| (vote.into(), (*rows).into())).collect();
        let name = label(&kilo(curve.granularity), curve.percent);
        chart.line(&points, stroke(place), &name);
    }
    Figure {
        name: if differs.is_empty() {
            format!("nmr-figure-{number}")
        } else {
            format!("nmr-figure-{number}-differs")
        },
        caption: caption.to_owned(),
        picture: chart.finish(),
    }
}

/// The least and the largest length in the votes up to this one, as many as two periods last.
pub(crate) fn least_and_most(run: &Run, until: usize) -> (u32, u32) {
    let lengths = &run.lengths[until.saturating_sub(40)..until];
    let least = lengths.iter().copied().min().unwrap_or(0);
    (least, lengths.iter().copied().max().unwrap_or(0))
}

/// A table of the least and largest lengths in the 40 votes before each of `until`.
pub(crate) fn lengths_table(title: &str, until: &[usize], curves: &[Curve]) -> Table {
    let heads: Vec<String> = until.iter().map(|vote| format!("to vote {vote}")).collect();
    let head: Vec<&str> =
        ["granularity", "%"].into_iter().chain(heads.iter().map(String::as_str)).collect();
    let mut table = Table::new(title, 0, &head);
    for curve in curves {
        let mut row = vec![curve.granularity.to_string(), curve.percent.to_string()];
        row.extend(until.iter().map(|vote| {
            let (least, most) = least_and_most(&curve.run, *vote);
            if least == most { least.to_string() } else { format!("{least} to {most}") }
        }));
        table.rows.push(row);
    }
    table
}

/// The lengths that the figures draw, and from there on each hundredth.
pub(crate) fn records(name: &str, curves: &[Curve]) -> Raw {
    let rows = curves.iter().flat_map(|curve| {
        let lengths = (1..).zip(&curve.run.lengths);
        let kept = lengths.filter(|(vote, _)| *vote <= DRAWN || vote % 100 == 0);
        kept.map(|(vote, rows)| record![curve.granularity, curve.percent, vote, rows])
    });
    Raw::csv(name, "granularity,percent,vote,rows", rows)
}
