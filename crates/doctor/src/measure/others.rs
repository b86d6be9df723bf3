//! The costs of raising another thread's priority, and of sending it to another processor.

use super::{Bench, Cost};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::thread::JoinHandle;
use windfall_os::LinuxError;
use windfall_os::clock;
use windfall_os::sched::{Affinity, own_tid, set_fifo};
use windfall_time::Span;

/// The priorities of a thread that could run and is raised; nothing else is there.
const LOW: u32 = 11;
const HIGHER: u32 = 12;

/// A thread that would run if the measuring thread did not.
struct Waiting {
    tid: i32,
    over: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Waiting {
    fn new(bench: Bench) -> Result<Waiting, LinuxError> {
        let over = Arc::new(AtomicBool::new(false));
        let (sender, receiver) = mpsc::channel();
        let its = over.clone();
        let thread = std::thread::spawn(move || {
            let entered = bench.enter(LOW);
            let _ = sender.send((own_tid(), entered));
            while !its.load(Ordering::Relaxed) {
                std::hint::spin_loop();
            }
        });
        let early =
            |_| LinuxError::new("cannot measure", "a measured thread ended early", "report it");
        let (tid, entered) = receiver.recv().map_err(early)?;
        let waiting = Waiting { tid, over, thread: Some(thread) };
        entered.map(|()| waiting)
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        self.over.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// A thread that could run gets another priority, and still may not run.
pub(super) fn raise(bench: Bench) -> Result<Cost, LinuxError> {
    let waiting = Waiting::new(bench)?;
    // Up and down again.
    Ok(bench.repeat("another thread's priority", 1_000, 2, || {
        let begun = clock::now();
        let _ = set_fifo(waiting.tid, HIGHER).and_then(|()| set_fifo(waiting.tid, LOW));
        clock::now().saturating_since(begun)
    }))
}

/// A thread that could run is sent to another processor.
pub(super) fn migrate(bench: Bench, elsewhere: u16) -> Result<Cost, LinuxError> {
    let waiting = Waiting::new(bench)?;
    Ok(bench.repeat("another thread's processor", 100, 1, || {
        let begun = clock::now();
        let sent = Affinity::one(elsewhere).give(waiting.tid);
        let taken = clock::now().saturating_since(begun);
        let _ = sent.and_then(|()| Affinity::one(bench.cpu).give(waiting.tid));
        taken.max(Span::from_nanos(1))
    }))
}
