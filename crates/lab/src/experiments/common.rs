//! Words, colours and sums that several experiments use alike.

use windfall_plot::{Colour, Stroke};

/// The largest difference allowed between simulated and real threads, in per cent of the processor.
pub(super) const CLOSE: f64 = 2.0;

/// The description of the number that [`apart`] gives.
pub(super) const APART: &str = "`Apart` is the larger difference between what simulated and real threads received, in per cent of the \
     processor. A run in which a timer was seen to more than 2 ms late, or events were lost, is made again twice \
     at most; a line that is disturbed even then counts neither for the claim nor against it.";

/// The difference between two runs' shares of the processor: the larger one of the two groups of threads.
pub(super) fn apart(one: (f64, f64), other: (f64, f64)) -> f64 {
    (one.0 - other.0).abs().max((one.1 - other.1).abs())
}

/// The description of a stream on the host `linux`.
pub(super) const REAL_STREAM: &str = "The stream on `linux` is TCP with packets of 1500 bytes on a loopback device of its own, sent on another \
     processor and processed on the supervised one, up to 64 packets with one interrupt, as of a network card that \
     moderates its interrupts; the application alone is supervised, and tells what it got from its own looks at \
     the clock. The receiving program runs beside, so the sender does not stop while a block runs, as it did in 2001.";

/// A verdict on what follows from a model that was fitted to the paper, unless real threads decide.
pub(super) fn modelled(settings: &crate::Settings<'_>, verdict: crate::Verdict) -> crate::Verdict {
    if settings.on(crate::Host::Linux) { verdict } else { verdict.calibrated() }
}

/// The paper's numbers, in figures.
pub(super) const PAPER: Colour = [0x8a, 0x94, 0xa3];

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
pub(super) fn digits(value: f64) -> String {
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
pub(super) fn with_confidence(mean: crate::Mean) -> String {
    format!("{} ± {}", digits(mean.value), digits(mean.confidence))
}
