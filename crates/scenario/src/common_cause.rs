//! Warnings: what is no mistake of a scenario, and may not be what its author wants.
//!
//! Replicas that vote outvote the faults of one of them. A processor that several of them share is a common cause of several
//! faults (CMU 1982, 1.1), so fewer processors than replicas are named here. Nothing is said where it is not known beforehand
//! which processors there will be.

use crate::build::parent_of;
use crate::diagnostic::{Code, Diagnostics, ScenarioError};
use crate::model::{Run, Scenario, Setting, Thread};
use crate::processors::ProcessorMap;
use crate::source::Path;
use std::collections::BTreeSet;
use windfall_programs::catalogue::Settings;
use windfall_programs::{Node, Program, Redundancy};
use windfall_schedulers::parameters::{PROCESSORS, ParameterValue};

impl Scenario {
    /// The warnings about a scenario without mistakes; `None` if there are none.
    #[must_use]
    pub fn warnings(&self) -> Option<Diagnostics> {
        let map = ProcessorMap::of(self);
        let of_thread = |thread| self.shared_processors(thread, &map);
        Diagnostics::of(&self.origin, self.threads.iter().filter_map(of_thread).collect())
    }

    /// How many replicas its programs make, all together.
    #[must_use]
    pub fn replicas(&self) -> u64 {
        let each = self.threads.iter().filter_map(|thread| redundancy(self, thread));
        each.map(|redundancy| u64::from(redundancy.replicas)).sum()
    }

    fn shared_processors(&self, thread: &Thread, map: &ProcessorMap<'_>) -> Option<ScenarioError> {
        let Redundancy { replicas, on } = redundancy(self, thread)?;
        let processors = match on {
            Some(on) => {
                let names = (0..replicas).map(|replica| format!("{on}-{replica}"));
                union(names.map(|name| map.processors_of(&name)))?
            }
            None => {
                let first = map.processors_of(parent_of(self, thread)?)?;
                let wanted = thread.requires.get(&PROCESSORS).and_then(ParameterValue::processors);
                let kept =
                    |processor: &u16| wanted.is_none_or(|wanted| wanted.contains(*processor));
                let others = map.processors_of(self.home_of(thread)?)?;
                first.into_iter().filter(kept).chain(others).collect()
            }
        };
        if processors.len() >= usize::from(replicas) {
            return None;
        }
        let path = Path::of(&["threads", &thread.name, "program"]);
        let place = self.origin.find(&[path.key("replicas"), path]);
        let plural = if processors.len() == 1 { "" } else { "s" };
        let message = format!(
            "{replicas} replicas share {} processor{plural}: a fault there may be one of several replicas at once, which a vote does not notice",
            processors.len()
        );
        let help = format!("let them run on {replicas} processors where the machine has as many");
        Some(ScenarioError::new(Code::SharedProcessors, message, place).help(help))
    }
}

fn redundancy(scenario: &Scenario, thread: &Thread) -> Option<Redundancy> {
    let Run::OfKind { kind, settings } = &thread.run else { return None };
    let kind = scenario.programs.find(kind)?;
    match kind.build(&Settings(&Setting::values(settings)), Node(0)).ok()? {
        Program::Process(start) => start.redundancy().cloned(),
        _ => None,
    }
}

/// All of these together; `None` if one is not known.
fn union(each: impl Iterator<Item = Option<BTreeSet<u16>>>) -> Option<BTreeSet<u16>> {
    each.collect::<Option<Vec<_>>>().map(|each| each.into_iter().flatten().collect())
}
