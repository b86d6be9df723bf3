//! Expectations: that they name existing objects, and compare equal units.

use super::{Checker, names};
use crate::diagnostic::Code;
use crate::model::{Bound, Expectation, Level, Quantity, Run, Statistic, Subject, Thread, Whole};
use crate::source::Path;
use crate::suggest;
use windfall_time::Ratio;
use windfall_trace::glob::fits;

/// The unit of a quantity.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Unit {
    /// A length of time that may be bounded as a share, too.
    Shareable,
    /// A length of time.
    Time,
    /// A number.
    Count,
    /// A number or a length of time: which, is known when the run tells it.
    CountOrTime,
}

fn unit(quantity: &Quantity) -> Unit {
    match quantity {
        Quantity::Received
        | Quantity::Runnable
        | Quantity::StationWait
        | Quantity::StationService => Unit::Shareable,
        Quantity::Response(_)
        | Quantity::GapMax
        | Quantity::IntervalMax
        | Quantity::TaskLatenessMax => Unit::Time,
        Quantity::Whole(Whole::Refused | Whole::Quarantined) => Unit::Count,
        Quantity::Whole(_) => Unit::Shareable,
        Quantity::Figure(_) => Unit::CountOrTime,
        _ => Unit::Count,
    }
}

pub(super) fn check(checker: &mut Checker<'_>) {
    let expectations = &checker.scenario.expectations;
    for (number, expectation) in expectations.iter().enumerate() {
        let path = Path::of(&["expect"]).item(number);
        subject(checker, expectation, &path.key("what"));
        bound(checker, expectation, &path);
        if expectation.because.trim().is_empty() && !checker.is_key_reported(&path, "because") {
            checker.wrong(
                Code::NoReason,
                &[path.key("because")],
                "no reason",
                "say why the number is that number",
            );
        }
        if expectation.quantity == Quantity::IntervalsAbove(windfall_time::Span::ZERO)
            && !checker.is_key_reported(&path, "above")
        {
            let help = "write a length of time above zero";
            checker.wrong(Code::ZeroTime, &[path.key("above")], "intervals above nothing", help);
        }
    }
}

fn subject(checker: &mut Checker<'_>, expectation: &Expectation, path: &Path) {
    let Expectation { subject, quantity, .. } = expectation;
    let whole = matches!(
        quantity,
        Quantity::Whole(_) | Quantity::Visits | Quantity::StationWait | Quantity::StationService
    );
    match subject {
        Subject::Machine if whole => {}
        Subject::Machine => {
            let message = format!("the machine has no `{}`", quantity.text());
            let help = "it has idle, switching, scheduling, stolen, visits, station-wait, station-service, refused, quarantined";
            checker.wrong(Code::InapplicableQuantity, std::slice::from_ref(path), message, help);
        }
        Subject::Scheduler(name) => {
            checker.scheduler_exists(name, true, std::slice::from_ref(path));
            if *quantity != Quantity::Received {
                let message = format!("a scheduler has no `{}`", quantity.text());
                checker.wrong(
                    Code::InapplicableQuantity,
                    std::slice::from_ref(path),
                    message,
                    "it has `received`",
                );
            }
        }
        Subject::Threads(name) => threads(checker, name, quantity, path),
    }
}

/// Expectations about the threads of a name or of a pattern.
fn threads(checker: &mut Checker<'_>, name: &str, quantity: &Quantity, path: &Path) {
    let is_named = |thread: &&Thread| {
        names::means(name, thread)
            || (name.contains('*') && thread.names().take(100_000).any(|own| fits(name, &own)))
    };
    let threads: Vec<_> = checker.scenario.threads.iter().filter(is_named).collect();
    if matches!(quantity, Quantity::Figure(_)) && name_figures(checker, name, &threads, path) {
        return;
    }
    if threads.is_empty() {
        let all = checker.names.threads.iter().chain(&checker.names.schedulers);
        let help = suggest::hint(name, all.copied().chain(["machine"]));
        let message = format!("there is no thread or scheduler `{name}`");
        checker.wrong(Code::UnknownName, std::slice::from_ref(path), message, &help);
        return;
    }
    if matches!(quantity, Quantity::Whole(_)) {
        let message = format!("a thread has no `{}`", quantity.text());
        let help = format!("write `machine.{}`", quantity.text());
        checker.wrong(Code::InapplicableQuantity, std::slice::from_ref(path), message, &help);
    }
    let several = threads.len() > 1
        || threads.iter().any(|t| t.name == name && t.count.is_some_and(|n| n > 1))
        || name.contains('*');
    let single =
        matches!(quantity, Quantity::Response(Statistic::Mean | Statistic::P50 | Statistic::P99));
    if several && single {
        let help = "name one thread, or expect `response.max`";
        let message = format!("`{}` is of one thread only", quantity.text());
        checker.wrong(Code::InapplicableQuantity, std::slice::from_ref(path), message, help);
    }
    let is_due = |thread: &&Thread| {
        let entry = Path::of(&["threads", &thread.name]);
        has_deadlines(&thread.run) || checker.is_reported(&entry) // what it runs may not have been read
    };
    let jobs_are_due = threads.iter().any(is_due);
    if matches!(quantity, Quantity::Missed | Quantity::Aborted) && !jobs_are_due {
        let help = "use `intervals` with `above`, or give its jobs a deadline";
        let message = format!("jobs of `{name}` have no deadline");
        checker.wrong(Code::InapplicableQuantity, std::slice::from_ref(path), message, help);
    }
}

