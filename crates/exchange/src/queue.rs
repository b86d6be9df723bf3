//! A dual queue (Chrysalis 2.3): data that wait for processes, or processes that wait for data, never both.
//!
//! A list of nodes with a head and a tail (Michael and Scott 1996), which holds one kind at a time (Scherer and Scott 2004): what may be
//! appended is decided by what the last node is, and one step appends it. Links and ends count up with each change, so that
//! a node which left and came back is not taken for one that never left. The node at the head is spent.
//!
//! The thread that claims a waiter's ticket must deliver its datum to that waiter; a waiter's node leaves only without its
//! ticket. An event that is reset leaves its node behind: a reader passes over it, and if the event comes back
//! before that, it has its old place again. So waiting in vain, again and again, takes no room.
//! A queue that is deleted gets an end that nothing can be appended to, before its place is given to another.

mod node;

use crate::atomic::Ordering;
use crate::event::{Block, ClaimError, Ticket};
use crate::pool::{NIL, counted_up, high, word};
use crate::{Exchange, ExchangeError, Futex, Mine, Name};
use node::{CLOSED, END, Ends, WAITER, place};

pub(crate) use node::{DualQueue, Node};

/// The result of looking for a datum.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Dequeued {
    /// There was one.
    Datum(u64),
    /// The event stands in the queue.
    Stands,
}

impl Exchange {
    /// Makes a queue for so many data.
    ///
    /// # Errors
    /// [`ExchangeError::NoRoom`].
    pub fn make_queue(&self, capacity: u32) -> Result<Name, ExchangeError> {
        let index = self.queues.take().ok_or(ExchangeError::NoRoom)?;
        let queue = self.queues.at(index);
        if queue.begun.load(Ordering::Relaxed) == 0 {
            let Some(node) = self.nodes.take() else {
                self.queues.give(index);
                return Err(ExchangeError::NoRoom);
            };
            queue.head.store(u64::from(node), Ordering::Relaxed);
            queue.tail.store(u64::from(node), Ordering::Relaxed);
            queue.begun.store(1, Ordering::Relaxed);
        }
        self.fresh(place(queue.head.load(Ordering::Relaxed)));
        queue.capacity.store(capacity, Ordering::Relaxed);
        let life = queue.life.load(Ordering::Relaxed) | 1;
        queue.life.store(life, Ordering::Release);
        Ok(Name { index, generation: life >> 1 })
    }

    /// Nothing follows this node yet. A reader that sees this of the first node of a queue knows that there is another queue.
    fn fresh(&self, node: u32) {
        let next = &self.nodes.at(node).next;
        next.store(counted_up(next.load(Ordering::Relaxed), END), Ordering::Release);
    }

    fn queue(&self, name: Name) -> Result<&DualQueue, ExchangeError> {
        self.queues.get(name.index).ok_or(ExchangeError::Gone)
    }

    /// Both ends of a queue of that generation. Later operations on them happen to that queue or to none.
    #[inline]
    fn ends(&self, queue: &DualQueue, generation: u32) -> Result<Ends, ExchangeError> {
        loop {
            let head = queue.head.load(Ordering::Acquire);
            let tail = queue.tail.load(Ordering::Acquire);
            let next =
                self.nodes.get(place(tail)).map_or(0, |node| node.next.load(Ordering::Acquire));
            if queue.life.load(Ordering::Acquire) != generation << 1 | 1 {
                return Err(ExchangeError::Gone);
            }
            if queue.tail.load(Ordering::Relaxed) != tail {
                continue;
            }
            match place(next) {
                END | CLOSED => return Ok(Ends { head, tail, next }),
                _ => drop(DualQueue::step(&queue.tail, tail, next)), // whoever appended it was interrupted
            }
        }
    }

    /// Appends a node to what was seen.
    #[inline]
    fn append(&self, queue: &DualQueue, ends: &Ends, kind: u32, node: u32) -> bool {
        let next = counted_up(ends.next, node | kind);
        let last = &self.nodes.at(place(ends.tail)).next;
        let (done, lost) = (Ordering::Release, Ordering::Relaxed);
        let appended = last.compare_exchange(ends.next, next, done, lost).is_ok();
        if appended {
            DualQueue::step(&queue.tail, ends.tail, next);
        }
        appended
    }

    /// Takes the oldest node out of what was seen, which is not empty: a datum, or a waiter without its ticket. The datum, unless
    /// another thread was faster.
    #[inline]
    fn remove(&self, queue: &DualQueue, ends: &Ends) -> Option<u64> {
        let spent = place(ends.head);
        let next = self.nodes.at(spent).next.load(Ordering::Acquire);
        let node = self.nodes.get(place(next))?; // else the head is another already
        let datum = node.word.load(Ordering::Relaxed);
        DualQueue::step(&queue.head, ends.head, next).then(|| {
            self.nodes.give(spent);
            datum
        })
    }

