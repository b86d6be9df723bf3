//! The clocks of this machine: that they go on, agree, and measure nothing as nothing, idle and loaded.
//!
//! Others may run beside these tests, so figures are bounded where one try of several is enough; what they come to on a quiet machine, the benches say.

#![expect(clippy::unwrap_used, reason = "a test stops at what it did not expect")]

use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};
use std::hint::black_box;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use windfall_clocks::{
    Best, Clock, Counter, CounterError, Interval, IntervalError, Method, Reading, SampleError,
    Scale, Stopwatch, SystemClock, Watch,
};
use windfall_time::Span;

const SYSTEM: [SystemClock; 5] = [
    SystemClock::Monotonic,
    SystemClock::MonotonicRaw,
    SystemClock::Boottime,
    SystemClock::ThreadCpuTime,
    SystemClock::ProcessCpuTime,
];

/// Whether a try of several does: others may take the processor in some.
fn once_of(tries: u32, mut holds: impl FnMut() -> bool) -> bool {
    (0..tries).any(|_| holds())
}

fn brief() -> Option<Counter> {
    Counter::calibrated_for(Span::from_millis(20)).ok()
}

fn goes_on(clock: &impl Clock) {
    let mut last = clock.read();
    let (mut moved, mut compared) = (0, 0);
    for _ in 0..20_000 {
        let now = clock.read();
        match now.since(last) {
            Ok(ticks) => {
                moved += u32::from(ticks > 0);
                compared += 1;
            }
            // Processors may differ by less than it takes to get from one to the other; nothing is promised.
            Err(why) => assert_eq!(why, SampleError::Migrated),
        }
        last = now;
    }
    assert!(compared > 10_000 && moved > 0, "{compared} compared, {moved} moved on");
}

#[test]
fn law_readings_of_a_thread_never_decrease() {
    SYSTEM.iter().for_each(goes_on);
    goes_on(&Best::find());
    if let Some(counter) = brief() {
        goes_on(&counter);
        let mut last = counter.now();
        for _ in 0..20_000 {
            let now = counter.now();
            // A migration may show a processor whose counter is some nanoseconds behind.
            assert!(now + Span::from_nanos(1_000) >= last, "{now} after {last}");
            last = now;
        }
    }
}

#[test]
fn law_the_counter_agrees_with_clock_monotonic_raw() {
    let Some(counter) = brief() else {
        // Then `Best` says why, and has another clock.
        assert!(matches!(Best::find(), Best::Monotonic(_)));
        return;
    };
    let calibration = counter.calibration();
    assert!(calibration.hertz > 1_000_000 && calibration.over >= Span::from_millis(20));
    assert!(once_of(20, || {
        let before = SystemClock::MonotonicRaw.now();
        let now = counter.now();
        let after = SystemClock::MonotonicRaw.now();
        // 20 ms of calibration leave some parts in a million of the seconds that a test takes.
        let slack = Span::from_nanos(20_000);
        now + slack >= before && now <= after + slack
    }));
    assert!(once_of(20, || {
        std::thread::sleep(Duration::from_millis(5));
        let drift = counter.drift().unwrap();
        assert_eq!(drift.suspended, Span::ZERO);
        let doubt = calibration.uncertainty_ppb + drift.uncertainty_ppb + 100;
        drift.ppb.unsigned_abs() <= doubt
    }));
}

/// CI's part of ten minutes. The thread sleeps, so it costs no processor time.
#[test]
fn law_the_counter_goes_from_the_kernels_clock_by_a_part_in_a_million_in_a_minute_at_most() {
    const ASKED: u64 = 1_000;
    let Some(first) = Counter::new().ok() else { return assert!(brief().is_none()) };
    let certain = |_| Counter::new().ok().filter(|it| it.calibration().uncertainty_ppb <= ASKED);
    // A thread that others kept from the processor at either end calibrates again.
    let counter = (0..20).find_map(certain).unwrap_or(first);
    std::thread::sleep(Duration::from_secs(60));
    let drift = counter.drift().unwrap();
    assert!(drift.over >= Span::from_secs(60) && drift.suspended.is_zero(), "{drift:?}");
    assert!(drift.uncertainty_ppb < 100, "{drift:?}");
    let calibration = counter.calibration();
    assert!(drift.ppb.unsigned_abs() <= ASKED + drift.uncertainty_ppb, "{drift:?} {calibration:?}");
}

#[test]
fn law_a_longer_calibration_is_more_certain() {
    let Some(brief) = brief() else { return };
    assert!(once_of(5, || {
        let long = Counter::calibrated_for(Span::from_millis(100)).unwrap();
        long.calibration().uncertainty_ppb < brief.calibration().uncertainty_ppb
    }));
}

#[test]
fn refuses_a_calibration_of_no_time() {
    // Looks take time, so that even this one may find a rate; it must not divide by nothing.
    match Counter::calibrated_for(Span::ZERO) {
        Ok(counter) => assert!(counter.calibration().uncertainty_ppb > 1_000),
        Err(CounterError::Stopped { over }) => assert_eq!(over, Span::ZERO),
        Err(other) => assert!(brief().is_none(), "{other}"),
    }
}