/// Processes report figures, may have been made by others, and have any name then. Returns whether these may report some.
fn name_figures(checker: &mut Checker<'_>, name: &str, threads: &[&Thread], path: &Path) -> bool {
    let is_process = |thread: &Thread| matches!(thread.run, Run::OfKind { .. });
    let mut all = threads.iter().copied();
    if threads.is_empty() {
        return checker.scenario.threads.iter().any(is_process);
    }
    if !all.any(is_process) {
        let message = format!("`{name}` reports no figures");
        let help = "a process does; name one, or give it a `program`";
        checker.wrong(Code::InapplicableQuantity, std::slice::from_ref(path), message, help);
    }
    true
}

fn has_deadlines(run: &Run) -> bool {
    match run {
        Run::Jobs(jobs) => jobs.deadline.is_some(),
        Run::Phases { .. } => run.all_steps().any(|step| step.effect().due.is_some()),
        // A process begins jobs as it likes.
        Run::OfKind { .. } => true,
        _ => false,
    }
}

fn bound(checker: &mut Checker<'_>, expectation: &Expectation, path: &Path) {
    let Bound { at_most, at_least, equals } = expectation.bound;
    let levels = [
        ("at-most", at_most),
        ("at-least", at_least),
        ("equals", equals.map(|(level, _)| level)),
        ("within", equals.and_then(|(_, within)| within)),
    ];
    let is_unread = levels.iter().any(|(key, _)| checker.is_reported(&path.key(key)));
    if levels.iter().all(|(_, level)| level.is_none()) && !is_unread {
        let help = "write `at-most`, `at-least`, or `equals` with `within`";
        checker.wrong(
            Code::NothingExpected,
            std::slice::from_ref(path),
            "nothing is expected",
            help,
        );
    }
    units(checker, &expectation.quantity, &levels, path);
    if let Some((equals, Some(within))) = equals
        && core::mem::discriminant(&equals) != core::mem::discriminant(&within)
    {
        let help = "write both as times, both as `%cpu`, or both as `%machine`";
        checker.wrong(
            Code::UnitMismatch,
            &[path.key("within")],
            "`equals` and `within` differ in unit",
            help,
        );
    }
    if let (Some(least), Some(most)) = (at_least, at_most)
        && below(most, least)
    {
        checker.wrong(
            Code::ReversedRange,
            &[path.key("at-most")],
            "`at-most` lies below `at-least`",
            "swap them",
        );
    }
}

/// Each level is in the unit of its quantity.
fn units(
    checker: &mut Checker<'_>,
    quantity: &Quantity,
    levels: &[(&str, Option<Level>)],
    path: &Path,
) {
    let unit = unit(quantity);
    for (key, level) in levels.iter().copied() {
        let fits = match (unit, level) {
            (_, None) => true,
            (Unit::Count, Some(level)) => matches!(level, Level::Count(_)),
            (Unit::Time, Some(level)) => matches!(level, Level::Span(_)),
            (Unit::Shareable, Some(level)) => !matches!(level, Level::Count(_)),
            (Unit::CountOrTime, Some(level)) => matches!(level, Level::Count(_) | Level::Span(_)),
        };
        if !fits {
            let help = match unit {
                Unit::Count => "write a whole number",
                Unit::Time => "write a length of time with its unit, as `17ms`",
                Unit::CountOrTime => "write a whole number, or a length of time, as `17ms`",
                Unit::Shareable => "write a length of time, as `3s`, or a share, as `32.6%cpu`",
            };
            let message = format!("`{}` is not measured like that", quantity.text());
            checker.wrong(Code::UnitMismatch, &[path.key(key)], message, help);
        }
    }
}

/// Whether `a < b`, when they compare.
fn below(a: Level, b: Level) -> bool {
    match (a, b) {
        (Level::Span(a), Level::Span(b)) => a < b,
        (Level::Count(a), Level::Count(b)) => a < b,
        (Level::OfCpu(a), Level::OfCpu(b)) | (Level::OfMachine(a), Level::OfMachine(b)) => {
            let (a, b): (Ratio, Ratio) = (a, b);
            a < b
        }
        _ => false,
    }
}
