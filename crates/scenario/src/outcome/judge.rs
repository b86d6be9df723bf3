//! Whether the expectations of a scenario hold.
//!
//! Integers and exact rationals decide. An expectation whose subject matches nothing fails: it
//! would otherwise always hold.

use super::{CpuOutcome, Outcome, PromiseVerdict, ThreadOutcome, groups};
use crate::Scenario;
use crate::model::{Expectation, Level, Quantity, Statistic, Subject, Whole};
use windfall_hierarchy::Count;
use windfall_time::{Ratio, Span};
use windfall_trace::glob::fits;

/// An expectation, and its result.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Verdict {
    /// The quantity, as the file writes it.
    pub what: String,
    /// The bound: `at most 17ms`.
    pub expected: String,
    /// The measured value, with its unit; `none` when there was nothing to measure.
    pub found: String,
    /// Whether it holds.
    pub held: bool,
    /// Why it was expected; empty if that is not known, as where a value of the file was replaced, for which it was written.
    pub because: String,
}

/// Judges every expectation of a scenario.
#[must_use]
pub fn judge(scenario: &Scenario, outcome: &Outcome) -> Vec<Verdict> {
    let overridden = scenario.origin.is_overridden();
    let judges = scenario.expectations.iter().map(|expectation| {
        let measured = measure(expectation, scenario, outcome);
        let held = measured.is_some_and(|found| is_within(expectation, found, outcome));
        Verdict {
            what: expectation.what(),
            expected: expectation.bound.to_string(),
            found: measured.map_or("none".to_owned(), |found| shown(expectation, found, outcome)),
            held,
            because: if overridden { String::new() } else { expectation.because.clone() },
        }
    });
    judges.collect()
}

/// Whether a run kept its promises and expectations: every expectation and every promise held, every thread was
/// admitted, no scheduler broke a rule, and nothing ended the run early.
#[must_use]
pub fn holds(outcome: &Outcome, expectations: &[Verdict]) -> bool {
    outcome.failure.is_none()
        && expectations.iter().all(|verdict| verdict.held)
        && outcome.quarantined.is_empty()
        && outcome.not_admitted.is_empty()
        && !outcome.promises.iter().any(PromiseVerdict::is_failure)
}

/// The measured value: nanoseconds or a count, as an exact number.
fn measure(expectation: &Expectation, scenario: &Scenario, outcome: &Outcome) -> Option<u128> {
    match &expectation.subject {
        Subject::Threads(pattern) => {
            let threads = named(pattern, scenario, outcome);
            match &expectation.quantity {
                _ if threads.is_empty() => None,
                Quantity::Figure(name) => figure(name, expectation.bound.unit(), &threads),
                quantity => of_threads(quantity, &threads),
            }
        }
        Subject::Scheduler(name) => {
            let node = outcome.nodes.iter().find(|node| node.name == *name)?;
            match &expectation.quantity {
                Quantity::Received => Some(node.received.as_nanos().into()),
                _ => None,
            }
        }
        Subject::Machine => of_machine(&expectation.quantity, outcome),
    }
}

/// The threads that a pattern selects: those of the entry of that name, else those whose names fit the text, in
/// which `*` stands for any.
fn named<'a>(
    pattern: &str,
    scenario: &'a Scenario,
    outcome: &'a Outcome,
) -> Vec<&'a ThreadOutcome> {
    let entry = groups(scenario, outcome).into_iter().find(|group| group.name == pattern);
    match entry {
        Some(entry) => entry.threads.iter().collect(),
        None => outcome.threads.iter().filter(|thread| fits(pattern, &thread.name)).collect(),
    }
}

/// The sum of the figures of this name that are measured like this; none if nobody tells one.
fn figure(name: &str, like: Option<Level>, threads: &[&ThreadOutcome]) -> Option<u128> {
    let told =
        threads.iter().flat_map(|thread| thread.reported()).filter(|(told, _)| *told == name);
    let values = told.filter_map(|(_, count)| match (count, like) {
        (Count::Times(times), Some(Level::Count(_))) => Some(u128::from(*times)),
        (Count::Time(span), Some(Level::Span(_))) => Some(u128::from(span.as_nanos())),
        _ => None,
    });
    values.reduce(|sum, value| sum + value)
}

