//! A run from beginning to end: the supervisor behind its lock, the event loop, and the meaning of kernel events.
//!
//! Read first `run.rs` with its phases (`prepare.rs`, `start.rs`), then `supervisor.rs`, `machine.rs` (the machine as the host sees it),
//! `locked.rs` and `event_loop.rs`.

pub(crate) mod apply_event;
pub(crate) mod calls;
pub(crate) mod clock;
pub(crate) mod dry_run;
mod event_loop;
mod finish;
pub(crate) mod linux;
pub(crate) mod locked;
mod machine;
pub(crate) mod own;
mod planned;
mod prepare;
mod processors;
pub(crate) mod procfs_worker;
pub(crate) mod records;
pub(crate) mod rivals;
pub(crate) mod run;
pub(crate) mod settings;
pub(crate) mod settle;
mod start;
mod stations;
pub(crate) mod supervisor;
pub(crate) mod trace;
pub(crate) mod trace_reader;
pub(crate) mod work;
