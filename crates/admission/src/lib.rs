#![doc = include_str!("../README.md")]
//!
//! # Inside
//!
//! `admission.rs` is what a user calls; `structure.rs` is what each structure promises, and decision 0028 what its values mean; `supply.rs` is what is sure below a scheduler, and times on that (decision 0029). Every structure is
//! held to the slow definition by `tests/law.rs`, and to decisions that were computed elsewhere by `tests/reference.rs`.
//!
//! Absent on purpose: a clock, threads, and who runs the work.
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;

mod admission;
mod collection;
mod error;
mod slot_list;
mod start_times;
mod structure;
mod supply;
mod ticket;
mod tree;

pub use admission::{Admission, Counts, Inexact};
pub use collection::{Bound, Collector, Costs, Limits, Pool, PoolError};
pub use error::{AdmitError, AdvanceError, TicketError, WhatIfError};
pub use slot_list::{
    GuessList, HashList, HashPointerList, ImprovedList, List, PagedList, PointerList, SlotList,
    Step,
};
pub use start_times::StartTimes;
pub use structure::{HORIZON, Key, Structure, Supplied};
pub use supply::{Supply, SupplyError};
pub use ticket::{Head, Ticket};
pub use tree::{BPlusTree, Tree};
