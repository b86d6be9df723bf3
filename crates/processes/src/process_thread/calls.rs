//! The calls of a process, as its thread carries them out.

use super::ProcessThread;
use crate::node::NodeMessage;
use crate::sleep::Until;
use crate::system::{ENTRIES, of_event};
use crate::watch::Watch;
use std::sync::atomic::Ordering;
use windfall_exchange::{Dequeued, ExchangeError, Futex as _};
use windfall_os::clock;
use windfall_os::usage::of_this_thread;
use windfall_programs::{
    Annotate, Annotation, Code, Device, Event, EventId, Handle, Kind, Node, OwnRequest, Posted,
    Process, ProcessError, ProcessHandle, ProcessParams, Queue, RequestError, RequestErrorKind,
    SchedulerView, TaskError, TaskReply, TaskRequest, Tasks, Template, ThreadRequest,
    ThreadRequestError,
};
use windfall_time::{Instant, Span};

/// Why nothing can be asked here.
const NO_SCHEDULER: &str =
    "plain threads have no scheduler to ask; run the process in a scenario, below one";

impl Tasks for ProcessThread {
    async fn task(
        &mut self,
        _: Option<ProcessHandle>,
        _: TaskRequest,
    ) -> Result<TaskReply, TaskError> {
        self.on().await;
        Err(TaskError::NotHere)
    }
}

impl Annotate for ProcessThread {
    async fn job_at(&mut self, release: Instant, _: Instant) {
        self.sleep_until(release).await;
    }

    async fn job_done(&mut self) {
        self.on().await;
    }

    async fn annotate(&mut self, _: Annotation) {
        self.on().await;
    }
}

impl Process for ProcessThread {
    fn me(&self) -> ProcessHandle {
        self.me
    }

    #[inline]
    async fn now(&mut self) -> Instant {
        self.on().await;
        self.system.now()
    }

    async fn compute(&mut self, work: Span) {
        let begun = of_this_thread();
        loop {
            self.on().await;
            let left = work.saturating_sub(of_this_thread().saturating_sub(begun));
            if left == Span::ZERO {
                break;
            }
            // It takes at least so long; whether it was all ours is looked at then.
            let until = clock::now() + left.min(Span::from_millis(1));
            while clock::now() < until {}
        }
    }

    async fn sleep_until(&mut self, at: Instant) {
        let at = self.system.on_clock(at);
        let sleepers = &self.system.sleepers;
        while (Until { queue: sleepers, at: Some(at) }).wait(&sleepers.clock, 0) {}
        self.on().await;
    }

    async fn yield_now(&mut self) {
        self.on().await;
        std::thread::yield_now();
    }

    async fn request_own(&mut self, request: OwnRequest) -> Result<(), RequestError> {
        self.on().await;
        Err(RequestError::new(request, RequestErrorKind::NotHere { why: NO_SCHEDULER }))
    }

    async fn query(&mut self, _: &str) -> Result<Vec<SchedulerView>, ProcessError> {
        self.on().await;
        Err(ProcessError::NotHere { why: NO_SCHEDULER })
    }

    async fn request(&mut self, request: ThreadRequest) -> Result<(), ThreadRequestError> {
        self.on().await;
        Err(ThreadRequestError::new(request, RequestErrorKind::NotHere { why: NO_SCHEDULER }))
    }

    async fn notices(&mut self, _: Event) -> Result<(), ProcessError> {
        self.on().await;
        Err(ProcessError::NotHere { why: NO_SCHEDULER })
    }

    async fn make_template<C: Code>(&mut self, node: Node) -> Result<Template<C>, ProcessError> {
        self.on().await;
        self.system.make_template::<C>(node).map(Template::from_handle)
    }

    async fn make_process<C: Code>(
        &mut self,
        template: Template<C>,
        node: Node,
        params: ProcessParams,
        code: C,
    ) -> Result<ProcessHandle, ProcessError> {
        self.on().await;
        self.system.check_template::<C>(template.handle())?;
        super::begin(&self.system, node, params, code)
    }

    async fn make_event(&mut self) -> Result<Event, ProcessError> {
        self.on().await;
        let (system, mine) = self.both();
        let made = system.exchange.make_event(mine);
        let name = made.map_err(|_| ProcessError::NoRoom { kind: Kind::Event })?;
        Ok(Event::from_handle(self.system.seal(Kind::Event, self.node, name)))
    }

