//! The machine, its interrupts, and the length of the scenario.

use super::Checker;
use crate::diagnostic::Code;
use crate::model::{Interrupts, Level, Machine, Pattern, Timer};
use crate::source::Path;
use windfall_time::{Ratio, Span};

/// How many processors a machine may have.
const MOST: usize = 1024;

pub(super) fn check(checker: &mut Checker<'_>) {
    let scenario = checker.scenario;
    if scenario.length.is_zero() {
        let help = "write a length of time above zero";
        checker.wrong(Code::ZeroTime, &[Path::of(&["length"])], "no time at all", help);
    }
    let Machine { speeds, timer, cpus, cap, .. } = &scenario.machine;
    let path = Path::of(&["machine", "processors"]);
    if speeds.is_empty() || speeds.len() > MOST {
        let message = format!("{} processors are out of range", speeds.len());
        checker.wrong(Code::OutOfRange, std::slice::from_ref(&path), message, "write 1 to 1024");
    }
    if speeds.iter().any(|speed| *speed <= Ratio::ZERO) {
        checker.wrong(
            Code::OutOfRange,
            &[path],
            "a processor without speed",
            "write a fraction above 0",
        );
    }
    if *timer == Timer::Ticks(0) {
        checker.wrong(
            Code::OutOfRange,
            &[Path::of(&["machine", "timer"])],
            "a timer at 0 Hz",
            "write 1 Hz or more",
        );
    }
    let path = Path::of(&["machine", "cpus"]);
    if !cpus.is_empty() && cpus.len() != speeds.len() {
        let message =
            format!("{} real processors for {} of the scenario", cpus.len(), speeds.len());
        let help = "write one for each, or leave `cpus` out";
        checker.wrong(Code::CountMismatch, std::slice::from_ref(&path), message, help);
    }
    for (at, cpu) in cpus.iter().enumerate().filter(|(at, cpu)| cpus[..*at].contains(cpu)) {
        let message = format!("real processor {cpu} stands there already");
        checker.wrong(Code::DuplicateProcessor, &[path.item(at)], message, "name each once");
    }
    if *cap <= Ratio::ZERO || *cap > Machine::most_cap() {
        let message = format!("{} is out of range", Level::OfCpu(*cap));
        let help = "write above `0%cpu`, at most `95%cpu`: the rest of the system needs some, too";
        checker.wrong(Code::OutOfRange, &[Path::of(&["machine", "cap"])], message, help);
    }
    interrupts(checker);
}

fn interrupts(checker: &mut Checker<'_>) {
    let scenario = checker.scenario;
    let count = scenario.machine.speeds.len();
    for (number, source) in scenario.interrupts.iter().enumerate() {
        let path = Path::of(&["interrupts"]).item(number);
        device(checker, number, source, &path);
        for (at, cpu) in source.processors.iter().enumerate() {
            if usize::from(*cpu) >= count {
                let path = path.key("processors").item(at);
                let help = format!("write 0 to {}", count.saturating_sub(1));
                checker.wrong(
                    Code::UnknownProcessor,
                    &[path],
                    format!("there is no processor {cpu}"),
                    &help,
                );
            }
        }
        let (least, cost) = match source.pattern {
            Pattern::Periodic { period, cost, .. } => (period, cost),
            Pattern::Random { gap, cost } => (gap.0, cost.1),
            Pattern::Recorded(_) => continue,
        };
        if least.is_zero() {
            let help = "write a length of time above zero";
            checker.wrong(
                Code::ZeroTime,
                &[path.key("gap"), path.key("every")],
                "no time between two",
                help,
            );
        } else if matches!(source.pattern, Pattern::Periodic { .. }) && cost >= least {
            let message = format!("{cost} every {least} leaves nothing to anybody");
            let help = format!("write less than {least}");
            checker.wrong(Code::NoTimeLeft, &[path.key("cost")], message, &help);
        }
        let ends = |pair: (Span, Span)| pair.0 > pair.1;
        if let Pattern::Random { gap, cost } = source.pattern
            && (ends(gap) || ends(cost))
        {
            checker.wrong(Code::ReversedRange, &[path], "the least is above the most", "swap them");
        }
    }
}

/// A device is at one processor, has a name of its own, and alone has a datum.
fn device(checker: &mut Checker<'_>, number: usize, source: &Interrupts, path: &Path) {
    let scenario = checker.scenario;
    let Some(device) = source.device else {
        if source.datum.is_some() && !checker.is_reported(&path.key("device")) {
            let help = "name the device as well, or leave `datum` out";
            let message = "`datum` goes with `device`";
            checker.wrong(Code::MisplacedKey, &[path.key("datum")], message, help);
        }
        return;
    };
    if scenario.interrupts[..number].iter().any(|other| other.device == Some(device)) {
        let message = format!("there is a device `{device}` already");
        checker.wrong(Code::DuplicateName, &[path.key("device")], message, "give it another name");
    }
    let count = match source.processors.len() {
        0 => scenario.machine.speeds.len(),
        some => some,
    };
    if count != 1 {
        let message = format!("device `{device}` is at {count} processors");
        let help = "write the one that it interrupts, as `processors = [0]`";
        checker.wrong(
            Code::OutOfRange,
            &[path.key("processors"), path.key("device")],
            message,
            help,
        );
    }
}
