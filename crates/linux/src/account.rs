//! Accounts for each processor's time, and summarises it at the end of a run.

pub(crate) mod cpu;
pub(crate) mod outcome;
pub(crate) mod unavailable;
