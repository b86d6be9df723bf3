#![doc = include_str!("../README.md")]
//!
//! # Inside
//!
//! `voter.rs` is the voter, **the line that decides what is voted** is in `Voter::decides`; `rule.rs` and `rule/` say when values come to a vote, `search.rs` how a row is found, `members.rs` who takes part and what was wrong with
//! each, `report.rs` what a voter says. `words.rs` votes bit by bit, `oral.rs` agrees on inputs. `value.rs` is what travels, `digest.rs` the hash that stands for a larger state, and `fetch.rs` how that is got from a majority. `participant.rs` is what a replica does in votes, without a thread,
//! `injected.rs` faults on demand.
//! `accuser.rs` is what it says of others, `control.rs` what it is told, and `remedies.rs` what is done about faults, whatever replicas run on.
//! `redundant.rs` and `redundant/` run replicas on threads, `process.rs` and `process/` as processes below schedulers.
#![forbid(unsafe_code)]

mod accuser;
mod control;
mod digest;
mod fetch;
mod injected;
mod members;
pub mod oral;
mod participant;
pub mod process;
pub mod redundant;
mod remedies;
mod replicas;
mod report;
mod rows;
pub mod rule;
mod search;
mod settings;
mod value;
mod voter;
pub mod words;

pub use digest::Digest;
pub use fetch::{Fetch, Fetched};
pub use members::MembersError;
pub use replicas::{Iteration, ReplicaNumber, Replicas};
pub use report::{Received, Record, Report};
pub use rule::{Agreement, Exact, Majority, Median, Plurality, Row, Rule, RuleError, Within};
pub use search::{Constant, Linear, Search};
pub use settings::{Settings, SettingsError};
pub use value::{Value, WORDS};
pub use voter::Voter;
