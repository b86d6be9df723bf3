//! The result of a recording.

use std::collections::HashMap;
use windfall_observe::image::Image;
use windfall_programs::learn::Origin;
use windfall_time::Span;
use windfall_trace::ThreadId;

/// A sample that is this old has been published by the kernel; younger ones wait.
pub(crate) const SETTLED: Span = Span::from_nanos(2_000_000);

/// The result of a recording.
// Fields: a list of findings, each independent of the others; most are counts.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Recorded {
    /// The source of events, and why no better one was used.
    pub by: String,
    /// From the first record to the last.
    pub length: Span,
    /// How often a processor went from one thread to another.
    pub switches: u64,
    /// How often a thread was woken.
    pub wakeups: u64,
    /// How many threads were declared.
    pub threads: u32,
    /// How many samples did not fit into the rings.
    pub lost: u64,
    /// How many switches the kernel omitted without a word.
    pub missing: u64,
    /// How many samples came too late to be sorted in, and by how much at most; they were moved.
    pub late: u64,
    /// See `late`.
    pub latest: Span,
    /// Processor time of the recording thread, without what the kernel takes at each event.
    pub own: Span,
    /// Where the command's threads come from that were made while it was recorded.
    pub origins: HashMap<ThreadId, Origin>,
    /// Why no start routines are known though they were wanted.
    pub no_routines: Option<String>,
    /// The code that the command's first process executed, with other files that it had mapped for
    /// execution.
    pub image: Option<Image>,
    /// How the command ended; `None` if there was none, or it goes on.
    pub answer: Option<Answered>,
    /// Processes of the command that were asked to end and go on: their numbers and names.
    pub still_running: Vec<(i32, String)>,
    /// Whether a signal ended the recording.
    pub interrupted: bool,
}

/// How a command ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Answered {
    /// Its exit status; 128 and the signal's number when one ended it.
    pub code: u8,
    /// Whether we had asked it to end.
    pub requested: bool,
}
