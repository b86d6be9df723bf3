//! Programs of an rt-app file by name.

use crate::model::{Phase, Run, Step};
use crate::names::Names;
use crate::rtapp::{Converted, ConvertedThread, SharedKind};
use windfall_programs::{self as programs, Program, Resource};

/// What threads and shared things are called, by number.
pub(super) struct Named {
    pub(super) threads: Vec<String>,
    resources: Vec<String>,
}

impl Named {
    /// `names` has handed out those of schedulers.
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
                phases: phases.iter().map(|phase| self.phase(phase)).collect(),
            },
            Program::Spin { from } => Run::Spin { from: *from },
            // rt-app knows phases only.
            Program::Jobs(_) | Program::Recorded(_) | Program::Process(_) => Run::spin(),
        }
    }

    fn phase(&self, phase: &programs::Phase) -> Phase {
        let shared =
            |resource: &Resource| self.resources.get(resource.0).cloned().unwrap_or_default();
        let steps = phase.steps.iter().map(|step| match step {
            programs::Step::Run(work) => Step::Run(*work),
            programs::Step::Sleep(span) => Step::Sleep(*span),
            programs::Step::Timer { timer, period, tick } => {
                Step::Timer { timer: format!("timer{timer}"), period: *period, tick: *tick }
            }
            programs::Step::Job => Step::Job,
            programs::Step::Lock(lock) => Step::Lock(shared(lock)),
            programs::Step::Unlock(lock) => Step::Unlock(shared(lock)),
            programs::Step::Wait { condition, lock } => {
                Step::Wait { condition: shared(condition), lock: shared(lock) }
            }
            programs::Step::Signal(condition) => Step::Signal(shared(condition)),
            programs::Step::Broadcast(condition) => Step::Broadcast(shared(condition)),
            programs::Step::Barrier(barrier) => Step::Barrier(shared(barrier)),
            programs::Step::Yield => Step::Yield,
            programs::Step::Suspend => Step::Suspend,
            programs::Step::Resume(thread) => {
                Step::Resume(self.threads.get(*thread).cloned().unwrap_or_default())
            }
        });
        Phase { name: phase.name.clone(), loops: phase.loops, steps: steps.collect() }
    }
}
