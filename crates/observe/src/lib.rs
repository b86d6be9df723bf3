#![doc = include_str!("../README.md")]
//!
//! # Inside
//!
//! [`KernelEvent`] is the model. Events come from BPF programs where they load, and otherwise from perf events (decision 0010), in
//! two selections: [`EventSource`] reports everything, for recordings; [`rings`] what a supervisor needs, with the time that
//! interrupts took. [`procfs`] is the state of threads at a moment, [`image`] and [`routines`] say what they execute, [`rivals`] and
//! [`occupancy`] who else is on processors, and [`supervision`] whether a run is under way.
//!
//! Invariants: nothing on the machine is changed; whatever ends the process takes its programs out of the kernel. Events are given
//! in order of time, and what was lost is reported where it was lost.
//!
//! Absent on purpose: what an event means for a hierarchy, a trace or a reader.
//!
//! Read next: `kernel_event.rs`, then `rings.rs` or `event_source.rs`.
#![forbid(unsafe_code)]

#[cfg(feature = "events")]
mod bpf;
mod error;
#[cfg(feature = "events")]
mod event_source;
pub mod fifo_priorities;
pub mod image;
pub mod kernel;
pub mod kernel_event;
pub mod mask;
#[cfg(feature = "events")]
mod observed;
pub mod occupancy;
#[cfg(feature = "events")]
mod perf_rings;
pub mod procfs;
#[cfg(feature = "events")]
pub mod rings;
pub mod rivals;
pub mod routines;
pub mod supervision;
pub mod tracepoints;
pub mod wakers;

#[cfg(feature = "events")]
pub use bpf::{Report, decode};
pub use error::ObserveError;
#[cfg(feature = "events")]
pub use event_source::EventSource;
pub use kernel_event::KernelEvent;
#[cfg(feature = "events")]
pub use observed::Observed;
