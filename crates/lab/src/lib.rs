#![doc = include_str!("../README.md")]
//!
//! # Inside
//!
//! An [`Experiment`] has a question, runs on the hosts that it names, and returns
//! [`Findings`]: tables with the paper's column beside today's, the paper's figure, the raw numbers, and
//! whether the claim that it could refute holds. Floats are measured numbers here; none decides which thread runs.
//!
//! Invariant: an experiment on the simulator gives equal findings each time. Values that are measured on a machine
//! says on which.
//! Read next: `experiment.rs`, then any file of `experiments/`.
#![forbid(unsafe_code)]

mod bsat;
mod butterfly;
mod carried_out;
mod cmstar;
mod devices;
mod execution_trace;
mod experiment;
mod experiments;
mod findings;
pub mod json;
mod machine;
mod native;
mod page;
mod processors;
mod random;
mod reservation;
mod slot_lists;
mod statistics;
mod supervised;
pub mod text;
mod trees;
mod units;
pub mod validate;
mod voting;

pub use experiment::{Catalogue, Experiment, Host, LabError, Settings, find};
pub use experiments::{table_10_4, table_10_5};
pub use findings::{ClaimStatus, Figure, Findings, Raw, Table, Verdict};
pub use page::page;
pub use statistics::{Line, Mean, difference, line, mean, median};

/// The Rust of the guide, which is run as this crate's own examples, because it may use all others.
#[cfg(doctest)]
#[allow(
    rustdoc::invalid_codeblock_attributes,
    reason = "other blocks say for the guide's own test what they are"
)]
mod guide {
    #[doc = include_str!("../../../docs/guide/src/redundant.md")]
    mod redundant {}
    #[doc = include_str!("../../../docs/guide/src/speculative.md")]
    mod speculative {}
    #[doc = include_str!("../../../docs/guide/src/writing-a-format.md")]
    mod writing_a_format {}
    #[doc = include_str!("../../../docs/guide/src/writing-a-scheduler.md")]
    mod writing_a_scheduler {}
}
