//! One file an experiment, in the order of the papers.

mod chrysalis_global;
mod chrysalis_phases;
mod chrysalis_table_1;
mod chrysalis_table_2;
mod clock_11;
mod clock_12_to_15;
mod clock_1_to_3;
mod clock_4_to_7;
mod clock_routines;
mod figure_10_3;
mod figure_10_4;
mod figure_11_1;
mod figure_11_3;
mod figure_11_4;
mod figure_11_5;
mod figure_11_6;
mod messages;
mod multics;
mod nmr_conclusions;
mod nmr_oscillating;
mod nmr_recovering;
mod nmr_slower;
mod overhead_11_6_8;
mod phold;
mod ports_collection;
mod ports_figure_1;
mod ports_processors;
mod ports_table_1;
mod ports_table_2;
mod robot;
mod table_10_1;
mod table_10_2;
mod table_10_3;
pub mod table_10_4;
pub mod table_10_5;
mod table_11_1;
mod validate_planted;

use crate::Experiment;
use windfall_plot::{Colour, Stroke};

/// All experiments.
pub(crate) const EXPERIMENTS: &[&Experiment] = &[
    &table_10_1::EXPERIMENT,
    &table_10_2::EXPERIMENT,
    &figure_10_3::EXPERIMENT,
    &figure_10_4::EXPERIMENT,
    &table_10_3::EXPERIMENT,
    &table_10_4::EXPERIMENT,
    &table_10_5::EXPERIMENT,
    &figure_11_1::EXPERIMENT,
    &figure_11_3::EXPERIMENT,
    &figure_11_4::EXPERIMENT,
    &figure_11_5::EXPERIMENT,
    &figure_11_6::EXPERIMENT,
    &overhead_11_6_8::EXPERIMENT,
    &table_11_1::EXPERIMENT,
    &multics::EXPERIMENT,
    &chrysalis_table_1::EXPERIMENT,
    &chrysalis_table_2::EXPERIMENT,
    &chrysalis_phases::EXPERIMENT,
    &chrysalis_global::EXPERIMENT,
    &ports_figure_1::EXPERIMENT,
    &ports_table_1::EXPERIMENT,
    &ports_table_2::EXPERIMENT,
    &ports_collection::EXPERIMENT,
    &ports_processors::EXPERIMENT,
    &robot::EXPERIMENT,
    &phold::EXPERIMENT,
    &nmr_slower::EXPERIMENT,
    &nmr_oscillating::EXPERIMENT,
    &nmr_recovering::EXPERIMENT,
    &nmr_conclusions::EXPERIMENT,
    &clock_routines::EXPERIMENT,
    &clock_1_to_3::EXPERIMENT,
    &clock_4_to_7::EXPERIMENT,
    &clock_11::EXPERIMENT,
    &clock_12_to_15::EXPERIMENT,
    &messages::EXPERIMENT,
    &validate_planted::EXPERIMENT,
];

/// The largest difference allowed between simulated and real threads, in per cent of the processor.
const CLOSE: f64 = 2.0;

/// The description of the number that [`apart`] gives.
const APART: &str = "`Apart` is the larger difference between what simulated and real threads received, in per cent of the \
     processor. A run in which a timer was seen to more than 2 ms late, or events were lost, is made again twice \
     at most; a line that is disturbed even then counts neither for the claim nor against it.";

/// The difference between two runs' shares of the processor: the larger one of the two groups of threads.
fn apart(one: (f64, f64), other: (f64, f64)) -> f64 {
    (one.0 - other.0).abs().max((one.1 - other.1).abs())
}

/// The description of a stream on the host `linux`.
const REAL_STREAM: &str = "The stream on `linux` is TCP with packets of 1500 bytes on a loopback device of its own, sent on another \
     processor and processed on the supervised one, up to 64 packets with one interrupt, as of a network card that \
     moderates its interrupts; the application alone is supervised, and tells what it got from its own looks at \
     the clock. The receiving program runs beside, so the sender does not stop while a block runs, as it did in 2001.";

/// A verdict on what follows from a model that was fitted to the paper, unless real threads decide.
fn modelled(settings: &crate::Settings<'_>, verdict: crate::Verdict) -> crate::Verdict {
    if settings.on(crate::Host::Linux) { verdict } else { verdict.calibrated() }
}

/// The paper's numbers, in figures.
const PAPER: Colour = [0x8a, 0x94, 0xa3];
/// Series, distinguishable without colours: adjacent ones differ in lightness.
pub(crate) const SERIES: [Colour; 4] =
    [[0x1f, 0x5f, 0xa8], [0xd1, 0x6b, 0x00], [0x5b, 0x2a, 0x86], [0x2f, 0x8f, 0x5b]];

pub(crate) fn solid(colour: Colour) -> Stroke {
    Stroke { colour, wide: 1.8, dash: None }
}

pub(crate) fn dashed(colour: Colour) -> Stroke {
    Stroke { colour, wide: 1.8, dash: Some((8.0, 5.0)) }
}

/// Three digits, as the paper prints them.
fn digits(value: f64) -> String {
    let places = match value.abs() {
        ..0.0005 => return "0".to_owned(),
        ..1.0 => 3,
        ..10.0 => 2,
        ..100.0 => 1,
        _ => 0,
    };
    if value.is_finite() { format!("{value:.places$}") } else { "-".to_owned() }
}

/// A mean with its confidence, as the paper prints them.
fn with_confidence(mean: crate::Mean) -> String {
    format!("{} ± {}", digits(mean.value), digits(mean.confidence))
}
