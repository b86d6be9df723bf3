//! All objects of a run's processes, and what each call does to them: plain state without a clock.
//!
//! Invariant: a process that waits is woken once, by what it waits for. Whoever waits for an event of its own is
//! woken by the first post and then asks again, so that what was posted first is what it gets; whoever
//! blocks, or waits for a notification, has its answer by being woken.

#[cfg(test)]
mod tests;

use super::agenda::{Agenda, Letter, What};
use super::costs::Costs;
use super::dual_queue::{Datum, DualQueue};
use super::events::{Events, State};
use super::slots::Slots;
use super::traffic::Traffic;
use super::{
    Answer, Call, Event, EventId, Handle, Keys, Kind, Node, ProcessHandle, Queue, Refusal, Reply,
    Terms,
};
use std::collections::VecDeque;
use windfall_time::{Instant, Span};

/// What was counted of a run's processes.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Counts {
    /// Posts by timers and from other nodes that found their event posted, in a queue, or gone.
    pub undelivered: u64,
    /// Hand-overs to another node that found nobody, so that the datum returned to its queue.
    pub returned: u64,
    /// Data that returned to a queue which was gone.
    pub lost: u64,
    /// What was loaded, in order.
    pub loaded: Vec<Loaded>,
}

/// Code that was loaded.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Loaded {
    /// The kind.
    pub name: &'static str,
    /// Where.
    pub node: Node,
    /// Its size.
    pub kib: u64,
    /// Processor time that it took, at speed 1.
    pub took: Span,
}

/// What came of a call.
#[derive(Debug)]
pub(crate) enum CallOutcome {
    /// It is answered.
    Done(Answer),
    /// The process waits.
    Waits,
}

/// A player that is to be woken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Woken {
    pub(crate) player: u32,
    /// Whether its call is answered by that; else it asks again.
    pub(crate) done: bool,
    /// Who woke it.
    pub(crate) by: Option<u32>,
}

/// What a process that does not run waits for.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Waits {
    Not,
    Any,
    One(Vec<Event>),
    WakeUp,
    Notice(EventId),
}

struct Proc {
    player: u32,
    waits: Waits,
    /// The wakeup-waiting switch.
    wakeup: bool,
}

pub(crate) struct System {
    pub(crate) costs: Costs,
    pub(crate) counts: Counts,
    /// How many nodes there are.
    nodes: usize,
    processes: Slots<Proc>,
    templates: Slots<&'static str>,
    events: Events,
    queues: Slots<DualQueue>,
    traffic: Traffic,
    pub(crate) agenda: Agenda,
    /// To be woken, in order.
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
            traffic: Traffic::default(),
            agenda: Agenda::default(),
            woken: VecDeque::new(),
        }
    }

    /// A process comes into being.
    pub(crate) fn enter(&mut self, node: Node, player: u32) -> Result<ProcessHandle, Refusal> {
        self.check_node(node)?;
        let proc = Proc { player, waits: Waits::Not, wakeup: false };
        self.processes.insert(node, proc).map(ProcessHandle::from_handle)
    }

    /// A process is gone, and its events and entries with it.
    pub(crate) fn exit(&mut self, process: ProcessHandle) {
        self.events.bereave(process);
        self.traffic.bereave(process);
        let _removed = self.processes.remove(process.handle());
    }

    /// What a call costs.
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

    /// Carries a call out; but for making processes, which is [`check_process`](Self::check_process) and then the host's.
    pub(crate) fn call(&mut self, me: ProcessHandle, call: &Call, now: Instant) -> CallOutcome {
        let answer = match call {
            Call::Now => Ok(Reply::datum(Some(now.as_nanos()))),
            Call::MakeTemplate { node, name, kib } => self.make_template(*node, name, *kib),
            Call::MakeProcess { .. } => Ok(Reply::DONE),
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
            Call::MakeQueue { node, capacity } => self.make_queue(*node, *capacity),
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
        };
        CallOutcome::Done(answer)
    }

    fn check_node(&self, node: Node) -> Result<(), Refusal> {
        let there = usize::from(node.0) < self.nodes;
        there.then_some(()).ok_or(Refusal::NoNode { node, nodes: self.nodes })
    }

    fn player(&mut self, process: ProcessHandle) -> Option<u32> {
        self.processes.at(process.handle()).ok().map(|proc| proc.player)
    }

    fn waits(&mut self, me: ProcessHandle, waits: Waits) -> CallOutcome {
        if let Ok(proc) = self.processes.at(me.handle()) {
            proc.waits = waits;
        }
        CallOutcome::Waits
    }
}

/// Templates and processes.
impl System {
    fn make_template(&mut self, node: Node, name: &'static str, kib: u64) -> Answer {
        self.check_node(node)?;
        let template = self.templates.insert(node, name)?;
        let took = self.costs.load.checked_mul(kib).unwrap_or(Span::MAX);
        let took = took.saturating_add(self.costs.make_template);
        self.counts.loaded.push(Loaded { name, node, kib, took });
        Ok(Reply::made(template))
    }

