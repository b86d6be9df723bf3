//! The simulated machine that a host drives: its processors, the work of threads, and overheads.

use crate::cpu::{Overhead, SimCpu, Units, rates};
use crate::events::{Due, Events};
use crate::interval_timer::IntervalTimers;
use crate::prices::Prices;
use crate::stations::Stations;
use crate::thread::Work;
use crate::unsupported::UnsupportedPlan;
use windfall_hierarchy::{JournalEntry, NodeId, Processor};
use windfall_host::{Change, Charge, Event, Interrupts, Machine, Passed, Thread};
use windfall_programs::{Device, NodeCosts, Station};
use windfall_scenario::model::StationCall;
use windfall_scenario::{PlannedInterrupts, PlannedThread, Tracer, model};
use windfall_time::{Instant, Span};
use windfall_trace::{OverheadKind, Sink, Stop, ThreadId};

/// Processors, the work of their threads, and overheads.
// Fields: parts of one machine, each of which other events change.
pub(crate) struct SimMachine<'a> {
    pub(crate) now: Instant,
    pub(crate) cpus: Vec<SimCpu>,
    /// The work of each thread, by number.
    pub(crate) work: Vec<Work>,
    /// Units in a nanosecond of work at speed 1.
    unit: Units,
    events: Events,
    /// When the host has something to do, if ever.
    alarm: Option<Instant>,
    sources: Vec<Interrupts>,
    /// A device at which something has arrived, and the host has not been notified.
    arrived: Option<Device>,
    pub(crate) prices: Prices,
    /// Whether calls of the hierarchy cost time.
    charges: bool,
    pub(crate) stations: Stations,
    pub(crate) tracer: Tracer<&'a mut (dyn Sink + Send)>,
    seed: u64,
}

