//! The processors of nodes by the rules of Chrysalis: one interval timer each, and who pays for what (2.6 to 2.8, 3.1).
//!
//! What schedulers and sleeping processes have set for an instant brings an interrupt, whose routine takes time from whoever
//! runs. What it was set for happens when the routine is over, so that a scheduler that ends a slice charges the routine to
//! the process whose slice it was. One routine does all that has come due until it ends.
//!
//! A post from another node does not wait for a routine that is under way.

use crate::cpu::Overhead;
use crate::events::Due;
use crate::run::Sim;
use windfall_hierarchy::{Processor, ThreadId};
use windfall_programs::{Node, NodeCosts, ProgramRuntime};
use windfall_time::{Instant, Span};
use windfall_trace::OverheadKind;

/// The number of the timer's interrupts among what scheduling takes; decisions have 0.
const INTERVAL_TIMER: u16 = 1;

/// The interval timers of a machine.
pub(crate) struct IntervalTimers {
    pub(crate) costs: NodeCosts,
    /// By processor: when the last routine ends, or has ended.
    over: Vec<Option<Instant>>,
}

impl IntervalTimers {
    pub(crate) fn new(costs: NodeCosts, processors: usize) -> IntervalTimers {
        IntervalTimers { costs, over: vec![None; processors] }
    }
}

impl Sim<'_> {
    /// Something that was set for now on a processor is due: until when it must wait for the interrupt's routine.
    pub(crate) fn interrupted(&mut self, cpu: usize) -> Option<Instant> {
        let now = self.now;
        let timers = self.interval_timers.as_mut()?;
        let cost = timers.costs.timer;
        let over = timers.over.get_mut(cpu).filter(|_| !cost.is_zero())?;
        match *over {
            Some(end) if end == now => return None,
            Some(end) if end > now => return Some(end),
            _ => {}
        }
        let end = now.saturating_add(cost);
        *over = Some(end);
        self.interrupt_now(cpu, cost);
        Some(end)
    }

    /// The routine comes before whatever else takes time there: the scheduler has the lowest level.
    fn interrupt_now(&mut self, cpu: usize, cost: Span) {
        self.account(cpu);
        if !self.cpus[cpu].overheads.is_empty() {
            self.tracer.overhead_end(self.now, cpu);
        }
        let (kind, number) = (OverheadKind::Scheduling, INTERVAL_TIMER);
        self.cpus[cpu].overheads.push_front(Overhead { kind, number, left: cost });
        self.tracer.overhead(self.now, cpu, kind, number);
        self.rearm(cpu);
    }

    /// Who runs on the processor that pays for decisions, where entering the scheduler costs.
    pub(crate) fn before_entry(&self) -> Option<Option<ThreadId>> {
        self.interval_timers.as_ref()?;
        Some(self.hierarchy.running(Processor(self.event_cpu)))
    }

    /// The scheduler was entered, if somebody else runs than before, or in any case.
    pub(crate) fn entered(&mut self, before: Option<Option<ThreadId>>, in_any_case: bool) {
        let Some(timers) = &self.interval_timers else { return };
        let cost = timers.costs.scheduler;
        if in_any_case || before != self.before_entry() {
            self.charge_overhead(usize::from(self.event_cpu), OverheadKind::Scheduling, 0, cost);
        }
    }

    /// A thread has slept long enough.
    pub(crate) fn wake_due(&mut self, number: u32) {
        let last = self.threads[number as usize].last_cpu.map(usize::from);
        let node = self.players.process(number).map(|process| process.handle().node());
        let cpu = last.or_else(|| Some(self.first_processor(node?)));
        match cpu.and_then(|cpu| self.interrupted(cpu)) {
            Some(until) => self.events.set(Due::Wake(number), until),
            None => ProgramRuntime::slept(self, number),
        }
    }

    /// Timers of processes are due.
    pub(crate) fn posts_due(&mut self) {
        let nodes: Vec<Node> = self.players.due_nodes(self.now).collect();
        let until = nodes.into_iter().filter_map(|node| {
            let cpu = self.first_processor(node);
            self.interrupted(cpu)
        });
        match until.max() {
            Some(until) => self.events.set(Due::Timer, until),
            None => ProgramRuntime::timers_due(self),
        }
    }

    /// The processor whose timer a node uses: all nodes have as many.
    fn first_processor(&self, node: Node) -> usize {
        usize::from(node.0) * self.cpus.len() / self.homes.len().max(1)
    }
}
