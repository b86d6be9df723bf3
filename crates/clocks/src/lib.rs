#![doc = include_str!("../README.md")]
//!
//! # Inside
//!
//! `clock.rs` says what a clock is; `counter.rs` with the only `unsafe` in `counter/instructions.rs`, `system.rs` and `simulated.rs` are clocks. `section.rs` is the one piece of code that every sample goes through, `series.rs` throws samples
//! away, `method.rs` compensates and chooses, `stopwatch.rs` puts these together. `two_words.rs` and `variance.rs` stand apart. Decision 0040 has the reasons.
#![deny(unsafe_code)]

mod best;
mod clock;
mod companion;
mod counter;
mod gaps;
mod interval;
mod method;
mod pairs;
mod scale;
mod section;
mod series;
mod simulated;
mod stopwatch;
mod suspension;
mod system;
pub mod two_words;
pub mod variance;

pub use best::Best;
pub use clock::{Clock, Reading};
pub use counter::{Calibration, Counter, CounterError, Drift};
pub use gaps::{Gaps, Thrown};
pub use interval::{Interval, IntervalError};
pub use method::{Method, Trial};
pub use pairs::Pairs;
pub use scale::Scale;
pub use simulated::{Interrupts, Load, Simulated};
pub use stopwatch::{GAP, Stopwatch};
pub use suspension::Watch;
pub use system::SystemClock;
