//! Single executions of sections shorter than reading the clock: what is found, beside a long loop of the same section.
//!
//! ```sh
//! cargo run --release -p windfall-clocks --example interval
//! ```

use std::hint::black_box;
use windfall_clocks::{Best, Clock, Lap, Stopwatch, SystemClock};

/// Multiplications, each after the one before.
fn chain(mut value: u64, steps: u32) -> u64 {
    for _ in 0..steps {
        value = value.wrapping_mul(0x5851_f42d_4c95_7f2d).rotate_left(23);
    }
    value
}

/// Nanoseconds of a chain in a long loop of chains.
fn in_a_loop(steps: u32) -> f64 {
    const TIMES: u64 = 2_000_000;
    let steps = black_box(steps);
    let best = (0..5).map(|_| {
        let lap = Lap::begin();
        let last = (0..TIMES).fold(1, |value, _| chain(value, steps));
        black_box(last);
        lap.each(TIMES)
    });
    best.fold(f64::INFINITY, f64::min)
}

fn show(name: &str, clock: impl Clock) -> Result<(), Box<dyn std::error::Error>> {
    let stopwatch = Stopwatch::new(clock)?;
    println!("{name}: {}", stopwatch.method());
    for trial in stopwatch.trials() {
        let k = trial.k.map_or("none".to_owned(), |k| format!("{k:.2}"));
        println!(
            "    {}: zero elapsed time {:.2} ns (+-{:.2}), k {k}",
            trial.method, trial.bias, trial.bias_error
        );
    }
    for steps in [0, 2, 6, 100] {
        let steps = black_box(steps);
        let interval = stopwatch.measure_with(50_000, || 1_u64, |value| chain(*value, steps))?;
        println!("  {steps:3} steps, {:.2} ns in a loop: {interval}", in_a_loop(steps));
    }
    let longer = stopwatch.compare_with(
        50_000,
        || black_box(1_u64),
        |value| chain(*value, 12),
        |value| chain(*value, 6),
    )?;
    println!("  12 steps more than 6: {longer}");
    Ok(())
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let best = Best::find();
    if let Best::Counter(counter) = best {
        println!("{:?}", counter.calibration());
    }
    show("the fastest clock", best)?;
    show("CLOCK_MONOTONIC", SystemClock::Monotonic)?;
    show("CLOCK_THREAD_CPUTIME_ID", SystemClock::ThreadCpuTime)
}
