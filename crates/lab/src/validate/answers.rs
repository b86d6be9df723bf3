//! Whether each processor answers, before anything is measured: one that does not would keep every part that waits for all of them.
//!
//! Those that do not are named as faults by the first part that runs, and left out of all; each part says so.

use super::found::{Better, Found, Level, Metric, Sentence, Unit};
use super::machine::Machine;
use super::parts::processors;
use crate::experiment::LabError;
use std::sync::Arc;
use windfall_cores::Absent;

const REMEDY: &str = "look for threads above ordinary ones on that processor (`ps -eLo psr,cls,rtprio,comm`) and for `soft lockup` or `rcu` in the kernel's log; without either, take the processor out of use";

/// The answers of the processors of a machine.
pub(crate) struct Answers {
    /// Those of which one came.
    present: Vec<u16>,
    /// Those that did not answer at the beginning.
    absent: Vec<Absent>,
    /// Those that stopped later.
    stopped: Vec<u16>,
}

impl Answers {
    /// Asks all processors, and leaves out those that do not answer.
    ///
    /// # Errors
    /// When none answers, when no thread can be started to ask one, or when threads cannot be kept away from one that does not answer.
    pub(crate) fn of(machine: &mut Arc<dyn Machine>) -> Result<Answers, LabError> {
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
            *machine = machine.without(&silent)?;
        }
        Ok(Answers { present: machine.processors().to_vec(), absent, stopped: Vec::new() })
    }

    /// Leaves out processors that stopped while a part was measured.
    ///
    /// # Errors
    /// When none is left, or threads cannot be kept away from them.
    pub(crate) fn leave_out(
        &mut self,
        silent: &[Absent],
        machine: &mut Arc<dyn Machine>,
    ) -> Result<(), LabError> {
        let numbers = silent.iter().map(|one| one.processor);
        self.stopped.extend(numbers.clone());
        self.present.retain(|one| !self.stopped.contains(one));
        if self.present.is_empty() {
            let why = "no processor answers any longer".to_owned();
            return Err(LabError::Run(why));
        }
        *machine = machine.without(&numbers.collect::<Vec<_>>())?;
        Ok(())
    }

    /// Whether any is left.
    pub(crate) fn are_there(&self) -> bool {
        !self.present.is_empty()
    }

    /// Names those that stopped while this was measured.
    pub(crate) fn name_stopped(silent: &[Absent], found: &mut Found) {
        for Absent { processor, why, .. } in silent {
            let text = format!(
                "Processor {processor} stopped answering while this was measured; what is said here and in all that follows is without it: {why}."
            );
            found.sentences.push(Sentence::new(Level::Fault, text).remedy(REMEDY));
        }
    }

    /// Names those that do not answer.
    pub(crate) fn name(&self, found: &mut Found) {
        for Absent { processor, why, .. } in &self.absent {
            let text = format!(
                "Processor {processor} does not answer, and all was measured without it: {why}."
            );
            found.sentences.push(Sentence::new(Level::Fault, text).remedy(REMEDY));
        }
        let metric = |processor: u16, value| {
            let name = format!("conditions.silent.cpu{processor}");
            Metric::new(name, value, Unit::Count, Better::Lower).noise(0, 0)
        };
        found.metrics.extend(self.present.iter().map(|one| metric(*one, 0)));
        found.metrics.extend(self.absent.iter().map(|one| metric(one.processor, 1)));
        found.metrics.extend(self.stopped.iter().map(|one| metric(*one, 1)));
    }

    /// Says which processors a part is without.
    pub(crate) fn qualify(&self, found: &mut Found) {
        let silent = self.absent.iter().map(|one| one.processor);
        let silent: Vec<u16> = silent.chain(self.stopped.iter().copied()).collect();
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
    use windfall_time::Span;

    fn validated(silent: [bool; 3], parts: &[&str]) -> Result<Validation, LabError> {
        let planted = silent.map(|silent| Planted { silent, ..Planted::default() });
        let parts = parts.iter().map(ToString::to_string).collect();
        let options = Options { parts, ..Options::quick(Span::from_millis(600)) };
        validate_on(Arc::new(Simulated::new(planted.to_vec())), &options)
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
