//! A part on a thread of its own, beside a watchdog: so every wait of a part for a processor has a deadline, wherever it stands.
//!
//! When nothing was measured for longer than any one measurement takes, all processors are asked. One that does not answer is named, and the part's thread, which may wait for it for ever, is left behind. If all answer, the part takes long, and has its time, up to [`MOST`] deadlines.

use super::found::Found;
use super::machine::Machine;
use super::options::Options;
use super::part::Part;
use crate::experiment::LabError;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use std::sync::mpsc::channel;
use std::thread::Builder;
use windfall_cores::{Absent, Patience};

/// So many deadlines may pass in which nothing is measured although all processors answer: emulated instructions are counted as nothing, and take minutes.
const MOST: u32 = 10;

/// The end of a part.
pub(super) enum Watched {
    /// It ended by itself.
    Ended(Result<Found, LabError>),
    /// It waits for these processors, which do not answer any longer.
    Silent(Vec<Absent>),
}

/// Runs a part until it ends, or waits in vain.
///
/// # Errors
/// When no thread can be started, for the part or to ask a processor, and when a part does not end although all processors answer.
pub(super) fn watched(
    part: &Part,
    machine: &Arc<dyn Machine>,
    options: &Options,
) -> Result<Watched, LabError> {
    let (sender, receiver) = channel();
    let (run, theirs, chosen) = (part.run, machine.clone(), options.clone());
    let body = move || {
        let found = catch_unwind(AssertUnwindSafe(|| run(&*theirs, &chosen)));
        // Nobody waits for one that was left behind.
        let _ = sender.send(found);
    };
    Builder::new().name(part.name.to_owned()).spawn(body).map_err(|why| LabError::Machine {
        asked: "start a thread".to_owned(),
        why: why.to_string(),
    })?;
    let deadline = machine.deadline(options.length);
    let (mut before, mut quiet) = (machine.measured(), 0);
    loop {
        let mut patience = Patience::new(deadline);
        if let Some(found) = patience.receive(&receiver) {
            return Ok(Watched::Ended(found.unwrap_or_else(|panic| resume_unwind(panic))));
        }
        let measured = machine.measured();
        if measured != before {
            (before, quiet) = (measured, 0);
            continue;
        }
        let silent = machine.cores().absent();
        let silent =
            silent.map_err(|why| endless(part, &format!("whether processors answer: {why}")))?;
        if !silent.is_empty() {
            return Ok(Watched::Silent(silent));
        }
        quiet += 1;
        if quiet == MOST {
            let why = format!(
                "nothing was measured for {MOST} times {deadline}, although all processors answer"
            );
            return Err(endless(part, &why));
        }
    }
}

fn endless(part: &Part, why: &str) -> LabError {
    LabError::Run(format!("the part `{}` did not end: {why}", part.name))
}

#[cfg(test)]
mod tests {
    use super::super::found::Level;
    use super::super::machine::{Planted, Simulated};
    use super::super::suite::{Validation, validate_on};
    use super::*;
    use windfall_time::Span;

    /// Three processors, of which one stops in its measurement of this number.
    fn validated(stops: [Option<u32>; 3], parts: &[&str]) -> Validation {
        let planted = stops.map(|stops_in| Planted { stops_in, ..Planted::default() });
        let parts = parts.iter().map(ToString::to_string).collect();
        let options = Options { parts, ..Options::quick(Span::from_millis(600)) };
        validate_on(Arc::new(Simulated::new(planted.to_vec())), &options).unwrap()
    }

    fn faults(found: &Validation) -> Vec<(&str, &str)> {
        let all = found.sentences().into_iter().filter(|(_, one)| one.level == Level::Fault);
        all.map(|(part, one)| (part, one.text.as_str())).collect()
    }

    #[test]
    fn law_a_processor_that_stops_midway_is_named_and_the_suite_goes_on_without_it() {
        // The parts, and which measurement of the whole it stops in.
        for (stops_in, in_part) in [(2, "speed"), (6, "time"), (9, "communication")] {
            let parts = ["conditions", "speed", "time", "communication", "cores"];
            let found = validated([None, Some(stops_in), None], &parts);
            let said = "Processor 1 stopped answering while this was measured; what is said here and in all that follows is without it: it does not answer: a thread did not get there within 4s.";
            assert_eq!(faults(&found), [(in_part, said)], "{stops_in}");
            let place = parts.iter().position(|part| *part == in_part).unwrap();
            for (number, part) in found.parts.iter().enumerate() {
                let without = |line: &String| line.starts_with("without processor 1: no answer");
                let says = part.found.circumstances.iter().any(without);
                assert_eq!(says, number >= place, "{stops_in}: {}", part.name);
            }
            let silent = found.metrics().filter(|one| one.name.starts_with("conditions.silent"));
            let silent: Vec<_> = silent.map(|one| (one.name.as_str(), one.value)).collect();
            let wanted = [0, 1, 2].map(|cpu| format!("conditions.silent.cpu{cpu}"));
            let wanted: Vec<_> = wanted.iter().map(String::as_str).zip([0, 1, 0]).collect();
            let mut silent = silent;
            silent.sort_unstable();
            assert_eq!(silent, wanted, "{stops_in}");
        }
    }

    #[test]
    fn refuses_to_go_on_when_the_last_processor_has_stopped() {
        let found = validated([Some(4); 3], &["speed", "time", "communication"]);
        let faults = faults(&found);
        let said = "no processor answers any longer";
        assert!(faults.iter().any(|(_, text)| text.contains(said)), "{faults:?}");
        assert!(!found.is_sound());
        assert_eq!(found.parts.len(), 2, "{faults:?}");
    }

    #[test]
    fn law_a_part_that_panics_ends_the_suite_and_one_that_takes_long_has_its_time() {
        const PANICS: Part = Part { name: "a", title: "", question: "", run: |_, _| panic!("no") };
        const SLOW: Part = Part {
            name: "b",
            title: "",
            question: "",
            run: |_, _| {
                std::thread::sleep(std::time::Duration::from_millis(2_500));
                Ok(Found::default())
            },
        };
        let machine: Arc<dyn Machine> = Arc::new(Simulated::new(vec![Planted::default(); 2]));
        let options = Options::quick(Span::from_secs(1));
        let watched = |part: &Part| watched(part, &machine, &options);
        assert!(catch_unwind(AssertUnwindSafe(|| watched(&PANICS))).is_err());
        assert!(matches!(watched(&SLOW), Ok(Watched::Ended(Ok(_)))));
    }
}
