//! One file a verb.

pub(crate) mod check;
pub(crate) mod completions;
pub(crate) mod import;
pub(crate) mod man;
pub(crate) mod schedulers;
pub(crate) mod schema;
pub(crate) mod simulate;
