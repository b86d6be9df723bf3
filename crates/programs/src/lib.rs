#![doc = include_str!("../README.md")]
//!
//! # Inside
//!
//! A [`Program`] is a description. [`ProgramRuntime`] makes a [`Body`] of it, a state machine that yields one
//! [`Action`] after the other, and carries out each action's effects on jobs, locks and other threads. The host
//! implements [`RuntimeHost`]: it provides time, timers and processors, and does not decide what a program does. So
//! the same program runs on every host. An event-driven process is an async function over [`Process`], which also
//! becomes such a body, or is compiled for a host's own threads.
#![forbid(unsafe_code)]

mod action;
pub mod balance;
mod body;
pub mod catalogue;
mod control;
mod kinds;
pub mod learn;
mod process;
mod program;
mod redundancy;
mod request;
mod runtime;
mod step;
mod sync;
mod task;
mod urgency;

pub use action::{Action, Body, Resource, Station, Tick};
pub use body::Random;
pub use control::{
    Destination, SchedulerView, ShownFigures, ThreadChange, ThreadRequest, ThreadRequestError,
    ThreadView, is_of_family,
};
pub use kinds::{bsat, memo, monitor};
pub use process::{
    Annotate, Annotation, Answer, Call, CallKind, Code, Costs, Counts, Device, Event, EventId,
    Handle, Keys, Kind, Loaded, Meter, NewProcess, Node, NodeCosts, Place, Posted, Process,
    ProcessError, ProcessHandle, ProcessParams, Queue, Reply, Start, Tasks, Template,
};
pub use program::{Activation, Jobs, OnLate, Program, Recorded, RecordedStep, Work};
pub use redundancy::Redundancy;
pub use request::{Notice, Notices, OwnRequest, RequestError, RequestErrorKind};
pub use runtime::{Condition, Job, ProgramError, ProgramRuntime, Progress, RuntimeHost, Wakeup};
pub use step::{
    Effect, Interaction, Names, Naming, Numbers, Pause, Phase, Sharing, Step, Translate,
};
pub use sync::{NotOwnerError, SyncPoint, SyncPoints};
pub use task::{IdleTime, TaskError, TaskId, TaskReply, TaskRequest};
pub use urgency::{LockProtocol, Rank, Urgency};