    /// The oldest waiter of what was seen, if it still is: its node and its ticket.
    #[inline]
    fn oldest(&self, queue: &DualQueue, ends: &Ends) -> Option<(&Node, Ticket)> {
        let next = self.nodes.at(place(ends.head)).next.load(Ordering::Acquire);
        let node = self.nodes.get(place(next))?;
        let ticket = Ticket(node.ticket.load(Ordering::Acquire));
        (queue.head.load(Ordering::Relaxed) == ends.head).then_some((node, ticket))
    }

    /// Hands a datum to who has waited longest, or stores it.
    ///
    /// # Errors
    /// [`ExchangeError::Full`], [`ExchangeError::DeadWaiter`], [`ExchangeError::Gone`].
    #[inline]
    pub fn enqueue(&self, name: Name, datum: u64, futex: &impl Futex) -> Result<(), ExchangeError> {
        match self.enqueue_or_claim(name, datum)? {
            None => {}
            Some((index, _)) => self.deliver(index, datum, futex),
        }
        Ok(())
    }

    /// As [`enqueue`](Self::enqueue), but a hand-over is only begun: the place of the event, and what was given with it. It is to be
    /// [finished](Self::hand_over).
    ///
    /// # Errors
    /// Those of `enqueue`.
    #[inline]
    pub fn enqueue_or_claim(
        &self,
        name: Name,
        datum: u64,
    ) -> Result<Option<(u32, u64)>, ExchangeError> {
        let queue = self.queue(name)?;
        let mut own = NIL;
        let done = loop {
            let ends = match self.ends(queue, name.generation) {
                Ok(ends) => ends,
                Err(no) => break Err(no),
            };
            if ends.has_waiters() {
                let Some((node, ticket)) = self.oldest(queue, &ends) else { continue };
                let given = node.word.load(Ordering::Relaxed);
                if ticket != Ticket::NONE && !node.turn(ticket, Ticket::NONE) {
                    continue;
                }
                self.remove(queue, &ends);
                if ticket.is_void() {
                    continue;
                }
                match self.claim_standing(ticket) {
                    Ok(index) => break Ok(Some((index, given))),
                    Err(ClaimError::Reset) => continue,
                    Err(ClaimError::Dead) => break Err(ExchangeError::DeadWaiter { word: given }),
                }
            }
            if place(ends.next) == CLOSED {
                break Err(ExchangeError::Gone);
            }
            let capacity = queue.capacity.load(Ordering::Relaxed);
            let held = high(ends.tail).wrapping_sub(high(ends.head));
            if ends.has_data() && held >= capacity {
                if queue.head.load(Ordering::Acquire) == ends.head {
                    break Err(ExchangeError::Full { capacity });
                }
                continue;
            }
            if own == NIL {
                match self.nodes.take() {
                    Some(node) => own = node,
                    None => break Err(ExchangeError::NoRoom),
                }
                self.nodes.at(own).word.store(datum, Ordering::Relaxed);
                self.nodes.at(own).ticket.store(Ticket::NONE.0, Ordering::Release);
                self.fresh(own);
            }
            if self.append(queue, &ends, 0, own) {
                return Ok(None);
            }
        };
        if own != NIL {
            self.nodes.give(own);
        }
        done
    }

    /// Finishes a hand-over.
    pub fn hand_over(&self, index: u32, datum: u64, futex: &impl Futex) {
        self.deliver(index, datum, futex);
    }

    /// Takes the oldest datum, or has an event of one's own stand in the queue; `given` is passed to the thread that finds it.
    ///
    /// # Errors
    /// [`ExchangeError::Posted`], [`ExchangeError::Standing`], [`ExchangeError::NotOwner`], [`ExchangeError::Gone`].
    #[inline]
    pub fn dequeue(
        &self,
        mine: &Mine,
        name: Name,
        event: Name,
        given: u64,
    ) -> Result<Dequeued, ExchangeError> {
        let queue = self.queue(name)?;
        let (block, _) = self.idle(mine, event)?;
        if self.come_back(name, block, mine, event)? {
            return Ok(Dequeued::Stands);
        }
        let mut own = None;
        let done = loop {
            let ends = match self.ends(queue, name.generation) {
                Ok(ends) => ends,
                Err(no) => break Err(no),
            };
            if ends.has_data() {
                match self.remove(queue, &ends) {
                    Some(datum) => break Ok(Dequeued::Datum(datum)),
                    None => continue,
                }
            }
            if place(ends.next) == CLOSED {
                break Err(ExchangeError::Gone);
            }
            if ends.has_waiters() {
                match self.oldest(queue, &ends) {
                    Some((node, ticket)) if ticket.is_void() => {
                        self.clear(queue, &ends, node, ticket); // nobody need pass over it
                        continue;
                    }
                    Some(_) => {}
                    None => continue,
                }
            }
            let (ticket, node) = match own {
                Some(own) => own,
                None => match self.prepare(mine, name, block, event, given) {
                    Ok(prepared) => *own.insert(prepared),
                    Err(no) => break Err(no),
                },
            };
            if self.append(queue, &ends, WAITER, node) {
                return Ok(Dequeued::Stands);
            }
            own = Some((ticket, node));
        };
        if let Some((ticket, node)) = own {
            self.nodes.give(node);
            self.stand_down(ticket);
        }
        done
    }

