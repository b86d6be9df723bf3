#![doc = include_str!("../README.md")]
//!
//! # Inside
//!
//! A [`Host`] reports events to the hierarchy and has its [`Machine`] carry out the decisions. Besides that it starts threads,
//! runs their programs, carries out control requests, accounts for time by scheduler, judges promises and records a trace. A machine
//! is polled for events, and never calls back.
//!
//! Invariants: the hierarchy alone decides who runs; the same code drives every machine; in the end, what threads received equals
//! what processors gave ([`Host::finish`] asserts it).
//!
//! Read next: `machine.rs` (the interface of a machine), `settle.rs` (the order of events within an instant), `carry_out.rs`
//! (processors follow decisions), `runtime.rs` (the effects of a program's actions).
#![forbid(unsafe_code)]

mod account;
mod admission;
mod adopt;
mod agenda;
mod arrivals;
mod carry_out;
mod control;
mod controllers;
mod finish;
mod host;
mod interrupts;
mod locks;
mod machine;
mod open_tasks;
mod own;
mod promises;
mod query_error;
mod request_error;
mod requests;
mod runtime;
mod settle;
mod start;
mod states;
mod tasks;
mod thread;

pub use account::Accounts;
pub use host::{Host, Log, Threads};
pub use interrupts::Interrupts;
pub use machine::{Change, Charge, Column, Event, Machine, Passed};
pub use promises::{Judgement, Promises};
pub use query_error::TaskQueryError;
pub use request_error::{ControlRequestError, ControlRequestErrorKind};
pub use thread::Thread;
