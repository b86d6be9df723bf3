//! A load at an ordinary priority: for each processor a thread of each kind, which does what disturbs others.
//!
//! It uses memory, pipes and timers of this process alone, so that nothing is left behind when it ends, in whatever way.

mod kind;

pub(crate) use kind::LoadKind;

use kind::Repeated;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use windfall_os::sched::{Affinity, Attributes};

/// The threads; they end when this is dropped.
pub(crate) struct Load {
    over: Arc<AtomicBool>,
    threads: Vec<JoinHandle<()>>,
}

impl Load {
    /// Starts them. A processor that gets no thread, or no pipe, has less load; none is stopped by that.
    pub(super) fn start(processors: &[u16], kinds: &[LoadKind]) -> Load {
        let over = Arc::new(AtomicBool::new(false));
        let mut threads = Vec::new();
        for kind in kinds {
            for (processor, body) in processors.iter().zip(kind.bodies(processors.len())) {
                let (over, processor) = (over.clone(), *processor);
                let body = move || loads(processor, &over, body);
                let thread = std::thread::Builder::new().name(format!("load-{}", kind.name()));
                threads.extend(thread.spawn(body).ok());
            }
        }
        Load { over, threads }
    }
}

impl Drop for Load {
    fn drop(&mut self) {
        self.over.store(true, Ordering::Relaxed);
        for thread in self.threads.drain(..) {
            // It only spends time; were it to panic, there would be less load.
            let _ = thread.join();
        }
    }
}

fn loads(processor: u16, over: &AtomicBool, mut body: Repeated) {
    // Where that is refused it loads whatever processor it gets.
    let _ = Attributes::ordinary().give(0).and_then(|()| Affinity::one(processor).give(0));
    while !over.load(Ordering::Relaxed) {
        if !body() {
            return;
        }
    }
}
