//! Figure 11: how fast the modules are, by a program of local memory that each times by the clock.

use super::{SERIES, digits};
use crate::cmstar;
use crate::experiment::{Experiment, Host, LabError, Settings};
use crate::findings::{Figure, Findings, Raw, Table, Verdict, record};
use crate::units::millis;
use windfall_plot::Paint;
use windfall_plot::chart::{Axis, Chart};
use windfall_programs::memo::{Report, report, reported};
use windfall_programs::{CallKind, Code, Process, ProcessError, Random};
use windfall_sim::Sim;
use windfall_time::{Instant, Span};

pub(super) static EXPERIMENT: Experiment = Experiment {
    name: "clock-11",
    also: &[],
    title: "the execution speed of 34 modules",
    source: "CMU 1982, Measuring Time in Multiprocessor Systems, 4.3, figure 11",
    question: "does the clock show how fast each of 34 modules is, although all read it at once?",
    claim: "each module's time is read to within 0.1 % of the truth, of which waits for the clock are a part of 1 ms at most; modules that scatter by 147 ms about 15.015 s lie within 4.6 %",
    hosts: &[Host::Sim],
    absent: "the machine is Cm*, whose modules differ by a known amount here",
    run: findings,
};

const MODULES: u16 = 34;
/// The paper's mean and standard deviation, in us.
const MEAN: u64 = 15_015_000;
const DEVIATION: i64 = 147_300;
/// The paper's axis ends there, in s.
const AXIS: (f64, f64) = (14.5, 15.5);
const SEED: u64 = 1_982;

/// Times its own execution.
#[derive(Clone)]
struct Timed {
    number: u16,
    takes: Span,
    seen: Report<(u16, Span)>,
}

impl Code for Timed {
    const NAME: &'static str = "timed";

    async fn run(self, mut me: impl Process) -> Result<(), ProcessError> {
        let before = me.now().await;
        me.compute(self.takes).await;
        let took = me.now().await - before;
        report(&self.seen, [(self.number, took)]);
        Ok(())
    }
}

/// A draw near the normal distribution of deviation 1, in thousandths: twelve even ones.
fn drawn(random: &mut Random) -> i64 {
    let twelve: u64 = (0..12).map(|_| random.between(0, 1_000)).sum();
    i64::try_from(twelve).unwrap_or(6_000) - 6_000
}

/// The true time of each module: drawn, then moved and scaled to the paper's mean and deviation.
#[expect(clippy::cast_precision_loss, reason = "below 2^53")]
#[expect(clippy::cast_possible_truncation, reason = "a few hundred thousand")]
fn truths() -> Vec<Span> {
    let mut random = Random::new(SEED);
    let all: Vec<f64> = (0..MODULES).map(|_| drawn(&mut random) as f64).collect();
    let mean = all.iter().sum::<f64>() / f64::from(MODULES);
    let variance = all.iter().map(|one| (one - mean).powi(2)).sum::<f64>() / f64::from(MODULES);
    let scaled = all.into_iter().map(|one| {
        let off = ((one - mean) / variance.sqrt() * DEVIATION as f64).round() as i64;
        Span::from_nanos(1_000 * MEAN.saturating_add_signed(off))
    });
    scaled.collect()
}

/// The measured times of modules, beside the truth.
fn measured(truths: &[Span]) -> Result<Vec<(u16, Span, Span)>, LabError> {
    let length = Span::from_secs(20);
    let clock = |cluster| if cluster == 0 { vec![CallKind::Now] } else { Vec::new() };
    let mut plan = cmstar::plan(length, clock, false)?;
    let seen: Report<(u16, Span)> = Report::default();
    for (number, takes) in (0..).zip(truths) {
        cmstar::add(&mut plan, number, Timed { number, takes: *takes, seen: seen.clone() });
    }
    let outcome = Sim::of(plan, None)?.run(Instant::ZERO + length, |_| true);
    crate::carried_out::whole(outcome)?;
    let mut all = reported(&seen);
    all.sort_unstable();
    Ok(all.into_iter().map(|(at, took)| (at, truths[usize::from(at)], took)).collect())
}

