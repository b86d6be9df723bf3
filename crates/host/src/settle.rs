//! Settles an instant: applies everything that is due, then has the processors follow.

use crate::agenda::Due;
use crate::host::Host;
use crate::machine::{Charge, Event, Machine};
use windfall_hierarchy::{
    Hierarchy, HierarchyError, JournalEvent, Message, Note, Processor, Target, ThreadId,
};
use windfall_programs::{Job, Node, ProgramRuntime};
use windfall_time::Instant;

impl<M: Machine> Host<M> {
    /// Begins the run: declares schedulers, and leaves the processors idle.
    pub fn begin(&mut self) {
        // The journal must hold an entry for each thread, and more, between two readings.
        let least = if M::LIVE { 1 << 16 } else { 4096 }; // a live machine may stand still for a while
        self.hierarchy.open_journal(least + 4 * self.threads.list.len(), false);
        let now = self.machine.now();
        self.machine.tracer().declare_nodes(now, &self.hierarchy);
        self.learn_nodes();
        self.machine.begin();
        self.set_alarm();
    }

    /// Applies everything that is due by now, and has the processors follow. In the `last` instant they do not, since no thread
    /// could run any more.
    pub fn settle(&mut self, last: bool) {
        loop {
            self.apply();
            self.supplies_end();
            self.name_what_taken_time_lost();
            if last || !self.follow() || self.has_failed() {
                break;
            }
        }
        if last || !M::LIVE {
            self.set_alarm(); // on a live machine it was set before changes were carried out
        }
    }

    /// Applies everything that is due by now.
    fn apply(&mut self) {
        self.hear();
        self.machine.account_taken();
        loop {
            let now = self.machine.now();
            while let Some((at, due)) = self.agenda.pop(now) {
                self.is_late(at);
                self.apply_due(at, due);
                if !M::LIVE {
                    self.hear();
                }
            }
            match self.hierarchy.next_timer().map(|at| self.agenda.resolution.fires(at)) {
                Some(at) if at <= now => {
                    self.is_late(at);
                    self.timers_due(now);
                }
                _ => {
                    self.step.now = now;
                    return;
                }
            }
            if !M::LIVE {
                self.step.now = now;
                return; // no time has passed
            }
        }
    }

    /// Applies all events that have happened by now, so that they count before the next action of a program.
    #[inline]
    pub fn hear(&mut self) {
        while let Some(event) = self.machine.next_event(&self.threads.list) {
            self.apply_event(event);
        }
    }

    /// Like [`hear`](Self::hear), but only if a promise to the thread is judged, because its next action divides its time.
    pub(crate) fn hear_before(&mut self, number: u32) {
        if M::LIVE && self.promises.is_judged(number) {
            self.hear();
        }
    }

    /// Notes that something which was due at `at` is handled only now.
    #[inline]
    fn is_late(&mut self, at: Instant) {
        if M::LIVE {
            self.machine.is_late(at);
        }
    }

    /// Whether the hierarchy has made a decision for a processor.
    pub fn has_chosen(&self) -> bool {
        self.hierarchy.has_changed()
    }

    /// Sets the machine's alarm to what is due first.
    pub fn set_alarm(&mut self) {
        let timer = self.hierarchy.next_timer().map(|at| self.agenda.resolution.fires(at));
        let next = match (self.agenda.next_at(), timer) {
            (Some(due), Some(timer)) => Some(due.min(timer)),
            (due, timer) => due.or(timer),
        };
        self.machine.alarm(next);
    }

    #[inline(never)]
    fn apply_event(&mut self, event: Event) {
        match event {
            Event::Taken { cpu } => self.account(cpu),
            Event::Done { cpu } => {
                self.account(cpu);
                self.act(cpu);
            }
            Event::Enters { thread, cpu, runs } => {
                self.account(cpu);
                let now = self.machine.now();
                self.threads.list[thread as usize].is_on(now, Processor::at(cpu).0, runs);
            }
            Event::Leaves { thread, cpu, stop } => {
                self.account(cpu);
                let now = self.machine.now();
                self.threads.list[thread as usize].is_off(now, stop);
            }
            Event::Arrives { device } => ProgramRuntime::arrival(self, device),
            Event::Wakes { thread, by } => self.wakes(thread, by),
            Event::Waits { thread } => self.waits(thread),
            Event::Ended { thread } => self.ends(thread),
        }
    }

    fn apply_due(&mut self, at: Instant, due: Due) {
        match due {
            Due::Request => self.request_due(),
            Due::Deadline(thread) => self.give_up(thread),
            Due::Start(thread) => self.start_thread(thread),
            Due::Timer => self.process_timers_due(),
            Due::Post => ProgramRuntime::posts_due(self),
            Due::Arrival(source) => self.arrival_due(source),
            Due::Release(thread) => ProgramRuntime::release_due(self, thread, at),
            Due::Wake(thread) => self.wake_due(thread),
            Due::Look(thread) => self.look_at_promises_of(thread),
        }
    }

