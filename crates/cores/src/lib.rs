#![doc = include_str!("../README.md")]
//!
//! # Inside
//!
//! `work.rs` says what the kinds of work are, and `work/` has one each; `work/answers.rs` are the known answers. `answers.rs` asks which processors answer, `check.rs` plans rounds and has them judged, and `batch.rs` runs them on threads, each kept on its processor, before a watchdog; **the line that decides who is wrong** is in `judge.rs`, `Judge::weigh`, which has the voters.
//! `report.rs` is what comes of it, `fault.rs` what tests plant, `block.rs` how much memory is taken.
//!
//! A processor that never ends a round is named and left behind, with its thread and block of memory. Absent: which unit of a processor is wrong beyond the kind of work, and repair.
#![forbid(unsafe_code)]

mod answers;
mod batch;
mod block;
mod check;
mod fault;
mod judge;
mod patience;
mod report;
mod work;

pub use block::Block;
pub use check::{Check, CheckError, Until};
pub use fault::{Effect, Fault};
pub use patience::Patience;
pub use report::{
    Absent, CommonCause, Ended, Finding, KindResult, NoAnswer, ProcessorResult, Report, Verdict,
    Votes, WrongDigest,
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
