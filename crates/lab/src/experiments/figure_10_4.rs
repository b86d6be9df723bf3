//! Figure 10.4: the cost of a switch for a thread that must fill the cache again, against the size of the data that it
//! works on.
//!
//! One thread alone is compared with ten on the same processor, by equation 10.1:
//! `C = T (W1 - W10) / (W1 N10)`. On a real machine T is processor time, so that what others use of the
//! processor does not count as a penalty.

use super::{PAPER, SERIES, dashed, digits, solid};
use crate::carried_out::{run, threads};
use crate::experiment::{Experiment, Host, LabError, Settings};
use crate::findings::{ClaimStatus, Figure, Findings, Raw, Table, Verdict, record};
use crate::machine::cache_kib;
use crate::native::{Spent, on_one_processor, spend};
use crate::statistics::{Line, Mean, difference, line, mean};
use crate::trees::{scenario, spinners};
use std::sync::Mutex;
use std::time::Duration;
use windfall_plot::chart::{Axis, Chart, Dot, Mark};
use windfall_programs::Work;
use windfall_scenario::model::{Cache, Run, Scheduler, Step};
use windfall_schedulers::time_sharing::TimeSharing;
use windfall_time::Span;

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "figure-10-4",
    also: &[],
    title: "penalty of a switch against working set",
    source: "HLS 10.3.3, figure 10.4, equation 10.1",
    question: "what does a thread lose at a switch because it must fill the cache again?",
    claim: "the penalty grows with the working set up to the size of the cache, and is there many times what \
            a decision of the hierarchy costs",
    hosts: &[Host::Sim, Host::Here],
    absent: "what is measured is the machine's; whoever decides on the switch does not change it",
    run: findings,
};

/// The paper's line of best fit between 32 and 384 KiB, in microseconds for a KiB.
const PAPER_SLOPE: f64 = 5.57;
/// The paper's cache.
const PAPER_CACHE: u64 = 512;
const MANY: u32 = 10;

/// A point of the figure: working set, penalty of a switch in microseconds, and whether ten threads did
/// significantly less than one.
struct Point {
    kib: u64,
    penalty: Mean,
    significant: bool,
}

fn findings(settings: &Settings<'_>) -> Result<Findings, LabError> {
    let mut circumstances = Vec::new();
    let (mut sim, mut here) = (Vec::new(), Vec::new());
    if settings.on(Host::Sim) {
        circumstances.push(
            "sim: time sharing, quantum 20 ms, a cache of 512 KiB filled at 5.57 us a KiB"
                .to_owned(),
        );
        let sizes = (0..=settings.either(32, 8)).map(|n| n * settings.either(32, 128));
        sim = sizes.map(simulated).collect::<Result<_, _>>()?;
    }
    let cache = cache_kib(2).unwrap_or(1024);
    if settings.on(Host::Here) {
        let (runs, length) = settings.either((20, 1_000), (2, 60));
        circumstances.push(crate::machine::here());
        circumstances.push(format!(
            "here: {runs} runs of {length} ms of 1 and of {MANY} threads at each size"
        ));
        for kib in sizes(cache, settings.quick) {
            (settings.progress)(&format!("here, {kib} KiB"));
            here.push(measured(kib, runs, Duration::from_millis(length))?);
        }
    }
    let fits =
        [(&sim, PAPER_CACHE * 3 / 4), (&here, cache * 3 / 4)].map(|(points, to)| fit(points, to));
    let figures = [
        ("figure-10-4-sim", "simulated", &sim, &fits[0]),
        ("figure-10-4-here", "here", &here, &fits[1]),
    ];
    let figures = figures.into_iter().filter(|(_, _, points, _)| !points.is_empty());
    let rows = [("sim", &sim), ("here", &here)].into_iter().flat_map(|(host, points)| {
        points.iter().map(move |Point { kib, penalty, significant }| {
            record![host, kib, penalty.value, penalty.confidence, significant]
        })
    });
    let raw = vec![Raw::csv(
        "figure-10-4",
        "host,working_set_kib,penalty_us,confidence_us,significant",
        rows,
    )];
    Ok(Findings {
        circumstances,
        tables: vec![table(&sim, &here, &fits, cache)],
        figures: figures.map(|(name, host, points, fit)| figure(name, host, points, fit.as_ref())).collect(),
        raw,
        notes: vec![
            "Simulated, the penalty for a KiB is the paper's own, given to the machine: what comes back shows that \
             equation 10.1 finds it."
                .to_owned(),
            "Here a processor fetches ahead while it goes through an array in order; the penalty is smaller \
             than memory's latency would make it."
                .to_owned(),
        ],
        verdict: verdict(&sim, &here, &fits, cache),
    })
}