/// The mean, the deviation, and how far the slowest is from the fastest, in per cent of the mean.
#[expect(clippy::cast_precision_loss, reason = "there are 34")]
fn summed(all: &[f64]) -> [f64; 3] {
    let mean = all.iter().sum::<f64>() / all.len() as f64;
    let variance = all.iter().map(|one| (one - mean).powi(2)).sum::<f64>() / all.len() as f64;
    let most = all.iter().copied().fold(0.0, f64::max);
    let least = all.iter().copied().fold(f64::INFINITY, f64::min);
    [mean, variance.sqrt(), 100.0 * (most - least) / mean]
}

fn figure(read: &[f64]) -> Figure {
    let wide = 0.05;
    let x = Axis::between("time (s)", AXIS.0, AXIS.1);
    let y = Axis::until("modules", 10.0);
    let title = format!("Execution time of {MODULES} modules");
    let facts = "a program of local memory, timed by the clock of cluster 1";
    let mut chart = Chart::new(&title, facts, x, y);
    let paint = Paint::Plain(SERIES[0]);
    let mut from = AXIS.0;
    while from < AXIS.1 - wide / 2.0 {
        let inside = read.iter().filter(|ms| (from..from + wide).contains(&(**ms / 1e3))).count();
        let high = f64::from(u32::try_from(inside).unwrap_or(0));
        if inside > 0 {
            let right = from + wide * 0.92;
            chart.area(&[(from, 0.0), (from, high), (right, high), (right, 0.0)], paint, "");
        }
        from += wide;
    }
    Figure {
        name: "clock-11".to_owned(),
        caption: "The paper's histogram has the same axis; its bars are lost.".to_owned(),
        picture: chart.finish(),
    }
}

fn findings(settings: &Settings<'_>) -> Result<Findings, LabError> {
    (settings.progress)("34 modules");
    let all = measured(&truths())?;
    let read: Vec<f64> = all.iter().map(|(.., took)| millis(*took)).collect();
    let truth: Vec<f64> = all.iter().map(|(_, truth, _)| millis(*truth)).collect();
    let mut table = Table::new(
        "execution times, ms",
        1,
        &["", "mean", "standard deviation", "slowest from fastest, %"],
    );
    let mut row = |name: &str, numbers: [f64; 3]| {
        let [mean, deviation, range] = numbers;
        let cells = [format!("{mean:.1}"), format!("{deviation:.1}"), digits(range)];
        table.rows.push(std::iter::once(name.to_owned()).chain(cells).collect());
    };
    row("1982", [15_015.0, 147.3, 4.6]);
    row("truth", summed(&truth));
    row("read", summed(&read));
    let off = all.iter().map(|(_, truth, took)| millis(took.saturating_sub(*truth)));
    let farthest = off.fold(0.0, f64::max);
    let [mean, deviation, range] = summed(&read);
    let mut against = Vec::new();
    if all.len() != usize::from(MODULES) || farthest > 1.0 {
        against.push(format!("{} modules, up to {} ms off", all.len(), digits(farthest)));
    }
    if range > 4.6 {
        against.push(format!("they lie within {} %", digits(range)));
    }
    let why = format!(
        "{mean:.1} ms with a deviation of {deviation:.1}, within {} %; a reading is {} ms too long at most",
        digits(range),
        digits(farthest)
    );
    let raw = all.iter().map(|(number, truth, took)| record![number, truth, took]);
    Ok(Findings {
        circumstances: vec!["sim: 34 of 50 processors".to_owned()],
        tables: vec![table],
        figures: vec![figure(&read)],
        raw: vec![Raw::csv("clock-11", "module,truth,read", raw)],
        notes: vec![
            "What the modules take is drawn, with the paper's mean and deviation. So the histogram is put in; that all 34 lie within 4.6 %, and what their common clock adds, is found.".to_owned(),
            "Speeds of this machine's processors are measured by `lab validate`.".to_owned(),
        ],
        verdict: Verdict::by(&against, &why).calibrated(),
    })
}
