//! Dual queues: handing over data, also to other nodes, and returning data that found no waiting event.

use super::System;
use crate::process::agenda::{Post, What};
use crate::process::dual_queue::{Datum, DualQueue};
use crate::process::{Answer, Event, Node, ProcessError, ProcessHandle, Queue, Reply};
use windfall_time::Instant;

impl System {
    pub(super) fn make_queue(&mut self, node: Node, capacity: usize) -> Answer {
        self.check_node(node)?;
        if !(1..=DualQueue::MOST).contains(&capacity) {
            return Err(ProcessError::NoCapacity { capacity, most: DualQueue::MOST });
        }
        self.queues.insert(node, DualQueue::new(capacity)).map(Reply::made)
    }

    /// The queue of a name; where there is none, one is made on the node of the process.
    pub(super) fn named_queue(&mut self, me: ProcessHandle, name: &str, wanted: usize) -> Answer {
        if let Some(queue) = self.named.get(name).copied()
            && let Ok(DualQueue { capacity, .. }) = self.queues.at(queue.handle())
        {
            let capacity = *capacity;
            let same = (capacity == wanted).then_some(Reply::made(queue));
            return same.ok_or(ProcessError::OtherCapacity { queue, capacity, wanted });
        }
        let made = self.make_queue(me.handle().node(), wanted)?;
        self.named.insert(name.to_owned(), Queue::from_handle(made.handle));
        Ok(made)
    }

    pub(super) fn enqueue(
        &mut self,
        me: ProcessHandle,
        queue: Queue,
        word: u64,
        now: Instant,
    ) -> Answer {
        let by = self.thread_of(me);
        self.put((me.handle().node(), by), queue, word, now)
    }

    /// Puts a datum into the queue of a name, for somebody who is no process.
    pub(crate) fn enqueue_named(&mut self, name: &str, word: u64, now: Instant) -> Answer {
        let why = "no process has made a queue of this name, as `named_queue` does";
        let queue = self.named.get(name).copied().ok_or(ProcessError::NotHere { why })?;
        self.put((queue.handle().node(), None), queue, word, now)
    }

    /// Puts a datum into a queue, for somebody of a node.
    fn put(&mut self, from: (Node, Option<u32>), queue: Queue, word: u64, now: Instant) -> Answer {
        let own = self.queues.at(queue.handle())?;
        let Some((event, ticket)) = own.waiter() else {
            if own.is_full() {
                return Err(ProcessError::QueueFull { queue, capacity: own.capacity });
            }
            let datum = own.number(word);
            own.store(datum);
            return Ok(Reply::DONE);
        };
        if !self.events.stands(event, (queue, ticket)) {
            return Err(ProcessError::DeadWaiter { queue, event });
        }
        let datum = own.number(word);
        self.hand_over(from, (event, ticket), (queue, datum), now);
        Ok(Reply::DONE)
    }

    /// Hands a datum of a queue to an event that waits in it; to another node, by a post.
    pub(super) fn hand_over(
        &mut self,
        (node, by): (Node, Option<u32>),
        (event, ticket): (Event, u64),
        (queue, datum): (Queue, Datum),
        now: Instant,
    ) {
        if event.handle().node() != node {
            let what = What::Handed { queue, ticket, datum };
            let at = now.saturating_add(self.costs.latency);
            self.agenda.send(at, Post { event, what, by });
        } else if let Some(owner) = self.events.hand(event, (queue, ticket), datum.word) {
            self.posted(owner, event, by);
        }
    }

    /// Returns a datum that found no waiting event: the next waiting event gets it, otherwise it is stored at its
    /// former place.
    pub(super) fn give_back(&mut self, node: Node, queue: Queue, datum: Datum, now: Instant) {
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

    pub(super) fn dequeue(&mut self, me: ProcessHandle, queue: Queue, event: Event) -> Answer {
        let own = self.queues.at(queue.handle())?;
        // The event is checked first, because whether it is valid must not depend on whether there is a datum.
        let ticket = self.events.stand(event, me, queue)?;
        if let Some(datum) = own.take() {
            self.events.reset(event, me)?;
            return Ok(Reply::datum(Some(datum)));
        }
        own.wait(event, ticket);
        Ok(Reply::datum(None))
    }
}
