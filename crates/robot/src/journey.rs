//! The course of a robot: its steps, and the plans that it was given or missed.

use crate::terrain::Cell;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use windfall_time::Instant;

/// The cost of standing still for a step, where a step to the next cell costs 10.
pub const STANDING: u64 = 3;
/// The cost of starting again after it stood.
pub const STARTING: u64 = 5;

/// Why it stood still at a step.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Stood {
    /// It was there.
    Arrived,
    /// No way was known.
    NoWay,
    /// The planner was too late.
    Late,
    /// An obstacle was where it was told to go.
    Obstacle,
    /// The plan was for another place, from before the planner knew that it had stood.
    Elsewhere,
}

/// One step.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Step {
    /// Where it is after it.
    pub at: Cell,
    /// Why it stood still, if it did.
    pub stood: Option<Stood>,
    /// The way that it was planned to go from here, if that changed.
    pub way: Vec<Cell>,
    /// Cells that its sensors have seen for the first time, or changed, since the step before.
    pub seen: Vec<(Cell, bool)>,
}

/// Steps that were planned ahead and taken back because something new was seen.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Rollback {
    /// When.
    pub at: Instant,
    /// How many events.
    pub events: u64,
    /// When the first of them is to be done again at the latest.
    pub due: Instant,
}

/// A journey; it grows by every step, an hour's worth at most.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Journey {
    /// Its steps, from the first.
    pub steps: Vec<Step>,
    /// The steps that were taken back.
    pub rollbacks: Vec<Rollback>,
    /// The length of its path, in tenths of a cell.
    pub path: u64,
    /// Its energy: the path, [`STANDING`] and [`STARTING`].
    pub energy: u64,
    /// Whether it arrived.
    pub arrived: bool,
    /// How often an observation took effect later than at the first step for which it was offered, since there was no room for it.
    pub put_off: u64,
    /// How often it stood, by [`Stood`].
    stood: [u64; 5],
}

impl Journey {
    /// How often it stood for this reason.
    #[must_use]
    pub const fn stood(&self, why: Stood) -> u64 {
        self.stood[why as usize]
    }

    /// Counts a step of this length; 0: it stood.
    pub(crate) fn goes(&mut self, step: Step, length: u64) {
        let stood = self.steps.last().is_some_and(|last| last.stood.is_some());
        if let Some(why) = step.stood {
            self.stood[why as usize] += 1;
        }
        self.path += length;
        self.energy += match length {
            0 => STANDING,
            _ => length + if stood { STARTING } else { 0 },
        };
        self.steps.push(step);
    }
}

/// A journey, for those who started the robot.
pub type Report = Arc<Mutex<Journey>>;

/// Locks it. Each change of a journey is whole, so a panic elsewhere has left nothing half done.
pub(crate) fn written(report: &Report) -> MutexGuard<'_, Journey> {
    report.lock().unwrap_or_else(PoisonError::into_inner)
}
