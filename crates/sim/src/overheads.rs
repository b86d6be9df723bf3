//! Overheads of processors: the costs of calls of the hierarchy, of switches and of interrupts, and visits of stations, during which a processor stands still.
//!
//! Overheads of a processor are served one after the other; nothing interrupts a visit.

use crate::cpu::Overhead;
use crate::machine::SimMachine;
use crate::stations::Stage;
use windfall_scenario::model::StationCall;
use windfall_scenario::outcome::StationOutcome;
use windfall_time::Span;
use windfall_trace::OverheadKind;

impl SimMachine<'_> {
    /// Takes time from a processor, after the overheads that it has. Returns whether the cost is more than zero.
    pub(crate) fn charge_overhead(
        &mut self,
        cpu: usize,
        kind: OverheadKind,
        number: u16,
        cost: Span,
    ) -> bool {
        if cost.is_zero() || cpu >= self.cpus.len() {
            return false;
        }
        self.serve(cpu);
        let queue = &mut self.cpus[cpu].overheads;
        // Repeated overheads of one kind and number are merged while they wait behind another.
        let waiting = queue.iter_mut().skip(1).find(|r| (r.kind, r.number) == (kind, number));
        if let Some(waiting) = waiting {
            waiting.left = waiting.left.saturating_add(cost);
            return true;
        }
        self.queue_overhead(cpu, Overhead { kind, number, left: cost, visit: None });
        true
    }

    /// Like [`charge_overhead`](Self::charge_overhead), but before the overheads that the processor has.
    pub(crate) fn charge_first(&mut self, cpu: usize, number: u16, cost: Span) {
        self.serve(cpu);
        let kind = OverheadKind::Scheduling;
        let overhead = Overhead { kind, number, left: cost, visit: None };
        let queue = &mut self.cpus[cpu].overheads;
        if queue.front().is_some_and(Overhead::is_at_station) {
            queue.insert(1, overhead); // nothing interrupts a visit
            return;
        }
        if !queue.is_empty() {
            self.tracer.overhead_end(self.now, cpu);
        }
        self.cpus[cpu].overheads.push_front(overhead);
        self.tracer.overhead(self.now, cpu, kind, number);
        self.rearm(cpu);
    }

    /// Charges a call of the hierarchy to a processor. Returns whether it cost anything.
    pub(crate) fn charge_call(
        &mut self,
        cpu: usize,
        notifications: u64,
        enters: (bool, bool),
    ) -> bool {
        let (switches, by_timer) = enters;
        let entering = self.prices.interval_timers.as_ref().map(|timers| timers.costs.scheduler);
        let entering = entering.unwrap_or(Span::ZERO);
        let costs = self.prices.costs;
        let call = costs.decision.saturating_add(costs.notification.saturating_mul(notifications));
        let mut charge = |cost| self.charge_overhead(cpu, OverheadKind::Scheduling, 0, cost);
        let before = switches && charge(entering);
        let called = charge(call);
        let visited = self.charge_visits(cpu, StationCall::Decision, 1)
            | self.charge_visits(cpu, StationCall::Notification, notifications);
        let after = by_timer
            && !switches
            && self.charge_overhead(cpu, OverheadKind::Scheduling, 0, entering);
        before || called || visited || after
    }

    /// Puts an overhead behind those that the processor has.
    pub(crate) fn queue_overhead(&mut self, cpu: usize, overhead: Overhead) {
        self.cpus[cpu].overheads.push_back(overhead);
        if self.cpus[cpu].overheads.len() == 1 {
            self.begin_overhead(cpu);
            self.rearm(cpu);
        }
    }

    /// Begins the first overhead of a processor that takes time; a visit arrives at its station.
    pub(crate) fn begin_overhead(&mut self, cpu: usize) {
        while let Some(overhead) = self.cpus[cpu].overheads.front_mut() {
            if !overhead.begins(self.now, &mut self.stations) {
                self.cpus[cpu].overheads.pop_front();
                continue;
            }
            self.tracer.overhead(self.now, cpu, overhead.kind, overhead.number);
            if let (Some(visit), true) = (overhead.visit, overhead.is_at_station())
                && !matches!(visit.stage, Stage::Elsewhere(_))
                && let Some(thread) = visit.thread
            {
                let until = self.stations.free_at(overhead.number);
                self.work[thread as usize].visit = Some((cpu, overhead.number, until));
            }
            return;
        }
    }

    /// Charges the visits of a call that the machine makes so many times. Returns whether there are any.
    #[inline]
    pub(crate) fn charge_visits(&mut self, cpu: usize, call: StationCall, times: u64) -> bool {
        self.stations.charge()
            && times > 0
            && cpu < self.cpus.len()
            && self.visits(cpu, call, times)
    }

    fn visits(&mut self, cpu: usize, call: StationCall, times: u64) -> bool {
        for at in 0..self.stations.visited_by(call).len() {
            let number = self.stations.visited_by(call)[at];
            self.serve(cpu);
            // Visits of one station that wait behind other overheads are made one after the other.
            let waiting = self.cpus[cpu].overheads.iter_mut().skip(1).find_map(|overhead| {
                let visit = overhead.visit.as_mut().filter(|visit| visit.thread.is_none());
                match visit.filter(|_| overhead.number == number).map(|visit| &mut visit.stage) {
                    Some(Stage::Ahead(ahead)) => Some(ahead),
                    _ => None,
                }
            });
            match waiting {
                Some(ahead) => *ahead = ahead.saturating_add(times),
                None => self.queue_overhead(cpu, Overhead::visit(number, None, times)),
            }
        }
        !self.stations.visited_by(call).is_empty()
    }

    /// The outcome of each station up to now. The accounts of processors must be up to date.
    pub(crate) fn station_outcomes(&self) -> Vec<StationOutcome> {
        let mut outcomes: Vec<StationOutcome> = self.stations.seen().collect();
        for overhead in self.cpus.iter().filter_map(|cpu| cpu.overheads.front()) {
            let Some(visit) = overhead.visit else { continue };
            let visits = &mut outcomes[usize::from(overhead.number)].visits;
            match visit.stage {
                Stage::Waits(service, _) => {
                    visits.waited -= overhead.left;
                    visits.served -= service;
                }
                Stage::Served(_) => visits.served -= overhead.left,
                Stage::Ahead(_) | Stage::Elsewhere(_) => {}
            }
        }
        outcomes
    }

    /// A thread whose visit is not over comes to another processor, which stands still until it is.
    pub(crate) fn resume_visit(&mut self, cpu: usize, thread: u32) {
        let Some((first, number, until)) = self.work[thread as usize].visit else { return };
        if first != cpu && until > self.now {
            self.serve(cpu);
            self.queue_overhead(cpu, Overhead::visit_elsewhere(number, thread, until));
        }
    }
}
