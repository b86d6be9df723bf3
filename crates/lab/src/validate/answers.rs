//! Whether each processor answers, before anything is measured: one that does not would keep every part that waits for all of them.
//!
//! Those that do not are named as faults by the first part that runs, and left out of all; each part says so.

use super::found::{Better, Found, Level, Metric, Sentence, Unit};
use super::machine::Machine;
use super::parts::processors;
use crate::experiment::LabError;
use windfall_cores::Absent;

/// The answers of the processors of a machine.
pub(crate) struct Answers {
    /// Those of which one came.
    present: Vec<u16>,
    absent: Vec<Absent>,
}

impl Answers {
    /// Asks all processors, and leaves out those that do not answer.
    ///
    /// # Errors
    /// When none answers, when no thread can be started to ask one, or when threads cannot be kept away from one that does not answer.
    pub(crate) fn of(machine: &mut dyn Machine) -> Result<Answers, LabError> {
        let absent = machine.cores().absent();
        let absent =
            absent.map_err(|why| LabError::Run(format!("whether processors answer: {why}")))?;
        let silent: Vec<u16> = absent.iter().map(|one| one.processor).collect();
        if silent.len() == machine.processors().len() {
            let why = |one: &Absent| format!("processor {}: {}", one.processor, one.why);
            let all: Vec<_> = absent.iter().map(why).collect();
            return Err(LabError::Run(format!("no processor answers; {}", all.join("; "))));
        }
        if !silent.is_empty() {
            machine.leave_out(&silent)?;
        }
        Ok(Answers { present: machine.processors().to_vec(), absent })
    }

    /// Names those that do not answer.
    pub(crate) fn name(&self, found: &mut Found) {
        for Absent { processor, why, .. } in &self.absent {
            let text = format!(
                "Processor {processor} does not answer, and all was measured without it: {why}."
            );
            let remedy = "look for threads above ordinary ones on that processor (`ps -eLo psr,cls,rtprio,comm`) and for `soft lockup` or `rcu` in the kernel's log; without either, take the processor out of use";
            found.sentences.push(Sentence::new(Level::Fault, text).remedy(remedy));
        }
        let metric = |processor: u16, value| {
            let name = format!("conditions.silent.cpu{processor}");
            Metric::new(name, value, Unit::Count, Better::Lower).noise(0, 0)
        };
        found.metrics.extend(self.present.iter().map(|one| metric(*one, 0)));
        found.metrics.extend(self.absent.iter().map(|one| metric(one.processor, 1)));
    }

    /// Says which processors a part is without.
    pub(crate) fn qualify(&self, found: &mut Found) {
        let silent: Vec<u16> = self.absent.iter().map(|one| one.processor).collect();
        if !silent.is_empty() {
            let text = format!("without {}: no answer comes from there", processors(&silent));
            found.circumstances.push(text);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::validate::machine::{Planted, Simulated};
    use crate::validate::suite::{Validation, validate_on};
    use crate::validate::{Options, results};
    use std::sync::atomic::AtomicBool;
    use windfall_time::Span;

    fn validated(silent: [bool; 3], parts: &[&str]) -> Result<Validation, LabError> {
        let planted = silent.map(|silent| Planted { silent, ..Planted::default() });
        let stopped = AtomicBool::new(false);
        let parts = parts.iter().map(ToString::to_string).collect();
        let options = Options { parts, ..Options::quick(Span::from_millis(600), &stopped) };
        validate_on(&mut Simulated::new(planted.to_vec()), &options)
    }

    #[test]
    fn law_a_processor_that_does_not_answer_is_named_and_every_part_is_without_it() {
        let parts = ["conditions", "timing", "speed", "time", "communication", "skew", "cores"];
        let found = validated([false, true, false], &parts).unwrap();
        let faults: Vec<_> = found.sentences();
        let faults = faults.iter().filter(|(_, one)| one.level == Level::Fault);
        let faults: Vec<_> = faults.map(|(part, one)| (*part, one.text.as_str())).collect();
        let said = "Processor 1 does not answer, and all was measured without it: it does not answer: a thread did not get there within 4s.";
        assert_eq!(faults, [("conditions", said)]);
        for part in &found.parts {
            let without = |line: &String| line.starts_with("without processor 1: no answer");
            assert!(part.found.circumstances.iter().any(without), "{}", part.name);
            let of_it = |cells: &Vec<String>| part.name != "communication" && cells[0] == "1";
            let rows = part.found.tables.iter().filter(|table| table.head[0] == "processor");
            assert!(!rows.flat_map(|table| &table.rows).any(of_it), "{}", part.name);
        }
        let of_it: Vec<_> =
            found.metrics().filter(|metric| metric.name.ends_with("cpu1")).collect();
        assert_eq!((of_it.len(), of_it[0].name.as_str()), (1, "conditions.silent.cpu1"));
        assert_eq!(of_it[0].value, 1);
        let others = found.metrics().filter(|one| one.name.starts_with("conditions.silent"));
        assert_eq!(others.map(|one| one.value).sum::<u64>(), 1);
        assert!(results::text(&found, None).contains("Measured: without processor 1"));
    }

    #[test]
    fn law_the_first_part_names_it_whichever_that_is() {
        let found = validated([true, false, true], &["speed"]).unwrap();
        let count = found.sentences().iter().filter(|(_, one)| one.level == Level::Fault).count();
        assert_eq!((count, found.parts[0].name, found.is_sound()), (2, "speed", false));
        let sound = validated([false; 3], &["speed"]).unwrap();
        assert!(sound.is_sound());
        assert!(!results::text(&sound, None).contains("without"));
    }

    #[test]
    fn refuses_a_machine_of_which_no_processor_answers() {
        let said = validated([true; 3], &["speed"]).unwrap_err().to_string();
        assert!(said.contains("no processor answers; processor 0: it does not answer"), "{said}");
    }
}
