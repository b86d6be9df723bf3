#![doc = include_str!("../README.md")]
//!
//! # Inside
//!
//! A [`Hierarchy`] shares processors among threads through a tree of [`Scheduler`]s. A host reports
//! events (a thread became ready, a timer is due), reads back which thread each processor should
//! run, and decides nothing itself. Source: HLS chapters 4 and 9.
//!
//! Invariants: every call is deterministic; every virtual processor changes state only along the
//! arrows of HLS figure 4.2; after every call each processor runs exactly one thread or idles; a
//! scheduler that breaks a rule is quarantined, and its children keep running.
//!
//! Absent on purpose: an operating system, a clock, threads, locks, `std`.
//! Read next: `scheduler.rs` (notifications of a scheduler), `context.rs` (its effects), `settle.rs`
//! (the order of delivery), `host.rs` and `control.rs` (the host's calls).
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;
#[cfg(any(test, feature = "std"))]
extern crate std;

mod answer;
mod check;
mod children;
mod context;
mod control;
mod count;
mod effect;
mod error;
mod fallback;
mod guard;
pub mod heap;
mod host;
mod id;
mod index;
mod instance;
mod journal;
mod message;
mod node;
mod node_spec;
mod peek;
mod processor_set;
mod quarantine;
mod query;
mod registration;
mod relocate;
mod reshape;
mod scheduler;
mod settle;
mod state;
mod temporal;
mod tentative;
mod timers;
mod tree;
mod vp;

pub use answer::{Answer, AnswerError};
pub use context::{Context, View};
pub use control::LEVELS;
pub use count::Count;
pub use error::{HierarchyError, Rule, SchedulerError};
pub use host::Hierarchy;
pub use id::{ChildVp, NodeId, OwnVp, Parent, Processor, Target, ThreadId, TimerId};
pub use journal::{JournalEntry, JournalEvent, Note, Notification};
pub use message::{Message, ParentNotice, Value};
pub use node_spec::NodeSpec;
pub use processor_set::ProcessorSet;
pub use scheduler::{Duplicate, Scheduler};
pub use temporal::{TemporalAnswer, TemporalQuery};
pub use tree::{NodeView, ThreadView};
pub use vp::VpState;
