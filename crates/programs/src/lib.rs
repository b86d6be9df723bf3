#![doc = include_str!("../README.md")]
//!
//! # Inside
//!
//! A [`Program`] is a description, of which [`ProgramRuntime`] make a [`Body`], a state machine that is
//! asked for one [`Action`] after the other. [`ProgramRuntime`] say what an action means for jobs, locks and other
//! threads; a host is their [`RuntimeHost`], which lends them time, timers and processors and decides nothing
//! about their course. So the same program runs on every host. An event-driven process is an async function over
//! [`Process`], which becomes such a body, too, or is compiled for a host's own threads.
#![forbid(unsafe_code)]

mod action;
mod body;
pub mod learn;
mod process;
mod program;
mod runtime;
mod step;
mod sync;

pub use action::{Action, Body, Resource, Tick};
pub use body::Random;
pub use process::{
    Answer, Call, Code, Costs, Counts, Event, EventId, Handle, Keys, Kind, Loaded, Meter,
    NewProcess, Node, NodeCosts, Place, Posted, Process, ProcessError, ProcessHandle,
    ProcessParams, Queue, Reply, Start, Template,
};
pub use program::{Activation, Jobs, OnLate, Program, Recorded, RecordedStep, Work};
pub use runtime::{Condition, Job, ProgramError, ProgramRuntime, Progress, RuntimeHost, Wakeup};
pub use step::{Names, Naming, Numbers, Phase, Sharing, Step, Translate};
pub use sync::{NotOwner, SyncPoint, SyncPoints};
