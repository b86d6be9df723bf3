//! Counters of memory controllers (EDAC): how many errors were corrected, and how many were not.

use super::{Found, SourceError};
use crate::{Confidence, Exponential, FitError, Mean};
use windfall_time::Span;

/// The counts of a memory controller since it was started.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Controller {
    /// Its name, as `mc0`.
    pub name: String,
    /// Errors that it corrected.
    pub corrected: u64,
    /// Errors that it could not correct.
    pub uncorrected: u64,
    /// For how long it has counted (`seconds_since_reset`); `None` where the kernel does not say.
    pub counted: Option<Span>,
}

impl Controller {
    /// The mean time to an error, corrected or not, by its counts. They have no times, so nothing is known of their spread.
    ///
    /// # Errors
    /// [`FitError::NoTime`] when it is not known for how long it has counted.
    pub fn mean(&self, confidence: Confidence) -> Result<Mean, FitError> {
        let counted = self.counted.unwrap_or(Span::ZERO);
        let events = self.corrected.saturating_add(self.uncorrected);
        Exponential::of_count(counted, events, confidence).map(|fit| fit.mean())
    }
}

/// The counts of one controller read so far, by file.
#[derive(Default)]
struct Counts {
    corrected: Option<u64>,
    uncorrected: Option<u64>,
    seconds: Option<u64>,
}

/// Reads counters of memory controllers: pairs of a path below `/sys/devices/system/edac/mc`, as `mc0/ce_count`, and the file's text: `ce_count`, `ue_count`, and `seconds_since_reset` if it is there. Other files are passed over. The counters have no times: see [`Controller::mean`].
///
/// # Errors
/// When a counter is no number, a controller has only one of `ce_count` and `ue_count`, or has counted for longer than 584 years.
pub fn edac<'a>(
    files: impl IntoIterator<Item = (&'a str, &'a str)>,
) -> Result<Found<Vec<Controller>>, SourceError> {
    let mut known: Vec<(&str, Counts)> = Vec::new();
    for (path, text) in files {
        let Some((name, file)) = path.split_once('/') else { continue };
        if !matches!(file, "ce_count" | "ue_count" | "seconds_since_reset") {
            continue;
        }
        let found = text.trim();
        let count: u64 = found.parse().map_err(|_| wrong(path, found))?;
        let place = known.iter().position(|(other, _)| *other == name).unwrap_or_else(|| {
            known.push((name, Counts::default()));
            known.len() - 1
        });
        let counts = &mut known[place].1;
        *match file {
            "ce_count" => &mut counts.corrected,
            "ue_count" => &mut counts.uncorrected,
            _ => &mut counts.seconds,
        } = Some(count);
    }
    if known.is_empty() {
        let why = "no memory controller reports errors: there is no `mc0/ce_count`, as on a virtual machine, without ECC memory or without its driver";
        return Ok(Found::NoneHere { why: why.to_owned() });
    }
    let whole = known.into_iter().map(|(name, counts)| controller(name, &counts));
    whole.collect::<Result<_, _>>().map(Found::Here)
}

fn controller(name: &str, counts: &Counts) -> Result<Controller, SourceError> {
    let missing = |file| SourceError::Missing { path: format!("{name}/{file}") };
    let span = |seconds: u64| {
        let nanos = seconds.checked_mul(1_000_000_000).map(Span::from_nanos);
        nanos.ok_or_else(|| wrong(&format!("{name}/seconds_since_reset"), &seconds.to_string()))
    };
    Ok(Controller {
        name: name.to_owned(),
        corrected: counts.corrected.ok_or_else(|| missing("ce_count"))?,
        uncorrected: counts.uncorrected.ok_or_else(|| missing("ue_count"))?,
        counted: counts.seconds.map(span).transpose()?,
    })
}

fn wrong(path: &str, found: &str) -> SourceError {
    SourceError::Count { path: path.to_owned(), found: found.to_owned() }
}
