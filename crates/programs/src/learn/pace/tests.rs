use super::*;
use crate::Random;
use crate::learn::replay::Cause;
use proptest::prelude::*;
use windfall_time::Ratio;

fn wake(at: u64, work: u64) -> Activation {
    Activation { at: Instant::from_nanos(at), by: Cause::Other, work: Span::from_nanos(work) }
}

/// Looks every `look` whether the next of `frames` is due, and then works; up to `extra` is added to each wait.
fn polls(period: u64, look: u64, extra: u64, frames: u64, seed: u64) -> Vec<Activation> {
    let mut random = Random::new(seed);
    let (mut now, mut wakes) = (0, Vec::new());
    for frame in 0..frames {
        while now < frame * period {
            wakes.push(wake(now, random.between(20_000, 60_000)));
            now += look + random.between(0, extra);
        }
        wakes.push(wake(now, random.between(400_000, 700_000)));
        now += look + random.between(400_000, 2_500_000);
    }
    wakes
}

#[test]
fn law_who_looks_whether_a_frame_is_due_keeps_its_pace() {
    for (seed, period) in [(1, 33_333_333), (2, 40_000_000), (3, 30_000_000), (4, 41_708_333)] {
        let wakes = polls(period, 10_060_000, 200_000, 300, seed);
        let (heads, grid) = pace(&wakes).unwrap();
        let wrong = grid.period.as_nanos().abs_diff(period);
        assert!(wrong * 1_000 < period, "{} for {period}", grid.period);
        assert!(grid.jitter() < Span::from_millis(8), "{}", grid.jitter());
        assert!(grid.confidence() > Ratio::new(9, 10).unwrap(), "{:?}", grid.confidence());
        assert!(heads.iter().all(|at| wakes[*at].work > Span::from_micros(300).unwrap()));
    }
}

#[test]
fn law_starting_up_and_being_held_up_do_not_hide_a_pace() {
    let mut wakes: Vec<Activation> = (0..10).map(|at| wake(at * 15_000_000, 2_000_000)).collect();
    let frames = polls(33_333_333, 10_060_000, 200_000, 300, 5);
    let later = |one: Activation| wake(one.at.as_nanos() + 140_000_000, one.work.as_nanos());
    // Two frames late at once: nothing for 60 ms.
    let held_up = |at: u64| (150_000_000..5_000_000_000).contains(&at) || at > 5_060_000_000;
    wakes.extend(frames.into_iter().map(later).filter(|one| held_up(one.at.as_nanos())));
    let (_, grid) = pace(&wakes).unwrap();
    assert!(grid.period.as_nanos().abs_diff(33_333_333) < 33_333, "{}", grid.period);
}

/// Gaps of similar length and nothing more, with deviations from 1 to 50 hundredths.
#[test]
fn law_alike_gaps_are_no_pace() {
    for seed in 0..300 {
        let mut random = Random::new(seed);
        let (count, wide) = (random.between(24, 600), random.between(2, 100));
        let mut now = 0;
        let gaps = (0..count).map(|_| {
            now += 30_000_000 + random.between(0, 300_000 * wide);
            wake(now, random.between(20_000, 2_000_000))
        });
        let wakes: Vec<Activation> = gaps.collect();
        assert!(pace(&wakes).is_none(), "seed {seed}");
    }
}

#[test]
fn limit_a_pace_takes_24_beginnings() {
    let starts = |count: u64| {
        let at = |n: u64| wake(n * 30_000_000 + (n % 2) * 4_000_000, 1_000_000);
        pace(&(0..count).map(at).collect::<Vec<_>>()).is_some()
    };
    assert!(starts(24) && !starts(23));
}

proptest! {
    #[test]
    fn law_any_wake_ups_are_borne(
        all in prop::collection::vec((0_u64..1 << 60, 0_u64..1 << 40), 0..80),
    ) {
        let mut all = all;
        all.sort_unstable();
        let wakes: Vec<Activation> = all.iter().map(|(at, work)| wake(*at, *work)).collect();
        if let Some((heads, grid)) = pace(&wakes) {
            prop_assert!(heads.is_sorted() && grid.good <= grid.counted);
        }
    }
}
