//! What reading a clock and converting takes, beside the bare counter; and how far the counter goes from CLOCK_MONOTONIC_RAW.
//!
//! ```sh
//! cargo bench -p windfall-clocks --bench reading          # compares rates for 60 s
//! cargo bench -p windfall-clocks --bench reading -- 600   # for ten minutes
//! ```

use std::hint::black_box;
use std::time::{Duration, Instant};
use windfall_clocks::{Clock, Counter, Lap, SystemClock, median};

const ROUNDS: usize = 31;
const READS: u32 = 100_000;
/// Asked: reading and converting, as parts of the bare counter.
const READING: f64 = 1.1;
/// Asked: parts in 10^9.
const DRIFT: u64 = 1_000;

/// Nanoseconds of each of many readings, one after the other.
fn cost<T>(mut read: impl FnMut() -> T) -> f64 {
    let lap = Lap::begin();
    for _ in 0..READS {
        black_box(read());
    }
    lap.each(READS.into())
}

fn reading(counter: &Counter) {
    let ways: [(&str, &dyn Fn() -> f64); 9] = [
        ("bare counter", &|| cost(|| counter.ticks())),
        ("counter, converted (`now`)", &|| cost(|| counter.now())),
        ("counter, in order (`read`)", &|| cost(|| counter.read())),
        ("std Instant", &|| cost(Instant::now)),
        ("CLOCK_MONOTONIC", &|| cost(|| SystemClock::Monotonic.now())),
        ("CLOCK_MONOTONIC, in order", &|| cost(|| SystemClock::Monotonic.read())),
        ("CLOCK_MONOTONIC_RAW", &|| cost(|| SystemClock::MonotonicRaw.now())),
        ("CLOCK_THREAD_CPUTIME_ID", &|| cost(|| SystemClock::ThreadCpuTime.now())),
        ("CLOCK_PROCESS_CPUTIME_ID", &|| cost(|| SystemClock::ProcessCpuTime.now())),
    ];
    let mut rounds: Vec<Vec<f64>> = vec![Vec::new(); ways.len()];
    for _ in 0..ROUNDS {
        for (found, (_, cost)) in rounds.iter_mut().zip(&ways) {
            found.push(cost());
        }
    }
    let bare = rounds[0].clone();
    println!("ns a reading, median of {ROUNDS} interleaved rounds; median of the rounds' ratios");
    for ((name, _), found) in ways.iter().zip(rounds) {
        let ratio = median(found.iter().zip(&bare).map(|(one, bare)| one / bare).collect());
        println!("  {name:27} {:7.2}  {ratio:6.2}", median(found));
    }
    println!("  asked: `now` at most {READING} of the bare counter");
}

fn drift(counter: &Counter, seconds: u64) {
    println!("{:?}", counter.calibration());
    let mut passed = 0;
    for until in [1, 10, 60, 600].into_iter().filter(|until| *until < seconds).chain([seconds]) {
        std::thread::sleep(Duration::from_secs(until - passed));
        passed = until;
        match counter.drift() {
            Ok(drift) => println!("  after {until:3} s: {drift:?}"),
            Err(why) => println!("  after {until:3} s: {why}"),
        }
    }
    println!("  asked: at most {DRIFT} parts in 10^9");
}

fn main() {
    // `cargo bench` adds a word of its own.
    let seconds = std::env::args().find_map(|word| word.parse().ok()).unwrap_or(60);
    match Counter::new() {
        Ok(counter) => {
            reading(&counter);
            drift(&counter, seconds);
        }
        Err(why) => println!("{why}"),
    }
}
