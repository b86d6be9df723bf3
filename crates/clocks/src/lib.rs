#![cfg_attr(feature = "machine", doc = include_str!("../README.md"))]
#![cfg_attr(
    not(feature = "machine"),
    doc = "Clocks, what reading them costs, and how that is compensated."
)]
//!
//! # Inside
//!
//! `clock.rs` says what a clock is; `counter.rs` with the only `unsafe` in `counter/instructions.rs`, `system.rs` and `simulated.rs` are clocks. `section.rs` is the one piece of code that every sample goes through, `series.rs` throws samples
//! away, `method.rs` compensates and chooses, `stopwatch.rs` puts these together. `lap.rs` times many rounds as a whole. `two_words.rs` and `variance.rs` stand apart, and `samples.rs` and `poll.rs` are for times that the caller takes. Decision 0040 has the reasons.
//!
//! Without the feature `machine` there are no clocks of this machine, and no stopwatch; what is left asks nothing of a kernel.
#![deny(unsafe_code)]

#[cfg(feature = "machine")]
mod adjacent;
#[cfg(feature = "machine")]
mod best;
mod clock;
#[cfg(feature = "machine")]
mod companion;
#[cfg(feature = "machine")]
mod counter;
mod gaps;
#[cfg(feature = "machine")]
mod interval;
#[cfg(feature = "machine")]
mod lap;
mod median;
#[cfg(feature = "machine")]
mod method;
mod pairs;
mod poll;
mod samples;
mod scale;
#[cfg(feature = "machine")]
mod section;
#[cfg(feature = "machine")]
mod series;
mod simulated;
#[cfg(feature = "machine")]
mod stopwatch;
#[cfg(feature = "machine")]
mod suspension;
#[cfg(feature = "machine")]
mod system;
pub mod two_words;
pub mod variance;

#[cfg(feature = "machine")]
pub use best::Best;
pub use clock::{Clock, Reading};
#[cfg(feature = "machine")]
pub use counter::{Calibration, Counter, CounterError, Drift};
pub use gaps::{Gaps, SampleError};
#[cfg(feature = "machine")]
pub use interval::{Interval, IntervalError};
#[cfg(feature = "machine")]
pub use lap::Lap;
pub use median::{median, quantile};
#[cfg(feature = "machine")]
pub use method::{Method, Trial};
pub use pairs::Pairs;
pub use poll::poll;
pub use samples::Samples;
pub use scale::Scale;
pub use simulated::{Interrupts, Load, Simulated, SimulatedError};
#[cfg(feature = "machine")]
pub use stopwatch::{GAP, Stopwatch};
#[cfg(feature = "machine")]
pub use suspension::Watch;
#[cfg(feature = "machine")]
pub use system::SystemClock;
