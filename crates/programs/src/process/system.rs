//! All objects of a run's processes, and the effect of each call on them: plain state without a clock.
//!
//! Invariant: a waiting process is woken once, by what it waits for. A process that waits for an event of its own
//! is woken by the first post and then repeats its call, so that it takes the event that was posted first. For a
//! process that blocks, or waits for a notification, the wake-up is the answer. Read next: `system/posts.rs`,
//! `system/queues.rs`, `system/control.rs`.

mod control;
mod devices;
mod making;
mod notices;
mod posts;
mod queues;
#[cfg(test)]
mod tests;

use super::agenda::Agenda;
use super::costs::Costs;
use super::dual_queue::DualQueue;
use super::events::{Events, State};
use super::slots::Slots;
use super::traffic::Traffic;
use super::{
    Answer, Call, Counts, Device, Event, EventId, Keys, Kind, Node, ProcessError, ProcessHandle,
    Queue, Reply,
};
use crate::request::Notices;
use devices::DeviceState;
use std::collections::{BTreeMap, VecDeque};
use windfall_time::{Instant, Span};

/// The outcome of a call.
#[derive(Debug)]
pub(crate) enum CallOutcome {
    /// The call is done, with this answer.
    Done(Answer),
    /// The process waits.
    Waits,
}

/// A thread that is to be woken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Woken {
    pub(crate) thread: u32,
    /// Whether the wake-up is the answer to its call; otherwise it repeats the call.
    pub(crate) done: bool,
    /// The thread that woke it, if one did.
    pub(crate) by: Option<u32>,
}

/// The reason for which a process does not run.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Waits {
    Not,
    Any,
    One(Vec<Event>),
    WakeUp,
    Notice(EventId),
}

struct Proc {
    thread: u32,
    waits: Waits,
    /// Its wakeup-waiting switch.
    wakeup: bool,
    /// Whether others may submit tasks for it.
    takes_tasks: bool,
}

/// All objects of the processes of a run.
// Fields: a table for each kind of object, which calls borrow one by one.
pub(crate) struct System {
    pub(crate) costs: Costs,
    pub(crate) counts: Counts,
    /// Number of nodes.
    nodes: usize,
    processes: Slots<Proc>,
    templates: Slots<&'static str>,
    events: Events,
    queues: Slots<DualQueue>,
    /// The queues that have a name; those that have been deleted included.
    named: BTreeMap<String, Queue>,
    traffic: Traffic,
    /// By process: the event that its notices are posted to, and those that are not posted yet.
    notices: BTreeMap<ProcessHandle, (Event, Notices)>,
    devices: BTreeMap<Device, DeviceState>,
    pub(crate) agenda: Agenda,
    /// Threads to be woken, in order.
    pub(crate) woken: VecDeque<Woken>,
}

impl Default for System {
    fn default() -> System {
        System::new(0, 1, Costs::default())
    }
}

impl System {
    pub(crate) fn new(seed: u64, nodes: usize, costs: Costs) -> System {
        let keys = Keys::new(seed);
        System {
            costs,
            counts: Counts::default(),
            nodes,
            processes: Slots::new(Kind::Process, keys),
            templates: Slots::new(Kind::Template, keys),
            events: Events::new(keys),
            queues: Slots::new(Kind::Queue, keys),
            named: BTreeMap::new(),
            traffic: Traffic::default(),
            notices: BTreeMap::new(),
            devices: BTreeMap::new(),
            agenda: Agenda::default(),
            woken: VecDeque::new(),
        }
    }

    /// Adds a process.
    pub(crate) fn enter(&mut self, node: Node, thread: u32) -> Result<ProcessHandle, ProcessError> {
        self.check_node(node)?;
        let proc = Proc { thread, waits: Waits::Not, wakeup: false, takes_tasks: false };
        self.processes.insert(node, proc).map(ProcessHandle::from_handle)
    }

    /// Removes a process, its events and its entries.
    pub(crate) fn exit(&mut self, process: ProcessHandle) {
        self.events.bereave(process);
        self.traffic.bereave(process);
        self.notices.remove(&process);
        let _removed = self.processes.remove(process.handle());
    }

    /// Others may submit tasks for a process from now on.
    pub(crate) fn open_tasks(&mut self, process: ProcessHandle) {
        if let Ok(proc) = self.processes.at(process.handle()) {
            proc.takes_tasks = true;
        }
    }

