use super::*;
use crate::learn::LearnedThread;
use crate::program::Recorded;
use proptest::prelude::*;
use windfall_trace::ThreadId;

fn ms(n: u64) -> u64 {
    n * 1_000_000
}

fn activation(at_ns: u64, by: Cause, work_ns: u64) -> Activation {
    Activation { at: Instant::from_nanos(at_ns), by, work: Span::from_nanos(work_ns) }
}

fn learned(activations: Vec<Activation>) -> Learned {
    let thread = LearnedThread {
        trace_thread: ThreadId(0),
        name: "t".to_owned(),
        tid: 1,
        pid: 1,
        of_command: false,
        recorded: Recorded::default(),
        activations,
        jobs: Vec::new(),
        unknown: Span::ZERO,
    };
    Learned { threads: vec![thread], ..Learned::default() }
}

/// Wake-ups at these instants, 1 us of work each.
fn woken_at(instants: impl IntoIterator<Item = u64>) -> Habit {
    let each = |at| activation(at, Cause::Other, 1_000);
    habit(&learned(instants.into_iter().map(each).collect()), 0)
}

fn noise(seed: u64, below: u64) -> u64 {
    crate::Random::new(seed).between(0, below.saturating_sub(1))
}

#[test]
fn law_equal_gaps_are_a_period() {
    let found = woken_at((0..50).map(|i| ms(7) + i * ms(10)));
    assert_eq!(found.period, Some(Span::from_millis(10)));
    assert_eq!((found.confidence, found.jitter), (Ratio::ONE, Span::ZERO));
    assert_eq!((found.periods, found.wakeups, found.note), (49, 50, Note::Periodic));
}

#[test]
fn law_eight_periods_are_enough_and_seven_are_not() {
    assert_eq!(woken_at((0..9).map(|i| i * ms(10))).note, Note::Periodic);
    let few = woken_at((0..8).map(|i| i * ms(10)));
    assert_eq!((few.note, few.period, few.periods), (Note::TooFewPeriods, None, 7));
    assert_eq!(woken_at([]).note, Note::TooFewPeriods);
    assert_eq!(woken_at([ms(1), ms(3)]).note, Note::TooFewPeriods);
}

#[test]
fn law_a_late_wake_up_makes_one_period_late_not_two() {
    let late = |i: u64| if i % 10 == 5 { ms(3) } else { 0 };
    let found = woken_at((0..100).map(|i| i * ms(10) + late(i)));
    assert_eq!(found.period, Some(Span::from_millis(10)));
    assert_eq!(found.confidence, Ratio::new(89, 99).unwrap());
}

#[test]
fn law_bunches_are_gathered_and_their_work_added_up() {
    let mut wakes = Vec::new();
    for i in 0..40 {
        // One to three wake-ups a period, each with 1 ms of work.
        for extra in 0..=(i % 3) {
            wakes.push(activation(i * ms(20) + extra * 1_500_000, Cause::Other, ms(1)));
        }
    }
    let found = habit(&learned(wakes), 0);
    assert_eq!(found.period, Some(Span::from_millis(20)));
    assert_eq!(found.need.p50, Span::from_millis(2));
    assert_eq!(found.need.max, Span::from_millis(3));
}

#[test]
fn law_two_wake_ups_a_period_are_one_period() {
    let found = woken_at((0..40).flat_map(|i| [i * ms(20), i * ms(20) + ms(7)]));
    assert_eq!(found.period, Some(Span::from_millis(20)));
    assert_eq!(found.confidence, Ratio::ONE);
}

#[test]
fn law_a_missed_period_counts_against_it_and_its_work_is_spread() {
    let skip = |i: &u64| i % 10 != 9;
    let each = |i: u64| {
        let work = if i % 10 == 8 { ms(4) } else { ms(1) };
        activation(i * ms(10), Cause::Other, work)
    };
    let found = habit(&learned((0..100).filter(skip).map(each).collect()), 0);
    assert_eq!(found.period, Some(Span::from_millis(10)));
    assert_eq!((found.periods, found.confidence), (98, Ratio::new(89, 98).unwrap()));
    assert_eq!(found.need.max, Span::from_millis(4), "cut at the end of the trace");
    assert_eq!(found.need.p99, Span::from_millis(2));
}

