//! The file a user writes, what it means, and its mistakes.
//!
//! A [`Scenario`] is a machine, its schedulers, its threads, what happens to them and what must come
//! of it. It is read from TOML (`docs/decisions/0003-scenario-format.md`), or made in code.
#![forbid(unsafe_code)]

mod guarantee;
pub mod model;
mod plan;
mod source;

pub use guarantee::Guarantee;
pub use model::Scenario;
pub use plan::{Plan, PlannedInterrupts, PlannedPattern, PlannedRequest, PlannedThread};
pub use source::{Origin, SourceFile};
