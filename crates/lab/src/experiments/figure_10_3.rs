//! Figure 10.3: what a decision costs against the number of schedulers that take part in it.
//!
//! The tree is that of figure 10.2: two chains of schedulers below one that takes turns, a thread at the
//! end of each. Every switch revokes the processor down one chain and grants it down the other.

use super::{PAPER, SERIES, dashed, digits, solid};
use crate::experiment::{Experiment, Host, LabError, Settings};
use crate::findings::{Figure, Findings, Raw, Table, Verdict, record};
use crate::statistics::{Line, line};
use crate::trees::{all_ready, scenario, spinners};
use windfall_clocks::Lap;
use windfall_hierarchy::Hierarchy;
use windfall_plot::chart::{Axis, Chart, Dot, Mark};
use windfall_scenario::model::{Requirements, Scheduler};
use windfall_schedulers::kinds;
use windfall_time::Span;

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "figure-10-3",
    also: &["figure-10-2"],
    title: "cost of a switch against depth",
    source: "HLS 10.3.2, figures 10.2 and 10.3",
    question: "how much does each further level of schedulers add to the cost of a switch?",
    claim: "the cost grows in proportion to the depth (a line explains 98 % of it), by less than the 961 ns a \
            level of 2001",
    hosts: &[Host::Here],
    absent: "what is measured is the decision alone, which is the same code on each host",
    run: findings,
};

/// Nanoseconds for each level in 2001.
const PAPER_SLOPE: f64 = 961.0;
const DEPTHS: usize = 16;

/// Two threads that take turns, `depth` schedulers above each.
fn chains(depth: usize) -> Result<Hierarchy, LabError> {
    let mut schedulers = vec![Scheduler::root("root", kinds::ROUND_ROBIN)];
    let mut threads = Vec::new();
    for side in ["left", "right"] {
        let mut at = "root".to_owned();
        for level in 1..depth {
            let below = format!("{side}-{level}");
            schedulers.push(Scheduler::below(
                &below,
                kinds::ROUND_ROBIN,
                &at,
                Requirements::default(),
            ));
            at = below;
        }
        threads.push(spinners(&format!("thread-{side}"), 1, &at));
    }
    let scenario = scenario(Span::from_secs(1), schedulers, threads);
    let mut plan = scenario.build()?;
    all_ready(&mut plan)?;
    Ok(plan.hierarchy)
}

/// The end of the root's quantum: the processor goes from one chain to the other.
fn switch(hierarchy: &mut Hierarchy) -> Result<(), LabError> {
    let due = hierarchy.next_timer().ok_or_else(|| LabError::Run("no quantum ends".to_owned()))?;
    hierarchy.timer_due(due)?;
    while hierarchy.next_changed().is_some() {}
    Ok(())
}

/// Nanoseconds of a switch by depth, each by its best round: what disturbs a round only adds to it.
fn measure(rounds: usize, switches: u32) -> Result<Vec<f64>, LabError> {
    let mut trees = (1..=DEPTHS).map(chains).collect::<Result<Vec<_>, _>>()?;
    let mut best = vec![f64::INFINITY; DEPTHS];
    for _ in 0..rounds {
        for (tree, best) in trees.iter_mut().zip(&mut best) {
            let lap = Lap::begin();
            for _ in 0..switches {
                switch(tree)?;
            }
            *best = best.min(lap.each(switches.into()));
        }
    }
    Ok(best)
}

#[expect(clippy::cast_precision_loss, reason = "16 depths")]
fn findings(settings: &Settings<'_>) -> Result<Findings, LabError> {
    let (rounds, switches) = settings.either((400, 2_000), (20, 500));
    (settings.progress)(&format!("{DEPTHS} depths, {rounds} rounds of {switches} switches"));
    let best = measure(rounds, switches)?;
    let points: Vec<_> = best.iter().enumerate().map(|(at, ns)| (at as f64 + 1.0, *ns)).collect();
    let fit = line(&points);
    let mut table = Table::new("cost of a switch", 1, &["", "paper", "here"]);
    let row = |what: &str, paper: String, here: String| vec![what.to_owned(), paper, here];
    table.rows.push(row("each further level (ns)", digits(PAPER_SLOPE), digits(fit.slope)));
    table.rows.push(row(
        "two levels (ns)",
        "11700 (with the switch itself)".into(),
        digits(best[1]),
    ));
    table.rows.push(row("sixteen levels (ns)", "-".into(), digits(best[15])));
    table.rows.push(row("explained by a line (%)", "-".into(), digits(fit.explained * 100.0)));
    let mut against = Vec::new();
    if fit.explained < 0.98 {
        against.push(format!("a line explains only {:.1} %", fit.explained * 100.0));
    }
    if fit.slope >= PAPER_SLOPE {
        against.push(format!("a level costs {:.0} ns", fit.slope));
    }
    let rows = points.iter().map(|(depth, ns)| record![depth, ns]);
    Ok(Findings {
        circumstances: vec![
            crate::machine::here(),
            format!("the best of {rounds} rounds of {switches} switches at each depth"),
        ],
        tables: vec![table],
        figures: vec![figure(&points, &fit)],
        raw: vec![Raw::csv("figure-10-3", "depth,ns", rows)],
        notes: vec![
            "Here the decision alone is measured; the paper's times include the kernel's own switch of 7 us, \
             which does not change the slope. Its processor ran at 500 MHz."
                .to_owned(),
        ],
        verdict: Verdict::by(
            &against,
            &format!("{:.0} ns a level; a line explains {:.1} %", fit.slope, fit.explained * 100.0),
        ),
    })
}

fn figure(points: &[(f64, f64)], fit: &Line) -> Figure {
    let most = points.iter().map(|point| point.1).fold(0.0, f64::max);
    let mut chart = Chart::new(
        "Cost of a switch against the depth of the hierarchy",
        "figure 10.3: nearly a line there, too, of 0.961 us a level at 500 MHz",
        Axis::until("schedulers between the processor and a thread", 16.5),
        Axis::covering("a decision and its hand-over (ns)", most),
    );
    chart.line(
        &[(0.0, fit.at(0.0)), (16.5, fit.at(16.5))],
        dashed(PAPER),
        &format!("line of best fit: {:.1} ns a level", fit.slope),
    );
    chart.line(points, solid(SERIES[0]), "");
    chart.dots(points, Dot { mark: Mark::Ring, colour: SERIES[0] }, "here");
    Figure {
        name: "figure-10-3".to_owned(),
        caption: format!("{:.1} ns a level here, 961 ns in 2001.", fit.slope),
        picture: chart.finish(),
    }
}
