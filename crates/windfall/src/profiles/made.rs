//! The profile of a program that was recorded.

use crate::VerbError;
use std::path::Path;
use windfall_observe::image::{Image, checksum};
use windfall_observe::kernel;
use windfall_programs::learn::{Calibration, Kind};
use windfall_record::Recorded;
use windfall_report::calibrate::chosen;
use windfall_report::terminal::hundredths;
use windfall_scenario::{Profile, ProfiledThread};
use windfall_time::Span;

/// The profile of a program that was recorded.
pub(crate) fn made(
    calibration: &Calibration,
    recorded: &Recorded,
    command: &[String],
) -> Result<Profile, VerbError> {
    let Some(Image { executable, libraries, .. }) = &recorded.image else {
        let who = command.first().cloned().unwrap_or_else(|| "the process".to_owned());
        return Err(VerbError(format!(
            "windfall: what `{who}` executes could not be read, so its profile has no key; let it run longer"
        )));
    };
    let sum = |path: &Path| {
        checksum(path).map_err(|error| VerbError(format!("windfall: {}: {error}", path.display())))
    };
    let mut profile = Profile::new(executable.display().to_string(), sum(executable)?);
    (profile.kernel, profile.watched) = (kernel::release(), recorded.length.to_string());
    (profile.chosen, profile.lost) = (chosen(calibration.conservatism), calibration.lost.0);
    for library in libraries.iter().filter(|library| library.is_file()) {
        profile.libraries.insert(library.display().to_string(), sum(library)?);
    }
    profile.threads = calibration.kinds.iter().map(profiled).collect();
    Ok(profile)
}

fn profiled(kind: &Kind) -> ProfiledThread {
    let period = kind.habit.period.filter(|_| kind.amount.is_some());
    let mut thread = ProfiledThread::default();
    thread.name.clone_from(&kind.name);
    thread.routine.clone_from(&kind.routine);
    thread.parent.clone_from(&kind.parent);
    thread.count = kind.count;
    // The same amount in a shorter period is more, never less.
    thread.period = period
        .map(|period| Span::from_nanos((period.as_nanos() / 1_000 * 1_000).max(1)).to_string());
    thread.amount = kind.amount.map(|amount| amount.to_string());
    thread.confidence = hundredths(kind.habit.confidence);
    thread.periods = kind.habit.periods;
    thread.need = [kind.need.p50, kind.need.p99, kind.need.max].map(|span| span.to_string());
    thread.note = Some(kind.why_not.clone()).filter(|note| !note.is_empty());
    thread
}