    #[inline]
    async fn post(&mut self, event: Event, datum: u64) -> Result<(), ProcessError> {
        self.on().await;
        let name = self.event(event)?;
        let node = event.handle().node();
        if node == self.node {
            let posted = self.system.exchange.post(name, datum, &self.system.sleepers);
            return posted.map_err(|error| of_event(event, error));
        }
        self.send(node, &NodeMessage::Post { event, datum })
    }

    async fn reset(&mut self, event: Event) -> Result<Option<u64>, ProcessError> {
        self.on().await;
        let name = self.event(event)?;
        let before = {
            let (system, mine, waiting) = self.waiting();
            system.exchange.reset(mine, name, &waiting)
        };
        self.unless_over(before).await.map_err(|error| of_event(event, error))
    }

    async fn test(&mut self, event: Event) -> Result<Option<u64>, ProcessError> {
        self.on().await;
        let name = self.event(event)?;
        let (system, mine) = self.both();
        system.exchange.test(mine, name).map_err(|error| of_event(event, error))
    }

    #[inline]
    async fn wait(&mut self) -> Result<Posted, ProcessError> {
        self.wait_for(|_| true).await
    }

    #[inline]
    async fn mwait(&mut self, set: &[Event]) -> Result<Posted, ProcessError> {
        if set.is_empty() {
            return Err(ProcessError::EmptySet);
        }
        for event in set {
            self.check_own(*event)?;
        }
        let system = self.system.clone();
        let named = |event: &Event| system.open(event.handle(), Kind::Event).map(|name| name.index);
        self.wait_for(|index| set.iter().any(|event| named(event) == Ok(index))).await
    }

    async fn post_at(&mut self, event: Event, datum: u64, at: Instant) -> Result<(), ProcessError> {
        self.on().await;
        let name = self.event(event)?;
        let number = self.system.timers.fetch_add(1, Ordering::Relaxed) + 1;
        let (system, mine) = self.both();
        let set = system.exchange.set_timer(mine, name, number, at.as_nanos());
        if let Err(due) = set.map_err(|error| of_event(event, error))? {
            return Err(ProcessError::AlreadyTimed { event, at: Instant::from_nanos(due) });
        }
        let at = self.system.on_clock(at);
        let sent = self.send(self.node, &NodeMessage::Timer { event, datum, number, at });
        if sent.is_err() {
            let (system, mine) = self.both();
            let _ = system.exchange.cancel(mine, name); // it is one's own
        }
        sent
    }

    async fn cancel(&mut self, event: Event) -> Result<bool, ProcessError> {
        self.on().await;
        let name = self.event(event)?;
        let (system, mine) = self.both();
        system.exchange.cancel(mine, name).map_err(|error| of_event(event, error))
    }

    async fn attach(&mut self, device: Device, event: Event) -> Result<(), ProcessError> {
        self.on().await;
        self.check_own(event)?;
        let devices = self.system.devices_of(self.node, device)?;
        if let (None, Some(mine)) = (&self.watch, &self.mine) {
            // Without descriptors for a set, the node's thread goes on alone.
            self.watch = Watch::new(&self.system.sleepers, self.system.exchange.futex(mine)).ok();
        }
        devices.attach(&self.system, device, event, self.watch.as_ref())
    }

    async fn detach(&mut self, device: Device) -> Result<bool, ProcessError> {
        self.on().await;
        let devices = self.system.devices_of(self.node, device)?;
        devices.detach(&self.system, device, self.watch.as_ref(), |event| self.check_own(event))
    }

    async fn make_queue(&mut self, node: Node, capacity: usize) -> Result<Queue, ProcessError> {
        self.on().await;
        self.system.make_queue(node, capacity)
    }

    async fn named_queue(&mut self, name: &str, capacity: usize) -> Result<Queue, ProcessError> {
        self.on().await;
        self.system.named_queue(self.node, name, capacity)
    }

