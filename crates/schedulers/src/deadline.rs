//! Deadline schedulers: the most urgent job runs first, without budgets.

pub(crate) mod edf;
pub(crate) mod fc_edf;
pub(crate) mod llf;
pub(crate) mod smart;