impl<'a> SimMachine<'a> {
    /// Makes an idle machine at time zero.
    ///
    /// # Errors
    /// If its speeds have no common measure that fits.
    pub(crate) fn new(
        machine: &model::Machine,
        seed: u64,
        sink: Option<&'a mut (dyn Sink + Send)>,
    ) -> Result<SimMachine<'a>, UnsupportedPlan> {
        let (unit, rates) = rates(&machine.speeds).ok_or(UnsupportedPlan::Speeds)?;
        let mut events = Events::new();
        events.reserve(rates.len());
        let (costs, stations) = (machine.costs, Stations::new(machine));
        let charges = !(costs.decision.is_zero() && costs.notification.is_zero());
        Ok(SimMachine {
            now: Instant::ZERO,
            cpus: rates.into_iter().map(SimCpu::new).collect(),
            work: Vec::new(),
            unit,
            events,
            alarm: None,
            sources: Vec::new(),
            arrived: None,
            prices: Prices { costs, cache: machine.cache, interval_timers: None },
            charges: charges || stations.charge(),
            stations,
            tracer: Tracer::new(sink),
            seed,
        })
    }

    /// Gives its nodes' processors costs by the rules of Chrysalis.
    pub(crate) fn set_node_costs(&mut self, costs: NodeCosts) {
        self.prices.interval_timers = Some(IntervalTimers::new(costs, self.cpus.len()));
        self.charges = true;
    }

    /// Adds a source of interrupts.
    pub(crate) fn interrupt(&mut self, interrupts: PlannedInterrupts) {
        let number = u32::try_from(self.sources.len()).expect("sources are numbered by 32 bits");
        self.events.reserve(self.sources.len() + 1);
        let seed =
            self.seed.rotate_left(17) ^ u64::from(number).wrapping_mul(0xd134_2543_de82_ef95);
        let source = Interrupts::new(interrupts, seed);
        if let Some(at) = source.at() {
            self.events.set(Due::Interrupt(number), at);
        }
        self.sources.push(source);
    }

    /// The instant of the next event here, or of the host's alarm.
    #[inline]
    pub(crate) fn next_at(&self) -> Option<Instant> {
        match (self.events.next_at(), self.alarm) {
            (Some(event), Some(alarm)) => Some(event.min(alarm).max(self.now)),
            (event, alarm) => event.or(alarm).map(|at| at.max(self.now)),
        }
    }

    /// Brings a processor's accounts, and the work of its thread, up to the present.
    #[inline]
    pub(crate) fn serve(&mut self, cpu: usize) {
        let slot = &mut self.cpus[cpu];
        let received = slot.serve(self.now);
        if let (Some(number), false) = (slot.thread, received.is_zero()) {
            self.work[number as usize].progress(received, slot.rate);
        }
    }

    /// Raises the next interrupt of a source. Returns its processor.
    fn raise_interrupt(&mut self, number: u32) -> usize {
        let source = &mut self.sources[number as usize];
        let cost = source.next_cost();
        let PlannedInterrupts { processor, kind, number: irq, device, .. } = source.planned;
        self.arrived = device.map(|(device, _)| device);
        if let Some(at) = source.at() {
            self.events.set(Due::Interrupt(number), at);
        }
        self.charge_overhead(processor.into(), kind, irq, cost);
        processor.into()
    }

    /// Handles the end of an overhead or of a thread's work.
    fn cpu_due(&mut self, cpu: usize) -> Event {
        self.serve(cpu);
        if let Some(overhead) = self.cpus[cpu].overheads.front_mut() {
            if overhead.left.is_zero() {
                self.tracer.overhead_end(self.now, cpu);
                if overhead.goes_on(self.now, &mut self.stations) {
                    self.tracer.overhead(self.now, cpu, overhead.kind, overhead.number);
                } else {
                    self.cpus[cpu].overheads.pop_front();
                    self.begin_overhead(cpu);
                }
            }
            self.rearm(cpu);
            return Event::Taken { cpu };
        }
        if let Some(number) = self.cpus[cpu].thread {
            self.work[number as usize].stop();
        }
        Event::Done { cpu }
    }

    /// Sets the instant of a processor's next event.
    #[inline]
    pub(crate) fn rearm(&mut self, cpu: usize) {
        let due = Due::Cpu(u32::from(Processor::at(cpu).0));
        let slot = &self.cpus[cpu];
        let left = match (slot.overheads.front(), slot.thread) {
            (Some(overhead), _) => Some(overhead.left),
            (None, Some(number)) => self.work[number as usize].time_left(slot.rate),
            (None, None) => None,
        };
        match left.and_then(|left| self.now.checked_add(left)) {
            Some(at) => self.events.set(due, at),
            None => self.events.cancel(due),
        }
    }

    /// Takes its thread off a processor.
    fn take_off(&mut self, change: &Change, threads: &mut [Thread]) {
        let Some((number, stop)) = change.leaves else { return };
        let slot = &mut self.cpus[change.cpu];
        (slot.thread, slot.last) = (None, Some(number));
        // Between two actions (it yielded, or its next job has a lower rank) a thread loses nothing.
        let visits = self.work[number as usize].visit.is_some_and(|(.., until)| until > self.now);
        let has_work = self.has_work(number) || visits;
        threads[number as usize].leaves(self.now, stop == Stop::Preempted, has_work);
        // One record has both the thread that leaves and the one that comes, unless the latter still has to leave another
        // processor.
        let next = change.takes.filter(|next| threads[*next as usize].cpu().is_none());
        self.cpus[change.cpu].announced = next;
        let next = next.map(ThreadId);
        self.tracer.switch(self.now, change.cpu, Some((ThreadId(number), stop)), next);
        self.rearm(change.cpu);
    }

    /// Puts a thread on a processor.
    fn put_on(&mut self, change: &Change, threads: &mut [Thread]) {
        let cpu = change.cpu;
        let Some(number) = change.takes.filter(|number| self.cpus[cpu].thread != Some(*number))
        else {
            return;
        };
        let slot = &mut self.cpus[cpu];
        debug_assert!(slot.thread.is_none(), "a processor takes up a thread before it has let go");
        slot.thread = Some(number);
        let fresh = slot.last != Some(number);
        let moved = threads[number as usize].enters(self.now, Processor::at(cpu).0);
        let work = &mut self.work[number as usize];
        work.cpu = cpu;
        if let Some(cache) = self.prices.cache.filter(|_| fresh || moved) {
            work.refill(&cache, slot.rate);
        }
        if slot.announced.take() != Some(number) {
            self.tracer.switch(self.now, cpu, None, Some(ThreadId(number)));
        }
        let switch = match &self.prices.interval_timers {
            Some(timers) if fresh => timers.costs.registers,
            Some(_) => Span::ZERO,
            None => self.prices.costs.switch,
        };
        let migration = if moved { self.prices.costs.migration } else { Span::ZERO };
        let switch = switch.saturating_add(migration);
        self.resume_visit(cpu, number);
        self.charge_overhead(cpu, OverheadKind::Switching, 0, switch);
        self.charge_visits(cpu, StationCall::Switch, 1);
        self.charge_visits(cpu, StationCall::Migration, u64::from(moved));
        if self.has_work(number) {
            self.rearm(cpu);
        }
    }
}

impl<'a> Machine for SimMachine<'a> {
    type Sink = &'a mut (dyn Sink + Send);
    const MOMENT: Span = Span::ZERO;
    const LIVE: bool = false;
    const PRECISION: Span = Span::ZERO;

