//! Methods against a clock whose truth is known: zero elapsed time (4.4 to 4.7), known intervals, interrupts.

#![expect(clippy::unwrap_used, reason = "a test stops at what it did not expect")]

use std::cell::Cell;
use windfall_clocks::variance::improvement_at;
use windfall_clocks::{
    Clock, Interrupts, Interval, IntervalError, Load, Method, Reading, Scale, Simulated, Stopwatch,
};
use windfall_time::Span;

const METHODS: [Method; 3] = [Method::LongTerm, Method::MethodI, Method::MethodII];

/// As Medusa's 4-Read: at least 320 us, scattering by tens.
fn medusa(kept: f64) -> Load {
    Load { floor: Span::from_nanos(320_000), scale: 40_000.0, kept, own: 0.0, equal_halves: true }
}

fn clock(load: Load, seed: u64) -> Simulated {
    Simulated::new(load, Span::from_nanos(2_000), seed).unwrap()
}

/// Longer than any load, and shorter than any interrupt.
fn stopwatch(clock: &Simulated, method: Method) -> Stopwatch<&Simulated> {
    Stopwatch::with_method(clock, method).with_gap(Span::from_millis(1))
}

fn measure(clock: &Simulated, method: Method, truth: Span) -> Interval {
    stopwatch(clock, method).measure(4_000, || clock.elapse(truth)).unwrap()
}

#[test]
fn law_every_method_finds_the_truth_within_its_error_and_bias() {
    let mut judged = 0;
    for (seed, kept) in [(1, 0.0), (2, 0.6), (3, 0.95)] {
        for truth in [0, 1, 50_000, 1_000_000, 7_050_000] {
            let truth = Span::from_nanos(truth);
            for method in METHODS {
                let clock = clock(medusa(kept), seed);
                let found = measure(&clock, method, truth);
                let off = found.value - truth.as_secs_f64() * 1e9;
                // The error of a mean of correlated samples is larger than that of independent ones: up to the root of (1 + r)/(1 - r), with r = 0.9, is 4.4 times.
                let allowed = 4.0 * 4.4 * found.error() + 100.0;
                assert!(off.abs() < allowed, "{method}, {kept}, {truth}: {off} ns, {found}");
                assert!(off.abs() < 7_000.0 && found.bias.abs() < 7_000.0, "{found}");
                // Judged by other zeros than those that made the constant.
                assert!(found.bias.abs() > 1e-6, "{found}");
                assert_eq!((found.samples, found.gaps.all()), (4_000, 0));
                judged += 1;
            }
        }
    }
    assert_eq!(judged, 45);
}

#[test]
fn law_without_compensation_the_bias_is_what_a_read_takes() {
    let clock = clock(medusa(0.0), 4);
    let found = measure(&clock, Method::Uncompensated, Span::ZERO);
    // Half of one read and half of another, each of Rayleigh's distribution.
    let scatter = (2.0 - core::f64::consts::FRAC_PI_2) * 40_000.0 * 40_000.0 / 2.0;
    assert!((0.9..1.1).contains(&(found.variance / scatter)), "{}", found.variance);
    let takes = 320_000.0 + 40_000.0 * (core::f64::consts::PI / 2.0).sqrt();
    assert!((found.value - takes).abs() < 5_000.0, "{found}");
    assert!((found.bias - takes).abs() < 5_000.0, "{found}");
}

/// The correlation of neighbours among successive pairs of reads of their own, and k of method I.
fn correlation_and_k(kept: f64, seed: u64) -> (f64, f64) {
    let load = clock(Load { own: 0.0, ..medusa(kept) }, seed);
    let pairs: Vec<f64> = (0..30_000)
        .map(|_| {
            let begin = load.read();
            f64::from(u32::try_from(load.read().since(begin).unwrap()).unwrap())
        })
        .collect();
    let mean = pairs.iter().sum::<f64>() / 30_000.0;
    let product = |lag: usize| -> f64 {
        pairs.iter().zip(&pairs[lag..]).map(|(one, other)| (one - mean) * (other - mean)).sum()
    };
    let other = clock(medusa(kept), seed + 100);
    let found = stopwatch(&other, Method::MethodI).measure(8_000, || ()).unwrap();
    (product(1) / product(0), found.k.unwrap())
}

#[test]
fn paper_k_of_method_i_rises_with_the_correlation_from_two_thirds_up() {
    let mut last = 0.0;
    for (seed, kept) in [(5, 0.0), (6, 0.7), (7, 0.9), (8, 0.97), (9, 0.995)] {
        let (r, k) = correlation_and_k(kept, seed);
        assert!(k > last, "{k} at {r} after {last}");
        // Pairs do not forget quite from pair to pair as reads do, so the curve is near and not exact.
        let curve = improvement_at(r.max(0.0)).unwrap();
        assert!((0.7..1.4).contains(&(k / curve)), "k {k} at {r}, where the curve has {curve}");
        last = k;
    }
    let (r, k) = correlation_and_k(0.0, 5);
    assert!(r.abs() < 0.05 && (0.6..0.75).contains(&k), "{r}, {k}");
    assert!(last > 3.57, "{last}");
}

