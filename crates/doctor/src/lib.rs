#![doc = include_str!("../README.md")]
//!
//! # Inside
//!
//! Nothing is guessed that can be tried: each attempt is made on a thread or process of our own that
//! ends at once, so nothing is left changed. The same questions are answered for a user without
//! rights, who then learns which one is missing.
//!
//! Invariants: [`examine`] takes less than a second and needs no right; a [`Check`] that is not entirely well has a remedy.
//!
//! Absent on purpose: a change that lasts, and a run's own settings; a dry run looks at those.
//!
//! `records.rs` reads what the machine recorded of its own failures and errors; only there another program is run, `journalctl`.
//!
//! Read next: `causes.rs` (what an error of the kernel means), `classes.rs`, `measure.rs`.
#![forbid(unsafe_code)]

mod causes;
mod check;
mod claims;
mod classes;
mod control_groups;
mod facts;
pub mod measure;
mod others;
pub mod records;
mod rights;
mod throttle;
mod timers;
mod tracing;

pub use check::{Check, State};
pub(crate) use facts::{Facts, word};

use windfall_os::LinuxError;

/// The result of an examination.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Examination {
    /// The machine in a line.
    pub machine: String,
    /// In the order in which they are read; those of one purpose next to each other.
    pub checks: Vec<Check>,
}

impl Examination {
    /// Whether everything that `windfall run` needs works.
    #[must_use]
    pub fn ready(&self) -> bool {
        self.checks.iter().all(|check| !check.needed || check.state != State::No)
    }
}

/// Examines the machine, in less than a second.
///
/// # Errors
/// When it cannot look: /proc is not readable.
pub fn examine() -> Result<Examination, LinuxError> {
    let facts = Facts::gather()?;
    let observed = windfall_observe::rings::by_bpf();
    let groups = [
        classes::checks(&facts),
        tracing::needed(&facts, &observed),
        throttle::checks(&facts),
        claims::checks(&facts),
        control_groups::checks(&facts),
        timers::checks(&facts),
        tracing::further(&facts, &observed),
        classes::deadline(&facts),
        others::checks(),
        rights::checks(&facts),
    ];
    Ok(Examination { machine: facts.line(), checks: groups.into_iter().flatten().collect() })
}
