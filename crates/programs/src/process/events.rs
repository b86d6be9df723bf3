//! Event blocks (Chrysalis 2.3): the owner of an event, whether it is posted, and in which order.
//!
//! Invariant: an event is posted exactly when it is in its owner's queue of posted events, once.

use super::slots::Slots;
use super::{Event, Keys, Kind, Posted, ProcessError, ProcessHandle, Queue};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use windfall_time::Instant;

/// Identifies one stay of an event in a queue, since the same event may enter a queue again.
pub(super) type Ticket = u64;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum State {
    /// It can be posted.
    Idle,
    /// It waits for a datum of a queue, or the datum is on its way.
    InQueue(Queue, Ticket),
    /// It was posted.
    Posted(u64),
}

#[derive(Debug)]
pub(super) struct Block {
    pub(super) owner: ProcessHandle,
    pub(super) state: State,
    /// The time at which its timer is due, if it has one.
    pub(super) timer: Option<Instant>,
}

#[derive(Default)]
struct Owned {
    events: BTreeSet<Event>,
    /// Posted events, the oldest first.
    posted: VecDeque<Event>,
}

pub(super) struct Events {
    blocks: Slots<Block>,
    owners: BTreeMap<ProcessHandle, Owned>,
    tickets: Ticket,
}

impl Events {
    pub(super) const fn new(keys: Keys) -> Events {
        Events { blocks: Slots::new(Kind::Event, keys), owners: BTreeMap::new(), tickets: 0 }
    }

    pub(super) fn make(&mut self, owner: ProcessHandle) -> Result<Event, ProcessError> {
        let block = Block { owner, state: State::Idle, timer: None };
        let event = Event::from_handle(self.blocks.insert(owner.handle().node(), block)?);
        self.owners.entry(owner).or_default().events.insert(event);
        Ok(event)
    }

    /// Whether this is the handle of an event, which may have been deleted.
    pub(super) fn check(&self, event: Event) -> Result<(), ProcessError> {
        self.blocks.check(event.handle())
    }

    pub(super) fn at(&mut self, event: Event) -> Result<&mut Block, ProcessError> {
        self.blocks.at(event.handle())
    }

    /// The block of an event, if `by` owns it.
    pub(super) fn own(
        &mut self,
        event: Event,
        by: ProcessHandle,
    ) -> Result<&mut Block, ProcessError> {
        let block = self.at(event)?;
        if block.owner == by { Ok(block) } else { Err(ProcessError::NotOwner { event }) }
    }

    /// Posts an event that is idle. Returns its owner.
    pub(super) fn post(&mut self, event: Event, datum: u64) -> Result<ProcessHandle, ProcessError> {
        match self.at(event)?.state {
            State::Idle => self.posted(event, datum),
            State::InQueue(..) => Err(ProcessError::InQueue { event }),
            State::Posted(_) => Err(ProcessError::AlreadyPosted { event }),
        }
    }

    /// Hands a datum to an event that entered the queue with this ticket. Returns its owner; `None` if the event is
    /// gone or no longer in the queue.
    pub(super) fn hand(
        &mut self,
        event: Event,
        (queue, ticket): (Queue, Ticket),
        datum: u64,
    ) -> Option<ProcessHandle> {
        self.stands(event, (queue, ticket)).then(|| self.posted(event, datum).ok()).flatten()
    }

    /// Whether an event is still in the queue that it entered with this ticket.
    pub(super) fn stands(&mut self, event: Event, (queue, ticket): (Queue, Ticket)) -> bool {
        self.at(event).is_ok_and(|block| block.state == State::InQueue(queue, ticket))
    }

    fn posted(&mut self, event: Event, datum: u64) -> Result<ProcessHandle, ProcessError> {
        let block = self.at(event)?;
        block.state = State::Posted(datum);
        let owner = block.owner;
        self.owners.entry(owner).or_default().posted.push_back(event);
        Ok(owner)
    }

    /// Marks an event as waiting in a queue, and returns its ticket.
    pub(super) fn stand(
        &mut self,
        event: Event,
        by: ProcessHandle,
        queue: Queue,
    ) -> Result<Ticket, ProcessError> {
        let ticket = self.tickets;
        let block = self.own(event, by)?;
        match block.state {
            State::Idle => block.state = State::InQueue(queue, ticket),
            State::InQueue(..) => return Err(ProcessError::InQueue { event }),
            State::Posted(_) => return Err(ProcessError::AlreadyPosted { event }),
        }
        self.tickets += 1;
        Ok(ticket)
    }

    /// Makes an event idle, and returns its former state.
    pub(super) fn reset(&mut self, event: Event, by: ProcessHandle) -> Result<State, ProcessError> {
        let before = std::mem::replace(&mut self.own(event, by)?.state, State::Idle);
        if let (State::Posted(_), Some(owned)) = (before, self.owners.get_mut(&by)) {
            owned.posted.retain(|other| *other != event);
        }
        Ok(before)
    }

    /// Takes the first posted event of its owner, out of a set or out of all.
    pub(super) fn take(
        &mut self,
        by: ProcessHandle,
        set: Option<&[Event]>,
    ) -> Result<Option<Posted>, ProcessError> {
        match set {
            Some([]) => return Err(ProcessError::EmptySet),
            Some(set) => {
                set.iter().try_for_each(|event| self.own(*event, by).map(|_| ()))?;
            }
            None => {}
        }
        let owned = self.owners.get(&by).filter(|owned| !owned.events.is_empty());
        let owned = owned.ok_or(ProcessError::NoEvents)?;
        let mut posted = owned.posted.iter().copied();
        let first = posted.find(|event| set.is_none_or(|set| set.contains(event)));
        let Some(event) = first else { return Ok(None) };
        match self.reset(event, by)? {
            State::Posted(datum) => Ok(Some(Posted { event, datum })),
            _ => Ok(None),
        }
    }

    pub(super) fn delete(&mut self, event: Event, by: ProcessHandle) -> Result<(), ProcessError> {
        self.reset(event, by)?;
        self.blocks.remove(event.handle())?;
        if let Some(owned) = self.owners.get_mut(&by) {
            owned.events.remove(&event);
        }
        Ok(())
    }

    /// Deletes all events of a process that has exited.
    pub(super) fn bereave(&mut self, owner: ProcessHandle) {
        for event in self.owners.remove(&owner).into_iter().flat_map(|owned| owned.events) {
            let _removed = self.blocks.remove(event.handle());
        }
    }
}
