#![doc = include_str!("../README.md")]
//!
//! # Inside
//!
//! One model (`event.rs`) stands between every source (a simulation, ftrace, perf) and every
//! output (Perfetto, a picture, a report), so that a recorded machine and a simulated one are
//! looked at with the same eyes.
#![forbid(unsafe_code)]

mod assembler;
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
mod task;
pub mod timeline;

pub use assembler::{Assembler, Contradiction};
pub use event::{
    COMMAND, Cpu, Discard, Event, Figure, Header, Memory, NodeId, Note, OverheadKind, Record, Sink,
    Stop, ThreadId,
};
pub use reorder::Reorder;
pub use ring::Ring;
pub use source::{Bytes, Source, SourceError, open_input};
pub use task::{TaskEnd, TaskEvent, TaskRefusal, TaskState};
pub use timeline::Timeline;
