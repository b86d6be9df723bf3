//! Runs the async body of a process as a program: polls it by hand, one action at a time.
//!
//! The body's side puts an action into the slot and is pending. The host's side takes the action, carries it out,
//! puts the answer into the slot, and polls again. Nothing else wakes a body.

use super::start::Start;
use super::{
    Annotate, Annotation, Answer, Call, Code, Device, Event, EventId, Handle, NewProcess, Node,
    Posted, Process, ProcessError, ProcessHandle, ProcessParams, Queue, Reply, Tasks, Template,
};
use crate::action::{Action, Body};
use crate::control::{SchedulerView, ThreadRequest, ThreadRequestError};
use crate::request::{OwnRequest, RequestError};
use crate::runtime::{Job, ProgramError};
use crate::task::{TaskError, TaskReply, TaskRequest};
use core::future::poll_fn;
use core::pin::Pin;
use core::task::{Context, Poll, Waker};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use windfall_time::{Instant, Span};

/// The life of a process, from its first call to its end.
pub(super) type Life = Pin<Box<dyn Future<Output = Result<(), ProcessError>> + Send>>;

/// The body of a process that was not admitted.
pub(super) struct NotAdmitted(pub(super) ProcessError);

impl Body for NotAdmitted {
    fn next(&mut self, _: Instant) -> Action {
        Action::Fail(ProgramError::Refused(self.0))
    }
}

/// The exchange between a body and its host.
#[derive(Default)]
struct CallSlot {
    now: Instant,
    requested: Option<Action>,
    /// The job that begins when its sleep ends.
    begins: Option<Job>,
    answer: Option<Answer>,
    /// Why its last request for itself was refused, if it was.
    refused: Option<RequestError>,
    /// The answer to its last query.
    shown: Option<Vec<SchedulerView>>,
    /// The answer to its last request for another.
    thread_refused: Option<ThreadRequestError>,
    /// The answer to what it asked about its tasks last.
    task: Option<Result<TaskReply, TaskError>>,
}

fn open(slot: &Mutex<CallSlot>) -> MutexGuard<'_, CallSlot> {
    slot.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The host's side.
pub(super) struct Polled {
    slot: Arc<Mutex<CallSlot>>,
    life: Life,
}

impl Polled {
    /// The process with this handle, at the beginning of its life.
    pub(super) fn new(me: ProcessHandle, life: &dyn Fn(HostedProcess) -> Life) -> Polled {
        let slot = Arc::new(Mutex::new(CallSlot::default()));
        let life = life(HostedProcess { me, slot: slot.clone() });
        Polled { slot, life }
    }
}

impl Body for Polled {
    fn next(&mut self, now: Instant) -> Action {
        open(&self.slot).now = now;
        let life = self.life.as_mut();
        // After a panic the body is not polled again, because the run ends.
        let polled =
            catch_unwind(AssertUnwindSafe(|| life.poll(&mut Context::from_waker(Waker::noop()))));
        match polled {
            Ok(Poll::Ready(Ok(()))) => Action::Exit,
            Ok(Poll::Ready(Err(refusal))) => {
                // A body may return this error by itself, with no request refused.
                let request = match refusal {
                    ProcessError::RequestError => open(&self.slot).refused.take(),
                    _ => None,
                };
                Action::Fail(request.map_or(ProgramError::Refused(refusal), |request| {
                    ProgramError::RequestRefused(Box::new(request))
                }))
            }
            Ok(Poll::Pending) => {
                let requested = open(&self.slot).requested.take();
                requested.unwrap_or(Action::Fail(ProgramError::Foreign))
            }
            Err(_) => Action::Fail(ProgramError::Panicked),
        }
    }

    fn begins_awake(&mut self) -> Option<Job> {
        open(&self.slot).begins.take()
    }

    fn answer(&mut self, answer: Answer) {
        open(&self.slot).answer = Some(answer);
    }

    fn own_answered(&mut self, answer: Result<(), RequestError>) {
        open(&self.slot).refused = answer.err();
    }

    fn shown(&mut self, shown: Option<Vec<SchedulerView>>) {
        open(&self.slot).shown = shown;
    }

