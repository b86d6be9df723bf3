#![doc = include_str!("../README.md")]
//!
//! # Inside
//!
//! `rv32im.rs` is the instruction set as data, `table.rs` and `encoding.rs` what follows from it; `operation.rs` and
//! `machine.rs` run it. `unit.rs` and `fault.rs` are the population of faults, `visible.rs` which of them a program can
//! see, `coverage.rs` and `list.rs` which a program covers. `snippet.rs` and `generate.rs` make the diagnostic.
#![forbid(unsafe_code)]

mod coverage;
mod encoding;
mod fault;
mod generate;
mod list;
mod machine;
mod operation;
mod random;
mod rv32im;
mod snippet;
mod table;
mod unit;
mod visible;

pub use coverage::{Count, Coverage, Outcome, PATIENCE, SIGNATURE, judge, outcome};
pub use encoding::{EncodeError, Fields, Format};
pub use fault::{Fault, Kind, PC, Wrong};
pub use generate::{Diagnostic, GenerateError, Goal, generate};
pub use list::Listing;
pub use machine::{End, Machine};
pub use operation::{Arithmetic, Condition, Operation};
pub use rv32im::RV32IM;
pub use table::{Decoded, Instruction, Table, TableError, UnknownWordError};
pub use unit::{Port, Unit};
pub use visible::{Reason, Witness, witness};