    /// Whether a process can be made of a template on these terms.
    pub(crate) fn check_process(
        &mut self,
        (template, name): (Handle, &'static str),
        node: Node,
        terms: Terms,
    ) -> Result<(), Refusal> {
        if *self.templates.at(template)? != name {
            return Err(Refusal::WrongCode { template });
        }
        self.check_node(node)?;
        if terms.priority > Terms::MOST_PRIORITY {
            return Err(Refusal::NoPriority { priority: terms.priority });
        }
        Ok(())
    }

    fn delete(&mut self, me: ProcessHandle, handle: Handle) -> Answer {
        match handle.kind() {
            Some(Kind::Event) => self.events.delete(Event::from_handle(handle), me)?,
            Some(Kind::Template) => self.templates.remove(handle).map(|_| ())?,
            Some(Kind::Queue) => {
                let queue = Queue::from_handle(handle);
                let waiters: Vec<_> = self.queues.at(handle)?.waiters().collect();
                let alive = |(event, ticket)| self.events.stands(event, (queue, ticket));
                if waiters.into_iter().any(alive) {
                    return Err(Refusal::HasWaiters { queue });
                }
                self.queues.remove(handle)?;
            }
            Some(Kind::Process) | None => {
                self.processes.at(handle)?;
                return Err(Refusal::NotDeletable { handle });
            }
        }
        Ok(Reply::DONE)
    }
}

/// Events.
impl System {
    fn post(&mut self, me: ProcessHandle, event: Event, datum: u64, now: Instant) -> Answer {
        let node = event.handle().node();
        if node == me.handle().node() {
            let owner = self.events.post(event, datum)?;
            let by = self.player(me);
            self.posted(owner, event, by);
        } else {
            self.events.check(event)?;
            let letter = Letter { event, what: What::Posted(datum), by: self.player(me) };
            self.agenda.send(now.saturating_add(self.costs.latency), letter);
        }
        Ok(Reply::DONE)
    }

    /// An event was posted: its owner may wait for it.
    fn posted(&mut self, owner: ProcessHandle, event: Event, by: Option<u32>) {
        let Ok(proc) = self.processes.at(owner.handle()) else { return };
        let wanted = match &proc.waits {
            Waits::Any => true,
            Waits::One(set) => set.contains(&event),
            _ => false,
        };
        if wanted {
            proc.waits = Waits::Not;
            self.woken.push_back(Woken { player: proc.player, done: false, by });
        }
    }

    fn reset(&mut self, me: ProcessHandle, event: Event) -> Answer {
        match self.events.reset(event, me)? {
            State::Idle => Ok(Reply::datum(None)),
            State::Posted(datum) => Ok(Reply::datum(Some(datum))),
            State::InQueue(queue, ticket) => {
                if let Ok(queue) = self.queues.at(queue.handle()) {
                    queue.leave(ticket);
                }
                Ok(Reply::datum(None))
            }
        }
    }

    fn wait(&mut self, me: ProcessHandle, set: Option<&[Event]>) -> CallOutcome {
        match self.events.take(me, set) {
            Err(refusal) => CallOutcome::Done(Err(refusal)),
            Ok(Some(posted)) => {
                let handle = posted.event.handle();
                CallOutcome::Done(Ok(Reply { handle, datum: Some(posted.datum) }))
            }
            Ok(None) => self.waits(me, set.map_or(Waits::Any, |set| Waits::One(set.to_vec()))),
        }
    }

    fn post_at(&mut self, me: ProcessHandle, (event, datum): (Event, u64), at: Instant) -> Answer {
        let block = self.events.own(event, me)?;
        if let Some(at) = block.timer {
            return Err(Refusal::AlreadyTimed { event, at });
        }
        block.timer = Some(at);
        self.agenda.set_timer(at, event, datum);
        Ok(Reply::DONE)
    }

    fn cancel(&mut self, me: ProcessHandle, event: Event) -> Answer {
        let timer = self.events.own(event, me)?.timer.take();
        if let Some(at) = timer {
            self.agenda.cancel(at, event);
        }
        Ok(Reply::datum(Some(u64::from(timer.is_some()))))
    }

    /// Posts whatever timers have to post by now.
    pub(crate) fn timers_due(&mut self, now: Instant) {
        while let Some((event, datum)) = self.agenda.timer_due(now) {
            let Ok(block) = self.events.at(event) else { continue }; // it went with its owner
            block.timer = None;
            match self.events.post(event, datum) {
                Ok(owner) => self.posted(owner, event, None),
                Err(_) => self.counts.undelivered += 1,
            }
        }
    }

