//! Makes the outcome at the end of a run.

use crate::agenda::Due;
use crate::host::Host;
use crate::machine::Machine;
use crate::thread::Thread;
use windfall_hierarchy::{Target, ThreadId};
use windfall_programs::Condition;
use windfall_scenario::outcome::{Figures, Outcome, RunError, ThreadOutcome};
use windfall_time::{Instant, Span};

impl<M: Machine> Host<M> {
    /// Closes all accounts and makes the outcome of a run; `machine` is the machine's name in it.
    ///
    /// # Panics
    /// If a processor's time does not add up, which would be a defect of the machine.
    #[must_use]
    pub fn finish(&mut self, machine: String) -> Outcome {
        let now = self.machine.now();
        if self.hierarchy.journal_lost() > 0 {
            self.log.failure.get_or_insert(RunError::Journal(self.hierarchy.journal_lost()));
        }
        self.account_all();
        for number in 0..self.threads.list.len() {
            let number = u32::try_from(number).expect("threads are numbered by 32 bits");
            self.tasks_are_left(number, now, false);
        }
        self.machine.tracer().end(now);
        let nodes = self.nodes().into_iter().map(|(_, account)| account).collect();
        let promises = self.promise_verdicts();
        for number in 0..self.threads.list.len() {
            self.close_thread(number, now);
        }
        let waiting = self.waiting_for_ever();
        let cpus = self.accounts.close(now);
        let received = self.threads.list.iter().map(|thread| thread.outcome.received);
        let received = received.fold(Span::ZERO, |sum, received| sum + received);
        let given = cpus.iter().fold(Span::ZERO, |sum, cpu| sum + cpu.received);
        assert_eq!(received, given, "what threads received is not what processors gave");
        let quarantined = self.hierarchy.quarantined().iter();
        let quarantined = quarantined.map(|(_, name, defect)| (name.clone(), defect.to_string()));
        let mut outcome = Outcome::default();
        outcome.machine = machine;
        outcome.length = now - Instant::ZERO;
        outcome.notifications = self.hierarchy.notifications();
        outcome.decisions = self.log.decisions;
        outcome.records = self.machine.tracer().records();
        outcome.threads = self.outcomes();
        outcome.nodes = nodes;
        outcome.cpus = cpus;
        outcome.quarantined = quarantined.collect();
        outcome.refused = std::mem::take(&mut self.log.refused);
        outcome.not_admitted = std::mem::take(&mut self.log.not_admitted);
        outcome.not_started = std::mem::take(&mut self.log.not_started);
        outcome.waiting = waiting;
        outcome.promises = promises;
        outcome.processes = self.programs.counts().clone();
        outcome.failure = self.log.failure.take();
        outcome
    }

    /// The outcomes of all threads. Threads of a program stand together, in the place of their entry.
    fn outcomes(&self) -> Vec<ThreadOutcome> {
        let planned = self.threads.planned.min(self.threads.list.len());
        let (planned, later) = self.threads.list.split_at(planned);
        let mut outcomes = Vec::with_capacity(self.threads.list.len());
        for (entry, thread) in (0..).zip(planned) {
            if thread.is_entry() {
                let its = later.iter().filter(|thread| thread.entry() == Some(entry));
                outcomes.extend(its.filter_map(Thread::outcome));
            }
            outcomes.extend(thread.outcome());
        }
        outcomes.extend(later.iter().filter(|t| t.entry().is_none()).filter_map(Thread::outcome));
        outcomes
    }

    /// Completes a thread's outcome at the end of the run.
    fn close_thread(&mut self, at: usize, now: Instant) {
        let number = u32::try_from(at).expect("threads are numbered by 32 bits");
        let id = self.threads.list[at].id;
        let (parent, stats) = (self.parent(id), id.map(|id| self.counted(id)));
        let overdue = self.programs.overdue(number, now);
        let thread = &mut self.threads.list[at];
        if let Some(stats) = stats {
            thread.outcome.counted(stats);
        }
        thread.outcome.parent = parent.or(thread.outcome.parent.take());
        thread.outcome.missed += overdue;
        if thread.ready {
            thread.outcome.runnable += now.saturating_since(thread.awake);
            if let Some(since) = thread.unserved {
                thread.outcome.gap = thread.outcome.gap.max(now.saturating_since(since));
            }
        }
    }

    /// The names of all threads that are left, if each waits for another or for nothing, and no request is to come.
    fn waiting_for_ever(&self) -> Vec<String> {
        let mut left = Vec::new();
        for (number, thread) in (0..).zip(&self.threads.list) {
            match self.programs.condition(number) {
                Condition::Gone => {}
                Condition::Held(_) | Condition::AwaitingWake => {
                    left.push(thread.outcome.name.clone())
                }
                Condition::Sleeping if self.agenda.at(Due::Wake(number)) == Some(Instant::MAX) => {
                    left.push(thread.outcome.name.clone());
                }
                _ => return Vec::new(),
            }
        }
        if self.log.next_request < self.log.requests.len() { Vec::new() } else { left }
    }

    /// Statistics that the scheduler above a thread keeps of it.
    pub fn counted(&self, thread: ThreadId) -> Figures {
        self.hierarchy.counted(self.machine.now(), Target::Thread(thread))
    }

    /// Name of the scheduler above a thread.
    pub fn parent(&self, thread: Option<ThreadId>) -> Option<String> {
        let parent = self.hierarchy.parent_of(thread?).ok()?;
        self.hierarchy.name(parent).map(str::to_owned)
    }
}
