//! One file a verb.

pub(crate) mod catalogue;
pub(crate) mod check;
pub(crate) mod completions;
pub(crate) mod convert;
pub(crate) mod explain;
pub(crate) mod export;
pub(crate) mod import;
pub(crate) mod keep;
pub(crate) mod load;
#[cfg(feature = "machine")]
pub(crate) mod machine;
pub(crate) mod man;
pub(crate) mod meant;
pub(crate) mod migrate;
pub(crate) mod new;
pub(crate) mod next;
pub(crate) mod recording;
pub(crate) mod reserve;
pub(crate) mod schema;
pub(crate) mod simulate;
pub(crate) mod simulated;
pub(crate) mod suggest;
