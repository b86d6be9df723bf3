//! Carries scenarios out on the simulated machine, and counts what papers count.

use crate::experiment::LabError;
use std::collections::BTreeMap;
use windfall_scenario::outcome::{Outcome, ThreadOutcome};
use windfall_scenario::{PlannedInterrupts, Scenario};
use windfall_sim::Sim;
use windfall_time::{Instant, Span};
use windfall_trace::{Event, Sink, ThreadId};

/// Runs a scenario on the simulated machine with further interrupts, and passes its trace to `sink`.
pub(crate) fn run(
    scenario: &Scenario,
    interrupts: Vec<PlannedInterrupts>,
    sink: Option<&mut (dyn Sink + Send)>,
) -> Result<Outcome, LabError> {
    let mut plan = scenario.build()?;
    plan.interrupts.extend(interrupts);
    let sim = Sim::of(plan, sink)?;
    whole(sim.run(Instant::ZERO + scenario.length, |_| true))
}

/// The outcome, or the first defect in it as an error.
pub(crate) fn whole(outcome: Outcome) -> Result<Outcome, LabError> {
    let broken = outcome.quarantined.first().map(|(name, why)| format!("{name}: {why}"));
    let lost = outcome
        .not_admitted
        .first()
        .map(|name| format!("thread `{name}` was not admitted by any scheduler"));
    let refused = outcome.refused.first().map(|(at, why)| format!("refused at {at}: {why}"));
    let failed = outcome.failure.as_ref().map(ToString::to_string);
    match failed.or(broken).or(lost).or(refused) {
        Some(why) => Err(LabError::Run(why)),
        None => Ok(outcome),
    }
}

/// The threads NAME, or NAME-1 to NAME-n.
pub(crate) fn threads<'a>(
    outcome: &'a Outcome,
    name: &'a str,
) -> impl Iterator<Item = &'a ThreadOutcome> {
    outcome.threads.iter().filter(move |thread| {
        let rest = thread.name.strip_prefix(name);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
    })
}

/// The processor time of the threads of that name, in per cent.
pub(crate) fn percent(outcome: &Outcome, name: &str) -> f64 {
    let sum = threads(outcome, name).fold(Span::ZERO, |sum, thread| sum + thread.received);
    sum.over(outcome.length).map_or(0.0, |share| share.to_f64() * 100.0)
}

/// The time of interrupts on all processors, in per cent of the run.
pub(crate) fn stolen(outcome: &Outcome) -> f64 {
    let stolen = outcome.cpus.iter().fold(Span::ZERO, |sum, cpu| sum + cpu.stolen);
    stolen.over(outcome.length).map_or(0.0, |share| share.to_f64() * 100.0)
}

/// When a thread's jobs were done.
#[derive(Default)]
pub(crate) struct Completions {
    names: BTreeMap<ThreadId, String>,
    /// By thread, in order.
    pub(crate) of: BTreeMap<String, Vec<Instant>>,
}

impl Sink for Completions {
    fn record(&mut self, at: Instant, event: &Event) {
        match event {
            Event::Thread { thread, name, .. } => {
                self.names.insert(*thread, name.clone());
            }
            Event::Complete { thread, .. } => {
                if let Some(name) = self.names.get(thread) {
                    self.of.entry(name.clone()).or_default().push(at);
                }
            }
            _ => {}
        }
    }
}