    /// Delivers whatever has arrived by now.
    pub(crate) fn letters_due(&mut self, now: Instant) {
        while let Some(Letter { event, what, by }) = self.agenda.letter_due(now) {
            match what {
                What::Posted(datum) => match self.events.post(event, datum) {
                    Ok(owner) => self.posted(owner, event, by),
                    Err(_) => self.counts.undelivered += 1,
                },
                What::Handed { queue, ticket, datum } => {
                    match self.events.hand(event, (queue, ticket), datum.word) {
                        Some(owner) => self.posted(owner, event, by),
                        None => self.give_back(event.handle().node(), queue, datum, now),
                    }
                }
            }
        }
    }
}

/// Dual queues.
impl System {
    fn make_queue(&mut self, node: Node, capacity: usize) -> Answer {
        self.check_node(node)?;
        if !(1..=DualQueue::MOST).contains(&capacity) {
            return Err(Refusal::NoCapacity { capacity, most: DualQueue::MOST });
        }
        self.queues.insert(node, DualQueue::new(capacity)).map(Reply::made)
    }

    fn enqueue(&mut self, me: ProcessHandle, queue: Queue, word: u64, now: Instant) -> Answer {
        let by = self.player(me);
        let own = self.queues.at(queue.handle())?;
        let Some((event, ticket)) = own.waiter() else {
            if own.is_full() {
                return Err(Refusal::QueueFull { queue, capacity: own.capacity });
            }
            let datum = own.number(word);
            own.store(datum);
            return Ok(Reply::DONE);
        };
        if !self.events.stands(event, (queue, ticket)) {
            return Err(Refusal::DeadWaiter { queue, event });
        }
        let datum = own.number(word);
        self.hand_over((me.handle().node(), by), (event, ticket), (queue, datum), now);
        Ok(Reply::DONE)
    }

    /// Hands a datum of a queue to an event that stood in it, by a letter to another node.
    fn hand_over(
        &mut self,
        (node, by): (Node, Option<u32>),
        (event, ticket): (Event, u64),
        (queue, datum): (Queue, Datum),
        now: Instant,
    ) {
        if event.handle().node() != node {
            let what = What::Handed { queue, ticket, datum };
            let at = now.saturating_add(self.costs.latency);
            self.agenda.send(at, Letter { event, what, by });
        } else if let Some(owner) = self.events.hand(event, (queue, ticket), datum.word) {
            self.posted(owner, event, by);
        }
    }

    /// A datum found nobody on `node`: the next who waits gets it, else it is stored where it was.
    fn give_back(&mut self, node: Node, queue: Queue, datum: Datum, now: Instant) {
        let Ok(own) = self.queues.at(queue.handle()) else {
            self.counts.lost += 1;
            return;
        };
        self.counts.returned += 1;
        while let Some((event, ticket)) = own.waiter() {
            if self.events.stands(event, (queue, ticket)) {
                return self.hand_over((node, None), (event, ticket), (queue, datum), now);
            }
        }
        own.store(datum);
    }

    fn dequeue(&mut self, me: ProcessHandle, queue: Queue, event: Event) -> Answer {
        let own = self.queues.at(queue.handle())?;
        // The event is looked at first: whether it fits must not depend on whether there is a datum.
        let ticket = self.events.stand(event, me, queue)?;
        if let Some(datum) = own.take() {
            self.events.reset(event, me)?;
            return Ok(Reply::datum(Some(datum)));
        }
        own.wait(event, ticket);
        Ok(Reply::datum(None))
    }
}

/// Traffic controller.
impl System {
    fn wakeup(&mut self, me: ProcessHandle, process: ProcessHandle) -> Answer {
        let by = self.player(me);
        let proc = self.processes.at(process.handle())?;
        if proc.waits == Waits::WakeUp {
            proc.waits = Waits::Not;
            self.woken.push_back(Woken { player: proc.player, done: true, by });
        } else {
            proc.wakeup = true;
        }
        Ok(Reply::DONE)
    }

    fn block(&mut self, me: ProcessHandle) -> CallOutcome {
        match self.processes.at(me.handle()) {
            Ok(proc) if proc.wakeup => {
                proc.wakeup = false;
                CallOutcome::Done(Ok(Reply::DONE))
            }
            _ => self.waits(me, Waits::WakeUp),
        }
    }

    fn notify(&mut self, me: ProcessHandle, id: EventId) -> Reply {
        let by = self.player(me);
        let mut waited = 0;
        for process in self.traffic.notify(id) {
            if let Ok(proc) = self.processes.at(process.handle())
                && proc.waits == Waits::Notice(id)
            {
                proc.waits = Waits::Not;
                self.woken.push_back(Woken { player: proc.player, done: true, by });
                waited += 1;
            }
        }
        Reply::datum(Some(waited))
    }

    fn wait_event(&mut self, me: ProcessHandle, id: EventId) -> CallOutcome {
        if self.traffic.is_entered(id, me) {
            return self.waits(me, Waits::Notice(id));
        }
        CallOutcome::Done(Ok(Reply::DONE))
    }
}
