#![doc = include_str!("../README.md")]
//!
//! # Inside
//!
//! Invariants: every operation that could leave the range is checked and reports that by `Option` or
//! `Result`; the operators `+` and `-` stop with a message that names both operands. No floats
//! decide anything; [`Span::as_secs_f64`] exists to show a number, never to compare one.
//!
//! Absent on purpose: a clock. A host has one and makes [`Instant`]s.
//! Read next: `instant.rs`, `span.rs`, `ratio.rs`, `text.rs`.
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
