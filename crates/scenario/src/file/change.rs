//! `[[at]]`.

use super::lax::Lax;
use super::requirements::{HasRequirements, WithRequirements};
use super::scalar::Frequency;
use super::scheduler::SchedulerFile;
use serde::{Deserialize, Serialize};
use windfall_time::{Instant, Span};

/// A control request at a time.
#[derive(Serialize, Deserialize, Clone, Default, Debug)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
#[cfg_attr(feature = "schema", schemars(rename = "At"))]
// Fields: keys of a table of the file, which stand beside each other there.
pub(crate) struct AtFile {
    /// When.
    pub(crate) time: Option<Lax<Instant>>,
    /// `create`, `destroy`, `default`, `move`, `add-parent`, `remove-parent`, `guarantee`, `unreserve`, `quantum`, `transfer`, `enqueue`, `timer`
    /// or `transaction`, or a key by which something is requested of a parent, as `reserve` or `share`; what else to write depends on it.
    pub(crate) r#do: Option<Lax<String>>,
    /// The thread.
    pub(crate) thread: Option<Lax<String>>,
    /// The scheduler.
    pub(crate) scheduler: Option<Lax<String>>,
    /// The number of the scheduler's own virtual processor that is meant; the first, 0, when absent.
    pub(crate) processor: Option<Lax<u16>>,
    /// The scheduler whose laxity moves.
    pub(crate) from: Option<Lax<String>>,
    /// Processor time.
    pub(crate) work: Option<Lax<Span>>,
    /// The new parent: a scheduler's name; for a scheduler also `top`.
    pub(crate) to: Option<Lax<String>>,
    /// The name of the scheduler to create.
    pub(crate) name: Option<Lax<String>>,
    /// The scheduler to create.
    pub(crate) with: Option<WithRequirements<SchedulerFile>>,
    /// The requests of a transaction, in order, each without `time`: all are carried out, or none.
    pub(crate) requests: Option<Vec<WithRequirements<AtFile>>>,
    /// The longest time that one child keeps the processor.
    pub(crate) quantum: Option<Lax<Span>>,
    /// The queue that processes know by this name.
    pub(crate) queue: Option<Lax<String>>,
    /// The datum for the queue.
    pub(crate) datum: Option<Lax<u64>>,
    /// `precise`, or a frequency.
    pub(crate) timer: Option<Lax<Frequency>>,
}

impl HasRequirements for AtFile {
    const OF_THREADS: bool = true;
}
