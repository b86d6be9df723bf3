//! Stolen time: gaps seen by a loop that does nothing but read the clock.
//!
//! A gap up to `GAP` is an interrupt; a longer one is a processor lost to a hypervisor.

use super::{Bench, GAP, Interruption, PAUSE, STRETCH};
use windfall_clocks::{Samples, poll};
use windfall_os::clock;
use windfall_os::probe::sleep_until;
use windfall_time::{Instant, Span};

/// Shorter gaps are the loop's own.
const LEAST: Span = Span::from_nanos(1_000);
/// How often a stretch is looked at, for each repetition.
const STRETCHES: usize = 8;

pub(super) fn interruptions(bench: Bench) -> Vec<Interruption> {
    let (mut gaps, mut looked) = (Vec::new(), Span::ZERO);
    for _ in 0..STRETCHES * bench.repetitions {
        sleep_until(clock::now() + PAUSE);
        let begun = clock::now();
        let gap = |from, to: Instant| gaps.push(to.saturating_since(from));
        let last = poll(clock::now, begun, begun + STRETCH, LEAST, gap);
        looked += last.saturating_since(begun);
    }
    let (short, long): (Vec<Span>, Vec<Span>) = gaps.into_iter().partition(|gap| *gap <= GAP);
    [overhead(false, short, looked), overhead(true, long, looked)].into_iter().flatten().collect()
}

fn overhead(steal: bool, gaps: Vec<Span>, looked: Span) -> Option<Interruption> {
    let gaps = Samples::of(gaps);
    let count = gaps.count();
    let number = u64::try_from(count).ok().filter(|count| *count > 0)?;
    let mean = |sum: Span| Span::from_nanos(sum.as_nanos() / number);
    let cost = (gaps.least(), mean(gaps.sum()), gaps.most());
    Some(Interruption { steal, count, every: mean(looked), cost })
}
