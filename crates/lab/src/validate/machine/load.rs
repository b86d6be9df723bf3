//! A load at an ordinary priority: a thread for each processor, which does in turn what disturbs others.

use std::hint::black_box;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::JoinHandle;
use std::time::Duration;
use windfall_clocks::SystemClock;
use windfall_os::sched::{Affinity, Attributes};
use windfall_time::{Instant, Span};

/// So long one kind of work goes on.
const TURN: Span = Span::from_millis(10);
/// More than most caches of one processor hold.
const WORDS: usize = 2 << 20;

/// The threads; they end when this is dropped.
pub(crate) struct Load {
    over: Arc<AtomicBool>,
    threads: Vec<JoinHandle<()>>,
}

impl Load {
    /// Starts them. A processor that gets no thread has less load; none is stopped by that.
    pub(super) fn start(processors: &[u16]) -> Load {
        let over = Arc::new(AtomicBool::new(false));
        let (senders, mut receivers): (Vec<_>, Vec<_>) =
            processors.iter().map(|_| sync_channel(16)).unzip();
        receivers.rotate_left(1);
        let start = |((processor, to), from): ((&u16, _), _)| {
            let (over, processor) = (over.clone(), *processor);
            let body = move || loads(processor, &over, &to, &from);
            std::thread::Builder::new().name("load".to_owned()).spawn(body).ok()
        };
        let threads = processors.iter().zip(senders).zip(receivers).filter_map(start).collect();
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

fn loads(processor: u16, over: &AtomicBool, to: &SyncSender<u64>, from: &Receiver<u64>) {
    // Where that is refused it loads whatever processor it gets.
    let _ = Attributes::ordinary().give(0).and_then(|()| Affinity::one(processor).give(0));
    let mut memory = vec![0_u64; WORDS];
    let kinds: [&mut dyn FnMut(); 4] = [
        &mut computes,
        &mut || sweeps(&mut memory),
        // Pages are asked for, filled and given back.
        &mut || drop(black_box(vec![1_u8; 4 << 20])),
        &mut || exchanges(to, from),
    ];
    for turn in (0..kinds.len()).cycle() {
        let end = now() + TURN;
        while now() < end {
            if over.load(Ordering::Relaxed) {
                return;
            }
            kinds[turn]();
        }
    }
}

fn now() -> Instant {
    SystemClock::Monotonic.now()
}

fn computes() {
    for step in 0..10_000_u64 {
        black_box(step);
    }
}

fn sweeps(memory: &mut [u64]) {
    for word in memory.iter_mut() {
        *word = word.wrapping_add(1);
    }
    black_box(memory);
}

/// Wakes the thread of another processor, and sleeps as it is woken or a timer expires.
fn exchanges(to: &SyncSender<u64>, from: &Receiver<u64>) {
    let _ = to.try_send(1);
    let _ = from.recv_timeout(Duration::from_micros(50));
}
