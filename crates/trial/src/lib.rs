#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]
#![allow(clippy::unwrap_used, reason = "what fails here fails the test")]

pub mod kind;
pub mod protocol;
pub mod quarantine;

use proptest::test_runner::{RngAlgorithm, TestRng};
use windfall_schedulers::catalogue::Kind;

/// Everything that must hold of any kind: [`kind`] and [`protocol`].
///
/// # Panics
/// When something does not hold.
pub fn all(tried: &'static Kind) {
    kind::settings_are_as_declared(tried);
    kind::takes_what_it_says(tried);
    kind::names_what_it_takes(tried);
    kind::reserves_what_it_says(tried);
    protocol::holds(tried);
}

/// The same random numbers in every run.
fn random() -> TestRng {
    TestRng::deterministic_rng(RngAlgorithm::ChaCha)
}
