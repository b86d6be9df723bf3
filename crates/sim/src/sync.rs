//! Locks, conditions and barriers; whoever waits longest goes first.

use std::collections::VecDeque;
use windfall_programs::Resource;

/// What threads synchronise by. Each is used as one kind only; a scenario makes sure of that.
#[derive(Default)]
pub(crate) struct Sync {
    owner: Option<u32>,
    queue: VecDeque<u32>,
    /// How many threads use this barrier.
    pub(crate) parties: usize,
}

/// All of them, by number.
#[derive(Default)]
pub(crate) struct Syncs(Vec<Sync>);

impl Syncs {
    pub(crate) fn at(&mut self, resource: Resource) -> &mut Sync {
        if self.0.len() <= resource.0 {
            self.0.resize_with(resource.0 + 1, Sync::default);
        }
        &mut self.0[resource.0]
    }
}

impl Sync {
    /// Takes the lock, or queues up.
    pub(crate) fn lock(&mut self, thread: u32) -> bool {
        let free = self.owner.is_none();
        if free {
            self.owner = Some(thread);
        } else {
            self.queue.push_back(thread);
        }
        free
    }

    /// Gives the lock to the next in line, who is returned. `Err` when `thread` has not got it.
    pub(crate) fn unlock(&mut self, thread: u32) -> Result<Option<u32>, ()> {
        if self.owner != Some(thread) {
            return Err(());
        }
        self.owner = self.queue.pop_front();
        Ok(self.owner)
    }

    /// Queues up for a signal.
    pub(crate) fn wait(&mut self, thread: u32) {
        self.queue.push_back(thread);
    }

    /// Whom a signal wakes.
    pub(crate) fn signal(&mut self) -> Option<u32> {
        self.queue.pop_front()
    }

    /// Arrives at the barrier: `Some` with everybody else, when this is the last.
    pub(crate) fn arrive(&mut self, thread: u32) -> Option<Vec<u32>> {
        if self.queue.len() + 1 >= self.parties {
            return Some(self.queue.drain(..).collect());
        }
        self.queue.push_back(thread);
        None
    }
}
