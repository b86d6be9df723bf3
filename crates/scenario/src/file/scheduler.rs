//! `[schedulers.NAME]`.

use super::lax::Lax;
use super::text_or::TextOr;
use windfall_schedulers::parameters;

with_requirements! {
    /// A scheduler; keys beside these are settings of its kind.
    #[cfg_attr(feature = "schema", schemars(rename = "Scheduler", extend("additionalProperties" = true)))]
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
    #[cfg_attr(feature = "schema", schemars(rename = "Parent"))]
    pub(crate) struct ParentFile {
        /// `top` or the name of a scheduler.
        pub(crate) parent: Option<Lax<String>>,
    }
}

/// The keys of a scheduler that are not settings.
pub(crate) fn own_keys() -> impl Iterator<Item = &'static str> + Clone {
    let told = parameters::ALL.iter().map(|parameter| parameter.key);
    ["scheduler", "parent", "parents", "processors", "guarantee"].into_iter().chain(told)
}
