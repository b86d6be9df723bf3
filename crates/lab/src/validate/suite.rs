//! The parts of the suite in order, and what comes of running them: needs met or not, limits kept or not.

use super::found::{Better, Found, Level, Metric, Sentence, Undone};
use super::machine::Machine;
use super::options::{Limit, Options};
use super::parts;
use crate::experiment::LabError;
use windfall_time::Span;

/// One thing that is measured.
pub(crate) struct Part {
    /// Its name.
    pub(crate) name: &'static str,
    /// Its subject.
    pub(crate) title: &'static str,
    /// Its question.
    pub(crate) question: &'static str,
    pub(crate) run: fn(&dyn Machine, &Options<'_>) -> Result<Found, LabError>,
}

/// First what spoils the rest, then the seven of AIRLAB (3) in its order, and what short periods can be trusted with.
pub(crate) const PARTS: &[&Part] = &[
    &parts::conditions::PART,
    &parts::timing::PART,
    &parts::reliability::PART,
    &parts::speed::PART,
    &parts::time::PART,
    &parts::communication::PART,
    &parts::calls::PART,
    &parts::skew::PART,
    &parts::instructions::PART,
    &parts::cores::PART,
];

/// The names of all parts.
pub fn part_names() -> impl Iterator<Item = &'static str> {
    PARTS.iter().map(|part| part.name)
}

/// The findings of a part, with its subject.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub struct PartFound {
    /// The part's name.
    pub name: &'static str,
    /// Its subject.
    pub title: &'static str,
    /// Its question.
    pub question: &'static str,
    /// Its findings.
    pub found: Found,
}

/// The findings of the suite.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub struct Validation {
    /// The machine, in a line.
    pub machine: String,
    /// For how long it was to be measured under load.
    pub length: Span,
    /// Whether everything was shorter.
    pub quick: bool,
    /// The parts that were run, in order.
    pub parts: Vec<PartFound>,
    /// Of limits, and of what became worse.
    pub compared: Vec<Sentence>,
    /// Whether it was ended before all was measured.
    pub is_stopped: bool,
}

impl Validation {
    /// All sentences, faults first, each with the name of its part.
    #[must_use]
    pub fn sentences(&self) -> Vec<(&'static str, &Sentence)> {
        let own = |part: &'_ PartFound| part.name;
        let parts = self.parts.iter().flat_map(move |part| {
            part.found.sentences.iter().map(move |sentence| (own(part), sentence))
        });
        let compared = self.compared.iter().map(|sentence| ("", sentence));
        let mut all: Vec<_> = compared.chain(parts).collect();
        all.sort_by_key(|(_, sentence)| sentence.level);
        all
    }

    /// All metrics.
    pub fn metrics(&self) -> impl Iterator<Item = &Metric> {
        self.parts.iter().flat_map(|part| &part.found.metrics)
    }

    /// Measurements that were not made.
    pub fn undone(&self) -> impl Iterator<Item = &Undone> {
        self.parts.iter().flat_map(|part| &part.found.undone)
    }

    /// Whether no sentence tells of a fault.
    #[must_use]
    pub fn is_sound(&self) -> bool {
        self.sentences().iter().all(|(_, sentence)| sentence.level != Level::Fault)
    }

    fn keeps(&mut self, limit: &Limit) -> Result<(), LabError> {
        let Some(metric) = self.metrics().find(|metric| metric.name == limit.metric) else {
            return Err(self.unknown(limit));
        };
        let kept = match metric.better {
            Better::Lower => metric.value <= limit.value,
            Better::Higher => metric.value >= limit.value,
        };
        let (name, value, unit) = (&metric.name, metric.value, metric.unit.name());
        let side = if metric.better == Better::Lower { "at most" } else { "at least" };
        let said = format!("{name} is {value} {unit}, and was to be {side} {}", limit.value);
        let level = if kept { Level::Fact } else { Level::Fault };
        self.compared.push(Sentence::new(level, format!("{said}.")));
        Ok(())
    }

    fn unknown(&self, limit: &Limit) -> LabError {
        let part = limit.metric.split('.').next().unwrap_or_default();
        let of_part: Vec<_> = self
            .metrics()
            .map(|metric| metric.name.as_str())
            .filter(|name| name.split('.').next() == Some(part))
            .collect();
        let there = if of_part.is_empty() {
            let all: Vec<_> = self.metrics().map(|metric| metric.name.as_str()).collect();
            all.join(", ")
        } else {
            of_part.join(", ")
        };
        let name = &limit.metric;
        LabError::Run(format!("no metric `{name}` was measured; there are: {there}"))
    }
}

/// Runs the parts on this machine.
///
/// # Errors
/// For an unknown part, a limit on a metric that was not measured, and when the machine refuses to keep a thread on a processor.
pub(crate) fn validate_on(
    machine: &dyn Machine,
    options: &Options<'_>,
) -> Result<Validation, LabError> {
    let unknown = options.parts.iter().find(|name| part_names().all(|part| part != *name));
    if let Some(name) = unknown {
        let all: Vec<_> = part_names().collect();
        return Err(LabError::Run(format!(
            "no part is called `{name}`; there are: {}",
            all.join(", ")
        )));
    }
    let wanted = |part: &&&Part| {
        options.parts.is_empty() || options.parts.iter().any(|one| one == part.name)
    };
    let mut all = Vec::new();
    for part in PARTS.iter().filter(wanted) {
        if options.is_stopped() {
            break;
        }
        (options.progress)(part.title);
        let found = (part.run)(machine, options)?;
        let Part { name, title, question, .. } = **part;
        all.push(PartFound { name, title, question, found });
    }
    let (length, quick) = (options.length, options.quick);
    let is_stopped = options.is_stopped();
    let machine = machine.line();
    let mut validation =
        Validation { machine, length, quick, parts: all, compared: Vec::new(), is_stopped };
    if is_stopped {
        let text = "It was ended before all was measured: this is what was measured until then.";
        validation.compared.push(Sentence::new(Level::Warning, text));
        return Ok(validation);
    }
    for limit in &options.limits {
        validation.keeps(limit)?;
    }
    Ok(validation)
}
