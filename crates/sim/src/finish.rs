//! Closes the books at the end of a run.

use crate::cpu::overhead_index;
use crate::events::Due;
use crate::run::Sim;
use windfall_hierarchy::{Target, ThreadId};
use windfall_programs::Condition;
use windfall_scenario::outcome::{CpuOutcome, Figures, Outcome, RunError};
use windfall_time::{Instant, Span};
use windfall_trace::OverheadKind;

impl Sim<'_> {
    /// Closes the books of a run on a `machine`, in words.
    ///
    /// # Panics
    /// When a processor's time does not add up, which would be a defect of this crate.
    pub(crate) fn finish(mut self, machine: String) -> Outcome {
        let now = self.now;
        if self.hierarchy.journal_lost() > 0 {
            self.failure.get_or_insert(RunError::Journal(self.hierarchy.journal_lost()));
        }
        for cpu in 0..self.cpus.len() {
            self.account(cpu);
            let accounted = self.cpus[cpu].accounted();
            assert_eq!(accounted, now - Instant::ZERO, "time of processor {cpu} is not conserved");
        }
        self.tracer.end(now);
        let nodes = self.nodes();
        let promises = self.promise_verdicts();
        for number in 0..self.threads.len() {
            if let Some(id) = self.threads[number].id {
                self.threads[number].stats.stats = self.counted(id);
            }
        }
        let parents: Vec<Option<String>> = self.threads.iter().map(|t| self.parent(t.id)).collect();
        let quarantined = self.hierarchy.quarantined().iter();
        let quarantined = quarantined.map(|(_, name, defect)| (name.clone(), defect.to_string()));
        let received: Span = self.threads.iter().fold(Span::ZERO, |sum, t| sum + t.stats.received);
        let worked = self.cpus.iter().fold(Span::ZERO, |sum, cpu| sum + cpu.work);
        assert_eq!(received, worked, "what threads received is not what processors gave");

        for (number, thread) in (0..).zip(&mut self.threads) {
            if self.players.condition(number) == Condition::Runnable {
                thread.stats.runnable += now - thread.awake;
                if let Some(since) = thread.unserved {
                    thread.stats.gap = thread.stats.gap.max(now - since);
                }
            }
            thread.stats.missed += self.players.overdue(number, now);
        }
        let waiting = self.waiting_for_ever();
        let threads = self.threads.drain(..).zip(parents).map(|(mut thread, parent)| {
            thread.stats.parent = parent.or(thread.stats.parent);
            thread.stats
        });
        let cpus = self.cpus.iter().map(|cpu| CpuOutcome {
            received: cpu.work,
            idle: cpu.idle,
            switching: cpu.stolen[overhead_index(OverheadKind::Switching)],
            scheduling: cpu.stolen[overhead_index(OverheadKind::Scheduling)],
            stolen: cpu.stolen[..3].iter().fold(Span::ZERO, |sum, part| sum + *part),
        });
        Outcome {
            machine,
            length: now - Instant::ZERO,
            notifications: self.hierarchy.notifications(),
            decisions: self.decisions,
            records: self.tracer.records(),
            threads: threads.collect(),
            nodes,
            cpus: cpus.collect(),
            quarantined: quarantined.collect(),
            refused: std::mem::take(&mut self.refused),
            not_admitted: std::mem::take(&mut self.not_admitted),
            waiting,
            promises,
            processes: self.players.counts().clone(),
            supervision: None,
            failure: self.failure.take(),
        }
    }

    /// All threads that are left, if all wait for each other or for nobody and no request will come.
    fn waiting_for_ever(&self) -> Vec<String> {
        let mut left = Vec::new();
        for (number, thread) in (0..).zip(&self.threads) {
            match self.players.condition(number) {
                Condition::Gone => {}
                Condition::Held(_) | Condition::AwaitingWake => {
                    left.push(thread.stats.name.clone())
                }
                Condition::Sleeping if self.events.at(Due::Wake(number)) == Some(Instant::MAX) => {
                    left.push(thread.stats.name.clone());
                }
                _ => return Vec::new(),
            }
        }
        if self.next_request < self.requests.len() { Vec::new() } else { left }
    }

    /// What the scheduler above a thread counts of it.
    pub(crate) fn counted(&self, thread: ThreadId) -> Figures {
        self.hierarchy.counted(self.now, Target::Thread(thread))
    }

    pub(crate) fn parent(&self, thread: Option<ThreadId>) -> Option<String> {
        let parent = self.hierarchy.parent_of(thread?).ok()?;
        self.hierarchy.name(parent).map(str::to_owned)
    }
}
