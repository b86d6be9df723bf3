//! What programs under way do to the hierarchy, their machine and the books.

use crate::agenda::Due;
use crate::host::Host;
use crate::machine::Machine;
use windfall_hierarchy::Message;
use windfall_programs::{
    Job, Node, ProcessError, ProcessParams, Program, ProgramError, ProgramRuntime, RuntimeHost,
    Wakeup,
};
use windfall_scenario::outcome::RunError;
use windfall_time::{Instant, Span};
use windfall_trace::{Event, ThreadId};

impl<M: Machine> RuntimeHost for Host<M> {
    const MOMENT: Span = M::MOMENT;

    #[inline]
    fn programs(&mut self) -> &mut ProgramRuntime {
        &mut self.programs
    }

    #[inline]
    fn now(&self) -> Instant {
        self.machine.now()
    }

    #[inline]
    fn schedule_wakeup(&mut self, thread: u32, wakeup: Wakeup, at: Instant) {
        let fires = |agenda: &crate::agenda::Agenda| agenda.resolution.fires(at);
        match wakeup {
            Wakeup::Wake => self.agenda.set(Due::Wake(thread), fires(&self.agenda)),
            Wakeup::Release => self.agenda.set(Due::Release(thread), at),
            Wakeup::Deadline => self.agenda.set(Due::Deadline(thread), at),
            Wakeup::Timer => self.agenda.set(Due::Timer, fires(&self.agenda)),
            Wakeup::Post => self.agenda.set(Due::Post, at),
        }
    }

    #[inline]
    fn blocked(&mut self, thread: u32) {
        self.promise_sleeps(thread);
        self.machine.compute(thread, None);
        let now = self.machine.now();
        let thread = &mut self.threads.list[thread as usize];
        thread.sleeps(now);
        if let Some(id) = thread.id {
            self.send(|hierarchy, now| hierarchy.blocked(now, id));
        }
    }

    #[inline]
    fn woken(&mut self, number: u32, by: Option<u32>) {
        let now = self.machine.now();
        let thread = &mut self.threads.list[number as usize];
        let Some(id) = thread.id else { return };
        thread.wakes(now);
        let last_cpu = thread.last_cpu;
        self.promise_wakes(number);
        if let Some(cpu) = last_cpu {
            self.step.payer = cpu;
        }
        let event = || Event::Wake { thread: ThreadId(number), by: by.map(ThreadId) };
        self.machine.tracer().record(now, event);
        self.send(|hierarchy, now| hierarchy.ready(now, id));
    }

    fn yielded(&mut self, thread: u32) {
        if let Some(id) = self.threads.list[thread as usize].id {
            self.send(|hierarchy, now| hierarchy.yielded(now, id));
        }
    }

    fn exited(&mut self, number: u32) {
        self.promise_sleeps(number);
        self.machine.compute(number, None);
        let now = self.machine.now();
        let thread = &mut self.threads.list[number as usize];
        thread.sleeps(now);
        let Some(id) = thread.id else { return };
        self.agenda.cancel(Due::Release(number));
        self.attribute(number as usize);
        let (parent, stats) = (self.parent(Some(id)), self.counted(id));
        let outcome = &mut self.threads.list[number as usize].outcome;
        (outcome.parent, outcome.stats) = (parent, stats);
        self.send(|hierarchy, now| hierarchy.exited(now, id));
        self.machine.tracer().record(now, || Event::Exit { thread: ThreadId(number) });
    }

    fn spawn(
        &mut self,
        node: Node,
        params: ProcessParams,
        program: &Program,
    ) -> Result<u32, ProcessError> {
        self.spawn_process(node, params, program)
    }

    #[inline]
    fn released(&mut self, thread: u32, job: Job) {
        let now = self.machine.now();
        self.threads.list[thread as usize].outcome.release(job.deadline.is_some());
        let event = || Event::Release { thread: ThreadId(thread), deadline: job.deadline };
        self.machine.tracer().record(now, event);
    }

    #[inline]
    fn begins(&mut self, thread: u32, job: Job) {
        self.send_job(thread, job);
    }

    #[inline]
    fn completed(&mut self, thread: u32, job: Job) {
        let now = self.machine.now();
        let (missed, response) = (job.is_late(now), now - job.release);
        self.threads.list[thread as usize].outcome.complete(job.release, now, missed);
        let event = || Event::Complete { thread: ThreadId(thread), response, missed };
        self.machine.tracer().record(now, event);
    }

    fn aborted(&mut self, thread: u32) {
        let now = self.machine.now();
        self.machine.compute(thread, None);
        self.threads.list[thread as usize].outcome.abort();
        self.machine.tracer().record(now, || Event::Abort { thread: ThreadId(thread) });
    }

    fn goes_on(&mut self, thread: u32, job: Job, missed: bool) {
        let thread = &mut self.threads.list[thread as usize];
        thread.outcome.missed += u64::from(missed);
        if let Some(id) = thread.id {
            let release = job.release;
            let message = Message::Job { release, deadline: Instant::MAX, work: None };
            self.send(|hierarchy, now| hierarchy.send(now, id, message));
        }
    }

    fn program_failed(&mut self, thread: u32, error: ProgramError) {
        let name = self.threads.list[thread as usize].spec.name.clone();
        self.log.failure = Some(RunError::of(error, name, self.machine.now()));
    }
}
