//! The tasks of a processor, and what it remembers of them.

use crate::TaskId;
use std::sync::atomic::{AtomicU32, Ordering};
use windfall_time::{Instant, Span};

/// A task that was admitted.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Task {
    pub(crate) scheduler: usize,
    /// By when it was promised to have ended.
    pub(crate) deadline: Option<Instant>,
    /// Whether its scheduler promises deadlines, so that stolen time is owed to it.
    pub(crate) promised: bool,
    pub(crate) state: Option<u64>,
    pub(crate) left: Span,
    /// The time that it took beyond its bound.
    pub(crate) beyond: Span,
    /// How much had been stolen when it was admitted.
    pub(crate) stolen_before: Span,
}

/// How many processors were made.
static PROCESSORS: AtomicU32 = AtomicU32::new(0);

#[derive(Debug)]
pub(crate) struct Table {
    processor: u32,
    places: Vec<(u32, Option<Task>)>,
    free: Vec<u32>,
    most: u32,
}

impl Table {
    pub(crate) fn new(most: u32) -> Table {
        let processor = PROCESSORS.fetch_add(1, Ordering::Relaxed);
        Table { processor, places: Vec::new(), free: Vec::new(), most }
    }

    /// Puts a task in, if there is a place.
    pub(crate) fn insert(&mut self, task: Task) -> Option<TaskId> {
        let used = u32::try_from(self.places.len()).ok()?;
        let index = match self.free.pop() {
            Some(index) => index,
            None if used < self.most => {
                self.places.push((0, None));
                used
            }
            None => return None,
        };
        let (generation, place) = self.places.get_mut(index as usize)?;
        *place = Some(task);
        Some(TaskId { index, generation: *generation, processor: self.processor })
    }

    pub(crate) fn remove(&mut self, id: TaskId) -> Option<Task> {
        self.get(id)?;
        let (generation, place) = self.places.get_mut(id.index as usize)?;
        *generation = generation.wrapping_add(1);
        self.free.push(id.index);
        place.take()
    }

    pub(crate) fn get(&self, id: TaskId) -> Option<&Task> {
        let (generation, place) = self.places.get(id.index as usize)?;
        place.as_ref().filter(|_| *generation == id.generation && self.processor == id.processor)
    }

    pub(crate) fn get_mut(&mut self, id: TaskId) -> Option<&mut Task> {
        let (generation, place) = self.places.get_mut(id.index as usize)?;
        place.as_mut().filter(|_| *generation == id.generation && self.processor == id.processor)
    }

    pub(crate) fn most(&self) -> u32 {
        self.most
    }
}
