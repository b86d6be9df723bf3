//! Carries scenarios out with supervised threads of this machine.
//!
//! Invariant: a run in which the host itself was held up decides nothing. It is made again, and if that
//! does not help either it is reported as a disturbance of the host.

use crate::carried_out::whole;
use crate::experiment::LabError;
use std::time::{Duration, Instant};
use windfall_linux::Settings;
use windfall_os::LinuxErrorKind;
use windfall_scenario::outcome::Outcome;
use windfall_scenario::{Plan, Scenario};
use windfall_time::Span;

/// The number of runs after which a disturbed one is accepted.
const ATTEMPTS: usize = 3;
/// How long to wait for another run to end, and how often to check.
const PATIENCE: (Duration, Duration) = (Duration::from_secs(60), Duration::from_millis(500));

/// Requests for measurements during a run.
pub(crate) struct Watching {
    /// The thread (by number) whose intervals between completions are counted, and the length from which they count.
    pub(crate) intervals: Option<(usize, Span)>,
    /// Whether threads keep the stretches in which they see themselves running.
    pub(crate) stretches: bool,
    /// The longest delay of the host that is no disturbance.
    pub(crate) lag: Span,
}

impl Default for Watching {
    fn default() -> Watching {
        Watching { intervals: None, stretches: false, lag: Span::from_millis(2) }
    }
}

/// A run with real threads.
pub(crate) struct Supervised {
    pub(crate) outcome: Outcome,
    /// The disturbances of the host, over all attempts.
    pub(crate) disturbed: Option<String>,
}

/// Runs a scenario, and repeats a disturbed run.
pub(crate) fn supervise(scenario: &Scenario, watching: &Watching) -> Result<Supervised, LabError> {
    repeated(|| once(scenario, watching))
}

/// Runs a plan that is not a scenario, and repeats a disturbed run with a new plan.
pub(crate) fn supervise_plan(
    mut plan: impl FnMut() -> Result<Plan, LabError>,
) -> Result<Supervised, LabError> {
    repeated(|| carry_out(&mut plan, &Watching::default()))
}

/// Repeats a run until it is not disturbed, at most three times.
pub(crate) fn repeated(
    mut run: impl FnMut() -> Result<Supervised, LabError>,
) -> Result<Supervised, LabError> {
    let mut last = run()?;
    for _ in 1..ATTEMPTS {
        if last.disturbed.is_none() {
            break;
        }
        last = run()?;
    }
    Ok(last)
}

/// Runs a scenario once, as soon as no other run supervises this machine.
pub(crate) fn once(scenario: &Scenario, watching: &Watching) -> Result<Supervised, LabError> {
    carry_out(|| Ok(scenario.build()?), watching)
}

/// Carries a plan out once.
fn carry_out(
    mut plan: impl FnMut() -> Result<Plan, LabError>,
    watching: &Watching,
) -> Result<Supervised, LabError> {
    let settings = Settings { stretches: watching.stretches, ..Settings::default() };
    let begun = Instant::now();
    let mut length;
    let outcome = loop {
        let mut plan = plan()?;
        length = plan.length;
        plan.watched.extend(watching.intervals);
        match windfall_linux::run(plan, &settings, None) {
            Err(fault) if fault.kind() == LinuxErrorKind::Busy && begun.elapsed() < PATIENCE.0 => {
                std::thread::sleep(PATIENCE.1);
            }
            answer => break answer?,
        }
    };
    if outcome.failure.is_none() && outcome.length < length {
        let ended = outcome.length;
        return Err(LabError::Run(format!("stopped after {ended} of {length}; nothing is kept")));
    }
    let disturbed = disturbed(&outcome, watching.lag);
    Ok(Supervised { outcome: whole(outcome)?, disturbed })
}

/// Describes the disturbance of a run, if there was one.
fn disturbed(outcome: &Outcome, most: Span) -> Option<String> {
    let supervision = outcome.supervision.as_ref()?;
    match (supervision.lost, supervision.lag) {
        (0, lag) if lag <= most => None,
        (0, lag) if supervision.lag_without_steal <= most => {
            Some(format!("a timer was seen to {lag} late: others had the processor"))
        }
        (0, lag) => Some(format!("a timer was seen to {lag} late")),
        (lost, _) => Some(format!("{lost} events were lost")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use windfall_scenario::outcome::Supervision;

    fn run(lost: u64, lag_us: u64) -> Supervised {
        let lag = Span::from_nanos(lag_us * 1_000);
        let (mut outcome, mut supervision) = (Outcome::default(), Supervision::default());
        (supervision.lost, supervision.lag) = (lost, lag);
        outcome.supervision = Some(supervision);
        let disturbed = disturbed(&outcome, Watching::default().lag);
        Supervised { outcome, disturbed }
    }

    #[test]
    fn law_lost_events_and_late_timers_disturb() {
        assert_eq!(run(0, 2_000).disturbed, None);
        assert!(run(0, 2_001).disturbed.is_some_and(|why| why.contains("late")));
        assert!(run(3, 0).disturbed.is_some_and(|why| why.starts_with("3 events")));
    }

    #[test]
    fn law_a_disturbed_run_is_made_again_three_times_at_most() {
        for (good, expected) in [(1, 1), (3, 3), (9, 3)] {
            let mut made = 0;
            let last = repeated(|| {
                made += 1;
                Ok(run(u64::from(made < good), 0))
            });
            assert_eq!(made, expected);
            assert_eq!(last.is_ok_and(|last| last.disturbed.is_none()), good <= 3);
        }
    }
}
