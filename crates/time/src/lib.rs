//! Time is a type: instants and spans in integer nanoseconds, exact rationals, units in and out, and what a quantile of many is.
//!
//! Invariants: every operation that could leave the range is checked and says so by `Option` or
//! `Result`; the operators `+` and `-` stop with a message that names both operands. No floats
//! decide anything; [`Span::as_secs_f64`] exists to show a number, never to compare one.
//!
//! Absent on purpose: a clock. A host has one and makes [`Instant`]s.
//! Read next: `instant.rs`, `span.rs`, `ratio.rs`, `text.rs`.
//!
//! ```
//! use windfall_time::{Instant, Ratio, Span};
//!
//! let period: Span = "10 ms".parse()?;
//! let release = Instant::ZERO + Span::from_millis(3);
//! assert_eq!(release + period, Instant::from_nanos(13_000_000));
//! assert_eq!((release + period).saturating_since(release).to_string(), "10ms");
//! assert_eq!(Ratio::new(3, 10), "30%".parse().ok());
//! assert!("10".parse::<Span>().is_err(), "a length of time has a unit");
//! # Ok::<(), windfall_time::ParseError>(())
//! ```
#![no_std]
#![forbid(unsafe_code)]

#[cfg(test)]
extern crate alloc;
#[cfg(test)]
extern crate std;

mod instant;
mod quantile;
mod ratio;
mod span;
mod text;

pub use instant::Instant;
pub use quantile::quantile;
pub use ratio::Ratio;
pub use span::{Slack, Span};
pub use text::ParseError;
