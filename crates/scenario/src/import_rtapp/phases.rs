//! Programs of an rt-app file by name.

use crate::model::Run;
use crate::names::Names;
use crate::rtapp::{Converted, ConvertedThread, SharedKind};
use windfall_programs::{self as programs, Numbers, Program, Resource, Station, Translate};

/// The names of threads and shared objects, by number.
pub(super) struct Named {
    pub(super) threads: Vec<String>,
    resources: Vec<String>,
}

impl Named {
    /// `names` has assigned those of schedulers already.
    pub(super) fn of(converted: &Converted, names: &mut Names) -> Named {
        let threads = converted.threads.iter().map(|thread| names.fresh(&thread.name)).collect();
        let mut names = Names::default();
        let resources = converted.resources.iter().map(|shared| {
            let prefix = match shared.kind {
                SharedKind::Mutex => "lock",
                SharedKind::Condition => "condition",
                SharedKind::Barrier => "barrier",
            };
            names.fresh(&format!("{prefix}-{}", shared.name))
        });
        Named { threads, resources: resources.collect() }
    }

    pub(super) fn run(&self, thread: &ConvertedThread) -> Run {
        match &thread.program {
            Program::Phases { loops, phases } => Run::Phases {
                loops: *loops,
                phases: phases.iter().map(|phase| phase.translated(&mut { self })).collect(),
            },
            Program::Spin { from } => Run::Spin { from: *from },
            // rt-app knows phases only.
            Program::Jobs(_) | Program::Recorded(_) | Program::Process(_) => Run::spin(),
        }
    }
}

impl Translate<Numbers, programs::Names> for &Named {
    fn shared(&mut self, resource: &Resource) -> String {
        self.resources.get(resource.0).cloned().unwrap_or_default()
    }

    fn timer(&mut self, timer: &usize) -> String {
        format!("timer{timer}")
    }

    fn station(&mut self, station: &Station) -> String {
        format!("station{}", station.0) // rt-app knows none
    }

    fn threads(&mut self, thread: &usize) -> Vec<String> {
        vec![self.threads.get(*thread).cloned().unwrap_or_default()]
    }
}
