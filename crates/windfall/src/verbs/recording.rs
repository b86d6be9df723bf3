//! How verbs open the recording that they read.

use crate::VerbError;
use crate::output::input_name;
use std::path::Path;
use windfall_trace::Source;
use windfall_trace::import::Format;

/// Opens a recording. A scenario is none, and says how to make one of it.
pub(crate) fn open_recording(
    path: &Path,
    format: Option<&'static Format>,
) -> Result<Source, VerbError> {
    let trouble = |why: &str| VerbError(format!("windfall: {}: {why}", input_name(path)));
    if path.extension().is_some_and(|extension| extension == "toml") {
        return Err(trouble(
            "a scenario, not a recording; make one with `windfall simulate FILE --trace OUT.wft`",
        ));
    }
    Source::open(path, format).map_err(|error| trouble(&error.to_string()))
}
