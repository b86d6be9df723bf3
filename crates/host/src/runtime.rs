//! The effects of running programs on the hierarchy, the machine and the accounts.

use crate::agenda::Due;
use crate::host::Host;
use crate::machine::Machine;
use crate::open_tasks::Source;
use windfall_hierarchy::Message;
use windfall_programs::{
    Annotation, Job, Node, OwnRequest, ProcessError, ProcessParams, Program, ProgramError,
    ProgramRuntime, RequestErrorKind, RuntimeHost, SchedulerView, Station, TaskError, TaskReply,
    TaskRequest, ThreadRequest, Urgency, Wakeup,
};
use windfall_scenario::outcome::RunError;
use windfall_time::{Instant, Span};
use windfall_trace::{Event, Figure};

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
        self.hear_before(thread);
        self.waits(thread);
    }

    #[inline]
    fn woken(&mut self, number: u32, by: Option<u32>) {
        let by = by.and_then(|by| self.machine.traced(by));
        self.wakes(number, by);
    }

    fn visit(&mut self, thread: u32, station: Station) -> bool {
        let is_there = self.machine.visit(thread, station);
        self.threads.list[thread as usize].outcome.visits.count += u64::from(is_there);
        is_there
    }

    fn yielded(&mut self, thread: u32) {
        if let Some(id) = self.threads.list[thread as usize].id {
            self.hear_before(thread);
            self.send(|hierarchy, now| hierarchy.yielded(now, id));
        }
    }

    fn exited(&mut self, number: u32) {
        if M::LIVE {
            self.hear(); // its processor time must be accounted for before it is forgotten
        }
        self.ends(number);
    }

    fn spawn(
        &mut self,
        node: Node,
        params: ProcessParams,
        program: &Program,
    ) -> Result<u32, ProcessError> {
        self.spawn_process(node, params, program)
    }

    fn request_own(&mut self, thread: u32, request: &OwnRequest) -> Result<(), RequestErrorKind> {
        let answer = self.own_request(thread, request);
        if let (Err(why), None) = (&answer, self.programs.process(thread)) {
            // No body hears of it.
            let name = &self.threads.list[thread as usize].outcome.name;
            let why = format!("`{name}` for itself: {request}: refused: {why}");
            if !self.log.refused.iter().any(|(_, known)| *known == why) {
                self.log.refused.push((self.machine.now(), why));
            }
        }
        answer
    }

    fn query(&mut self, thread: u32, family: &str) -> Option<Vec<SchedulerView>> {
        Some(self.show_family(thread, family))
    }

    fn request(&mut self, thread: u32, request: &ThreadRequest) -> Result<(), RequestErrorKind> {
        self.thread_request(thread, request)
    }

    fn task(&mut self, thread: u32, request: TaskRequest) -> Result<TaskReply, TaskError> {
        self.task_request_of(Source::Process, thread, request)
    }

    fn annotated(&mut self, thread: u32, what: Annotation) {
        match what {
            Annotation::Count(name, count) => self.keeps(thread, name, Figure::Count(count)),
            Annotation::Time(name, span) => self.keeps(thread, name, Figure::Time(span)),
            Annotation::Mark(text) => {
                self.record(thread, |thread| Event::Mark { thread: Some(thread), text });
            }
            Annotation::Begins(text) => {
                self.record(thread, |thread| Event::ActivityBegins { thread, text });
            }
            Annotation::Ends => self.record(thread, |thread| Event::ActivityEnds { thread }),
        }
    }

    fn wants_notices(&mut self, thread: u32) {
        self.watch_promises(thread, true);
    }

    fn submitted(&mut self, thread: u32, job: Job) -> Option<u32> {
        self.submit(thread, job)
    }

    fn task_ended(&mut self, thread: u32, task: u32) {
        self.end_task(thread, task);
    }

    #[inline]
    fn released(&mut self, thread: u32, job: Job) {
        self.threads.list[thread as usize].outcome.release(job.deadline.is_some());
        let at = if M::LIVE { job.release } else { self.machine.now() };
        self.record_at(at, thread, |thread| Event::Release { thread, deadline: job.deadline });
    }

    #[inline]
    fn begins(&mut self, thread: u32, job: Job) {
        self.send_job(thread, job);
    }

    #[inline]
    fn completed(&mut self, thread: u32, job: Job) {
        if let (true, true, Some(cpu)) =
            (M::LIVE, self.machine.tracer().is_on(), self.threads.list[thread as usize].cpu)
        {
            self.hear(); // the trace must show its time before its completion
            self.account(usize::from(cpu));
        }
        let now = self.machine.now();
        let (missed, response) = (job.is_late(now), now.saturating_since(job.release));
        self.threads.list[thread as usize].goes_on();
        let outcome = &mut self.threads.list[thread as usize].outcome;
        outcome.complete(job.release, now.max(job.release), missed);
        self.record_at(now, thread, |thread| Event::Complete { thread, response, missed });
    }

    fn aborted(&mut self, thread: u32) {
        self.machine.compute(thread, None);
        let state = &mut self.threads.list[thread as usize];
        if !std::mem::take(&mut state.refused) {
            state.outcome.abort();
        }
        self.record(thread, |thread| Event::Abort { thread });
    }

    fn goes_on(&mut self, thread: u32, job: Job, missed: bool) {
        let thread = &mut self.threads.list[thread as usize];
        let refused = thread.goes_on();
        thread.outcome.missed += u64::from(missed && !refused);
        if let Some(id) = thread.id {
            let release = job.release;
            let message = Message::Job { release, deadline: Instant::MAX, work: None };
            self.send(|hierarchy, now| hierarchy.send(now, id, message));
        }
    }

    fn runs_at(&mut self, thread: u32, urgency: Urgency) {
        self.lend_rank(thread, urgency);
    }

    fn program_failed(&mut self, thread: u32, error: ProgramError) {
        let name = self.threads.list[thread as usize].outcome.name.clone();
        self.log.failure = Some(RunError::of(error, name, self.machine.now()));
    }
}
