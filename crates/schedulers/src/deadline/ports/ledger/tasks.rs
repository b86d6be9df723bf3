//! The tasks of one child.

use super::Order;
use alloc::collections::BTreeMap;
use windfall_admission::Ticket;
use windfall_time::Instant;

#[derive(Clone, Copy, Debug)]
pub(super) struct Task {
    pub(super) number: u32,
    /// Whether it is laxity that was moved to the child, and no task of its own.
    pub(super) moved: bool,
    pub(super) order: Order,
    pub(super) ticket: Ticket,
    pub(super) deadline: Instant,
}

/// Tasks in order, and the child's own by number.
#[derive(Clone, Default, Debug)]
pub(super) struct Tasks {
    all: BTreeMap<Order, Task>,
    numbers: BTreeMap<u32, Order>,
}

impl Tasks {
    pub(super) fn len(&self) -> usize {
        self.all.len()
    }

    pub(super) fn first(&self) -> Option<&Task> {
        self.all.first_key_value().map(|(_, task)| task)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Task> {
        self.all.values()
    }

    /// The tasks at this place, in order.
    pub(super) fn at(&self, place: Instant) -> impl Iterator<Item = &Task> {
        self.all.range((place, 0)..=(place, u64::MAX)).map(|(_, task)| task)
    }

    /// The order of the child's own task of this number.
    pub(super) fn find(&self, number: u32) -> Option<Order> {
        self.numbers.get(&number).copied()
    }

    pub(super) fn insert(&mut self, task: Task) {
        self.all.insert(task.order, task);
        if !task.moved {
            self.numbers.insert(task.number, task.order);
        }
    }

    pub(super) fn remove(&mut self, order: Order) -> Option<Task> {
        let task = self.all.remove(&order)?;
        if !task.moved {
            self.numbers.remove(&task.number);
        }
        Some(task)
    }
}
