//! Where each processor's time goes, to whom it is put down, and whether promises are kept.

pub(crate) mod cpu;
pub(crate) mod judging;
pub(crate) mod ledger;
pub(crate) mod outcome;
pub(crate) mod unavailable;