    fn answered(&mut self, answer: Result<(), ThreadRequestError>) {
        open(&self.slot).thread_refused = answer.err();
    }

    fn task_answered(&mut self, answer: Result<TaskReply, TaskError>) {
        open(&self.slot).task = Some(answer);
    }
}

/// The body's side: a process whose actions a host carries out one by one.
pub(super) struct HostedProcess {
    me: ProcessHandle,
    slot: Arc<Mutex<CallSlot>>,
}

impl HostedProcess {
    /// Has the host carry out an action.
    async fn act(&self, action: Action) -> Option<Answer> {
        let mut action = Some(action);
        poll_fn(move |_| {
            let mut slot = open(&self.slot);
            if let Some(action) = action.take() {
                (slot.requested, slot.answer) = (Some(action), None);
            }
            if slot.requested.is_some() { Poll::Pending } else { Poll::Ready(slot.answer.take()) }
        })
        .await
    }

    /// Has the host carry out a call.
    async fn call(&self, call: Call) -> Answer {
        self.act(Action::Call(call)).await.unwrap_or(Ok(Reply::DONE))
    }

    /// Like [`call`](Self::call), for calls that are never refused.
    async fn number(&self, call: Call) -> u64 {
        self.call(call).await.ok().and_then(|reply| reply.datum).unwrap_or(0)
    }

    async fn posted(&self, call: Call) -> Result<Posted, ProcessError> {
        let Reply { handle, datum } = self.call(call).await?;
        Ok(Posted { event: Event::from_handle(handle), datum: datum.unwrap_or(0) })
    }
}

impl Tasks for HostedProcess {
    async fn task(
        &mut self,
        of: Option<ProcessHandle>,
        request: TaskRequest,
    ) -> Result<TaskReply, TaskError> {
        self.act(Action::Task(of, request)).await;
        open(&self.slot).task.take().unwrap_or(Err(TaskError::NotHere))
    }
}

impl Annotate for HostedProcess {
    async fn job_at(&mut self, release: Instant, deadline: Instant) {
        self.job_done().await;
        open(&self.slot).begins = Some(Job::new(release, Some(deadline)));
        self.act(Action::SleepUntil(release)).await;
        // Otherwise it began when the sleep ended.
        let late = open(&self.slot).begins.take();
        if let Some(Job { release, deadline, .. }) = late {
            self.act(Action::JobBegins { release, deadline }).await;
        }
    }

    async fn job_done(&mut self) {
        self.act(Action::JobDone).await;
    }

    async fn annotate(&mut self, what: Annotation) {
        self.act(Action::Annotate(what)).await;
    }
}

impl Process for HostedProcess {
    fn me(&self) -> ProcessHandle {
        self.me
    }

    async fn now(&mut self) -> Instant {
        Instant::from_nanos(self.number(Call::Now).await)
    }

    async fn compute(&mut self, work: Span) {
        self.act(Action::Compute(work)).await;
    }

    async fn sleep_until(&mut self, at: Instant) {
        // A job that its body no longer waits for does not begin.
        open(&self.slot).begins = None;
        self.act(Action::SleepUntil(at)).await;
    }

    async fn yield_now(&mut self) {
        self.act(Action::Yield).await;
    }

    async fn request_own(&mut self, request: OwnRequest) -> Result<(), RequestError> {
        self.act(Action::OwnRequest(request)).await;
        open(&self.slot).refused.clone().map_or(Ok(()), Err)
    }

    async fn query(&mut self, family: &str) -> Result<Vec<SchedulerView>, ProcessError> {
        self.act(Action::Query(family.to_owned())).await;
        let shown = open(&self.slot).shown.take();
        shown.ok_or(ProcessError::NotHere { why: "this host has no schedulers" })
    }

    async fn request(&mut self, request: ThreadRequest) -> Result<(), ThreadRequestError> {
        self.act(Action::Request(request)).await;
        open(&self.slot).thread_refused.take().map_or(Ok(()), Err)
    }

    async fn notices(&mut self, event: Event) -> Result<(), ProcessError> {
        self.call(Call::Notices(event)).await.map(|_| ())
    }

