//! Where each processor's time goes, and what is said of it at the end.

pub(crate) mod cpu;
pub(crate) mod outcome;
pub(crate) mod unavailable;
