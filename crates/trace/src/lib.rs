//! What happened: the event model, its importers and its compact form.
//!
//! One model (`event.rs`) stands between every source (a simulation, ftrace, perf) and every
//! output (Perfetto, a picture, a report), so that a recorded machine and a simulated one are
//! looked at with the same eyes.
//!
//! ```
//! use windfall_time::Instant;
//! use windfall_trace::{Cpu, Event, Memory, Sink, Stop, ThreadId, Timeline};
//!
//! let (thread, at) = (ThreadId(0), |ms: u64| Instant::from_nanos(ms * 1_000_000));
//! let mut memory = Memory::default();
//! let name = "audio".to_owned();
//! memory.record(at(0), &Event::Thread { thread, tid: 7, pid: 7, name, node: None });
//! memory.record(at(0), &Event::Wake { thread, by: None });
//! memory.record(at(1), &Event::Switch { cpu: Cpu(0), prev: None, next: Some(thread) });
//! let prev = Some((thread, Stop::Blocked));
//! memory.record(at(3), &Event::Switch { cpu: Cpu(0), prev, next: None });
//! let timeline = Timeline::build(memory.records.into_iter());
//! assert_eq!(timeline.threads[0].name, "audio");
//! ```
#![forbid(unsafe_code)]

pub mod codec;
pub mod escape;
mod event;
pub mod explain;
pub mod glob;
pub mod import;
mod reorder;
mod ring;
mod snapshot;
mod source;
pub mod timeline;

pub use event::{
    COMMAND, Cpu, Discard, Event, Header, Memory, NodeId, Note, OverheadKind, Record, Sink, Stop,
    ThreadId,
};
pub use reorder::Reorder;
pub use ring::Ring;
pub use source::{Bytes, Source, SourceError, open_input};
pub use timeline::Timeline;