fn table(sim: &[Point], here: &[Point], fits: &[Option<Line>; 2], cache: u64) -> Table {
    let mut table = Table::new("penalty of a switch", 1, &["", "paper", "sim", "here"]);
    let of = |points: &[Point], kib: u64| {
        let point = points.iter().find(|point| point.kib == kib);
        point.map_or_else(|| "-".to_owned(), |point| digits(point.penalty.value))
    };
    let slope =
        |fit: &Option<Line>| fit.as_ref().map_or_else(|| "-".to_owned(), |fit| digits(fit.slope));
    let [first, second] = fits.each_ref().map(slope);
    table.rows.push(vec!["each further KiB (us)".to_owned(), digits(PAPER_SLOPE), first, second]);
    table.rows.push(vec![
        "512 KiB (us)".to_owned(),
        "almost 3000".to_owned(),
        of(sim, 512),
        of(here, 512),
    ]);
    table.rows.push(vec![
        format!("{cache} KiB (us)"),
        "-".to_owned(),
        of(sim, cache),
        of(here, cache),
    ]);
    table
}

fn verdict(sim: &[Point], here: &[Point], fits: &[Option<Line>; 2], cache: u64) -> Verdict {
    let mut against = Vec::new();
    let flat = sim.iter().filter(|point| point.kib >= PAPER_CACHE);
    let ends: Vec<f64> = flat.map(|point| point.penalty.value).collect();
    if ends.iter().any(|value| (value - ends[0]).abs() > ends[0] * 0.05) {
        against.push("sim: the penalty grows beyond the cache".to_owned());
    }
    let mut fits: Vec<_> = ["sim", "here"].into_iter().zip(fits).collect();
    let decided = here.iter().any(|point| point.kib == cache && point.significant);
    if !decided {
        fits.truncate(1);
    }
    for (host, fit) in fits {
        if let Some(fit) = fit.filter(|fit| fit.slope <= 0.0) {
            against.push(format!("{host}: {:.3} us for each further KiB", fit.slope));
        }
    }
    let whole = here.iter().filter(|point| decided && point.kib == cache);
    for point in whole.filter(|point| point.penalty.value < 5.0) {
        against.push(format!("here: {:.2} us at {cache} KiB", point.penalty.value));
    }
    if against.is_empty() && !here.is_empty() && !decided {
        let why = "here: what ten threads lose at the size of the cache is not significant; longer runs, or a \
                   quieter machine, would tell";
        return Verdict { standing: ClaimStatus::Open, why: why.to_owned() };
    }
    let why = "penalties grow with the working set, and are far above a decision's cost";
    let verdict = Verdict::by(&against, why);
    // The simulated machine is given what a KiB costs.
    if here.is_empty() { verdict.calibrated() } else { verdict }
}

/// Sizes to measure: up to 1 MiB as in the paper, then up to four of this machine's caches.
fn sizes(cache: u64, quick: bool) -> Vec<u64> {
    if quick {
        return vec![0, 64, 256, 512, cache];
    }
    let mut sizes: Vec<u64> = (0..=16).map(|n| n * 64).collect();
    sizes.extend([5, 6, 7, 8, 10, 12, 16].map(|quarters| quarters * cache / 4));
    sizes.sort_unstable();
    sizes.dedup();
    sizes
}

/// The line through the significant points up to a size.
#[expect(clippy::cast_precision_loss, reason = "sizes in KiB")]
fn fit(points: &[Point], to: u64) -> Option<Line> {
    let points: Vec<_> = points
        .iter()
        .filter(|point| (32..=to).contains(&point.kib))
        .map(|point| (point.kib as f64, point.penalty.value))
        .collect();
    (points.len() > 1).then(|| line(&points))
}

/// Jobs of 20 us done by one or ten threads, and switches, in a second of a simulated machine.
fn jobs(kib: u64, count: u32) -> Result<(f64, f64), LabError> {
    let job = Run::steps(vec![Step::Job, Step::Run(Work::Fixed(Span::from_nanos(20_000)))]);
    let kind = TimeSharing::default().quantum(Span::from_millis(20));
    let schedulers = vec![Scheduler::root("ts", kind)];
    let mut worker = spinners("worker", count, "ts").working_set_kib(kib);
    worker.run = job;
    let mut scenario = scenario(Span::from_secs(1), schedulers, vec![worker]);
    let refill = Span::from_nanos(5_570);
    scenario.machine.cache = Some(Cache::new(PAPER_CACHE, refill));
    let outcome = run(&scenario, Vec::new(), None)?;
    #[expect(clippy::cast_precision_loss, reason = "tens of thousands")]
    let sum = |of: fn(&windfall_scenario::outcome::ThreadOutcome) -> u64| {
        threads(&outcome, "worker").map(of).sum::<u64>() as f64
    };
    Ok((sum(|thread| thread.completed), sum(|thread| thread.dispatches)))
}

