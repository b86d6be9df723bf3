#![doc = include_str!("../README.md")]
//!
//! # Inside
//!
//! `processor.rs` is one processor: schedulers (`scheduler.rs`, `schedulers/`) over a collator (`collator.rs`) over a dispatcher (`dispatcher.rs`). Decision 0032 says why
//! everything that is admitted is done in time; `tests/law.rs` tries it. `pool.rs` drives processors on threads, `hosted.rs` processes below a scheduler; `member.rs` is a processor among others, over a `transport.rs`.
//! `layer.rs` (feature `tokio`) admits requests of HTTP to a pool (decision 0036).
#![forbid(unsafe_code)]

mod affinity;
mod collator;
mod counts;
mod dispatcher;
mod error;
pub mod hosted;
#[cfg(feature = "tokio")]
pub mod layer;
mod lock;
mod member;
mod message;
pub mod pool;
mod processor;
mod scheduler;
mod schedulers;
mod share;
mod table;
mod task;
pub mod transport;

pub use affinity::{Affinity, Place};
pub use counts::{Counts, Reason, Refused};
pub use dispatcher::Running;
pub use error::{ClockError, ShareError, SubmitError, TaskError, TransferError};
pub use member::{Event, Member, Near, Outcome, REMEMBERED, Submission};
pub use message::Answer;
pub use processor::{Ended, Processor};
pub use scheduler::{Laxity, Moved, Queries, Scheduler};
pub use schedulers::{EarliestDeadline, Entry, Ranked, TableError, TimeDriven};
pub use share::Share;
pub use task::{Claim, Request, TaskId};
