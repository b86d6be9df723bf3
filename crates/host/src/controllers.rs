//! The processes that have threads of others changed: at most one for each scheduler.

use std::collections::BTreeMap;
use windfall_programs::{ProcessHandle, ProgramRuntime};

/// By scheduler: the process that has threads below it changed, and its number.
#[derive(Default)]
pub(crate) struct Controllers(BTreeMap<String, (ProcessHandle, u32)>);

impl Controllers {
    /// Notes that a process has threads below these schedulers changed.
    pub(crate) fn hold(&mut self, schedulers: Vec<String>, process: ProcessHandle, number: u32) {
        let held = schedulers.into_iter().map(|scheduler| (scheduler, (process, number)));
        self.0.extend(held);
    }

    /// The number of the process that has threads below a scheduler changed, until it exits.
    pub(crate) fn holder(&self, scheduler: &str, programs: &ProgramRuntime) -> Option<u32> {
        let (process, number) = self.0.get(scheduler)?;
        (programs.process(*number) == Some(*process)).then_some(*number)
    }
}