fn simulated(kib: u64) -> Result<Point, LabError> {
    let ((one, _), (ten, switches)) = (jobs(kib, 1)?, jobs(kib, MANY)?);
    let penalty = 1e6 * (one - ten) / (one * switches);
    // What is left of unfinished jobs is no penalty.
    let significant = one - ten > f64::from(MANY);
    Ok(Point { kib, penalty: Mean { value: penalty, confidence: 0.0, count: 1 }, significant })
}

/// The work of this number of threads together.
fn together(kib: u64, count: usize, length: Duration) -> Result<Spent, LabError> {
    let kib = usize::try_from(kib).expect("less than this machine's memory");
    let sum = Mutex::new(Spent::default());
    on_one_processor(count, &|_| {
        let spent = spend(kib, length);
        if let Ok(mut sum) = sum.lock() {
            sum.work += spent.work;
            sum.seconds += spent.seconds;
            sum.switches += spent.switches;
        }
    })?;
    Ok(sum.into_inner().unwrap_or_default())
}

#[expect(clippy::cast_precision_loss, reason = "switches of a second")]
fn measured(kib: u64, runs: usize, length: Duration) -> Result<Point, LabError> {
    let (mut ones, mut tens, mut penalties) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..runs {
        let one = together(kib, 1, length)?;
        let ten = together(kib, MANY as usize, length)?;
        let (first, second) = (one.work / one.seconds, ten.work / ten.seconds);
        penalties.push(1e6 * ten.seconds * (first - second) / (first * ten.switches.max(1) as f64));
        ones.push(first);
        tens.push(second);
    }
    let lost = difference(&ones, &tens);
    Ok(Point { kib, penalty: mean(&penalties), significant: lost.value > lost.confidence })
}

#[expect(clippy::cast_precision_loss, reason = "places on a picture")]
fn figure(name: &str, host: &str, points: &[Point], fit: Option<&Line>) -> Figure {
    let places: Vec<_> =
        points.iter().map(|point| (point.kib as f64, point.penalty.value)).collect();
    let far: Vec<_> = points
        .iter()
        .filter(|point| point.penalty.confidence.is_finite())
        .map(|point| (point.kib as f64, point.penalty.value, point.penalty.confidence))
        .collect();
    let right = places.iter().map(|place| place.0).fold(0.0, f64::max);
    let top = far.iter().map(|(_, y, far)| y + far).chain(places.iter().map(|place| place.1));
    let bottom = far.iter().map(|(_, y, far)| y - far).fold(0.0, f64::min);
    let mut chart = Chart::new(
        &format!("Penalty of a switch against working set, {host}"),
        "figure 10.4: a line of 5.57 us a KiB between 32 and 384 KiB, almost 3 ms at 512 KiB, the size of that cache",
        Axis::covering("working set (KiB)", right),
        Axis::between("penalty of a switch (us)", bottom, top.fold(1.0, f64::max)),
    );
    let paper = [(32.0, 32.0 * PAPER_SLOPE), (384.0, 384.0 * PAPER_SLOPE)];
    chart.line(&paper, dashed(PAPER), "2001: 5.57 us for each KiB");
    if let Some(fit) = fit {
        let ends = [32.0, right * 0.75].map(|x| (x, fit.at(x)));
        chart.line(
            &ends,
            solid(SERIES[1]),
            &format!("line of best fit: {} us for each KiB", digits(fit.slope)),
        );
    }
    let exact = far.iter().all(|(_, _, far)| *far == 0.0);
    let spread_name = if exact { host.to_owned() } else { format!("{host}, 95 % confidence") };
    chart.spread(&far, SERIES[0]);
    chart.dots(&places, Dot { mark: Mark::Diamond, colour: SERIES[0] }, &spread_name);
    Figure {
        name: name.to_owned(),
        caption: "The penalty grows with what must be fetched again, up to what the cache holds."
            .to_owned(),
        picture: chart.finish(),
    }
}