    async fn make_template<C: Code>(&mut self, node: Node) -> Result<Template<C>, ProcessError> {
        let call = Call::MakeTemplate { node, name: C::NAME, kib: C::KIB };
        Ok(Template::from_handle(self.call(call).await?.handle))
    }

    async fn make_process<C: Code>(
        &mut self,
        template: Template<C>,
        node: Node,
        params: ProcessParams,
        code: C,
    ) -> Result<ProcessHandle, ProcessError> {
        let new = NewProcess { template: template.handle(), params, start: Start::new(node, code) };
        let call = Call::MakeProcess(Box::new(new));
        Ok(ProcessHandle::from_handle(self.call(call).await?.handle))
    }

    async fn make_event(&mut self) -> Result<Event, ProcessError> {
        Ok(Event::from_handle(self.call(Call::MakeEvent).await?.handle))
    }

    async fn post(&mut self, event: Event, datum: u64) -> Result<(), ProcessError> {
        self.call(Call::Post { event, datum }).await.map(|_| ())
    }

    async fn reset(&mut self, event: Event) -> Result<Option<u64>, ProcessError> {
        Ok(self.call(Call::Reset(event)).await?.datum)
    }

    async fn test(&mut self, event: Event) -> Result<Option<u64>, ProcessError> {
        Ok(self.call(Call::Test(event)).await?.datum)
    }

    async fn wait(&mut self) -> Result<Posted, ProcessError> {
        self.posted(Call::Wait).await
    }

    async fn mwait(&mut self, set: &[Event]) -> Result<Posted, ProcessError> {
        self.posted(Call::MWait(set.to_vec())).await
    }

    async fn post_at(&mut self, event: Event, datum: u64, at: Instant) -> Result<(), ProcessError> {
        self.call(Call::PostAt { event, datum, at }).await.map(|_| ())
    }

    async fn cancel(&mut self, event: Event) -> Result<bool, ProcessError> {
        Ok(self.call(Call::Cancel(event)).await?.datum == Some(1))
    }

    async fn attach(&mut self, device: Device, event: Event) -> Result<(), ProcessError> {
        self.call(Call::Attach { device, event }).await.map(|_| ())
    }

    async fn detach(&mut self, device: Device) -> Result<bool, ProcessError> {
        Ok(self.call(Call::Detach(device)).await?.datum == Some(1))
    }

    async fn make_queue(&mut self, node: Node, capacity: usize) -> Result<Queue, ProcessError> {
        let call = Call::MakeQueue { node, capacity };
        Ok(Queue::from_handle(self.call(call).await?.handle))
    }

    async fn named_queue(&mut self, name: &str, capacity: usize) -> Result<Queue, ProcessError> {
        let call = Call::NamedQueue { name: name.to_owned(), capacity };
        Ok(Queue::from_handle(self.call(call).await?.handle))
    }

    async fn enqueue(&mut self, queue: Queue, datum: u64) -> Result<(), ProcessError> {
        self.call(Call::Enqueue { queue, datum }).await.map(|_| ())
    }

    async fn dequeue(&mut self, queue: Queue, event: Event) -> Result<Option<u64>, ProcessError> {
        Ok(self.call(Call::Dequeue { queue, event }).await?.datum)
    }

    async fn delete(&mut self, object: impl Into<Handle> + Send) -> Result<(), ProcessError> {
        self.call(Call::Delete(object.into())).await.map(|_| ())
    }

    async fn wakeup(&mut self, process: ProcessHandle) -> Result<(), ProcessError> {
        self.call(Call::Wakeup(process)).await.map(|_| ())
    }

    async fn block(&mut self) {
        self.number(Call::Block).await;
    }

    async fn add_event(&mut self, id: EventId) -> Result<(), ProcessError> {
        self.call(Call::AddEvent(id)).await.map(|_| ())
    }

    async fn del_event(&mut self, id: EventId) -> bool {
        self.number(Call::DelEvent(id)).await == 1
    }

    async fn notify(&mut self, id: EventId) -> u32 {
        let woken = self.number(Call::Notify(id)).await;
        u32::try_from(woken).expect("processes are numbered by 32 bits")
    }

    async fn wait_event(&mut self, id: EventId) {
        self.number(Call::WaitEvent(id)).await;
    }
}