#[test]
fn accepts_errors_that_say_what_to_use_instead() {
    let errors = [
        CounterError::NotInvariant,
        CounterError::Distrusted,
        CounterError::Unknown { architecture: "pdp11" },
        CounterError::Stopped { over: Span::from_millis(20) },
        CounterError::Disturbed { looks: 64 },
        CounterError::Suspended { span: Span::from_secs(20) },
        CounterError::BegunAnew { ago: Span::from_secs(20) },
    ];
    for error in errors {
        let text = error.to_string();
        assert!(text.starts_with("cannot read the processor's counter: "), "{text}");
        assert!(text.ends_with(" use `SystemClock::Monotonic`, as `Best` does"), "{text}");
    }
}

/// Zero elapsed time on a clock: what is left by the method that it chose, and by the others.
fn zero_elapsed_time(name: &str, clock: impl Clock + Copy) {
    let mut missed = Vec::new();
    let found = once_of(30, || {
        let Ok(stopwatch) = Stopwatch::new(clock) else { return false };
        let trials = stopwatch.trials();
        let chosen = trials.iter().find(|trial| trial.method == stopwatch.method()).unwrap();
        // Nowhere below 1, by whatever method.
        assert!(chosen.k.unwrap() >= 1.0, "{name}: {trials:?}");
        let plain = trials.iter().find(|trial| trial.method == Method::Uncompensated).unwrap();
        let Ok(interval) = stopwatch.measure(4_000, || ()) else { return false };
        assert!(interval.k.is_none_or(|k| k >= 1.0), "{name}: {interval:?}");
        // What reading takes is tens to hundreds of ns; a fiftieth is left, or a nanosecond. Half of the zeros make the constant and half judge it, so a bias scatters by twice the error of 4,000 samples.
        let allowed = 1.0 + plain.bias.abs() / 50.0;
        let scatter = 3.0 * 2.0 * interval.error();
        let is_zero = interval.value.abs().max(interval.bias.abs()) < allowed + scatter;
        // An interval that says nothing is no proof.
        let holds = is_zero && scatter < plain.bias.abs() / 4.0;
        if !holds {
            missed.push((interval, allowed));
        }
        holds
    });
    assert!(found, "{name}: {missed:?}");
}

/// Does something while as many threads as there are processors read clocks as well.
fn loaded(mut what: impl FnMut()) {
    let over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().unwrap().get() {
            scope.spawn(|| {
                while !over.load(Ordering::Relaxed) {
                    black_box(SystemClock::ThreadCpuTime.read());
                }
            });
        }
        let done = std::panic::catch_unwind(std::panic::AssertUnwindSafe(&mut what));
        over.store(true, Ordering::Relaxed);
        done.unwrap_or_else(|panic| std::panic::resume_unwind(panic));
    });
}

#[test]
fn paper_zero_elapsed_time_is_zero_on_every_clock_idle_and_loaded() {
    let best = Best::find();
    let every = |load: &str| {
        for clock in SYSTEM {
            zero_elapsed_time(&format!("{}, {load}", clock.name()), clock);
        }
        zero_elapsed_time(&format!("best, {load}"), best);
    };
    every("idle");
    loaded(|| every("loaded"));
}

/// Additions and rotations, each after the one before.
#[inline(never)]
fn chain(mut value: u64, steps: u32) -> u64 {
    for step in 0..steps {
        value = value.wrapping_add(u64::from(step)).rotate_left(7) ^ 0x5555;
    }
    value
}

/// Whether single executions on a clock take what they take in a long loop.
fn single_executions(name: &str, clock: impl Clock + Copy) {
    const TIMES: u32 = 20_000;
    let in_a_loop = |steps: u32| {
        let steps = black_box(steps);
        // Processor time, since other tests take the processor from a long loop.
        let begun = SystemClock::ThreadCpuTime.now();
        black_box((0..TIMES).fold(1, |value, _| chain(value, steps)));
        let nanos = SystemClock::ThreadCpuTime.now().saturating_since(begun).as_nanos();
        f64::from(u32::try_from(nanos).unwrap()) / f64::from(TIMES)
    };
    let stopwatch = Stopwatch::with_method(clock, Method::LongTerm);
    let mut seen = Vec::new();
    let near = once_of(20, || {
        let single = |steps: u32| {
            let steps = black_box(steps);
            stopwatch.measure_with(2_000, || 1, |value| chain(*value, steps)).ok()
        };
        let (Some(few), Some(many)) = (single(5), single(200)) else { return false };
        let [few, many, few_averaged, many_averaged] =
            [few.value, many.value, in_a_loop(5), in_a_loop(200)];
        seen.push([few, many, few_averaged, many_averaged]);
        // A loop costs something itself, most of all when not optimised, but the same for few steps and for many.
        let (one, other) = (many - few, many_averaged - few_averaged);
        (one - other).abs() < 4.0 + other / 8.0
            && few < few_averaged + 4.0
            && few > few_averaged / 3.0 - 4.0
    });
    assert!(near, "{name}: {seen:?}");
}

