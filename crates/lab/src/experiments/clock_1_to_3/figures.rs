//! The figures, drawn as the paper's: the time from one reading to the next against the time since the first.

use super::{Found, outstanding};
use crate::cmstar::{Elapsed, Sample};
use crate::experiments::{SERIES, dashed, solid};
use crate::findings::Figure;
use crate::units::{micros, seconds};
use windfall_plot::chart::{Axis, Chart, Dot, Mark};
use windfall_time::Span;

/// Intervals of a figure.
const PARTS: u32 = 120;

fn last(samples: &[Sample]) -> Span {
    samples.iter().map(|sample| sample.at).max().unwrap_or_default()
}

/// The mean elapsed time in each interval, in us, by its middle in s.
fn means(samples: &[Sample], until: Span) -> Vec<(f64, f64)> {
    let wide = until.as_nanos() / u64::from(PARTS) + 1;
    let within = |part: u64| {
        let inside = samples.iter().filter(move |sample| sample.at.as_nanos() / wide == part);
        let middle = seconds(Span::from_nanos(wide * part + wide / 2));
        Elapsed::of(inside).map(|elapsed| (middle, elapsed.mean()))
    };
    (0..u64::from(PARTS)).filter_map(within).collect()
}

/// The mean elapsed times at the beginning and the end, of many modules.
pub(super) fn edges(found: &Found) -> [f64; 2] {
    let [_, many] = &found.drawn;
    let means = means(many, last(many));
    let ends = (means.first(), means.last());
    [ends.0, ends.1].map(|end| end.map_or(f64::INFINITY, |(_, mean)| *mean))
}

pub(super) fn figure(found: &Found) -> Figure {
    let [few, many] = &found.drawn;
    let until = last(many).max(last(few));
    let highest = many.iter().map(|sample| micros(sample.elapsed)).fold(0.0, f64::max);
    let x = Axis::covering("time since the beginning (s)", seconds(until));
    let y = Axis::covering("from one reading to the next (us)", highest);
    let name = found.case.routine.name();
    let facts = "means of all modules that run; modules start one after the other";
    let mut chart =
        Chart::new(&format!("{name} by 8 and {} modules", found.case.many), facts, x, y);
    let stand_out = outstanding(found);
    for ((long, name), mark) in [(true, "long readings"), (false, "short readings")]
        .into_iter()
        .zip([Mark::Ring, Mark::Square])
    {
        let these = stand_out.iter().filter(|(_, is_long)| *is_long == long);
        let at = |at: Span| many.iter().find(|sample| sample.at == at);
        let points: Vec<(f64, f64)> = these
            .filter_map(|(when, _)| at(*when))
            .map(|sample| (seconds(sample.at), micros(sample.elapsed)))
            .collect();
        if !points.is_empty() {
            chart.dots(&points, Dot { mark, colour: SERIES[usize::from(long) + 1] }, name);
        }
    }
    chart.line(&means(many, until), solid(SERIES[0]), &format!("{} modules", found.case.many));
    chart.line(&means(few, until), dashed(SERIES[3]), "8 modules");
    let caption = match found.case.number {
        1 => {
            "The paper's curve of 30 modules rises from about 300 us to over 800 and falls again, with peaks and troughs where the low word wraps; that of 8 lies at 366."
        }
        2 => "In the paper, too, the curve does not depend on the clock's value.",
        _ => "The paper's two curves cannot be told apart.",
    };
    Figure {
        name: format!("clock-{}", found.case.number),
        caption: caption.to_owned(),
        picture: chart.finish(),
    }
}
