//! What a thread pays after another has used its processor: its working set is read again (HLS 10.3.3).
//!
//! Caches know addresses and not threads, so one thread with two pieces of memory sees what two would.

use super::{Bench, Cost};
use crate::doctor::word;
use crate::sys::clock;
use windfall_time::Span;

/// Bytes of a cache line.
const LINE: usize = 64;
/// Assumed where the machine does not say.
const USUAL_KIB: u64 = 512;
/// Samples a repetition.
const COUNT: usize = 20;

/// The largest cache that a processor has for itself, in KiB, and filling one KiB of it again.
pub(super) fn cost(bench: Bench) -> (u64, Cost) {
    let size = own_cache(bench.cpu).unwrap_or(USUAL_KIB);
    let bytes = usize::try_from(size * 1024).unwrap_or(512 * 1024);
    let (own, other) = (vec![1_u8; bytes / 2], vec![1_u8; bytes * 2]);
    let read = |memory: &[u8]| {
        let begun = clock::now();
        let sum: u64 = memory.iter().step_by(LINE).map(|byte| u64::from(*byte)).sum();
        std::hint::black_box(sum);
        clock::now().saturating_since(begun)
    };
    let refill = || {
        read(&own);
        let full = read(&own);
        read(&other);
        let emptied = read(&own);
        Span::from_nanos(emptied.as_nanos().saturating_sub(full.as_nanos()))
    };
    (size, bench.repeat("cache refill of a KiB", COUNT, size / 2, refill))
}

/// The largest cache of data that no other core shares, as /sys tells it.
fn own_cache(cpu: u16) -> Option<u64> {
    let folder = format!("/sys/devices/system/cpu/cpu{cpu}");
    let siblings = word(&format!("{folder}/topology/thread_siblings_list"));
    let caches = (0..8).filter_map(|index| {
        let read = |name: &str| word(&format!("{folder}/cache/index{index}/{name}"));
        let private = read("shared_cpu_list") == siblings;
        let size = read("size")?.strip_suffix('K')?.parse::<u64>().ok()?;
        (private && read("type")? != "Instruction").then_some(size)
    });
    caches.max().filter(|kib| *kib >= 2)
}
