//! `[schedulers.NAME]`.

use super::lax::Lax;
use super::text_or::TextOr;

with_requirements! {
    /// A scheduler; keys beside these are settings of its kind.
    #[schemars(rename = "Scheduler", extend("additionalProperties" = true))]
    pub(crate) struct SchedulerFile {
        /// Its kind: `rez`, `edf`, ...
        pub(crate) scheduler: Option<Lax<String>>,
        /// Its parent: `top` or the name of a scheduler.
        pub(crate) parent: Option<Lax<String>>,
        /// Its parents in order, instead of `parent`.
        pub(crate) parents: Option<Vec<TextOr<ParentFile>>>,
        /// How many virtual processors of its own it has at its parent.
        pub(crate) processors: Option<Lax<u16>>,
    }
}

with_requirements! {
    /// One of several parents.
    #[schemars(rename = "Parent")]
    pub(crate) struct ParentFile {
        /// `top` or the name of a scheduler.
        pub(crate) parent: Option<Lax<String>>,
    }
}

/// The keys of a scheduler that are not settings.
pub(crate) const OWN_KEYS: [&str; 13] = [
    "scheduler",
    "parent",
    "parents",
    "processors",
    "guarantee",
    "reserve",
    "share",
    "warp",
    "warp-limit",
    "currency",
    "priority",
    "time-slice",
    "rate",
];
