//! One execution of a section of about 1, 7 and 130 ns: what is found, beside a long loop of the same section and criterion's `PerIteration`.
//!
//! ```sh
//! cargo bench -p windfall-clocks --bench one_shot
//! ```

use criterion::{BatchSize, Criterion};
use std::hint::black_box;
use std::time::Duration;
use windfall_clocks::{Best, Clock, Interval, Lap, Stopwatch, SystemClock, median};

/// Rounds are short and many, since others take the processor, and its rate changes.
const ROUNDS: usize = 301;
const SAMPLES: u32 = 500;
/// A loop is looked at in pieces of about this many ns, of which few hold an interrupt.
const PIECE: f64 = 20_000.0;
const PIECES: usize = 15;
/// Sections, by what they take: what is asked of the bias, in ns.
const SECTIONS: [(f64, Option<f64>); 4] =
    [(1.4, None), (7.0, Some(1.0)), (130.0, Some(3.0)), (1_400.0, None)];

/// Multiplications and rotations, each after the one before.
#[inline(always)]
fn chain(mut value: u64, steps: u32) -> u64 {
    for _ in 0..steps {
        value = value.wrapping_mul(0x5851_f42d_4c95_7f2d).rotate_left(23);
    }
    value
}

/// Nanoseconds of a section in a long loop, each on the result of the one before: the median of several pieces of it.
fn in_a_loop(steps: u32, nanos: f64) -> f64 {
    let times = (1..1_000_000_u32).find(|times| f64::from(*times) * nanos >= PIECE).unwrap_or(1);
    let mut value = 1;
    let piece = |_| {
        let lap = Lap::begin();
        for _ in 0..times {
            value = chain(value, black_box(steps));
        }
        black_box(value);
        lap.each(times.into())
    };
    median((0..PIECES).map(piece).collect())
}

/// How many steps take about so long.
fn steps(nanos: f64) -> u32 {
    let step = median((0..ROUNDS).map(|_| in_a_loop(200, 250.0)).collect()) / 200.0;
    (1..10_000).find(|steps| f64::from(*steps) * step >= nanos).unwrap_or(1)
}

fn once(name: &str, clock: impl Clock) {
    let stopwatch = match Stopwatch::new(clock) {
        Ok(stopwatch) => stopwatch,
        Err(why) => return println!("{name}: {why}"),
    };
    println!("{name}: {}", stopwatch.method());
    for trial in stopwatch.trials() {
        let k = trial.k.map_or("none".to_owned(), |k| format!("{k:.2}"));
        println!(
            "  {:20} zero elapsed time {:6.2} ns, k {k}",
            trial.method.to_string(),
            trial.bias
        );
    }
    println!("      loop       once       bias  one sample  thrown away, %  asked");
    for (nanos, requested) in SECTIONS {
        let steps = steps(nanos);
        let mut found: Vec<(f64, Interval)> = Vec::new();
        for _ in 0..ROUNDS {
            // The loop counter is hidden from the compiler in both; so both have the same code.
            let single = stopwatch.measure_with(
                SAMPLES,
                || (1_u64, steps),
                |(value, steps)| chain(*value, *steps),
            );
            match single {
                Ok(single) => found.push((in_a_loop(steps, nanos), single)),
                Err(why) => println!("  {why}"),
            }
        }
        let of = |what: fn(&(f64, Interval)) -> f64| median(found.iter().map(what).collect());
        let count = |what: fn(&Interval) -> u64| -> f64 {
            let sum: u64 = found.iter().map(|one| what(&one.1)).sum();
            f64::from(u32::try_from(sum).expect("some hundred thousand samples"))
        };
        let thrown = count(|one| one.gaps.all());
        let thrown = 100.0 * thrown / (thrown + count(|one| one.samples));
        let requested = requested.map_or(String::new(), |requested| format!("{requested}"));
        println!(
            "  {:8.2}   {:8.2}   {:8.2}   {:9.1}   {thrown:13.3}   {requested}",
            of(|one| one.0),
            of(|one| one.1.value),
            of(|one| one.1.value - one.0),
            of(|one| one.1.variance.sqrt()),
        );
    }
}

fn criterion() {
    let mut criterion = Criterion::default()
        .measurement_time(Duration::from_secs(2))
        .warm_up_time(Duration::from_millis(500))
        .without_plots();
    for (nanos, _) in SECTIONS {
        let steps = steps(nanos);
        criterion.bench_function(&format!("criterion, {nanos} ns, PerIteration"), |bencher| {
            let section = |(value, steps): (u64, u32)| chain(value, steps);
            bencher.iter_batched(
                || (black_box(1_u64), black_box(steps)),
                section,
                BatchSize::PerIteration,
            );
        });
    }
}

fn main() {
    println!("ns; medians of {ROUNDS} rounds");
    once("the fastest clock", Best::find());
    once("CLOCK_MONOTONIC", SystemClock::Monotonic);
    once("CLOCK_THREAD_CPUTIME_ID", SystemClock::ThreadCpuTime);
    criterion();
}
