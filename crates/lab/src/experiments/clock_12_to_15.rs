//! Figures 12 to 15: what compensation does to zero elapsed time, by how far the costs of successive reads are correlated.

use super::{PAPER, SERIES, digits, solid};
use crate::experiment::{Experiment, Host, LabError, Settings};
use crate::findings::{Figure, Findings, Raw, Table, Verdict, record};
use windfall_clocks::variance::{improvement, improvement_at, variance_near_zero};
use windfall_clocks::{Clock, Interrupts, Load, Method, SampleError, Simulated, Stopwatch};
use windfall_plot::chart::{Axis, Chart, Dot, Mark};
use windfall_time::Span;

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "clock-12-to-15",
    also: &["clock-12", "clock-13", "clock-14", "clock-15"],
    title: "what compensation gains at zero elapsed time, by correlation",
    source: "CMU 1982, Measuring Time in Multiprocessor Systems, 4.2 and 4.4 to 4.6, figures 12 to 15",
    question: "by how much do the short-term methods reduce the variance of zero elapsed time, and where do the paper's eight results lie?",
    claim: "k follows from correlation: with method I it is within a quarter of 2/((1-r)(3-r)), so it gains from r = 0.27 on, and within a tenth of what equation (5) gives; \
            interrupts take the gain away, and samples without them have it again",
    hosts: &[Host::Sim],
    absent: "what is tried is a clock whose load and truth are known",
    run: findings,
};

/// The paper's results: system, routine, method, figure, mean of the compensated result in us where it is in the text, k.
type Result82 = (&'static str, &'static str, Method, &'static str, Option<f64>, f64);

const EIGHT: [Result82; 8] = [
    ("StarOS", "4-Read", Method::MethodI, "12", Some(-1.90), 0.8),
    ("StarOS", "1-Read", Method::MethodI, "", None, 0.81),
    ("Medusa", "4-Read", Method::MethodI, "13", Some(6.69), 3.57),
    ("Medusa", "1-Read", Method::MethodI, "", None, 0.68),
    ("StarOS", "4-Read", Method::MethodII, "14", Some(-5.24), 1.14),
    ("StarOS", "1-Read", Method::MethodII, "", None, 1.98),
    ("Medusa", "4-Read", Method::MethodII, "15", Some(6.69), 1.11),
    ("Medusa", "1-Read", Method::MethodII, "", None, 0.81),
];

/// The correlation of neighbours at which the curve has a k.
fn correlation_for(k: f64) -> f64 {
    2.0 - (1.0 + 2.0 / k).sqrt()
}

/// Parts of the load that the next read keeps, with method I.
const KEPT: [f64; 9] = [0.0, 0.5, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99, 0.995];
/// The own part of each read, in us, with method II.
const OWN: [f64; 5] = [0.0, 30.0, 60.0, 100.0, 150.0];
const SEED: u64 = 1_982;
/// An interrupt of the line clock, sixty times a second; how long it takes is in no text, and the peaks of figure 4 are some 320 us apart.
const INTERRUPTS: Interrupts =
    Interrupts { every: Span::from_nanos(16_666_667), length: Span::from_nanos(320_000) };

/// Reads as Medusa's 4-Read: 320 us at least.
fn clock(kept: f64, own_us: f64) -> Result<Simulated, LabError> {
    let load = Load {
        floor: Span::from_nanos(320_000),
        scale: 25_000.0,
        kept,
        own: own_us * 1e3,
        equal_halves: true,
    };
    Ok(Simulated::new(load, Span::from_nanos(2_000), SEED)?)
}

/// The result of a method.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Found {
    method: Method,
    kept: f64,
    own_us: f64,
    /// Correlations: before and measured, before and after, measured and after.
    r: [f64; 3],
    /// The mean of the compensated result, in us.
    mean_us: f64,
    k: f64,
    /// By equation (5).
    by_equation: f64,
}

impl Found {
    /// The mean correlation of neighbours.
    fn neighbours(&self) -> f64 {
        f64::midpoint(self.r[0], self.r[2])
    }
}

#[expect(clippy::cast_precision_loss, reason = "statistics")]
fn mean(of: &[f64]) -> f64 {
    of.iter().sum::<f64>() / of.len() as f64
}

fn covariance(one: &[f64], other: &[f64]) -> f64 {
    let (of_one, of_other) = (mean(one), mean(other));
    let products: Vec<f64> =
        one.iter().zip(other).map(|(x, y)| (x - of_one) * (y - of_other)).collect();
    mean(&products)
}

/// Ticks of a pair, in us.
#[expect(clippy::cast_precision_loss, reason = "statistics")]
fn micros(pair: Result<u64, SampleError>) -> Result<f64, LabError> {
    let ticks = pair.map_err(|why| LabError::Run(format!("a simulated pair of reads: {why:?}")))?;
    Ok(ticks as f64 * 2.0)
}

fn pair(clock: &Simulated) -> Result<f64, LabError> {
    let begin = clock.read();
    micros(clock.read().since(begin))
}