    /// The thread of a process for which others may submit tasks.
    pub(crate) fn takes_tasks(&mut self, process: ProcessHandle) -> Option<u32> {
        let proc = self.processes.at(process.handle()).ok()?;
        proc.takes_tasks.then_some(proc.thread)
    }

    /// Checks that an event is a process's own.
    pub(crate) fn owns(
        &mut self,
        process: ProcessHandle,
        event: Event,
    ) -> Result<(), ProcessError> {
        self.events.own(event, process).map(|_| ())
    }

    /// The cost of a call.
    pub(crate) fn cost(&mut self, me: ProcessHandle, call: &Call) -> Span {
        let waiters = match call {
            Call::Notify(id) => {
                let entered = self.traffic.entered(*id);
                let waits = Waits::Notice(*id);
                let processes = &mut self.processes;
                let waiting = |process: &&ProcessHandle| {
                    processes.at(process.handle()).is_ok_and(|proc| proc.waits == waits)
                };
                entered.iter().filter(waiting).count()
            }
            Call::Enqueue { queue, .. } => {
                let queue = self.queues.at(queue.handle());
                usize::from(queue.is_ok_and(|queue| queue.waiters().next().is_some()))
            }
            _ => 0,
        };
        self.costs.of(call, me.handle().node(), waiters)
    }

    /// Carries out a call. To make a process, it only answers; [`check_process`](Self::check_process) and the host
    /// do the rest.
    pub(crate) fn call(&mut self, me: ProcessHandle, call: &Call, now: Instant) -> CallOutcome {
        let outcome = self.carry_out(me, call, now);
        self.post_notices(me); // if it has just taken the last ones
        outcome
    }

    fn carry_out(&mut self, me: ProcessHandle, call: &Call, now: Instant) -> CallOutcome {
        let answer = match call {
            Call::Now => Ok(Reply::datum(Some(now.as_nanos()))),
            Call::MakeTemplate { node, name, kib } => self.make_template(*node, name, *kib),
            Call::MakeProcess(_) => Ok(Reply::DONE),
            Call::MakeEvent => self.events.make(me).map(Reply::made),
            Call::Post { event, datum } => self.post(me, *event, *datum, now),
            Call::Reset(event) => self.reset(me, *event),
            Call::Test(event) => self.events.own(*event, me).map(|block| match block.state {
                State::Posted(datum) => Reply::datum(Some(datum)),
                _ => Reply::datum(None),
            }),
            Call::Wait => return self.wait(me, None),
            Call::MWait(set) => return self.wait(me, Some(set)),
            Call::PostAt { event, datum, at } => self.post_at(me, (*event, *datum), *at),
            Call::Cancel(event) => self.cancel(me, *event),
            Call::Attach { device, event } => self.attach(me, *device, *event),
            Call::Detach(device) => self.detach(me, *device),
            Call::MakeQueue { node, capacity } => self.make_queue(*node, *capacity),
            Call::NamedQueue { name, capacity } => self.named_queue(me, name, *capacity),
            Call::Enqueue { queue, datum } => self.enqueue(me, *queue, *datum, now),
            Call::Dequeue { queue, event } => self.dequeue(me, *queue, *event),
            Call::Delete(handle) => self.delete(me, *handle),
            Call::Wakeup(process) => self.wakeup(me, *process),
            Call::Block => return self.block(me),
            Call::AddEvent(id) => self.traffic.add(*id, me).map(|()| Reply::DONE),
            Call::DelEvent(id) => {
                let removed = self.traffic.remove(*id, me);
                Ok(Reply::datum(Some(u64::from(removed))))
            }
            Call::Notify(id) => Ok(self.notify(me, *id)),
            Call::WaitEvent(id) => return self.wait_event(me, *id),
            Call::Notices(event) => self.want_notices(me, *event),
        };
        CallOutcome::Done(answer)
    }

    fn check_node(&self, node: Node) -> Result<(), ProcessError> {
        let there = usize::from(node.0) < self.nodes;
        there.then_some(()).ok_or(ProcessError::NoNode { node, nodes: self.nodes })
    }

    fn thread_of(&mut self, process: ProcessHandle) -> Option<u32> {
        self.processes.at(process.handle()).ok().map(|proc| proc.thread)
    }

    fn waits(&mut self, me: ProcessHandle, waits: Waits) -> CallOutcome {
        if let Ok(proc) = self.processes.at(me.handle()) {
            proc.waits = waits;
        }
        CallOutcome::Waits
    }
}
