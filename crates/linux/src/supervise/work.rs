//! The queue of work for the /proc worker (`procfs_worker.rs`).

use crate::carrier::wakes::Wakes;
use crate::threads::programs::PendingThread;
use std::collections::VecDeque;
use std::sync::Arc;
use windfall_os::futex::Gate;
use windfall_os::lock::Lock;

/// One piece of work.
pub(crate) enum WorkItem {
    /// Begin the program of this entry.
    Begin(usize),
    /// Take a thread that a program has made, or that has changed; with what is known about it.
    Meet(i32, Box<PendingThread>),
    /// Look at a member's new name or file, which decides the entry that it belongs to.
    Name(i32),
    /// Read the state of this member.
    Look(u32),
    /// Read the state of all members and look for new threads, because events were lost.
    LookAtAll,
    /// Make a freezer group for this member.
    Group(u32),
    /// Start the thread of a process that was made during the run.
    Make(u32),
}

/// The queue of work, with its gate.
#[derive(Clone)]
pub(crate) struct WorkQueue {
    /// Has a lock of its own, so that the /proc worker need not call the event loop for each item.
    pub(crate) items: Arc<Lock<WorkItems>>,
    /// Open while there are items.
    pub(crate) gate: Arc<Gate>,
}

#[derive(Default)]
pub(crate) struct WorkItems {
    pub(crate) queue: VecDeque<WorkItem>,
    pub(crate) over: bool,
}

impl Default for WorkQueue {
    fn default() -> WorkQueue {
        WorkQueue { items: Arc::new(Lock::new(WorkItems::default())), gate: Arc::default() }
    }
}

impl WorkQueue {
    /// Ends the queue: the worker takes no more items.
    pub(crate) fn close(&self) {
        self.items.lock().over = true;
    }

    /// Queues an item. `LookAtAll` is queued at most once.
    pub(crate) fn send(&self, item: WorkItem, wakes: &mut Wakes) {
        let mut items = self.items.lock();
        let queue = &mut items.queue;
        let again = matches!(item, WorkItem::LookAtAll)
            && queue.iter().any(|item| matches!(item, WorkItem::LookAtAll));
        if again {
            return;
        }
        // A program that is to begin does not wait behind the threads of programs that have begun.
        match item {
            WorkItem::Begin(_) => queue.push_front(item),
            _ => queue.push_back(item),
        }
        drop(items);
        wakes.open(&self.gate);
    }
}