/// Zero elapsed time with a pair before and one after, many times.
fn tried(method: Method, kept: f64, own_us: f64, samples: usize) -> Result<Found, LabError> {
    let clock = clock(kept, own_us)?;
    let mut elsewhere = clock.elsewhere().filter(|_| method == Method::MethodII);
    let mut parts: [Vec<f64>; 3] = Default::default();
    for _ in 0..samples {
        let before = match &mut elsewhere {
            Some(other) => micros(other.before())?,
            None => pair(&clock)?,
        };
        let measured = pair(&clock)?;
        let after = match &mut elsewhere {
            Some(other) => micros(other.after())?,
            None => pair(&clock)?,
        };
        for (part, value) in parts.iter_mut().zip([before, measured, after]) {
            part.push(value);
        }
    }
    let results: Vec<f64> =
        (0..samples).map(|n| parts[1][n] - f64::midpoint(parts[0][n], parts[2][n])).collect();
    let [before, measured, after] = &parts;
    let r = |one: &[f64], other: &[f64]| {
        covariance(one, other) / (covariance(one, one) * covariance(other, other)).sqrt()
    };
    let r = [r(before, measured), r(before, after), r(measured, after)];
    let uncorrected = covariance(measured, measured);
    let nothing = || LabError::Run("a compensated result does not scatter".to_owned());
    let k = improvement(uncorrected, covariance(&results, &results)).ok_or_else(nothing)?;
    let by_equation = variance_near_zero(1.0, r[0], r[1], r[2]);
    let by_equation = improvement(1.0, by_equation).ok_or_else(nothing)?;
    Ok(Found { method, kept, own_us, r, mean_us: mean(&results), k, by_equation })
}

/// k of method I without interrupts, with them, and with them but without the samples that hold one.
fn with_interrupts(kept: f64, samples: u32) -> Result<[f64; 3], LabError> {
    let k = |interrupted: bool, gap: Span| {
        let calm = clock(kept, 0.0)?;
        let clock = if interrupted { calm.with_interrupts(INTERRUPTS)? } else { calm };
        let stopwatch = Stopwatch::with_method(&clock, Method::MethodI).with_gap(gap);
        let found = stopwatch.measure(samples, || ());
        let found = found.map_err(|why| LabError::Run(why.to_string()))?;
        found.k.ok_or_else(|| LabError::Run("zero elapsed time does not scatter".to_owned()))
    };
    // Loads reach 120 us above the median, and interrupts take 320.
    let (all, none) = (Span::from_secs(1), Span::from_nanos(200_000));
    Ok([k(false, all)?, k(true, all)?, k(true, none)?])
}

fn tables(found: &[Found], interrupted: &[(f64, [f64; 3])]) -> Vec<Table> {
    let head = ["method", "kept", "own, us", "r", "mean, us", "k", "by (5)", "curve at r"];
    let mut simulated = Table::new("zero elapsed time on a simulated clock", 1, &head);
    for one in found {
        let curve = improvement_at(one.neighbours().max(0.0)).unwrap_or(f64::INFINITY);
        let numbers = [one.neighbours(), one.mean_us, one.k, one.by_equation, curve].map(digits);
        let first = [one.method.to_string(), one.kept.to_string(), digits(one.own_us)];
        simulated.rows.push(first.into_iter().chain(numbers).collect());
    }
    let head = ["system", "routine", "method", "figure", "mean, us", "k, 1982", "r on the curve"];
    let mut eight = Table::new("the paper's eight results", 4, &head);
    for (system, routine, method, figure, mean, k) in EIGHT {
        eight.rows.push(vec![
            system.to_owned(),
            routine.to_owned(),
            method.to_string(),
            figure.to_owned(),
            mean.map_or("-".to_owned(), |mean| format!("{mean:.2}")),
            format!("{k}"),
            digits(correlation_for(k)),
        ]);
    }
    let head = ["kept", "k, none", "k, all samples", "k, without gaps"];
    let mut interrupts = Table::new("method I and interrupts, sixty a second", 0, &head);
    for (kept, ks) in interrupted {
        let row = [kept.to_string()].into_iter().chain(ks.map(digits));
        interrupts.rows.push(row.collect());
    }
    vec![simulated, eight, interrupts]
}

