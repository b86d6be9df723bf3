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
///
/// ```
/// use std::collections::VecDeque;
/// use windfall_ports::transport::{Record, Transport};
/// use windfall_time::Instant;
///
/// /// A member's way to itself.
/// #[derive(Default)]
/// struct Loop(VecDeque<Record>);
///
/// impl Transport for Loop {
///     fn send(&mut self, _: Instant, to: usize, record: Record) -> bool {
///         self.0.push_back(record);
///         to == 0
///     }
///     fn receive(&mut self, _: Instant) -> Option<(usize, Record)> {
///         self.0.pop_front().map(|record| (0, record))
///     }
/// }
///
/// let mut own = Loop::default();
/// assert!(own.send(Instant::ZERO, 0, [7; 8]));
/// assert_eq!(own.receive(Instant::ZERO), Some((0, [7; 8])));
/// ```
pub trait Transport {
    /// Hands a record over, at this moment; false if that is not possible now, and then it is not sent. It never waits.
    #[must_use]
    fn send(&mut self, now: Instant, to: usize, record: Record) -> bool;

    /// A record that has arrived, and from whom.
    fn receive(&mut self, now: Instant) -> Option<(usize, Record)>;
}
