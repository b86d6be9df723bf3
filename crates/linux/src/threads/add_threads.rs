//! From a plan's threads to members: declared programs, and entries that stand for the threads of real ones.

use crate::supervise::supervisor::Supervisor;
use crate::threads::adopt;
use crate::threads::member::{InProcess, Kind, Member, ThreadSpec};
use std::sync::Arc;
use windfall_programs::Program;
use windfall_scenario::model::ThreadMatch;
use windfall_scenario::{PlannedProgram, PlannedThread};
use windfall_time::Span;

impl Supervisor {
    /// Takes a plan's threads in, each with who is asked for the threads of its program; of some, by number,
    /// intervals above a limit are counted.
    pub(crate) fn add_threads(
        &mut self,
        threads: impl Iterator<Item = (PlannedThread, Vec<usize>)>,
        watched: &[(usize, Span)],
        seed: u64,
    ) {
        for (number, (thread, claims)) in threads.enumerate() {
            let PlannedThread { name, parent, messages, promised, program, start, .. } = thread;
            let promise = promised.as_deref();
            let entry = u32::try_from(number).expect("threads are numbered by 32 bits");
            let seed = seed ^ (number as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            self.agenda.starts.push((start, entry));
            let (mut member, threads) = match program {
                PlannedProgram::Declared(program) => {
                    let own =
                        Arc::new(InProcess { keeps: self.threads.keeps, ..InProcess::default() });
                    let mut member = Member::new(Kind::InProcess(own), 0, &name, promise);
                    member.bursts = !matches!(program, Program::Jobs(_));
                    self.runtime.add(&program, seed);
                    (member, ThreadMatch::default())
                }
                PlannedProgram::External { external, .. } => {
                    // It has no life of its own: its threads do, each as a member that comes later.
                    self.runtime.add(&Program::nothing(), seed);
                    let program = adopt::Program { what: external.program, claims };
                    self.external.programs.by_entry.insert(number, program);
                    let entry = Kind::External { pid: 0, program: number, spec: number };
                    (Member::new(entry, 0, &name, promise), external.threads)
                }
            };
            if let Some((_, limit)) = watched.iter().find(|(watched, _)| *watched == number) {
                member.outcome.watch_intervals(*limit);
            }
            self.threads.members.push(member);
            self.threads.specs.push(ThreadSpec { name, parent, messages, promised, threads });
        }
        self.agenda.starts.sort_unstable_by(|a, b| b.cmp(a));
    }

    /// The own programs, by number.
    pub(crate) fn owns(&self) -> impl Iterator<Item = (u32, Arc<InProcess>)> + '_ {
        self.threads.members.iter().zip(0..).filter_map(|(member, number)| match &member.kind {
            Kind::InProcess(own) => Some((number, own.clone())),
            Kind::External { .. } => None,
        })
    }
}