#[test]
fn law_a_single_execution_takes_what_it_takes_in_a_long_loop() {
    let best = Best::find();
    let every = |load: &str| {
        // The processor time of a process counts what all its threads use.
        let own = |clock: &SystemClock| *clock != SystemClock::ProcessCpuTime;
        for clock in SYSTEM.into_iter().filter(own) {
            single_executions(&format!("{}, {load}", clock.name()), clock);
        }
        single_executions(&format!("best, {load}"), best);
    };
    every("idle");
    loaded(|| every("loaded"));
}

#[test]
fn law_processor_time_of_a_thread_does_not_count_what_it_sleeps() {
    let (cpu, wall) = (SystemClock::ThreadCpuTime, SystemClock::Monotonic);
    let (before, begun) = (cpu.now(), wall.now());
    std::thread::sleep(Duration::from_millis(20));
    let (used, passed) = (cpu.now().saturating_since(before), wall.now().saturating_since(begun));
    assert!(passed >= Span::from_millis(20) && used < Span::from_millis(10), "{used} of {passed}");
    assert_eq!(Watch::begin().suspended(), Span::ZERO);
}

/// A clock that always goes wrong in one way.
#[derive(Clone, Copy)]
struct Broken {
    backwards: bool,
}

thread_local! {
    static READS: std::cell::Cell<u32> = const { std::cell::Cell::new(0) };
}

impl Clock for Broken {
    fn read(&self) -> Reading {
        let reads = READS.replace(READS.get() + 1);
        if self.backwards {
            Reading { ticks: u64::from(u32::MAX - reads), processor: Some(0) }
        } else {
            Reading { ticks: u64::from(reads), processor: Some(reads % 2) }
        }
    }

    fn scale(&self) -> Scale {
        Scale::NANOSECONDS
    }
}

#[test]
fn refuses_a_clock_that_goes_backwards_or_a_thread_that_always_migrates() {
    for backwards in [false, true] {
        let stopwatch = Stopwatch::with_method(Broken { backwards }, Method::LongTerm);
        let why = stopwatch.measure(10, || ()).unwrap_err();
        let IntervalError::OnlyGaps { requested: 10, gaps, base, .. } = why else {
            panic!("{why}")
        };
        let of = |gaps: windfall_clocks::Gaps| {
            if backwards { gaps.backwards } else { gaps.migrated }
        };
        assert_eq!((of(gaps), of(base), gaps.all()), (10, 10, 10));
        assert!(why.to_string().starts_with("of 10 samples 10 were thrown away, and 10 of"));
        assert!(Stopwatch::new(Broken { backwards }).is_err());
        let by_another = Stopwatch::with_method(Broken { backwards }, Method::MethodII);
        assert_eq!(by_another.measure(10, || ()), Err(IntervalError::NoCompanion));
    }
}

#[test]
fn law_a_thread_that_migrates_in_a_section_is_noticed_by_the_counter() {
    let own = sched_getaffinity(None).unwrap();
    let all: Vec<usize> = (0..CpuSet::MAX_CPU).filter(|cpu| own.is_set(*cpu)).collect();
    let Some(counter) = brief().filter(|counter| counter.read().processor.is_some()) else {
        return;
    };
    let [one, other, ..] = all[..] else { return };
    let stopwatch = Stopwatch::with_method(counter, Method::LongTerm);
    let mut round = 0;
    let move_on = || {
        round += 1;
        let mut to = CpuSet::new();
        to.set(if round % 2 == 0 { one } else { other });
        sched_setaffinity(None, &to).unwrap();
    };
    let mut only = CpuSet::new();
    only.set(one);
    sched_setaffinity(None, &only).unwrap();
    let why = stopwatch.measure(16, move_on).unwrap_err();
    sched_setaffinity(None, &own).unwrap();
    let IntervalError::OnlyGaps { gaps, base, .. } = why else { panic!("{why}") };
    assert_eq!((gaps.migrated, gaps.all()), (16, 16));
    assert!(base.migrated == 0, "{base:?}");
}

#[test]
fn accepts_an_input_that_is_made_anew_and_dropped_outside() {
    let stopwatch = Stopwatch::with_method(SystemClock::Monotonic, Method::LongTerm);
    let mut made = 0;
    let found: Interval = stopwatch
        .measure_with(
            1_000,
            || {
                made += 1;
                vec![3_u8, 1, 2]
            },
            |list| {
                list.sort_unstable();
                std::mem::take(list)
            },
        )
        .unwrap();
    assert_eq!(made, 1_000);
    assert_eq!(found.samples + found.gaps.all(), 1_000);
    assert!(found.span().is_some() || found.value > -5.0, "{found}");
}
