//! Transports carry records from one member of a system to another: in process, or simulated with all that a network does wrong.

mod in_process;
mod simulated;

pub use in_process::{InProcess, in_process};
pub use simulated::{Carried, Faults, Network, Simulated};

use windfall_time::Instant;

/// A record: as many words as a message of members needs.
pub type Record = [u64; 8];

/// Carries records among members, which are numbered from 0.
///
/// # Not promised
/// Whether a record arrives, how often, when, and in which order. [`Member`](crate::Member) makes of it: executed at most once, every submission answered or timed out.
pub trait Transport {
    /// Hands a record over, at this moment; false if that is not possible now, and then it is not sent. It never waits.
    #[must_use]
    fn send(&mut self, now: Instant, to: usize, record: Record) -> bool;

    /// A record that has arrived, and from whom.
    fn receive(&mut self, now: Instant) -> Option<(usize, Record)>;
}
