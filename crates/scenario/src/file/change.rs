//! `[[at]]`.

use super::lax::Lax;
use super::scalar::Frequency;
use super::scheduler::SchedulerFile;
use windfall_time::{Instant, Span};

with_requirements! {
    /// A control request at a time.
    #[cfg_attr(feature = "schema", schemars(rename = "At"))]
    pub(crate) struct AtFile {
        /// When.
        pub(crate) time: Option<Lax<Instant>>,
        /// `create`, `destroy`, `default`, `move`, `reserve`, `unreserve`, `share`, `warp`,
        /// `priority`, `guarantee`, `quantum` or `timer`; what else to write depends on it.
        pub(crate) r#do: Option<Lax<String>>,
        /// For which thread.
        pub(crate) thread: Option<Lax<String>>,
        /// For which scheduler.
        pub(crate) scheduler: Option<Lax<String>>,
        /// For which of the scheduler's own virtual processors; the first, 0, when absent.
        pub(crate) processor: Option<Lax<u16>>,
        /// Where to: a scheduler's name.
        pub(crate) to: Option<Lax<String>>,
        /// The name of the scheduler to create.
        pub(crate) name: Option<Lax<String>>,
        /// The scheduler to create.
        pub(crate) with: Option<SchedulerFile>,
        /// The longest time that one child keeps the processor.
        pub(crate) quantum: Option<Lax<Span>>,
        /// `precise`, or a frequency.
        pub(crate) timer: Option<Lax<Frequency>>,
    }
}
