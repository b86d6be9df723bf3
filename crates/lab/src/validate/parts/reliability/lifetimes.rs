//! The statistics of a source's incidents: a mean time by the lifetime that fits better, how well that fits, and whether age matters.

use super::super::grouped;
use crate::experiment::LabError;
use crate::experiments::{SERIES, dashed, solid};
use crate::findings::{Figure, Table};
use crate::validate::found::{Better, Found, Level, Metric, Unit};
use windfall_plot::chart::{Axis, Chart};
use windfall_reliability::{
    Comparison, Confidence, Exponential, Fitness, Interval, Kind, Mean, Sample, Verdict, compare,
};

/// The kinds, as they are written of.
const KINDS: [(Kind, &str, &str); 2] =
    [(Kind::Failure, "failure", "failures"), (Kind::Error, "error", "errors")];

/// The table, sentences, metrics and figures of a source, which is named in sentences and, by a key, in metrics. `of` yields a sample, and how many incidents there were.
pub(super) fn find(
    found: &mut Found,
    source: &str,
    key: &str,
    of: &dyn Fn(Kind) -> (Sample, usize),
) -> Result<(), LabError> {
    let head = [
        "of",
        "incidents",
        "mean time (95 %)",
        "lifetime",
        "shape (95 %)",
        "scale (95 %)",
        "exponential off by",
        "Weibull off by",
    ];
    let title = format!(
        "lifetimes, by {source}; in brackets, what one sample in 20 exceeds of a lifetime that is right"
    );
    let mut table = Table::new(&title, 1, &head);
    for (kind, one, several) in KINDS {
        let (sample, count) = of(kind);
        says_merged(found, source, several, count - sample.events());
        let exponential = Exponential::fit(&sample, Confidence::USUAL)
            .map_err(|why| LabError::Run(format!("{source}: {several}: {why}")))?;
        let compared = compare(&sample, Confidence::USUAL);
        let mean = compared.as_ref().map_or_else(|_| exponential.mean(), Comparison::mean);
        says_mean(found, source, one, mean, compared.as_ref().ok());
        metric(found, &format!("{key}.{one}"), mean);
        let cells = match &compared {
            Ok(compared) => cells(compared),
            Err(why) => [why.to_string(), none(), none(), none(), none()],
        };
        let mut row = vec![several.to_owned(), grouped(count as u64), mean.to_string()];
        row.extend(cells);
        table.rows.push(row);
        if let Ok(compared) = &compared {
            says_age(found, one, compared);
            says_neither(found, source, several, compared);
            found.figures.push(figure(several, &sample, compared));
        }
    }
    found.tables.push(table);
    Ok(())
}

fn none() -> String {
    "-".to_owned()
}

/// Lifetime, shape, scale, and how far each fit is off.
fn cells(compared: &Comparison) -> [String; 5] {
    let Interval { value, low, high, .. } = compared.weibull.shape();
    let scale = Mean::Estimate(compared.weibull.scale());
    [
        compared.verdict.to_string(),
        format!("{value:.2} ({low:.2} to {high:.2})"),
        scale.to_string(),
        off(compared.exponential_fitness),
        off(compared.weibull_fitness),
    ]
}

fn off(fitness: Fitness) -> String {
    let limit = fitness.limit.map(|limit| format!(" ({limit:.2})"));
    format!("{:.2}{}", fitness.distance, limit.unwrap_or_default())
}

/// A mean that is known and no bound can be compared; two runs differ by what its interval allows.
pub(super) fn metric(found: &mut Found, what: &str, mean: Mean) {
    let Mean::Estimate(Interval { value, high, .. }) = mean else { return };
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "seconds and per cent of 0 or more; more than 2^32 per cent bound nothing"
    )]
    let (seconds, noise) = (value as u64, ((high / value - 1.0) * 100.0).ceil() as u32);
    let name = format!("reliability.mean.{what}");
    let metric = Metric::new(name, seconds, Unit::Seconds, Better::Higher);
    found.metrics.push(metric.noise(noise, 0));
}

fn says_merged(found: &mut Found, source: &str, several: &str, merged: usize) {
    if merged > 0 {
        let text = format!(
            "By {source}, {} of the {several} came with another, or when observation began: no time had passed before, so they count for none.",
            grouped(merged as u64)
        );
        found.says(Level::Fact, text);
    }
}

fn says_mean(
    found: &mut Found,
    source: &str,
    one: &str,
    mean: Mean,
    compared: Option<&Comparison>,
) {
    let is_weibull = compared.is_some_and(|both| both.verdict != Verdict::Exponential);
    let by = if is_weibull { ", by the Weibull lifetime that fits better" } else { "" };
    found.says(Level::Fact, format!("By {source}, the mean time to {one} is {mean}{by}."));
}

/// That even the better of both is not what the incidents follow.
fn says_neither(found: &mut Found, source: &str, several: &str, compared: &Comparison) {
    let Fitness { distance, limit: Some(limit), .. } = compared.fitness() else { return };
    if distance > limit {
        let text = format!(
            "By {source}, neither lifetime fits the {several}: the better is off by {distance:.2}, and of a right one only one sample in 20 is off by more than {limit:.2}. Do not trust the interval of their mean."
        );
        found.says(Level::Warning, text);
    }
}

fn says_age(found: &mut Found, one: &str, compared: &Comparison) {
    let text = match compared.verdict {
        Verdict::WearsOut => format!(
            "The time since the last {one} matters: another becomes likelier with age. Restarting or replacing in time helps."
        ),
        Verdict::EarlyFaults => format!(
            "The time since the last {one} matters: most come soon after the one before. Look for one cause of several."
        ),
        _ => return,
    };
    found.says(Level::Warning, text);
}

/// The part of spans that lasted longer, beside both fits.
fn figure(several: &str, sample: &Sample, compared: &Comparison) -> Figure {
    let mut hours: Vec<f64> =
        sample.ended().iter().map(|span| span.as_secs_f64() / 3_600.0).collect();
    hours.sort_by(f64::total_cmp);
    let most = hours.last().copied().unwrap_or(1.0).max(1e-3) * 1.1;
    let mut chart = Chart::new(
        &format!("spans between {several} that last longer"),
        "",
        Axis::until("hours", most),
        Axis::until("part of them", 1.0),
    );
    #[expect(clippy::cast_precision_loss, reason = "drawn")]
    let part = |left: usize| left as f64 / (hours.len() + sample.censored().len()) as f64;
    let mut steps = vec![(0.0, 1.0)];
    for (place, at) in hours.iter().enumerate() {
        let before = steps.last().map_or(1.0, |(_, part)| *part);
        let left = hours.len() - place - 1 + sample.censored().len();
        steps.extend([(*at, before), (*at, part(left))]);
    }
    chart.line(&steps, solid(SERIES[0]), "observed");
    let curve = |survival: &dyn Fn(f64) -> f64| -> Vec<(f64, f64)> {
        (0..=100)
            .map(|step| most * f64::from(step) / 100.0)
            .map(|at| (at, survival(at * 3_600.0)))
            .collect()
    };
    let exponential = curve(&|seconds| compared.exponential.survival(seconds));
    chart.line(&exponential, dashed(SERIES[1]), "exponential");
    chart.line(&curve(&|seconds| compared.weibull.survival(seconds)), dashed(SERIES[2]), "Weibull");
    Figure {
        name: format!("validate-reliability-{several}"),
        caption: format!(
            "The part of spans between {several} that lasted longer than so many hours, and what both lifetimes say. Spans that were cut off count as longer."
        ),
        picture: chart.finish(),
    }
}
