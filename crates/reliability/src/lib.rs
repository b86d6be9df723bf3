#![doc = include_str!("../README.md")]
//!
//! # Inside
//!
//! `incidents.rs` is the file of incidents and its window, `at.rs` how a time is written, `sources.rs` what a journal, machine checks and memory controllers say. `sample.rs` is what is fitted: spans that ended, and spans that were cut off.
//! `fit.rs` and `fit/` estimate. `voting.rs` is the model of one vote, `redundancy.rs` that of modules which fail, are replaced and repaired.
//!
//! Nothing here reads a file, a clock or a machine: every input is a text or a number. Floats are used throughout, because all of it is statistics and nothing of it decides who runs.
#![forbid(unsafe_code)]

mod at;
mod fit;
mod incidents;
mod redundancy;
mod sample;
pub mod sources;
mod voting;

pub use fit::{
    Comparison, Confidence, Exponential, FitError, Fitness, Interval, Mean, Verdict, Weibull,
    compare,
};
pub use incidents::{Incident, Incidents, IncidentsError, Kind, Place, Window};
pub use redundancy::{Redundancy, RedundancyError};
pub use sample::Sample;
pub use voting::{Mission, Vote, Voting, VotingError};
