//! Where recorded behaviour comes from: importers of traces are no part of this crate.

use std::collections::BTreeMap;
use windfall_programs::Program;
use windfall_time::{Instant, Span};

/// Reads recorded traces for a scenario. Files are named as in the scenario.
pub trait Recordings {
    /// What a thread (by name, or `#TID`) did. `numbers` gives the scenario's number of each thread
    /// of this file that plays a part, by its name there; wake-ups of others are left out.
    ///
    /// # Errors
    /// Why it cannot be read, in words.
    fn program(
        &mut self,
        file: &str,
        thread: &str,
        numbers: &BTreeMap<String, usize>,
    ) -> Result<Program, String>;

    /// When interrupts struck a processor, in order, and how long each took.
    ///
    /// # Errors
    /// Why it cannot be read, in words.
    fn interrupts(&mut self, file: &str, processor: u16) -> Result<Vec<(Instant, Span)>, String>;
}

/// Refuses every recording.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoRecordings;

const WHY: &str = "recordings are not read here";

impl Recordings for NoRecordings {
    fn program(
        &mut self,
        _: &str,
        _: &str,
        _: &BTreeMap<String, usize>,
    ) -> Result<Program, String> {
        Err(WHY.to_owned())
    }

    fn interrupts(&mut self, _: &str, _: u16) -> Result<Vec<(Instant, Span)>, String> {
        Err(WHY.to_owned())
    }
}