    fn begin(&mut self) {
        for cpu in 0..self.cpus.len() {
            self.tracer.switch(self.now, cpu, None, None); // idle, as opposed to unknown
        }
    }

    #[inline]
    fn now(&self) -> Instant {
        self.now
    }

    #[inline]
    fn next_event(&mut self, _threads: &[Thread]) -> Option<Event> {
        if let Some(device) = self.arrived.take() {
            return Some(Event::Arrives { device });
        }
        let due = self.events.pop(self.now)?;
        Some(match due {
            Due::Cpu(cpu) => self.cpu_due(cpu as usize),
            Due::Interrupt(source) => Event::Taken { cpu: self.raise_interrupt(source) },
        })
    }

    fn account_until(&mut self, cpu: usize, _at: Instant) {
        self.account(cpu); // the simulation never accounts for an instant in the past
    }

    #[inline]
    fn account(&mut self, cpu: usize) {
        self.serve(cpu);
    }

    #[inline]
    fn next_passed(&mut self, cpu: usize) -> Option<Passed> {
        self.cpus[cpu].passed.take()
    }

    #[inline]
    fn account_taken(&mut self) {} // processors from which time is taken are accounted for one by one

    #[inline]
    fn takes_time(&self) -> bool {
        !self.sources.is_empty()
    }

    #[inline]
    fn is_taken(&self, cpu: usize) -> bool {
        !self.cpus[cpu].overheads.is_empty()
    }

    #[inline]
    fn alarm(&mut self, at: Option<Instant>) {
        self.alarm = at;
    }

    fn is_late(&mut self, _at: Instant) {}

    fn make(&mut self, _number: u32, thread: &PlannedThread) -> bool {
        self.work.push(Work::new(thread.working_set_kib));
        true
    }

    fn begin_program(&mut self, _number: u32) {} // plans with external programs are refused

    #[inline]
    fn compute(&mut self, thread: u32, work: Option<Span>) {
        let its = &mut self.work[thread as usize];
        match work {
            None => its.stop(),
            Some(span) => {
                its.set(span, self.unit);
                let cpu = its.cpu;
                self.rearm(cpu);
            }
        }
    }

    #[inline]
    fn has_work(&self, thread: u32) -> bool {
        self.work[thread as usize].is_some()
    }

    fn visit(&mut self, thread: u32, station: Station) -> bool {
        let Some(number) = self.stations.find(station) else { return false };
        let cpu = self.work[thread as usize].cpu;
        self.serve(cpu);
        self.queue_overhead(cpu, Overhead::visit(number, Some(thread), 1));
        true
    }

    fn give_up(&mut self, _thread: u32) {} // its work has been cancelled already

    fn ended(&mut self, _thread: u32) {}

    fn decided(&mut self, _change: &Change, _at: Instant) {}

    fn carry_out(&mut self, changes: &[Change], threads: &mut [Thread]) {
        changes.iter().for_each(|change| self.take_off(change, threads));
        changes.iter().for_each(|change| self.put_on(change, threads));
    }

    #[inline]
    fn charges(&self) -> bool {
        self.charges
    }

    fn charge(&mut self, cpu: usize, what: Charge) -> bool {
        match what {
            Charge::Timer => {
                let cost = self.prices.costs.timer;
                let charged = self.charge_overhead(cpu, OverheadKind::Scheduling, 0, cost);
                self.charge_visits(cpu, StationCall::Timer, 1) || charged
            }
            Charge::Call { notifications, switches, by_timer } => {
                self.charge_call(cpu, notifications, (switches, by_timer))
            }
        }
    }

    fn held_up(&mut self, cpu: usize) -> Option<Instant> {
        let (cost, until) = self.prices.interval_timers.as_mut()?.interrupts(cpu, self.now)?;
        if let Some(cost) = cost {
            self.charge_first(cpu, crate::interval_timer::INTERVAL_TIMER, cost);
        }
        Some(until)
    }

    #[inline]
    fn tracer(&mut self) -> &mut Tracer<&'a mut (dyn Sink + Send)> {
        &mut self.tracer
    }

    #[inline]
    fn traced(&self, thread: u32) -> Option<ThreadId> {
        self.tracer.is_on().then_some(ThreadId(thread))
    }

    fn declare(&mut self, number: u32, thread: &Thread, parent: Option<NodeId>) {
        let tid = number.saturating_add(1); // thread ids begin with 1
        self.tracer.thread(self.now, ThreadId(number), (tid, tid), &thread.outcome.name, parent);
    }

    fn note(
        &mut self,
        entry: &JournalEntry,
        number: impl Fn(windfall_hierarchy::ThreadId) -> Option<u32>,
    ) {
        self.tracer.entry(entry, |thread| number(thread).map(ThreadId));
    }
}