    #[inline]
    async fn enqueue(&mut self, queue: Queue, datum: u64) -> Result<(), ProcessError> {
        self.on().await;
        let name = self.system.open(queue.handle(), Kind::Queue)?;
        match self.system.exchange.enqueue_or_claim(name, datum) {
            Ok(None) => Ok(()),
            Ok(Some((index, word))) => {
                let node = Handle::from_word(word).node();
                if node == self.node
                    || self.send(node, &NodeMessage::Hand { index, datum }).is_err()
                {
                    self.system.exchange.hand_over(index, datum, &self.system.sleepers);
                }
                Ok(())
            }
            Err(ExchangeError::Full { capacity }) => {
                Err(ProcessError::QueueFull { queue, capacity: capacity as usize })
            }
            Err(ExchangeError::DeadWaiter { word }) => {
                Err(ProcessError::DeadWaiter { queue, event: Event::from_datum(word) })
            }
            Err(ExchangeError::NoRoom) => Err(ProcessError::NoRoom { kind: Kind::Queue }),
            Err(_) => Err(ProcessError::Stale { handle: queue.handle() }),
        }
    }

    #[inline]
    async fn dequeue(&mut self, queue: Queue, event: Event) -> Result<Option<u64>, ProcessError> {
        self.on().await;
        let name = self.system.open(queue.handle(), Kind::Queue)?;
        let own = self.event(event)?;
        let (system, mine) = self.both();
        let found = system.exchange.dequeue(mine, name, own, event.datum());
        match found {
            Ok(Dequeued::Datum(datum)) => Ok(Some(datum)),
            Ok(Dequeued::Stands) => Ok(None),
            Err(ExchangeError::NoRoom) => Err(ProcessError::NoRoom { kind: Kind::Queue }),
            // Which of the two is gone: an event of one's own goes by one's own doing only.
            Err(ExchangeError::Gone) => {
                let own_lives = system.exchange.check_own(mine, own).is_ok();
                let handle = if own_lives { queue.handle() } else { event.handle() };
                Err(ProcessError::Stale { handle })
            }
            Err(no) => Err(of_event(event, no)),
        }
    }

    async fn delete(&mut self, object: impl Into<Handle> + Send) -> Result<(), ProcessError> {
        self.on().await;
        let handle = object.into();
        match self.system.open(handle, Kind::Event) {
            Ok(name) => {
                let event = Event::from_handle(handle);
                let (system, mine) = self.both();
                let deleted = system.exchange.delete_event(mine, name);
                return deleted.map_err(|error| of_event(event, error));
            }
            Err(ProcessError::WrongKind { .. }) => {}
            Err(error) => return Err(error),
        }
        if let Ok(name) = self.system.open(handle, Kind::Queue) {
            let queue = Queue::from_handle(handle);
            return self.system.delete_queue(name, queue);
        }
        if let Ok(name) = self.system.open(handle, Kind::Process) {
            let alive = self.system.exchange.check_process(name);
            return Err(alive.map_or(ProcessError::Stale { handle }, |()| {
                ProcessError::NotDeletable { handle }
            }));
        }
        self.system.delete_template(handle)
    }

    #[inline]
    async fn wakeup(&mut self, process: ProcessHandle) -> Result<(), ProcessError> {
        self.on().await;
        let name = self.system.open(process.handle(), Kind::Process)?;
        let woken = self.system.exchange.wakeup(name, &self.system.sleepers);
        woken.map_err(|_| ProcessError::Stale { handle: process.handle() })
    }

    #[inline]
    async fn block(&mut self) {
        let (system, mine) = self.both();
        let woken = system.exchange.block(mine, &system.sleepers);
        let _woken = self.unless_over(woken).await;
    }

    #[inline]
    async fn add_event(&mut self, id: EventId) -> Result<(), ProcessError> {
        self.on().await;
        let (system, mine) = self.both();
        system.exchange.add_event(mine, id.0).map_err(|no| match no {
            ExchangeError::NoRoom => ProcessError::TableFull { most: ENTRIES as usize },
            _ => ProcessError::AlreadyAdded { id },
        })
    }

    #[inline]
    async fn del_event(&mut self, id: EventId) -> bool {
        self.on().await;
        let (system, mine) = self.both();
        system.exchange.del_event(mine, id.0)
    }

    #[inline]
    async fn notify(&mut self, id: EventId) -> u32 {
        self.on().await;
        self.system.exchange.notify(id.0, &self.system.sleepers)
    }

    #[inline]
    async fn wait_event(&mut self, id: EventId) {
        let (system, mine) = self.both();
        let notified = system.exchange.wait_event(mine, id.0, &system.sleepers);
        let _notified = self.unless_over(notified).await;
    }
}
