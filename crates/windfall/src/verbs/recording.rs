//! How verbs open or read a recording. A scenario is none, and they say how to make one of it.

use crate::VerbError;
use crate::output::input_name;
use std::fmt::Display;
use std::path::Path;
use windfall_scenario::{Recording, nearest_file};
use windfall_trace::Source;
use windfall_trace::import::Format;

/// Opens a recording.
pub(crate) fn open_recording(
    path: &Path,
    format: Option<&'static Format>,
) -> Result<Source, VerbError> {
    refuse_scenario(path)?;
    Source::open(path, format).map_err(|error| unreadable(path, error))
}

/// Reads a recording whole, as what its threads do. `path` is where it is read, `named` what the user calls it.
pub(crate) fn read_recording(
    path: &Path,
    named: &Path,
    format: Option<&'static Format>,
) -> Result<Recording, VerbError> {
    refuse_scenario(named)?;
    Recording::read(path, format).map_err(|why| unreadable(named, why))
}

fn refuse_scenario(path: &Path) -> Result<(), VerbError> {
    if path.extension().is_some_and(|extension| extension == "toml") {
        let why =
            "a scenario, not a recording; make one with `windfall simulate FILE --trace OUT.wft`";
        return Err(unreadable(path, why));
    }
    Ok(())
}

/// A recording cannot be read, or not be used; where there is none, a file of nearly that name.
pub(crate) fn unreadable(path: &Path, why: impl Display) -> VerbError {
    let near = nearest_file(path);
    let near = near.map_or(String::new(), |near| format!("; did you mean `{near}`?"));
    VerbError(format!("windfall: {}: {why}{near}", input_name(path)))
}