#[test]
fn law_the_stopwatch_chooses_the_method_that_tracks_the_load() {
    let chosen = |load: Load| {
        let clock = clock(load, 10);
        let made = Stopwatch::new(&clock);
        // The trials throw away what is 1 us above the median, so the load is one of nanoseconds.
        made.unwrap().method()
    };
    let load = |kept, own| Load {
        floor: Span::from_nanos(40_000),
        scale: 100.0,
        kept,
        own,
        equal_halves: true,
    };
    let fine = |load: Load| {
        let clock = Simulated::new(load, Span::from_nanos(1), 10).unwrap();
        Stopwatch::new(&clock).unwrap().method()
    };
    // The load of the same moment is what another processor sees.
    assert_eq!(fine(load(0.9, 0.0)), Method::MethodII);
    // What only the reader itself has, and differs from read to read, none can know.
    assert_eq!(fine(load(0.0, 2_000.0)), Method::LongTerm);
    // Reads that take less than a tick of the clock leave nothing to subtract.
    let none = Load { floor: Span::ZERO, scale: 0.0, ..load(0.0, 0.0) };
    assert_eq!(chosen(none), Method::Uncompensated);
}

/// A clock whose load is tracked from read to read until `is_hidden`; then nothing tracks it.
struct Changing {
    tracked: Simulated,
    hidden: Simulated,
    is_hidden: Cell<bool>,
}

impl Clock for Changing {
    fn read(&self) -> Reading {
        if self.is_hidden.get() { self.hidden.read() } else { self.tracked.read() }
    }

    fn scale(&self) -> Scale {
        self.tracked.scale()
    }
}

#[test]
fn law_a_chosen_method_that_would_make_it_worse_is_not_taken() {
    let load = |kept| {
        let load = Load { floor: Span::from_nanos(40_000), scale: 1_000.0, ..medusa(kept) };
        Simulated::new(load, Span::from_nanos(1), 17).unwrap()
    };
    let clock = Changing { tracked: load(0.998), hidden: load(0.0), is_hidden: Cell::new(false) };
    let stopwatch = Stopwatch::new(&clock).unwrap().with_gap(Span::from_millis(1));
    assert_eq!(stopwatch.method(), Method::MethodI);
    let tracked = stopwatch.measure(4_000, || ()).unwrap();
    assert!(tracked.method == Method::MethodI && tracked.k.unwrap() >= 3.0, "{tracked:?}");
    clock.is_hidden.set(true);
    let hidden = stopwatch.measure(4_000, || ()).unwrap();
    assert_eq!((hidden.method, hidden.k), (Method::LongTerm, Some(1.0)), "{hidden:?}");
    // Who gives the method gets it, and is told its k.
    let given = Stopwatch::with_method(&clock, Method::MethodI).with_gap(Span::from_millis(1));
    let given = given.measure(4_000, || ()).unwrap();
    assert!(given.method == Method::MethodI && given.k.unwrap() < 0.9, "{given:?}");
    assert!(hidden.variance < given.variance * 0.9, "{hidden:?} {given:?}");
}

#[test]
fn law_zeros_of_a_difference_are_measured_in_turn_with_it() {
    let clock = clock(medusa(0.0), 18);
    let last = Cell::new(Span::ZERO);
    let work = || last.set(clock.truth());
    stopwatch(&clock, Method::LongTerm).compare(4_000, work, work).unwrap();
    // The last of 8,000 sections is among the last of all reads.
    let after = clock.truth().saturating_sub(last.get());
    assert!(after < Span::from_millis(3), "{after}");
}

#[test]
fn law_interrupts_are_gaps_that_are_counted_and_thrown_away() {
    let load = medusa(0.9);
    let interrupts =
        Interrupts { every: Span::from_nanos(16_666_666), length: Span::from_millis(3) };
    for method in METHODS {
        let clock = clock(load, 11).with_interrupts(interrupts).unwrap();
        let found = measure(&clock, method, Span::from_nanos(50_000));
        assert!(found.gaps.late > 50 && found.gaps.late == found.gaps.all(), "{:?}", found.gaps);
        assert_eq!(found.samples + found.gaps.all(), 4_000);
        let off = found.value - 50_000.0;
        assert!(off.abs() < 7_000.0, "{method}: {off}");
        // Kept, they would have been a bias: some samples in a hundred, of 3 ms each.
        let clock = self::clock(load, 11).with_interrupts(interrupts).unwrap();
        let all = Stopwatch::with_method(&clock, method).with_gap(Span::from_secs(1));
        let all = all.measure(4_000, || clock.elapse(Span::from_nanos(50_000))).unwrap();
        assert!(all.gaps.all() == 0 && all.variance > 3.0 * found.variance, "{all}");
    }
}

