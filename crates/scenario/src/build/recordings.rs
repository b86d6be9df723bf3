//! The source of recorded behaviour: importers of traces are not part of this crate.

use crate::recording::RecordingError;
use std::collections::BTreeMap;
use std::ops::Range;
use windfall_programs::Program;
use windfall_time::{Instant, Span};

/// The scenario's numbers of recorded threads, by their name in the recording: as many as the
/// scenario has of each.
pub type Numbers = BTreeMap<String, Range<usize>>;

/// Reads recorded traces for a scenario. Files are named as in the scenario.
///
/// ```
/// use windfall_programs::Program;
/// use windfall_scenario::{Numbers, RecordingError, Recordings, Scenario};
/// use windfall_time::{Instant, Span};
///
/// /// No thread has done anything.
/// struct Silence;
///
/// impl Recordings for Silence {
///     fn program(
///         &mut self,
///         _: &str,
///         _: &str,
///         _: usize,
///         _: &Numbers,
///     ) -> Result<Program, RecordingError> {
///         Ok(Program::nothing())
///     }
///     fn interrupts(
///         &mut self,
///         _: &str,
///         _: u16,
///     ) -> Result<Vec<(Instant, Span)>, RecordingError> {
///         Ok(Vec::new())
///     }
/// }
///
/// let text = r#"
/// schema = 2
/// length = "1 s"
/// schedulers.root = { scheduler = "round-robin", parent = "top" }
/// threads.audio   = { parent = "root", recorded = { file = "a.wft", thread = "audio" } }
/// "#;
/// let scenario = Scenario::parse("a.toml", text).map_err(|mistakes| mistakes.render(false))?;
/// assert!(scenario.build_with(&mut Silence).is_ok());
/// assert!(scenario.build().is_err(), "recordings are not read without a reader");
/// # Ok::<(), String>(())
/// ```
pub trait Recordings {
    /// The behaviour of a thread: the one with this number (from 0) of those of a name, or the one of a
    /// `#TID`. `numbers` gives the scenario's numbers of all threads of this file that play a part,
    /// by their name there; the others become part of the environment.
    ///
    /// # Errors
    /// Why it cannot be read.
    fn program(
        &mut self,
        file: &str,
        thread: &str,
        at: usize,
        numbers: &Numbers,
    ) -> Result<Program, RecordingError>;

    /// When interrupts struck a processor, in order, and how long each took.
    ///
    /// # Errors
    /// Why it cannot be read.
    fn interrupts(
        &mut self,
        file: &str,
        processor: u16,
    ) -> Result<Vec<(Instant, Span)>, RecordingError>;
}

/// Refuses every recording.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoRecordings;

impl Recordings for NoRecordings {
    fn program(
        &mut self,
        _: &str,
        _: &str,
        _: usize,
        _: &Numbers,
    ) -> Result<Program, RecordingError> {
        Err(RecordingError::NotReadHere)
    }

    fn interrupts(&mut self, _: &str, _: u16) -> Result<Vec<(Instant, Span)>, RecordingError> {
        Err(RecordingError::NotReadHere)
    }
}
