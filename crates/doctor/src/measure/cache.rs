//! The cost of a switch in cache misses: a thread reads its working set again after another has used
//! its processor (HLS 10.3.3).
//!
//! Caches know addresses and not threads, so one thread with two pieces of memory sees what two would.
//! The lines are read in an unpredictable order, each after the one before: the highest cost for a
//! program. Reading in sequence costs less, and is measured as well.

use super::{Bench, Cost};
use crate::word;
use windfall_os::clock;
use windfall_programs::Random;
use windfall_time::Span;

/// Words of a cache line.
const LINE: usize = 8;
/// Assumed where the machine does not say.
const USUAL_KIB: u64 = 512;
/// Samples a repetition.
const COUNT: usize = 20;

/// The largest cache that a processor has for itself, in KiB; filling one KiB of it again, at most and in order.
pub(super) fn cost(bench: Bench) -> (u64, Cost, Cost) {
    let size = own_cache(bench.cpu).unwrap_or(USUAL_KIB);
    // A working set of half of it, and another thread's of four times as much.
    let own = chain(usize::try_from(size * 1024 / 2).unwrap_or(1 << 18) / 64);
    let other = chain(usize::try_from(size * 1024 * 4).unwrap_or(1 << 21) / 64);
    let refill = |read: fn(&[usize]) -> Span| {
        read(&own);
        read(&own);
        let full = read(&own);
        unforeseen(&other);
        let emptied = read(&own);
        Span::from_nanos(emptied.as_nanos().saturating_sub(full.as_nanos()))
    };
    let most = bench.repeat("cache refill of a KiB", COUNT, size / 2, || refill(unforeseen));
    let least = bench.repeat("the same, read in order", COUNT, size / 2, || refill(in_order));
    (size, most, least)
}

/// Lines of which each names the next to read, in one random circle through all.
fn chain(lines: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..lines).collect();
    let mut random = Random::new(1);
    for at in (1..lines).rev() {
        let other = usize::try_from(random.between(0, at as u64 - 1)).unwrap_or(0);
        order.swap(at, other);
    }
    let mut memory = vec![0; lines * LINE];
    for (line, next) in order.into_iter().enumerate() {
        memory[line * LINE] = next * LINE;
    }
    memory
}

fn unforeseen(memory: &[usize]) -> Span {
    let begun = clock::now();
    let last = (0..memory.len() / LINE).fold(0, |at, _| memory[at]);
    std::hint::black_box(last);
    clock::now().saturating_since(begun)
}

fn in_order(memory: &[usize]) -> Span {
    let begun = clock::now();
    let sum = memory.iter().step_by(LINE).fold(0, |sum: usize, word| sum ^ word);
    std::hint::black_box(sum);
    clock::now().saturating_since(begun)
}

/// The largest cache of data that no other core shares, according to /sys.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn law_a_chain_goes_through_every_line_once() {
        let memory = chain(100);
        let (mut at, mut seen) = (0, std::collections::BTreeSet::new());
        while seen.insert(at) {
            at = memory[at];
        }
        assert_eq!((at, seen.len()), (0, 100));
    }
}
