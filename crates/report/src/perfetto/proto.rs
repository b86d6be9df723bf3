//! The few messages of Perfetto's format that are written, with their field numbers.
//!
//! Source: `perfetto/trace/*.proto`, checked against the protos of PyPI `perfetto` 0.59.1. The
//! generic kernel messages (117 and 122) are declared a stable public API for other sources than
//! ftrace.

use prost::Message;

/// The whole file; each packet is written as one occurrence of field 1.
#[derive(Clone, PartialEq, Message)]
pub(super) struct Trace {
    #[prost(message, repeated, tag = "1")]
    pub(super) packet: Vec<Packet>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct Packet {
    /// Nanoseconds of the trace's clock.
    #[prost(uint64, optional, tag = "8")]
    pub(super) timestamp: Option<u64>,
    #[prost(uint32, optional, tag = "10")]
    pub(super) sequence: Option<u32>,
    /// 1 on the first packet of a sequence.
    #[prost(uint32, optional, tag = "13")]
    pub(super) sequence_flags: Option<u32>,
    #[prost(message, optional, tag = "11")]
    pub(super) track_event: Option<TrackEvent>,
    #[prost(message, optional, tag = "60")]
    pub(super) track_descriptor: Option<TrackDescriptor>,
    #[prost(message, optional, tag = "117")]
    pub(super) task_state: Option<TaskState>,
    #[prost(message, optional, tag = "122")]
    pub(super) process_tree: Option<ProcessTree>,
}

/// `generic_kernel_task_state_event`.
#[derive(Clone, PartialEq, Message)]
pub(super) struct TaskState {
    #[prost(int32, optional, tag = "1")]
    pub(super) cpu: Option<i32>,
    #[prost(string, optional, tag = "2")]
    pub(super) comm: Option<String>,
    #[prost(int64, optional, tag = "3")]
    pub(super) tid: Option<i64>,
    /// One of the constants of `state`.
    #[prost(int32, optional, tag = "4")]
    pub(super) state: Option<i32>,
}

/// Values of [`TaskState::state`].
pub(super) mod state {
    pub(in super::super) const RUNNABLE: i32 = 2;
    pub(in super::super) const RUNNING: i32 = 3;
    pub(in super::super) const SLEEP: i32 = 4;
    pub(in super::super) const UNINTERRUPTIBLE: i32 = 5;
    pub(in super::super) const STOPPED: i32 = 6;
    pub(in super::super) const DEAD: i32 = 7;
}

/// `generic_kernel_process_tree`.
#[derive(Clone, PartialEq, Message)]
pub(super) struct ProcessTree {
    #[prost(message, repeated, tag = "1")]
    pub(super) processes: Vec<Process>,
    #[prost(message, repeated, tag = "2")]
    pub(super) threads: Vec<Thread>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct Process {
    #[prost(int64, optional, tag = "1")]
    pub(super) pid: Option<i64>,
    #[prost(string, optional, tag = "3")]
    pub(super) cmdline: Option<String>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct Thread {
    #[prost(int64, optional, tag = "1")]
    pub(super) tid: Option<i64>,
    #[prost(int64, optional, tag = "2")]
    pub(super) pid: Option<i64>,
    #[prost(string, optional, tag = "3")]
    pub(super) comm: Option<String>,
    #[prost(bool, optional, tag = "4")]
    pub(super) is_main_thread: Option<bool>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct TrackDescriptor {
    #[prost(uint64, optional, tag = "1")]
    pub(super) uuid: Option<u64>,
    #[prost(string, optional, tag = "2")]
    pub(super) name: Option<String>,
    #[prost(message, optional, tag = "4")]
    pub(super) thread: Option<ThreadDescriptor>,
    #[prost(uint64, optional, tag = "5")]
    pub(super) parent: Option<u64>,
    #[prost(message, optional, tag = "8")]
    pub(super) counter: Option<Counter>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct ThreadDescriptor {
    #[prost(int32, optional, tag = "1")]
    pub(super) pid: Option<i32>,
    #[prost(int64, optional, tag = "2")]
    pub(super) tid: Option<i64>,
    #[prost(string, optional, tag = "5")]
    pub(super) name: Option<String>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct Counter {
    #[prost(string, optional, tag = "6")]
    pub(super) unit: Option<String>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct TrackEvent {
    #[prost(message, repeated, tag = "4")]
    pub(super) notes: Vec<Annotation>,
    /// One of the constants of `kind`.
    #[prost(int32, optional, tag = "9")]
    pub(super) kind: Option<i32>,
    #[prost(uint64, optional, tag = "11")]
    pub(super) track: Option<u64>,
    #[prost(string, repeated, tag = "22")]
    pub(super) categories: Vec<String>,
    #[prost(string, optional, tag = "23")]
    pub(super) name: Option<String>,
    #[prost(double, optional, tag = "44")]
    pub(super) value: Option<f64>,
}

/// Values of [`TrackEvent::kind`].
pub(super) mod kind {
    pub(in super::super) const BEGIN: i32 = 1;
    pub(in super::super) const END: i32 = 2;
    pub(in super::super) const INSTANT: i32 = 3;
    pub(in super::super) const COUNTER: i32 = 4;
}

/// `debug_annotations`: a name and a value beside an event.
#[derive(Clone, PartialEq, Message)]
pub(super) struct Annotation {
    #[prost(string, optional, tag = "10")]
    pub(super) name: Option<String>,
    #[prost(string, optional, tag = "6")]
    pub(super) text: Option<String>,
}
