//! What needs only threads of this process: polling the clock, working in an array, on one processor.
//!
//! A [`Starter`] starts threads that run a body: under the system's own scheduler ([`Native`]), or under
//! a hierarchy, where a host for that is at hand. All experiments with threads of this process take one.

mod pin;
mod poll;
mod work;

pub use pin::Native;
pub use poll::Stretch;
pub(crate) use poll::{gaps, interruptions, poll};
pub(crate) use work::{Spent, spend};

use crate::experiment::Trouble;
use windfall_scenario::Scenario;

/// Who decides when threads run.
#[derive(Clone, Copy, Debug)]
pub enum Under<'a> {
    /// The system.
    System,
    /// The schedulers of this scenario; the threads are those that it names `poll`.
    Hierarchy(&'a Scenario),
}

/// Starts threads.
pub trait Starter {
    /// Starts `count` threads of this process, all on one processor, lets each run `body` with its
    /// number, and returns when all are done. None begins before all are there.
    ///
    /// # Errors
    /// What the machine or the hierarchy refused.
    fn run(
        &self,
        under: Under<'_>,
        count: usize,
        body: &(dyn Fn(usize) + Sync),
    ) -> Result<(), Trouble>;
}
