#![doc = include_str!("../README.md")]
//!
//! # Inside
//!
//! A [`Guarantee`] is a contract between a scheduler and a virtual processor about the processor time
//! that this will receive while it is runnable (HLS chapter 5). Two things turn one into another:
//! [`rewrite`] (table 5.2, theorems 5.2 to 5.7) and schedulers ([`Conversion`], table 5.1). The
//! [`check`] walks a hierarchy from the root down and finds a chain of such steps for everything that
//! is asked, or says what stands in the way.
//!
//! Invariants: all numbers are exact rationals; what is granted is never more than what follows.
//! Absent on purpose: which scheduler converts how (each says so in its own file), deadlines (crate
//! `analysis`), and running anything.
//! Read next: `guarantee.rs`, `rewrite.rs`, `conversion.rs`, `check.rs`.
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;
#[cfg(test)]
extern crate std;

mod above;
mod allowance;
mod backwards;
pub mod check;
pub mod conversion;
mod error;
mod guarantee;
mod length;
pub mod meaning;
mod remedy;
mod rewrite;
mod supply;
mod text;
mod ways;

pub use allowance::Allowance;
pub use backwards::basic_for;
pub use conversion::{ChildParam, ChildParams, Conversion, Given, Offer, Supply};
pub use error::{GuaranteeError, LengthError};
pub use guarantee::{Guarantee, Type};
pub use length::Length;
pub use remedy::{Change, Remedy, remedy};
pub use rewrite::{RewriteError, Rule, Step, form, line, rewrite};
pub use supply::least;
