#![doc = include_str!("../README.md")]
//!
//! # Inside
//!
//! A [`Host`] says to the hierarchy what happened, and has its [`Machine`] carry out what that decides. In between
//! it starts threads, plays their programs, carries out control requests, keeps accounts by scheduler, judges
//! promises and records a trace. A machine is polled: it says what has happened, and never calls back.
//!
//! Invariants: the hierarchy decides who runs, nobody else; every machine is driven by the same code; what threads
//! received and what processors gave are equal at the end ([`Host::finish`] asserts it).
//!
//! Read next: `machine.rs` (what a machine is asked for), `settle.rs` (the order of an instant), `carry_out.rs`
//! (from desired to actual), `runtime.rs` (what a program's action means).
#![forbid(unsafe_code)]

mod account;
mod adopt;
mod agenda;
mod carry_out;
mod finish;
mod host;
mod ledger;
mod machine;
mod promises;
mod requests;
mod runtime;
mod settle;
mod start;
mod states;
mod thread;

pub use account::Accounts;
pub use host::{Host, Log, Threads};
pub use machine::{Change, Charge, Column, Event, Machine, Passed};
pub use promises::{Judgement, Promises};
pub use thread::Thread;
