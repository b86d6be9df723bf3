//! Calls of processes: a call's cost is spent first, then the call is carried out, then the threads that it wakes
//! are woken.
//!
//! Invariant: a process whose call waits repeats the call, without its cost, when it is woken, unless the wake-up
//! answered the call.

use super::{Condition, ProgramError, ProgramRuntime, RunningProgram, RuntimeHost, Wakeup};
use crate::action::{Action, Station};
use crate::control::{ThreadRequest, ThreadRequestError};
use crate::process::{
    Answer, Call, CallKind, CallOutcome, Device, Event, NewProcess, Node, ProcessError,
    ProcessHandle, Reply,
};
use crate::program::Program;
use crate::request::{Notices, OwnRequest, RequestError};
use crate::task::{TaskError, TaskReply, TaskRequest};
use windfall_time::{Instant, Span};

/// The next cost of a call.
pub(super) enum Charge {
    /// Nothing more.
    Nothing,
    /// Its cost, as work.
    Work(Span),
    /// A visit of a station.
    Visit(Station),
}

impl ProgramRuntime {
    /// Has each call of a kind visit a station, when its cost has been spent and before it has its effect.
    pub fn visits(&mut self, call: CallKind, station: Station) {
        self.visits.entry(call).or_default().push(station);
    }

    /// Begins a visit of a station, which takes time. A host without stations ends the program.
    pub(super) fn visit<S: RuntimeHost>(host: &mut S, number: u32, station: Station) {
        host.programs().at(number).idle_actions.1 = 0;
        if !host.visit(number, station) {
            host.program_failed(number, ProgramError::NoStation);
        }
    }

    /// The next cost of a call before it has its effect. The call is then requested again.
    pub(super) fn charge(&mut self, number: u32, action: &Action) -> Charge {
        let ProgramRuntime { list, system, visits, .. } = self;
        let running = list.get_mut(number as usize);
        let (Some(RunningProgram { process: Some(me), charged, .. }), Action::Call(call)) =
            (running, action)
        else {
            return Charge::Nothing;
        };
        if *charged == 0 {
            *charged = 1;
            let cost = system.cost(*me, call);
            if !cost.is_zero() {
                return Charge::Work(cost);
            }
        }
        if visits.is_empty() {
            return Charge::Nothing;
        }
        let stations = visits.get(&call.kind()).map_or(&[][..], Vec::as_slice);
        match stations.get(*charged - 1) {
            Some(station) => {
                *charged += 1;
                Charge::Visit(*station)
            }
            None => Charge::Nothing,
        }
    }

    /// Carries out a call.
    pub(super) fn call<S: RuntimeHost>(host: &mut S, number: u32, call: Call) {
        let Some(me) = host.programs().at(number).process else { return };
        let now = host.now();
        match host.programs().system.call(me, &call, now) {
            CallOutcome::Waits => {
                host.programs().at(number).resumed = Some(Action::Call(call));
                ProgramRuntime::block(host, number, Condition::InCall);
            }
            CallOutcome::Done(answer) => {
                let answer = match call {
                    Call::MakeProcess(new) => ProgramRuntime::make(host, *new),
                    Call::Notices(_) if answer.is_ok() => {
                        host.wants_notices(number);
                        answer
                    }
                    _ => answer,
                };
                let thread = host.programs().at(number);
                thread.charged = 0;
                thread.body.answer(answer);
            }
        }
        ProgramRuntime::rouse(host);
    }

    /// Has the host carry out a request of a thread for itself, and gives the body the answer.
    pub(super) fn request_own<S: RuntimeHost>(host: &mut S, number: u32, request: OwnRequest) {
        let answer =
            host.request_own(number, &request).map_err(|why| RequestError::new(request, why));
        host.programs().at(number).body.own_answered(answer);
    }

    /// Shows a process the schedulers of a family.
    pub(super) fn query<S: RuntimeHost>(host: &mut S, number: u32, family: &str) {
        let shown = host.query(number, family);
        host.programs().at(number).body.shown(shown);
    }

    /// Has the host carry out a request of a process for a thread, and gives the body the answer.
    pub(super) fn request<S: RuntimeHost>(host: &mut S, number: u32, request: ThreadRequest) {
        let answer = host.request(number, &request);
        let answer = answer.map_err(|why| ThreadRequestError::new(request, why));
        host.programs().at(number).body.answered(answer);
    }

    /// Has the host carry out a request about tasks, and gives the body the answer.
    pub(super) fn task<S: RuntimeHost>(
        host: &mut S,
        number: u32,
        of: Option<ProcessHandle>,
        request: TaskRequest,
    ) {
        let system = &mut host.programs().system;
        let whose = of.map_or(Ok(number), |process| {
            system.takes_tasks(process).ok_or(TaskError::NotOpen { process })
        });
        let answer = whose.and_then(|whose| match request {
            TaskRequest::Assign { work, deadline, event } => {
                let system = &mut host.programs().system;
                let owns = of.map_or(Ok(()), |process| system.owns(process, event));
                owns.map_err(|why| TaskError::NotPosted { why })?;
                let reply = host.task(whose, TaskRequest::Submit { work, deadline })?;
                ProgramRuntime::post_task(host, (number, whose), reply, event)
            }
            other => host.task(whose, other),
        });
        let programs = host.programs();
        if let (Ok(TaskReply::Opened), Some(me)) = (&answer, programs.process(number)) {
            programs.system.open_tasks(me);
        }
        programs.at(number).body.task_answered(answer);
    }

