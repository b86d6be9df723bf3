//! Threads that work in an array of a given size (HLS 10.3.3): how much they do, in how much processor
//! time, and how often they were taken off the processor.

use std::hint::black_box;
use std::time::Duration;
use windfall_clocks::SystemClock;
use windfall_time::Span;

/// Places that are worked on between two readings of the clock.
const PIECE: usize = 512;

/// The work of a thread.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub(crate) struct Spent {
    /// Places read, changed and written.
    pub(crate) work: f64,
    /// Processor time, in seconds.
    pub(crate) seconds: f64,
    /// How often it lost the processor.
    pub(crate) switches: u64,
}

/// Works in an array of `kib` KiB (0: in registers) for this long, by the clock.
#[expect(clippy::cast_precision_loss, reason = "shown, not compared")]
pub(crate) fn spend(kib: usize, length: Duration) -> Spent {
    let mut array = vec![1_u64; kib * 1024 / 8];
    let mut pieces = 0_u64;
    let mut register = 1_u64;
    work(&mut array, &mut register); // pages are there, the cache is filled
    let (wall, processor) = (SystemClock::Monotonic, SystemClock::ThreadCpuTime);
    let (before, switched) = (processor.now(), switches());
    let end = wall.now().saturating_add(Span::saturating_from_nanos(length.as_nanos()));
    while wall.now() < end {
        if array.is_empty() {
            work(&mut [], &mut register);
            pieces += 1;
        }
        for piece in array.chunks_mut(PIECE) {
            work(piece, &mut register);
            pieces += 1;
        }
    }
    let seconds = processor.now().saturating_since(before).as_secs_f64();
    let switches = switches().saturating_sub(switched);
    Spent { work: pieces as f64 * PIECE as f64, seconds, switches }
}

fn work(places: &mut [u64], register: &mut u64) {
    if places.is_empty() {
        for _ in 0..PIECE {
            *register = black_box(register.wrapping_mul(5).wrapping_add(1));
        }
    }
    for place in places.iter_mut() {
        *place = place.wrapping_mul(5).wrapping_add(1);
    }
    black_box(places);
}

/// How often this thread lost the processor so far, as the system counts.
fn switches() -> u64 {
    let status = std::fs::read_to_string("/proc/thread-self/status").unwrap_or_default();
    let count = |line: &str| line.split_once("ctxt_switches:")?.1.trim().parse::<u64>().ok();
    status.lines().filter_map(count).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn law_work_takes_processor_time() {
        for kib in [0, 64] {
            let spent = spend(kib, Duration::from_millis(20));
            assert!(spent.work >= 512.0 && spent.seconds > 0.001, "{spent:?}");
        }
    }
}
