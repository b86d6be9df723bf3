#![doc = include_str!("../README.md")]
//!
//! # Inside
//!
//! `work.rs` says what the kinds of work are, and `work/` has one each; `work/answers.rs` are the known answers. `check.rs` runs rounds on threads, each kept on its processor; **the line that decides who is wrong** is in `judge.rs`, `Judge::weigh`, which has the voters.
//! `report.rs` is what comes of it, `fault.rs` what tests plant, `block.rs` how much memory is taken.
//!
//! Absent: hangs. A processor that never ends a round keeps the check from ending; whoever must not wait runs it as a process. Absent, too: which unit of a processor is wrong beyond the kind of work, and repair.
#![forbid(unsafe_code)]

mod block;
mod check;
mod fault;
mod judge;
mod report;
mod work;

pub use block::Block;
pub use check::{Check, CheckError, Until};
pub use fault::{Effect, Fault};
pub use report::{
    Absent, CommonCause, Finding, KindResult, ProcessorResult, Report, Verdict, Votes, WrongDigest,
};
pub use windfall_os::vector::Width;
pub use work::{Kind, PATTERNS};

use windfall_os::sched::Affinity;

/// The processors that this process may use.
///
/// # Errors
/// The kernel's.
pub fn allowed() -> std::io::Result<Vec<u16>> {
    let own = Affinity::of(0)?;
    Ok((0..1024).filter(|processor| own.has(*processor)).collect())
}