fn figure(found: &[Found]) -> Figure {
    let x = Axis::between("correlation of neighbouring pairs", 0.0, 1.0);
    let y = Axis::factors("k", 0.5, 20.0);
    let facts =
        "below 1 compensation adds to the variance; the paper's eight are placed by their k";
    let mut chart = Chart::new("What compensation gains at zero elapsed time", facts, x, y);
    let curve = (0..=95).filter_map(|percent| {
        let r = f64::from(percent) / 100.0;
        Some((r, improvement_at(r)?))
    });
    let curve: Vec<(f64, f64)> = curve.filter(|(_, k)| *k <= 20.0).collect();
    chart.line(&curve, solid(PAPER), "2/((1-r)(3-r))");
    let methods = [(Method::MethodI, Mark::Ring), (Method::MethodII, Mark::Square)];
    for ((method, mark), colour) in methods.into_iter().zip(SERIES) {
        let of = found.iter().filter(|one| one.method == method && one.k <= 20.0);
        let points: Vec<(f64, f64)> = of.map(|one| (one.neighbours().max(0.0), one.k)).collect();
        chart.dots(&points, Dot { mark, colour }, &format!("simulated, {method}"));
    }
    let placed: Vec<(f64, f64)> = EIGHT.iter().map(|one| (correlation_for(one.5), one.5)).collect();
    chart.dots(&placed, Dot { mark: Mark::Diamond, colour: SERIES[3] }, "1982");
    Figure {
        name: "clock-12-to-15".to_owned(),
        caption: "Figures 12 to 15 are distributions, whose pictures are lost; what the text says of them are eight k. Four gained, and four lost.".to_owned(),
        picture: chart.finish(),
    }
}

/// The evidence against the claim, and its numbers.
fn judge(found: &[Found], interrupted: &[(f64, [f64; 3])]) -> (Vec<String>, String) {
    let mut against = Vec::new();
    // Of method I, then of method II.
    let mut furthest = [0.0_f64; 2];
    for one in found {
        let (r, k) = (one.neighbours(), one.k);
        let off = (k / one.by_equation - 1.0).abs();
        let furthest = &mut furthest[usize::from(one.method != Method::MethodI)];
        *furthest = furthest.max(off);
        if off > 0.1 && one.method == Method::MethodI {
            against.push(format!("k is {} where (5) has {}", digits(k), digits(one.by_equation)));
        }
        let curve = improvement_at(r.max(0.0)).unwrap_or(f64::INFINITY);
        if one.method == Method::MethodI && !(0.75..1.34).contains(&(k / curve)) {
            against.push(format!(
                "k is {} at r = {}, and not {}",
                digits(k),
                digits(r),
                digits(curve)
            ));
        }
        if one.mean_us.abs() > 7.0 {
            against.push(format!("{} us are left of zero elapsed time", digits(one.mean_us)));
        }
    }
    for (kept, [none, all, without]) in interrupted {
        if *all >= *none || *all >= 1.0 || *without < 0.8 * none {
            against.push(format!(
                "with interrupts k is {} of {}, and {} without gaps, at {kept}",
                digits(*all),
                digits(*none),
                digits(*without)
            ));
        }
    }
    let ks = || found.iter().filter(|one| one.method == Method::MethodI).map(|one| one.k);
    let why = format!(
        "method I has k from {} to {}; (5) is off by {:.0} % at most with it, and by {:.0} % with method II",
        digits(ks().fold(f64::INFINITY, f64::min)),
        digits(ks().fold(0.0, f64::max)),
        100.0 * furthest[0],
        100.0 * furthest[1]
    );
    (against, why)
}

fn notes() -> Vec<String> {
    vec![
        "A read takes 320 us and a load of Rayleigh's distribution, as the paper found it (figure 4), of which the next read keeps a part; with method II another processor reads its pairs under the load of the same moment, and each read has something of its own. `r` is the mean correlation of the measured pair with those before and after.".to_owned(),
        "The curve is equation (5) where load is forgotten from pair to pair, so that the pairs before and after have the square of r. It is 0.67 at 0, 1 at 2 - sqrt 3 = 0.27, and has no bound. The paper's eight say nothing of r: it is what the curve makes of their k.".to_owned(),
        "Equation (5) assumes pairs of one variance. Method II's pairs are read at one moment, and the measured pair is half of one read and half of the next, which vary less together.".to_owned(),
    ]
}

fn findings(settings: &Settings<'_>) -> Result<Findings, LabError> {
    let samples = settings.either(60_000, 12_000);
    let mut found = Vec::new();
    for kept in KEPT {
        (settings.progress)(&format!("method I, {kept} of the load kept"));
        found.push(tried(Method::MethodI, kept, 0.0, samples)?);
    }
    for own in OWN {
        (settings.progress)(&format!("method II, {own} us of its own"));
        found.push(tried(Method::MethodII, 0.95, own, samples)?);
    }
    let mut interrupted = Vec::new();
    for kept in [0.95, 0.99] {
        interrupted.push((kept, with_interrupts(kept, settings.either(20_000, 6_000))?));
    }
    let (against, why) = judge(&found, &interrupted);
    let raw = found.iter().map(|one| {
        let Found { method, kept, own_us, r: [before, around, after], mean_us, k, by_equation } =
            one;
        record![method, kept, own_us, before, around, after, mean_us, k, by_equation]
    });
    let head = "method,kept,own_us,r_before,r_around,r_after,mean_us,k,k_by_equation_5";
    Ok(Findings {
        circumstances: vec![format!("sim: {samples} times zero elapsed time in each line")],
        tables: tables(&found, &interrupted),
        figures: vec![figure(&found)],
        raw: vec![Raw::csv("clock-12-to-15", head, raw)],
        notes: notes(),
        verdict: Verdict::by(&against, &why),
    })
}
