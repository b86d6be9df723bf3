//! The parts of the suite in order, and what comes of running them: needs met or not, limits kept or not.

use super::answers::Answers;
use super::found::{Better, Found, Level, Metric, Sentence, Undone};
use super::machine::Machine;
use super::options::{Limit, Options};
use super::part::Part;
use super::parts;
use super::watch::{Watched, watched};
use crate::experiment::LabError;
use std::sync::Arc;
use windfall_cores::Absent;
use windfall_time::Span;

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

    fn keeps(&mut self, limit: &Limit) {
        let said = match self.metrics().find(|metric| metric.name == limit.metric) {
            Some(metric) => kept(metric, limit),
            None => self.unknown(limit),
        };
        self.compared.push(said);
    }

    /// A limit on what was not measured is not kept; it may be a mistake in its name.
    fn unknown(&self, limit: &Limit) -> Sentence {
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
        let text =
            format!("No metric `{name}` was measured, so its limit is not known to be kept.");
        Sentence::new(Level::Fault, text).remedy(format!("set a limit on one of these: {there}"))
    }
}

fn kept(metric: &Metric, limit: &Limit) -> Sentence {
    let is_kept = match metric.better {
        Better::Lower => metric.value <= limit.value,
        Better::Higher => metric.value >= limit.value,
    };
    let (name, value, unit) = (&metric.name, metric.value, metric.unit.name());
    let side = if metric.better == Better::Lower { "at most" } else { "at least" };
    let said = format!("{name} is {value} {unit}, and was to be {side} {}.", limit.value);
    Sentence::new(if is_kept { Level::Fact } else { Level::Fault }, said)
}

/// Runs the parts on this machine, without the processors that do not answer. One that cannot be measured is a fault, and takes no other
/// with it.
///
/// # Errors
/// For an unknown part, and when no processor answers.
pub(crate) fn validate_on(
    mut machine: Arc<dyn Machine>,
    options: &Options,
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
    let line = machine.line();
    let mut answers = Answers::of(&mut machine)?;
    let parts = PARTS.iter().copied().filter(|part| wanted(&part));
    let mut parts = measured(parts, &mut machine, &mut answers, options);
    if let Some(first) = parts.first_mut() {
        answers.name(&mut first.found);
    }
    let (length, quick) = (options.length, options.quick);
    let is_stopped = options.is_stopped();
    let mut validation =
        Validation { machine: line, length, quick, parts, compared: Vec::new(), is_stopped };
    if is_stopped {
        let text = "It was ended before all was measured: this is what was measured until then.";
        validation.compared.push(Sentence::new(Level::Warning, text));
        return Ok(validation);
    }
    for limit in &options.limits {
        validation.keeps(limit);
    }
    Ok(validation)
}

/// The findings of these parts, until it is to end.
fn measured<'a>(
    parts: impl Iterator<Item = &'a Part>,
    machine: &mut Arc<dyn Machine>,
    answers: &mut Answers,
    options: &Options,
) -> Vec<PartFound> {
    let mut all = Vec::new();
    for part in parts {
        if options.is_stopped() || !answers.are_there() {
            break;
        }
        (options.progress)(part.title);
        let mut silent = Vec::new();
        let ended = ended(part, machine, answers, options, &mut silent);
        let Part { name, title, question, .. } = *part;
        let mut found = ended.unwrap_or_else(|why| not_measured(name, &why));
        Answers::name_stopped(&silent, &mut found);
        answers.qualify(&mut found);
        all.push(PartFound { name, title, question, found });
    }
    all
}

/// The findings of a part. Processors that stop meanwhile are left out, and it begins anew.
fn ended(
    part: &Part,
    machine: &mut Arc<dyn Machine>,
    answers: &mut Answers,
    options: &Options,
    silent: &mut Vec<Absent>,
) -> Result<Found, LabError> {
    loop {
        match watched(part, machine, options)? {
            Watched::Ended(found) => return found,
            Watched::Silent(more) => {
                let left = answers.leave_out(&more, machine);
                silent.extend(more);
                left?;
                if options.is_stopped() {
                    return Err(LabError::Run("it was ended".to_owned()));
                }
            }
        }
    }
}

fn not_measured(name: &str, why: &LabError) -> Found {
    let mut found = Found::default();
    found.says(Level::Fault, format!("The part `{name}` could not be measured: {why}."));
    found.not_done(format!("the part `{name}`"), why.to_string());
    found
}

#[cfg(test)]
mod tests {
    use super::super::machine::{Planted, Simulated};
    use super::super::results;
    use super::*;

    const REFUSED: Part = Part {
        name: "refused",
        title: "a part that the machine refuses",
        question: "does it spoil others?",
        run: |_, _| {
            let asked = "keep a thread on processor 1".to_owned();
            Err(LabError::Machine { asked, why: "Invalid argument".to_owned() })
        },
    };

    #[test]
    fn law_a_part_that_cannot_be_measured_is_a_fault_and_takes_no_other_with_it() {
        let options = Options::quick(Span::from_secs(1));
        let mut machine: Arc<dyn Machine> = Arc::new(Simulated::new(vec![Planted::default(); 2]));
        let mut answers = Answers::of(&mut machine).unwrap();
        let three = [&parts::speed::PART, &REFUSED, &parts::conditions::PART];
        let parts = measured(three.into_iter(), &mut machine, &mut answers, &options);
        let validation = Validation {
            machine: machine.line(),
            length: options.length,
            quick: options.quick,
            parts,
            compared: Vec::new(),
            is_stopped: false,
        };
        let of = |part: &str| {
            let name = |metric: &&Metric| metric.name.split('.').next() == Some(part);
            validation.metrics().filter(name).count()
        };
        assert!(of("speed") > 0 && of("conditions") > 0 && of("refused") == 0);
        assert!(!validation.is_sound());
        let text = results::text(&validation, Some(200));
        let not_measured = text.split_once("Not measured").unwrap().1;
        assert!(text.contains("`refused` could not be measured"), "{text}");
        assert!(not_measured.contains("keep a thread on processor 1"), "{not_measured}");
    }
}
