//! The books of a run are closed: what every thread, scheduler and processor got.

use crate::account::cpu::Cpu;
use crate::supervise::supervisor::Supervisor;
use crate::threads::states::name_above;
use windfall_scenario::outcome::{Outcome, RunError, Supervision, ThreadOutcome};
use windfall_time::{Instant, Span};

impl Supervisor {
    /// What own programs, which have ended, saw of themselves until the run was over.
    pub(crate) fn add_stretches(&self, outcome: &mut Outcome) {
        let end = Instant::ZERO + outcome.length;
        for (number, own) in self.owns() {
            let name = &self.threads.members[number as usize].outcome.name;
            let thread = outcome.threads.iter_mut().find(|thread| thread.name == *name);
            let (Some(thread), Ok(kept)) = (thread, own.kept.lock()) else { continue };
            let seen =
                kept.iter().map(|(from, to)| (self.since_epoch(*from), self.since_epoch(*to)));
            let seen = seen.take_while(|(from, _)| *from < end);
            thread.stretches = seen.map(|(from, to)| (from, to.min(end))).collect();
        }
    }

    /// What every thread got: those of a program next to each other, in the place of its entry.
    fn threads(&self) -> Vec<ThreadOutcome> {
        let late = self.threads.specs.len()..self.threads.members.len();
        let mut threads = Vec::with_capacity(self.threads.members.len());
        for entry in 0..self.threads.specs.len() {
            let its = late.clone().filter(|number| self.threads.members[*number].belongs_to(entry));
            threads.extend(its.chain([entry]).filter_map(|number| self.outcome_of(number)));
        }
        let made = late.filter(|number| !self.threads.members[*number].is_external());
        threads.extend(made.filter_map(|number| self.outcome_of(number)));
        threads
    }

    /// Closes the books.
    ///
    /// # Panics
    /// When time is not conserved, which would be a defect of this crate.
    pub(crate) fn outcome(&mut self) -> Outcome {
        self.hear_children();
        self.listen();
        self.step.ending = true;
        let now = self.time();
        (0..self.cpus.len()).for_each(|cpu| self.account(cpu, now));
        self.books.trace.tracer.end(now);
        self.tell_who_got_nobody(now);
        self.tell_who_was_not_met(now);
        if self.hierarchy.journal_lost() > 0 {
            self.log.failure.get_or_insert(RunError::Journal(self.hierarchy.journal_lost()));
        }
        self.assert_conserved(now);
        (0..self.threads.members.len()).for_each(|number| self.close_member(number, now));
        let nodes = self.books.ledger.read(now, &self.hierarchy).into_iter().map(|(_, node)| node);
        let nodes = nodes.collect();
        let quarantined = self.hierarchy.quarantined().iter();
        let quarantined = quarantined.map(|(_, name, defect)| (name.clone(), defect.to_string()));
        let tick = self.agenda.resolution.resolution();
        Outcome {
            machine: "linux".to_owned(),
            length: now - Instant::ZERO,
            notifications: self.hierarchy.notifications(),
            decisions: self.log.decisions,
            records: self.books.trace.tracer.records(),
            quarantined: quarantined.collect(),
            nodes,
            cpus: self.cpus.iter().map(Cpu::outcome).collect(),
            threads: self.threads(),
            refused: std::mem::take(&mut self.log.refused),
            not_admitted: std::mem::take(&mut self.log.not_admitted),
            waiting: Vec::new(),
            promises: self.books.judging.read().verdicts(now, tick),
            failure: self.log.failure.take(),
            processes: self.runtime.counts().clone(),
            supervision: Some(self.supervision()),
        }
    }

    /// What was given is what threads got, and adds up to the time since the beginning.
    fn assert_conserved(&self, now: Instant) {
        let sum = |parts: &mut dyn Iterator<Item = Span>| parts.fold(Span::ZERO, |a, b| a + b);
        let given = sum(&mut self.cpus.iter().map(|cpu| cpu.outcome().received));
        let got = sum(&mut self.threads.members.iter().map(|member| member.outcome.received));
        assert_eq!(given, got, "threads got what was given");
        for cpu in &self.cpus {
            let parts = cpu.outcome();
            let sum = parts.received + parts.idle + parts.scheduling + parts.stolen;
            assert_eq!(sum, now - Instant::ZERO, "time of processor {} is conserved", cpu.number);
        }
    }

    /// What is known of a thread at the end.
    fn close_member(&mut self, at: usize, now: Instant) {
        let number = u32::try_from(at).expect("threads are numbered by 32 bits");
        let (overdue, counted) = (self.runtime.overdue(number, now), self.counted(at));
        let member = &mut self.threads.members[at];
        member.outcome.stats = counted;
        member.outcome.missed += overdue;
        if member.ready {
            member.outcome.runnable += now.saturating_since(member.awake);
            if let Some(since) = member.unserved {
                member.outcome.gap = member.outcome.gap.max(now.saturating_since(since));
            }
        }
        if let Some(id) = member.id {
            member.outcome.parent = name_above(&self.hierarchy, id);
        }
    }

    /// How well threads were kept to what was decided.
    fn supervision(&mut self) -> Supervision {
        let sum = |of: fn(&Cpu) -> Span| {
            self.cpus.iter().map(of).fold(Span::ZERO, |sum, part| sum + part)
        };
        Supervision {
            events: self.rings.by.clone(),
            lost: self.log.lost,
            lag: self.log.lag,
            lag_without_steal: self.log.lag_without_steal,
            steal: self.rings.sees_steal().then(|| sum(Cpu::steal)),
            leaked: sum(|cpu| cpu.leaked),
            claimed: std::mem::take(&mut self.log.claimed),
            remarks: std::mem::take(&mut self.log.remarks),
            cut_short: self.log.cut_short.take(),
        }
    }
}