    /// Posts the number of a task that was admitted to an event of the process that is to do it; if that cannot be, the task is withdrawn.
    fn post_task<S: RuntimeHost>(
        host: &mut S,
        (number, whose): (u32, u32),
        reply: TaskReply,
        event: Event,
    ) -> Result<TaskReply, TaskError> {
        let now = host.now();
        let programs = host.programs();
        let (TaskReply::Admitted(task), Some(me)) = (reply, programs.process(number)) else {
            return Ok(reply);
        };
        let datum = u64::from(task.number());
        let posted = programs.system.call(me, &Call::Post { event, datum }, now);
        ProgramRuntime::rouse(host);
        match posted {
            CallOutcome::Done(Err(why)) => {
                host.task(whose, TaskRequest::Withdraw(task))?;
                Err(TaskError::NotPosted { why })
            }
            CallOutcome::Done(Ok(_)) | CallOutcome::Waits => Ok(reply),
        }
    }

    /// The family of schedulers whose threads a process may have changed.
    #[must_use]
    pub fn controls(&self, number: u32) -> Option<&str> {
        self.list.get(number as usize)?.controls.as_deref()
    }

    /// Whether a thread is a process that has notices posted.
    #[must_use]
    pub fn wants_notices(&self, number: u32) -> bool {
        self.process(number).is_some_and(|process| self.system.wants_notices(process))
    }

    /// Posts notices to a process that wants them.
    pub fn notify<S: RuntimeHost>(host: &mut S, number: u32, notices: Notices) {
        let programs = host.programs();
        if let Some(process) = programs.process(number) {
            programs.system.notice(process, notices);
            ProgramRuntime::rouse(host);
        }
    }

    /// Makes a process, if template, node and parameters are valid and the host admits it.
    fn make<S: RuntimeHost>(host: &mut S, new: NewProcess) -> Answer {
        let NewProcess { template, params, start } = new;
        let node = start.node();
        host.programs().system.check_process((template, start.name()), node, params)?;
        let number = host.spawn(node, params, &Program::Process(start))?;
        let process = host.programs().at(number).process;
        process.map(Reply::made).ok_or(ProcessError::NotAdmitted { node })
    }

    /// Wakes the threads that calls and posts have woken, and requests wake-ups for later timers and posts.
    fn rouse<S: RuntimeHost>(host: &mut S) {
        while let Some(woken) = host.programs().system.woken.pop_front() {
            let thread = host.programs().at(woken.thread);
            if woken.done {
                (thread.resumed, thread.charged) = (None, 0);
                thread.body.answer(Ok(Reply::DONE));
            }
            ProgramRuntime::wake(host, woken.thread, woken.by);
        }
        let ProgramRuntime { system, scheduled: cued, .. } = host.programs();
        let due = [system.agenda.next_timer(), system.agenda.next_post()];
        let before = std::mem::replace(cued, due);
        for ((wakeup, at), before) in [Wakeup::Timer, Wakeup::Post].into_iter().zip(due).zip(before)
        {
            if let Some(at) = at.filter(|_| at != before) {
                let now = host.now();
                host.schedule_wakeup(0, wakeup, at.max(now));
            }
        }
    }

    /// The nodes of processes whose timers are due.
    pub fn due_nodes(&self, now: Instant) -> impl Iterator<Item = Node> + '_ {
        self.system.agenda.due_nodes(now)
    }

    /// Handles the timers of processes that are due.
    pub fn timers_due<S: RuntimeHost>(host: &mut S) {
        let now = host.now();
        let threads = host.programs();
        threads.scheduled[0] = None;
        threads.system.timers_due(now);
        ProgramRuntime::rouse(host);
    }

    /// Delivers posts that have arrived from other nodes.
    pub fn posts_due<S: RuntimeHost>(host: &mut S) {
        let now = host.now();
        let threads = host.programs();
        threads.scheduled[1] = None;
        threads.system.deliver_due(now);
        ProgramRuntime::rouse(host);
    }

    /// Adds a device, whose posts bring this datum, or the number of the arrival.
    pub fn add_device(&mut self, device: Device, datum: Option<u64>) {
        self.system.add_device(device, datum);
    }

    /// Something has arrived at a device.
    pub fn arrival<S: RuntimeHost>(host: &mut S, device: Device) {
        host.programs().system.arrival(device);
        ProgramRuntime::rouse(host);
    }

    /// Puts a datum into the queue that processes know by this name, as [`enqueue`](crate::Process::enqueue) does.
    ///
    /// # Errors
    /// As there; and when no process has made such a queue.
    pub fn enqueue<S: RuntimeHost>(
        host: &mut S,
        queue: &str,
        datum: u64,
    ) -> Result<(), ProcessError> {
        let now = host.now();
        host.programs().system.enqueue_named(queue, datum, now)?;
        ProgramRuntime::rouse(host);
        Ok(())
    }

    /// The handle of a thread that is a process; else `None`.
    #[must_use]
    pub fn process(&self, number: u32) -> Option<ProcessHandle> {
        self.list.get(number as usize)?.process
    }
}
