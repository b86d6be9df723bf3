//! One file a verb.

pub(crate) mod calibrate;
pub(crate) mod catalogue;
pub(crate) mod check;
pub(crate) mod compare;
pub(crate) mod completions;
pub(crate) mod convert;
pub(crate) mod ctl;
pub(crate) mod doctor;
pub(crate) mod explain;
pub(crate) mod export;
pub(crate) mod import;
pub(crate) mod keep;
pub(crate) mod lab;
pub(crate) mod man;
pub(crate) mod measure;
pub(crate) mod migrate;
pub(crate) mod new;
pub(crate) mod next;
pub(crate) mod record;
pub(crate) mod reserve;
pub(crate) mod restore;
pub(crate) mod run;
pub(crate) mod schema;
pub(crate) mod simulate;
pub(crate) mod suggest;
pub(crate) mod top;
