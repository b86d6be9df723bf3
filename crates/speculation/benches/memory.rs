//! Memory over time: PHOLD on two threads, for ten minutes or so many seconds as are given, with what the process holds every few seconds.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use windfall_clocks::Lap;
use windfall_speculation::phold::Phold;
use windfall_speculation::{Cancellation, Parallel};
use windfall_time::{Instant, Span};

const PROCESSES: u32 = 1_000;
/// So many events are done ahead at most.
const AHEAD: usize = 20_000;

/// KiB of memory that this process holds.
fn held() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.and_then(|line| line.trim().trim_end_matches(" kB").parse().ok()).unwrap_or(0)
}

/// Runs until this virtual time, in nanoseconds, and samples. How many events, how long, and the samples.
fn run(end: u64, every: Duration) -> (u64, Span, Vec<u64>) {
    let (model, end) = (Phold::new(PROCESSES, 250), Instant::from_nanos(end));
    let waiting = model.waiting();
    let run = Parallel::new(model, end, waiting, Cancellation::Aggressive, 2);
    let mut run = run.expect("PHOLD begins").ahead(AHEAD);
    let (over, lap) = (AtomicBool::new(false), Lap::begin());
    std::thread::scope(|scope| {
        let samples = scope.spawn(|| {
            let mut samples = Vec::new();
            while !over.load(Ordering::Relaxed) {
                std::thread::sleep(every);
                samples.push(held());
                if samples.len().is_multiple_of(20) {
                    println!("{:.0} s: {} KiB", lap.passed().as_secs_f64(), held());
                }
            }
            samples
        });
        let events = run.run(|_, ()| ()).expect("PHOLD runs");
        let took = lap.passed();
        over.store(true, Ordering::Relaxed);
        (events, took, samples.join().expect("it samples"))
    })
}

fn main() {
    let seconds =
        std::env::args().filter_map(|word| word.parse::<u64>().ok()).next().unwrap_or(600);
    let before = held();
    let (events, took, _) = run(5_000_000, Duration::from_millis(100));
    let millis = (took.as_nanos() / 1_000_000).max(1);
    // An event a microsecond later for each process.
    let end = events * 1_000 * seconds / millis * 1_000 / u64::from(PROCESSES);
    let (events, took, samples) = run(end, Duration::from_secs(1));
    let after = samples.len() / 10;
    let (first, rest) = samples.split_at(after.min(samples.len()));
    let of = |samples: &[u64]| (samples.iter().min().copied(), samples.iter().max().copied());
    println!("{events} events in {:.0} s; {before} KiB before", took.as_secs_f64());
    println!("KiB, least and most: {:?} in the first tenth, {:?} after it", of(first), of(rest));
}
