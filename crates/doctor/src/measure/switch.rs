//! From one real-time thread to another on one processor: a futex handed to and fro.

use super::{Bench, Cost, PRIORITY};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use windfall_os::LinuxError;
use windfall_os::clock;
use windfall_os::futex::Gate;

/// Round trips a repetition.
const COUNT: usize = 2_000;

#[derive(Default)]
struct Pair {
    here: Gate,
    there: Gate,
    over: AtomicBool,
}

pub(super) fn cost(bench: Bench) -> Result<Cost, LinuxError> {
    let pair = Arc::new(Pair::default());
    let its = pair.clone();
    let other = std::thread::spawn(move || {
        let entered = bench.enter(PRIORITY);
        loop {
            its.there.pass();
            if its.over.load(Ordering::Acquire) {
                return entered;
            }
            its.here.open_and_wake();
        }
    });
    // A round trip is two switches.
    let cost = bench.repeat("switch, thread to thread", COUNT, 2, || {
        let begun = clock::now();
        pair.there.open_and_wake();
        pair.here.pass();
        clock::now().saturating_since(begun)
    });
    pair.over.store(true, Ordering::Release);
    pair.there.open_and_wake();
    other.join().unwrap_or(Ok(())).map(|()| cost)
}
