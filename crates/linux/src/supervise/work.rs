//! What is left for the /proc worker (`procfs_worker.rs`).

use crate::carrier::wakes::Wakes;
use crate::threads::programs::PendingThread;
use std::collections::VecDeque;
use std::sync::Arc;
use windfall_os::futex::Gate;
use windfall_os::lock::Lock;

/// Something to be found out or done.
pub(crate) enum WorkItem {
    /// The program of an entry is to begin.
    Begin(usize),
    /// A thread of a program was made, or has become another; what is known of it.
    Meet(i32, Box<PendingThread>),
    /// A member has another name or file, on which it depends to whom it belongs.
    Name(i32),
    /// What a member does is not known.
    Look(u32),
    /// Events were lost: nobody's state is known, nor whether there are others.
    LookAtAll,
    /// A member is to have a group that freezes it.
    Group(u32),
    /// A process was made that has no thread yet.
    Make(u32),
}

/// What is left for the /proc worker.
#[derive(Clone)]
pub(crate) struct WorkQueue {
    /// Under a lock of its own, so that the /proc worker need not interrupt the event loop for each.
    pub(crate) items: Arc<Lock<WorkItems>>,
    /// Open when there is something on it.
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
    /// From here on there is nothing more to do.
    pub(crate) fn close(&self) {
        self.items.lock().over = true;
    }

    /// Leaves a work item.
    pub(crate) fn send(&self, item: WorkItem, wakes: &mut Wakes) {
        let mut items = self.items.lock();
        let queue = &mut items.queue;
        let again = matches!(item, WorkItem::LookAtAll)
            && queue.iter().any(|item| matches!(item, WorkItem::LookAtAll));
        if again {
            return;
        }
        // What is to begin does not wait behind the threads of what has begun.
        match item {
            WorkItem::Begin(_) => queue.push_front(item),
            _ => queue.push_back(item),
        }
        drop(items);
        wakes.open(&self.gate);
    }
}
