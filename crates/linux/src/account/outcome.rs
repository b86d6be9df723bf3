//! What is said of a run at its end: what every thread, scheduler and processor got, and how the run itself fared.

use crate::account::cpu::Cpu;
use crate::supervise::linux::Linux;
use crate::supervise::supervisor::Supervisor;
use windfall_scenario::outcome::{Outcome, Supervision};
use windfall_time::{Instant, Span};

impl Supervisor {
    /// What own programs, which have ended, saw of themselves until the run was over.
    pub(crate) fn add_stretches(&self, outcome: &mut Outcome) {
        let end = Instant::ZERO + outcome.length;
        let clock = &self.host.machine.clock;
        for (number, own) in self.owns() {
            let name = &self.host.threads.list[number as usize].outcome.name;
            let thread = outcome.threads.iter_mut().find(|thread| thread.name == *name);
            let (Some(thread), Ok(kept)) = (thread, own.kept.lock()) else { continue };
            let seen =
                kept.iter().map(|(from, to)| (clock.since_epoch(*from), clock.since_epoch(*to)));
            let seen = seen.take_while(|(from, _)| *from < end);
            thread.stretches = seen.map(|(from, to)| (from, to.min(end))).collect();
        }
    }

    /// Closes the books.
    ///
    /// # Panics
    /// When time is not conserved, which would be a defect of this crate.
    pub(crate) fn outcome(&mut self) -> Outcome {
        self.hear_children();
        self.host.hear();
        self.ending = true;
        let now = self.time();
        self.tell_who_got_nobody(now);
        self.tell_who_was_not_met(now);
        self.host.machine.clock.set_event(Some(now)); // all books are closed at the same instant
        let mut outcome = self.host.finish("linux".to_owned());
        self.host.machine.clock.set_event(None);
        let leaked = self.host.accounts.read().iter().map(|(_, leaked)| *leaked);
        let leaked = leaked.fold(Span::ZERO, |sum, part| sum + part);
        outcome.supervision = Some(self.host.machine.supervision(leaked));
        outcome
    }
}

impl Linux {
    /// How well threads were kept to what was decided.
    fn supervision(&mut self, leaked: Span) -> Supervision {
        let steal = self.cpus.iter().map(Cpu::steal).fold(Span::ZERO, |sum, part| sum + part);
        let mut supervision = Supervision::default();
        supervision.events = self.rings.by.clone();
        supervision.lost = self.log.lost;
        supervision.lag = self.log.lag;
        supervision.lag_without_steal = self.log.lag_without_steal;
        supervision.steal = self.rings.sees_steal().then_some(steal);
        supervision.leaked = leaked;
        supervision.claimed = std::mem::take(&mut self.log.claimed);
        supervision.remarks = std::mem::take(&mut self.log.remarks);
        supervision.cut_short = self.log.cut_short.take();
        supervision
    }
}