#[test]
fn law_who_wakes_it_is_named() {
    let by = |i: u64| if i.is_multiple_of(20) { Cause::Other } else { Cause::Thread(0) };
    let wakes = (0..40).map(|i| activation(i * ms(10), by(i), 1)).collect();
    assert_eq!(habit(&learned(wakes), 0).note, Note::ReleasedBy(0));
    let by = |i: u64| if i.is_multiple_of(4) { Cause::Other } else { Cause::Thread(0) };
    let wakes = (0..40).map(|i| activation(i * ms(10), by(i), 1)).collect();
    assert_eq!(habit(&learned(wakes), 0).note, Note::Periodic);
}

#[test]
fn law_being_seen_again_is_no_release() {
    let mut wakes = Vec::new();
    for i in 0..20 {
        wakes.push(activation(ms(1) + i * ms(10), Cause::Other, ms(1)));
        if i % 5 == 0 {
            wakes.push(activation(ms(4) + i * ms(10), Cause::Start, ms(1)));
        }
    }
    let found = habit(&learned(wakes), 0);
    assert_eq!((found.wakeups, found.confidence), (20, Ratio::ONE));
    assert_eq!(found.need.max, Span::from_millis(2));
}

#[test]
fn law_typing_is_not_periodic() {
    // Keys 80 to 200 ms apart, as in the recorded workload.
    for seed in 0..50 {
        let mut at = 0;
        let found = woken_at((0..60).map(|i| {
            at += ms(80) + noise(seed * 1000 + i, ms(120));
            at
        }));
        assert_eq!((found.note, found.period), (Note::NotPeriodic, None), "seed {seed}");
    }
}

#[test]
fn law_chance_is_not_periodic() {
    for seed in 0..50 {
        let mut instants: Vec<u64> = (0..300).map(|i| noise(seed * 1000 + i, ms(5_000))).collect();
        instants.sort_unstable();
        assert_eq!(woken_at(instants).note, Note::NotPeriodic, "seed {seed}");
    }
}

proptest! {
    #[test]
    fn law_a_jittering_period_is_found(
        period_us in 500_u64..1_000_000,
        offset in 0_u64..1_000_000_000,
        seed: u64,
        count in 12_u64..200,
    ) {
        let period = period_us * 1_000;
        let jitter = |i| noise(seed.wrapping_add(i), period / 20);
        let found = woken_at((0..count).map(|i| offset + i * period + jitter(i)));
        let way = found.period.unwrap().as_nanos().abs_diff(period);
        prop_assert!(way <= period / 20, "{:?} is not {period}", found.period);
        prop_assert!(found.confidence >= Ratio::new(9, 10).unwrap());
        prop_assert!(found.jitter.as_nanos() <= period / 10);
    }

    #[test]
    fn law_any_wake_ups_give_a_sound_habit(
        mut instants in prop::collection::vec(any::<u64>(), 0..60),
        work: u32,
    ) {
        instants.sort_unstable();
        let each = |at| activation(at, Cause::Other, u64::from(work));
        let found = habit(&learned(instants.into_iter().map(each).collect()), 0);
        prop_assert!(found.confidence >= Ratio::ZERO && found.confidence <= Ratio::ONE);
        prop_assert!(found.need.p50 <= found.need.p99 && found.need.p99 <= found.need.max);
        let periodic = matches!(found.note, Note::Periodic | Note::ReleasedBy(_));
        prop_assert_eq!(periodic, found.period.is_some());
    }
}

#[test]
fn law_releases_of_jobs_are_the_period_where_a_trace_has_them() {
    // It runs once in three periods, and does three jobs then.
    let each = |gap: u64, work| move |n: u64| activation(ms(n * gap), Cause::Other, ms(work));
    let mut found = learned((0..30).map(each(30, 3)).collect());
    let of = |found: &Learned| {
        let habit = habit(found, 0);
        (habit.period.unwrap().as_nanos(), habit.need.max.as_nanos())
    };
    assert_eq!(of(&found), (ms(30), ms(3)));
    found.threads[0].jobs = (0..90).map(each(10, 1)).collect();
    assert_eq!(of(&found), (ms(10), ms(1)));
}