fn of_threads(quantity: &Quantity, threads: &[&ThreadOutcome]) -> Option<u128> {
    let sum = |of: fn(&ThreadOutcome) -> u64| {
        Some(threads.iter().map(|thread| u128::from(of(thread))).sum())
    };
    let most = |of: fn(&ThreadOutcome) -> Option<Span>| {
        threads.iter().filter_map(|thread| of(thread)).max().map(|span| span.as_nanos().into())
    };
    match quantity {
        Quantity::Received => sum(|t| t.received.as_nanos()),
        Quantity::Runnable => sum(|t| t.runnable.as_nanos()),
        Quantity::Wakeups => sum(|t| t.wakeups),
        Quantity::Dispatches => sum(|t| t.dispatches),
        Quantity::Preemptions => sum(|t| t.preemptions),
        Quantity::Migrations => sum(|t| t.migrations),
        Quantity::Released => sum(|t| t.released),
        Quantity::Jobs => sum(|t| t.completed),
        Quantity::Missed => sum(|t| t.missed),
        Quantity::Submitted => sum(|t| t.submitted),
        Quantity::NotAdmitted => sum(|t| t.refusals.all()),
        Quantity::TasksLate => sum(|t| t.late_tasks.count),
        Quantity::TasksLost => sum(|t| t.lost),
        Quantity::TaskLatenessMax => most(|t| Some(t.late_tasks.most)),
        Quantity::Aborted => sum(|t| t.aborted),
        Quantity::IntervalsAbove(_) => sum(|t| t.intervals_above),
        Quantity::GapMax => most(|t| Some(t.gap)),
        Quantity::IntervalMax => most(|t| Some(t.interval)),
        Quantity::Response(Statistic::Max) => most(|t| t.response.most()),
        Quantity::Response(Statistic::Min) => {
            let least = threads.iter().filter_map(|thread| thread.response.least()).min();
            least.map(|span| span.as_nanos().into())
        }
        Quantity::Response(statistic) => {
            let [thread] = threads else { return None };
            let span = match statistic {
                Statistic::Mean => thread.response.mean(),
                Statistic::P50 => thread.response.quantile(50),
                _ => thread.response.quantile(99),
            };
            span.map(|span| span.as_nanos().into())
        }
        Quantity::Visits => sum(|t| t.visits.count),
        Quantity::StationWait => sum(|t| t.visits.waited.as_nanos()),
        Quantity::StationService => sum(|t| t.visits.served.as_nanos()),
        Quantity::Figure(_) | Quantity::Whole(_) => None,
    }
}

fn of_machine(quantity: &Quantity, outcome: &Outcome) -> Option<u128> {
    let sum = |of: fn(&CpuOutcome) -> Span| {
        Some(outcome.cpus.iter().map(|cpu| u128::from(of(cpu).as_nanos())).sum())
    };
    let count = |n: usize| u128::try_from(n).ok();
    match quantity {
        Quantity::Whole(Whole::Idle) => sum(|cpu| cpu.idle),
        Quantity::Whole(Whole::Switching) => sum(|cpu| cpu.switching),
        Quantity::Whole(Whole::Scheduling) => sum(|cpu| cpu.scheduling),
        Quantity::Whole(Whole::Stolen) => sum(|cpu| cpu.stolen),
        Quantity::Whole(Whole::Refused) => count(outcome.refused.len()),
        Quantity::Whole(Whole::Quarantined) => count(outcome.quarantined.len()),
        Quantity::Received => sum(|cpu| cpu.received),
        Quantity::StationWait => sum(|cpu| cpu.station_wait),
        Quantity::StationService => sum(|cpu| cpu.station_service),
        Quantity::Visits => {
            Some(outcome.stations.iter().map(|station| u128::from(station.visits.count)).sum())
        }
        _ => None,
    }
}

/// A level in the unit of the quantity: nanoseconds, or a count.
fn value(level: Level, outcome: &Outcome) -> Option<Ratio> {
    let length = Ratio::whole(outcome.length.as_nanos());
    match level {
        Level::Span(span) => Some(Ratio::whole(span.as_nanos())),
        Level::Count(count) => Some(Ratio::whole(count)),
        Level::OfCpu(share) => share.checked_mul(length),
        Level::OfMachine(share) => {
            let cpus = Ratio::whole(u64::try_from(outcome.cpus.len()).ok()?);
            share.checked_mul(length)?.checked_mul(cpus)
        }
    }
}

fn is_within(expectation: &Expectation, found: u128, outcome: &Outcome) -> bool {
    let Some(found) = i128::try_from(found).ok().and_then(|n| Ratio::new(n, 1)) else {
        return false;
    };
    let bound = &expectation.bound;
    let compare = |level: Option<Level>, fine: fn(Ratio, Ratio) -> bool| {
        level.is_none_or(|level| value(level, outcome).is_some_and(|level| fine(found, level)))
    };
    let equal = bound.equals.is_none_or(|(level, within)| {
        let (Some(level), Some(within)) = (
            value(level, outcome),
            within.map_or(Some(Ratio::ZERO), |within| value(within, outcome)),
        ) else {
            return false;
        };
        let distance =
            if found > level { found.checked_sub(level) } else { level.checked_sub(found) };
        distance.is_some_and(|distance| distance <= within)
    });
    equal && compare(bound.at_most, |a, b| a <= b) && compare(bound.at_least, |a, b| a >= b)
}