#[test]
fn law_a_difference_is_that_of_the_truths_whatever_a_read_takes() {
    for (kept, seed) in [(0.0, 12), (0.9, 13)] {
        let clock = clock(medusa(kept), seed);
        let stopwatch = stopwatch(&clock, Method::LongTerm);
        let [long, short] = [90_000, 40_000].map(Span::from_nanos);
        let found = stopwatch.compare(4_000, || clock.elapse(long), || clock.elapse(short));
        let found = found.unwrap();
        let off = found.value - 50_000.0;
        assert!(off.abs() < 5.0 * found.error() + 100.0, "{off}: {found}");
        assert_eq!(found.method, Method::Paired);
        let back = stopwatch.compare(4_000, || clock.elapse(short), || clock.elapse(long));
        let back = back.unwrap();
        assert!(back.value < -40_000.0 && back.span().is_none(), "{back}");
        // The same load in both takes some of the variance of two that are measured apart.
        assert!(found.k.unwrap() > if kept > 0.5 { 1.3 } else { 0.9 }, "{:?}", found.k);
    }
}

#[test]
fn law_equal_seeds_give_equal_results() {
    let run = |seed| {
        let clock = clock(medusa(0.9), seed);
        (measure(&clock, Method::MethodI, Span::from_nanos(500)), clock.truth())
    };
    assert_eq!(run(14), run(14));
    assert_ne!(run(14).1, run(15).1);
}

#[test]
fn refuses_what_cannot_be_measured_and_says_why() {
    let calm =
        Load { floor: Span::from_nanos(20), scale: 0.0, kept: 0.0, own: 0.0, equal_halves: true };
    let clock = Simulated::new(calm, Span::from_nanos(1), 16).unwrap();
    let stopwatch = Stopwatch::with_method(&clock, Method::LongTerm);
    let few = stopwatch.measure(7, || ()).unwrap_err();
    assert_eq!(few, IntervalError::TooFew { requested: 7, least: 8 });
    assert_eq!(few.to_string(), "7 samples are too few for a variance; ask for at least 8");
    assert!(stopwatch.measure(8, || ()).is_ok());
    // Where nothing scatters, what is later than all others was disturbed.
    let strict = stopwatch.with_gap(Span::ZERO);
    let mut calls = 0;
    let one = strict.measure(40, || {
        calls += 1;
        clock.elapse(Span::from_nanos(if calls == 7 { 11 } else { 10 }));
    });
    assert_eq!(one.unwrap().gaps.late, 1);
}

#[test]
fn refuses_a_clock_that_cannot_be_and_names_why() {
    let tick = Span::from_nanos(1);
    let calm = medusa(0.0);
    for (load, tick, words) in [
        (Load { kept: 1.1, ..calm }, tick, "a read keeps 1.1 of the load; allowed: 0 to 1"),
        (Load { kept: -0.1, ..calm }, tick, "a read keeps -0.1 of"),
        (Load { scale: f64::NAN, ..calm }, tick, "`scale` of the load is NaN ns; allowed: 0 to"),
        (Load { own: -1.0, ..calm }, tick, "`own` of the load is -1 ns"),
        (calm, Span::ZERO, "it ticks every 0s; allowed: 1 ns to 18446744.073709551s"),
        (calm, Span::MAX, "it ticks every 18446744073.709551615s"),
    ] {
        let text = Simulated::new(load, tick, 1).unwrap_err().to_string();
        let all = format!("cannot simulate this clock: {words}");
        assert!(text.starts_with(&all), "{text} is not {all}");
    }
    let often = Interrupts { every: Span::ZERO, length: Span::from_nanos(1) };
    let text = clock(calm, 1).with_interrupts(often).unwrap_err().to_string();
    assert!(text.ends_with("interrupts come every 0 ns; allowed: 1 ns or more"), "{text}");
}

#[test]
fn limit_time_ends_and_stands_still() {
    let end = Span::from_nanos(u64::MAX / 1_000);
    let frequent = Interrupts { every: Span::from_nanos(1), length: Span::from_nanos(2) };
    let huge = Load { floor: Span::MAX, ..medusa(0.0) };
    for clock in [
        clock(medusa(0.0), 19),
        clock(medusa(0.0), 19).with_interrupts(frequent).unwrap(),
        clock(huge, 19),
    ] {
        clock.elapse(Span::MAX);
        assert_eq!(clock.truth(), end);
        clock.elapse(Span::MAX);
        assert_eq!((clock.read(), clock.truth()), (clock.read(), end));
        assert!(clock.elsewhere().unwrap().before().is_ok());
    }
}

#[test]
fn law_each_distance_is_followed_by_an_interrupt() {
    let calm = Load { floor: Span::ZERO, scale: 0.0, ..medusa(0.0) };
    let interrupts = Interrupts { every: Span::from_nanos(10), length: Span::from_nanos(3) };
    let clock = clock(calm, 20).with_interrupts(interrupts).unwrap();
    let mut passed = 0;
    for (time, truth) in [(9, 9), (1, 13), (9, 22), (31, 65), (0, 65), (10, 78)] {
        clock.elapse(Span::from_nanos(time));
        passed += time;
        assert_eq!(clock.truth(), Span::from_nanos(truth), "after {passed}");
    }
}