    /// Takes a node for an event that is to stand in a queue, and writes down there what is `given`.
    #[inline]
    fn prepare(
        &self,
        mine: &Mine,
        name: Name,
        block: &Block,
        event: Name,
        given: u64,
    ) -> Result<(Ticket, u32), ExchangeError> {
        let node = self.nodes.take().ok_or(ExchangeError::NoRoom)?;
        let ticket = self.stand(mine, event).inspect_err(|_| self.nodes.give(node))?;
        self.nodes.at(node).word.store(given, Ordering::Relaxed);
        // Released, so that whoever reads it sees the queue of that time.
        self.nodes.at(node).ticket.store(ticket.0, Ordering::Release);
        block.node.store(node, Ordering::Relaxed);
        block.queue.store(word(name.generation, name.index), Ordering::Relaxed);
        block.ticket.store(ticket.0, Ordering::Relaxed);
        self.fresh(node);
        Ok((ticket, node))
    }

    /// An event has been reset: readers pass over its node.
    pub(crate) fn leave_queue(&self, block: &Block, ticket: Ticket) {
        let node = self.nodes.at(block.node.load(Ordering::Relaxed));
        let _left = node.turn(ticket, ticket.reset()); // if the node is another's by now, its ticket is another
    }

    /// Has an event stand where it stood last, if that is in this queue and no other event has come there since.
    fn come_back(
        &self,
        name: Name,
        block: &Block,
        mine: &Mine,
        event: Name,
    ) -> Result<bool, ExchangeError> {
        let Some(node) = self.nodes.get(block.node.load(Ordering::Relaxed)) else {
            return Ok(false);
        };
        let left = Ticket(block.ticket.load(Ordering::Relaxed)).reset();
        let here = block.queue.load(Ordering::Relaxed) == word(name.generation, name.index);
        if !here || node.ticket.load(Ordering::Relaxed) != left.0 {
            return Ok(false);
        }
        let ticket = self.stand(mine, event)?;
        let back = node.turn(left, ticket);
        if back {
            block.ticket.store(ticket.0, Ordering::Relaxed);
        } else {
            self.stand_down(ticket);
        }
        Ok(back)
    }

    /// Takes out the oldest waiter, which has been reset.
    fn clear(&self, queue: &DualQueue, ends: &Ends, node: &Node, ticket: Ticket) {
        if ticket == Ticket::NONE || node.turn(ticket, Ticket::NONE) {
            self.remove(queue, ends);
        }
    }

    /// Deletes a queue without waiters, and all that it holds.
    ///
    /// # Errors
    /// [`ExchangeError::HasWaiters`], [`ExchangeError::Gone`].
    pub fn delete_queue(&self, name: Name) -> Result<(), ExchangeError> {
        let queue = self.queue(name)?;
        loop {
            let ends = self.ends(queue, name.generation)?;
            if place(ends.next) == CLOSED {
                return Err(ExchangeError::Gone);
            }
            if ends.has_waiters() {
                match self.oldest(queue, &ends) {
                    Some((_, ticket)) if self.stands(ticket) => {
                        return Err(ExchangeError::HasWaiters);
                    }
                    Some((node, ticket)) => self.clear(queue, &ends, node, ticket),
                    None => {}
                }
                continue;
            }
            let last = &self.nodes.at(place(ends.tail)).next;
            let closed = counted_up(ends.next, CLOSED);
            let (done, lost) = (Ordering::AcqRel, Ordering::Relaxed);
            if last.compare_exchange(ends.next, closed, done, lost).is_ok() {
                break;
            }
        }
        // Nothing is appended any more, and nobody else deletes it.
        loop {
            let ends = self.ends(queue, name.generation)?;
            if ends.is_empty() {
                break;
            }
            self.remove(queue, &ends);
        }
        let next = name.generation.wrapping_add(1);
        queue.life.store(next << 1, Ordering::Release);
        if name.generation != Name::LAST {
            self.queues.give(name.index);
        }
        Ok(())
    }
}