/// The measured value as text: as a share if the bound is one, else with its unit.
fn shown(expectation: &Expectation, found: u128, outcome: &Outcome) -> String {
    let level = expectation.bound.unit();
    let Ok(found) = u64::try_from(found) else { return found.to_string() };
    let percent = |whole: u128, unit: &str| {
        // Hundredths of a per cent, rounded to the nearest.
        let hundredths = (u128::from(found) * 10_000 + whole / 2).checked_div(whole).unwrap_or(0);
        format!("{}.{:02}%{unit}", hundredths / 100, hundredths % 100)
    };
    let length = u128::from(outcome.length.as_nanos());
    match level {
        Some(Level::Count(_)) => found.to_string(),
        Some(Level::OfCpu(_)) => percent(length, "cpu"),
        Some(Level::OfMachine(_)) => percent(length * outcome.cpus.len() as u128, "machine"),
        _ => Span::from_nanos(found).to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accepts_names_of_entries_and_patterns() {
        let text = "schema = 2\nseed = 1\nlength = \"1s\"\n\
                    [schedulers.ts]\nscheduler = \"time-sharing\"\nparent = \"top\"\n\
                    [threads.a]\nrun = \"spin\"\n\
                    [threads.bg]\ncount = 2\nrun = \"spin\"\n\
                    [threads.p]\nexec = [\"mpv\"]\n\
                    [threads.a-3]\nrun = \"spin\"\n";
        let scenario = Scenario::parse("e.toml", text).unwrap();
        let names = ["a", "bg-1", "bg-2", "p-1", "p-4", "p-earlier", "a-3"];
        let threads = names.map(|name| ThreadOutcome::new(name, None)).into();
        let outcome = Outcome { threads, ..Outcome::default() };
        for (pattern, expected) in [
            ("a", "a"),
            ("bg", "bg-1 bg-2"),
            ("bg-2", "bg-2"),
            ("bg-*", "bg-1 bg-2"),
            ("p", "p-1 p-4 p-earlier"),
            ("p-4", "p-4"),
            ("p-earlier", "p-earlier"),
            ("*-*1", "bg-1 p-1"),
            ("b*g*2", "bg-2"),
            ("g*", ""),
            ("*", "a bg-1 bg-2 p-1 p-4 p-earlier a-3"),
        ] {
            let threads = named(pattern, &scenario, &outcome);
            let found: Vec<&str> = threads.iter().map(|thread| thread.name.as_str()).collect();
            assert_eq!(found.join(" "), expected, "{pattern}");
        }
    }

    #[test]
    fn accepts_figures_that_processes_tell_by_name_in_the_unit_of_the_bound() {
        let text = |what: &str, bound: &str| {
            format!(
                "schema = 2\nseed = 1\nlength = \"1s\"\n\
                 [schedulers.node]\nscheduler = \"epoch\"\nparent = \"top\"\n\
                 [threads.p]\nprogram = {{ kind = \"monitor\", nodes = \"node\" }}\n\
                 [[expect]]\nwhat = \"{what}\"\n{bound}\nbecause = \"it says so\"\n"
            )
        };
        let names = ["p", "q-1", "q-2", "q-3"];
        let mut threads: Vec<_> = names.map(|name| ThreadOutcome::new(name, None)).into();
        for (thread, lost) in threads.iter_mut().zip([7, 1, 2]) {
            thread.report("lost", Count::Times(9));
            thread.report("lost", Count::Times(lost));
            thread.report("saved", Count::Time(Span::from_nanos(lost * 1_000_000)));
        }
        let outcome = Outcome { threads, ..Outcome::default() };
        for (what, bound, found, held) in [
            ("p.figure.lost", "equals = 7", "7", true),
            ("p.figure.lost", "equals = 6", "7", false),
            ("q-*.figure.lost", "at-most = 3", "3", true),
            ("q-*.figure.lost", "at-most = 2", "3", false),
            ("*.figure.saved", "at-least = \"10ms\"", "10ms", true),
            ("*.figure.saved", "at-least = \"11ms\"", "10ms", false),
            // Nobody tells it, or it is measured otherwise.
            ("q-3.figure.lost", "equals = 0", "none", false),
            ("p.figure.saved", "at-least = 0", "none", false),
            ("p.figure.los", "equals = 0", "none", false),
        ] {
            let scenario = Scenario::parse("e.toml", &text(what, bound)).unwrap();
            let verdicts = judge(&scenario, &outcome);
            let [verdict] = &verdicts[..] else { panic!("{verdicts:?}") };
            assert_eq!((&*verdict.what, &*verdict.found, verdict.held), (what, found, held));
        }
        let refused = |text: &str| match Scenario::parse("e.toml", text) {
            Ok(_) => panic!("{text}"),
            Err(error) => error.to_string(),
        };
        let without = text("p.figure", "equals = 0");
        assert!(refused(&without).contains("`p.figure` does not say which figure"));
        let share = text("p.figure.saved", "at-least = \"5%cpu\"");
        assert!(refused(&share).contains("write a whole number, or a length of time"));
        let machine = text("machine.figure.lost", "equals = 0");
        assert!(refused(&machine).contains("the machine has no `figure`"));
        let spins = "schema = 2\nseed = 1\nlength = \"1s\"\n\
                     [schedulers.ts]\nscheduler = \"time-sharing\"\nparent = \"top\"\n\
                     [threads.p]\nrun = \"spin\"\n\
                     [[expect]]\nwhat = \"p.figure.lost\"\nequals = 0\nbecause = \"none\"\n";
        assert!(refused(spins).contains("`p` reports no figures"));
        let nobody = spins.replace("\"p.figure", "\"q-1.figure");
        assert!(refused(&nobody).contains("there is no thread or scheduler `q-1`"));
    }
}