    /// Calls schedulers whose timers are due. A processor of each is charged for that.
    fn timers_due(&mut self, now: Instant) {
        if M::LIVE {
            self.account_all(); // a processor may have stood still since, and deciding takes time, too
        }
        while self.hierarchy.next_timer().is_some_and(|at| at <= now) {
            if let Some(processor) = self.hierarchy.next_timer_processor() {
                self.step.payer = processor.0;
            }
            let cpu = usize::from(self.step.payer);
            if let Some(until) = self.held_up(cpu) {
                self.hierarchy.defer_timer(until);
                continue;
            }
            self.charge(cpu, Charge::Timer);
            let now = self.machine.now();
            self.call(now, Hierarchy::one_timer_due, true);
        }
    }

    /// Wakes a thread whose sleep is over.
    fn wake_due(&mut self, number: u32) {
        let last = self.threads.list[number as usize].last_cpu.map(usize::from);
        let node = self.programs.process(number).map(|process| process.handle().node());
        let cpu = last.or_else(|| Some(self.first_processor(node?)));
        match cpu.and_then(|cpu| self.held_up(cpu)) {
            Some(until) => self.agenda.set(Due::Wake(number), until),
            None => ProgramRuntime::slept(self, number),
        }
    }

    /// Handles timers of processes that are due.
    fn process_timers_due(&mut self) {
        let nodes: Vec<Node> = self.programs.due_nodes(self.machine.now()).collect();
        let until = nodes.into_iter().filter_map(|node| self.held_up(self.first_processor(node)));
        match until.max() {
            Some(until) => self.agenda.set(Due::Timer, until),
            None => ProgramRuntime::timers_due(self),
        }
    }

    /// The processor whose timer a node uses. All nodes have equally many processors.
    fn first_processor(&self, node: Node) -> usize {
        usize::from(node.0) * self.step.on.len() / self.threads.homes.len().max(1)
    }

    fn held_up(&mut self, cpu: usize) -> Option<Instant> {
        let until = self.machine.held_up(cpu)?;
        self.account(cpu);
        Some(until)
    }

    fn charge(&mut self, cpu: usize, what: Charge) {
        if self.machine.charge(cpu, what) {
            self.account(cpu);
        }
    }

    /// Calls the hierarchy, charges the cost of that and handles its journal. `None` if the call was refused.
    #[inline]
    pub(crate) fn send<T>(
        &mut self,
        call: impl FnOnce(&mut Hierarchy, Instant) -> Result<T, HierarchyError>,
    ) -> Option<T> {
        let now = self.machine.now();
        self.call(now, call, false)
    }

    /// Like [`send`](Self::send), at a time that is known already.
    #[inline]
    pub(crate) fn send_at<T>(
        &mut self,
        now: Instant,
        call: impl FnOnce(&mut Hierarchy, Instant) -> Result<T, HierarchyError>,
    ) -> Option<T> {
        self.call(now, call, false)
    }

    #[inline]
    fn call<T>(
        &mut self,
        now: Instant,
        call: impl FnOnce(&mut Hierarchy, Instant) -> Result<T, HierarchyError>,
        by_timer: bool,
    ) -> Option<T> {
        self.account_taken();
        self.log.decisions += 1;
        self.step.last_call = now;
        let answer = if self.machine.charges() {
            let payer = Processor(self.step.payer);
            let before = (self.hierarchy.notifications(), self.hierarchy.running(payer));
            let answer = call(&mut self.hierarchy, now);
            let notifications = self.hierarchy.notifications() - before.0;
            let switches = self.hierarchy.running(payer) != before.1;
            self.charge(payer.index(), Charge::Call { notifications, switches, by_timer });
            answer
        } else {
            call(&mut self.hierarchy, now)
        };
        if !self.hierarchy.journal_is_empty() {
            self.read_journal();
        }
        match answer {
            Ok(value) => Some(value),
            Err(refusal) => {
                self.log.refused.push((now, refusal.to_string()));
                None
            }
        }
    }

    fn read_journal(&mut self) {
        let entries: Vec<_> = self.hierarchy.drain_journal().collect();
        for entry in entries {
            self.step.expired.extend(entry.expired().and_then(|thread| self.number(thread)));
            self.journal_notice(&entry);
            self.task_is_noted(&entry);
            if let JournalEvent::Noted { note, about: Some(Target::Thread(_)), .. } = entry.what {
                match note {
                    Note::Admitted(_) => self.step.planned = Some(true),
                    Note::Refused(_) => self.step.planned = Some(false),
                    _ => {}
                }
            }
            let threads = &self.threads;
            self.machine.note(&entry, |id: ThreadId| threads.number(id));
            if matches!(entry.what, JournalEvent::Quarantined { .. }) {
                self.unchecked();
                self.look_at_reservations();
                self.tasks_elsewhere_are_lost();
            }
        }
    }

    /// Sends a message about a job. A scheduler that does not use such messages gets no more of them.
    pub(crate) fn send_job(&mut self, number: u32, job: Job) {
        let thread = &self.threads.list[number as usize];
        let (Some(id), true) = (thread.id, thread.reports_jobs) else {
            return;
        };
        let work = self.programs.most_work(number);
        let deadline = job.deadline.unwrap_or(Instant::MAX);
        let message = Message::Job { release: job.release, deadline, work };
        self.promise_deadline(number, job.release, deadline);
        self.step.planned = None;
        let taken = self.send(|hierarchy, now| hierarchy.try_send(now, id, message));
        let thread = &mut self.threads.list[number as usize];
        thread.reports_jobs = taken != Some(false);
        if let Some(admitted) = self.step.planned.take() {
            thread.is_planned(admitted);
        }
    }
}
