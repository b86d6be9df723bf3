//! What a program's actions do to the machine.

use crate::cpu::ENDLESS;
use crate::events::Due;
use crate::run::Sim;
use windfall_hierarchy::{Message, Processor};
use windfall_programs::{
    Job, Node, ProcessError, ProcessParams, Program, ProgramError, ProgramRuntime, Progress,
    RuntimeHost, Wakeup,
};
use windfall_scenario::outcome::RunError;
use windfall_time::{Instant, Span};
use windfall_trace::{Event, ThreadId};

impl Sim<'_> {
    /// Lets the thread on a processor act until it computes, waits, or loses the processor.
    pub(crate) fn drive(&mut self, cpu: usize) {
        let processor = Processor::at(cpu);
        self.event_cpu = processor.0;
        loop {
            let Some(number) = self.cpus[cpu].thread else {
                return;
            };
            let wanted = self.hierarchy.running(processor);
            let thread = &self.threads[number as usize];
            if wanted != thread.id || !thread.asks || !self.cpus[cpu].overheads.is_empty() {
                return; // it acts when it gets the processor back, or when the overhead is over
            }
            match ProgramRuntime::step(self, number) {
                Progress::Work(work) => {
                    let thread = &mut self.threads[number as usize];
                    thread.asks = false;
                    thread.left = if work == Span::MAX {
                        ENDLESS
                    } else {
                        work.as_nanos().saturating_mul(self.unit)
                    };
                    return self.rearm(cpu);
                }
                Progress::Acted if self.failure.is_none() => {}
                Progress::Acted | Progress::Waits => return,
            }
        }
    }

    /// A thread's job is to be given up.
    pub(crate) fn give_up(&mut self, number: u32) {
        if let Some(cpu) = self.threads[number as usize].cpu {
            self.account(usize::from(cpu));
        }
        if ProgramRuntime::abort(self, number)
            && let Some(cpu) = self.threads[number as usize].cpu
        {
            self.eager.push(cpu);
        }
    }
}

impl RuntimeHost for Sim<'_> {
    const MOMENT: Span = Span::ZERO;

    #[inline]
    fn programs(&mut self) -> &mut ProgramRuntime {
        &mut self.players
    }

    #[inline]
    fn now(&self) -> Instant {
        self.now
    }

    #[inline]
    fn schedule_wakeup(&mut self, player: u32, cue: Wakeup, at: Instant) {
        match cue {
            Wakeup::Wake => self.events.set(Due::Wake(player), self.machine.timer.fires(at)),
            Wakeup::Release => self.events.set(Due::Release(player), at),
            Wakeup::Deadline => self.events.set(Due::Deadline(player), at),
            Wakeup::Timer => self.events.set(Due::Timer, self.machine.timer.fires(at)),
            Wakeup::Post => self.events.set(Due::Letter, at),
        }
    }

    #[inline]
    fn blocked(&mut self, player: u32) {
        self.promise_sleeps(player);
        let thread = &mut self.threads[player as usize];
        thread.asks = true;
        thread.stops(self.now);
        if let Some(id) = thread.id {
            self.tell(|hierarchy, now| hierarchy.blocked(now, id));
        }
    }

    #[inline]
    fn woken(&mut self, player: u32, by: Option<u32>) {
        let now = self.now;
        let thread = &mut self.threads[player as usize];
        let Some(id) = thread.id else { return };
        thread.awake = now;
        thread.unserved = Some(now);
        thread.stats.wakeups += 1;
        let last_cpu = thread.last_cpu;
        self.promise_wakes(player);
        if let Some(cpu) = last_cpu {
            self.event_cpu = cpu;
        }
        self.tracer.record(now, || Event::Wake { thread: ThreadId(player), by: by.map(ThreadId) });
        self.tell(|hierarchy, now| hierarchy.ready(now, id));
    }

    fn yielded(&mut self, player: u32) {
        if let Some(id) = self.threads[player as usize].id {
            self.tell(|hierarchy, now| hierarchy.yielded(now, id));
        }
    }

    fn exited(&mut self, player: u32) {
        self.promise_sleeps(player);
        let thread = &mut self.threads[player as usize];
        thread.asks = false;
        thread.stops(self.now);
        let Some(id) = thread.id else { return };
        self.events.cancel(Due::Release(player));
        self.attribute(player as usize);
        let parent = self.parent(Some(id));
        self.threads[player as usize].stats.parent = parent;
        self.threads[player as usize].stats.stats = self.counted(id);
        self.tell(|hierarchy, now| hierarchy.exited(now, id));
        self.tracer.record(self.now, || Event::Exit { thread: ThreadId(player) });
    }

    fn spawn(
        &mut self,
        node: Node,
        terms: ProcessParams,
        program: &Program,
    ) -> Result<u32, ProcessError> {
        self.conceive(node, terms, program)
    }

    #[inline]
    fn released(&mut self, player: u32, job: Job) {
        self.threads[player as usize].stats.release(job.deadline.is_some());
        let event = || Event::Release { thread: ThreadId(player), deadline: job.deadline };
        self.tracer.record(self.now, event);
    }

    #[inline]
    fn begins(&mut self, player: u32, job: Job) {
        self.tell_job(player, job);
    }

    #[inline]
    fn completed(&mut self, player: u32, job: Job) {
        let (now, missed) = (self.now, job.is_late(self.now));
        self.threads[player as usize].stats.complete(job.release, now, missed);
        self.tracer.record(now, || Event::Complete {
            thread: ThreadId(player),
            response: now - job.release,
            missed,
        });
    }

    fn aborted(&mut self, player: u32) {
        let thread = &mut self.threads[player as usize];
        thread.left = 0;
        thread.asks = true;
        thread.stats.abort();
        self.tracer.record(self.now, || Event::Abort { thread: ThreadId(player) });
    }

    fn goes_on(&mut self, player: u32, job: Job, missed: bool) {
        let thread = &mut self.threads[player as usize];
        thread.stats.missed += u64::from(missed);
        if let Some(id) = thread.id {
            let release = job.release;
            let message = Message::Job { release, deadline: Instant::MAX, work: None };
            self.tell(|hierarchy, now| hierarchy.send(now, id, message));
        }
    }

    fn program_failed(&mut self, player: u32, mishap: ProgramError) {
        let thread = self.threads[player as usize].spec.name.clone();
        self.failure = Some(RunError::of(mishap, thread, self.now));
    }
}
