//! Judgements against slow definitions, and the lemmas of chapter 5 as schedules.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

#[path = "meaning/random.rs"]
mod random;

use windfall_guarantees::meaning::{Judge, Verdict};
use windfall_guarantees::{Allowance, Guarantee};
use windfall_time::{Instant, Ratio, Span};

/// One stretch: when it begins, and for each nanosecond whether it is served.
type Stretch = (u64, Vec<bool>);

/// A stretch in letters: `#` served, `.` not.
fn stretch(from: u64, text: &str) -> Stretch {
    (from, text.chars().map(|letter| letter == '#').collect())
}

fn run(judge: &mut Judge, stretches: &[Stretch], deadlines: &[u64]) {
    for at in deadlines {
        judge.set_deadline(Instant::ZERO, Instant::from_nanos(*at));
    }
    for (from, ticks) in stretches {
        let at = |tick: usize| Instant::from_nanos(from + tick as u64);
        judge.wakes(at(0));
        for (tick, _) in ticks.iter().enumerate().filter(|(_, served)| **served) {
            judge.served(at(tick), at(tick + 1));
        }
        judge.sleeps(at(ticks.len()));
    }
}

fn verdict(guarantee: &Guarantee, stretches: &[Stretch]) -> Verdict {
    let mut judge = Judge::new(guarantee, Allowance::lots(Span::from_nanos(1))).unwrap();
    run(&mut judge, stretches, &[]);
    judge.verdict()
}

fn of(text: &str, schedule: &str) -> Verdict {
    verdict(&text.parse().unwrap(), &[stretch(100, schedule)])
}

fn length(units: i128, fine: i128) -> windfall_guarantees::Length {
    windfall_guarantees::Length::from_nanos(Ratio::new(units, fine).unwrap()).unwrap()
}

#[test]
fn paper_lemma_5_1_a_window_shorter_by_one_may_hold_less() {
    // RESBH 3 8: first in one period, last in the next (figure 5.3); 2y - x = 13.
    let schedule = "###..........###";
    assert!(!of("RESBH 3ns 8ns", schedule).is_broken());
    assert!(!of("RESCS 3ns 13ns", schedule).is_broken());
    let Verdict::Broken { short, worst, .. } = of("RESCS 3ns 12ns", schedule) else {
        panic!("12 ns suffice");
    };
    assert_eq!((short.to_string(), worst.received.to_string()), ("1ns".into(), "2ns".into()));
}

#[test]
fn paper_theorem_5_3_reservations_of_equal_rate_are_no_continuous_ones_either() {
    // RESBH 3 8 first in one period, then last in each: the rate is that of RESCH 3k 8k, which the proof does not look at.
    for k in 1..=4 {
        let schedule = format!("###.....{}", ".....###".repeat(k));
        assert!(!of("RESBH 3ns 8ns", &schedule).is_broken());
        let continuous = of(&format!("RESCH {}ns {}ns", 3 * k, 8 * k), &schedule);
        assert!(matches!(continuous, Verdict::Broken { .. }), "{k}: {continuous:?}");
    }
    assert!(!of("RESCH 3ns 8ns", "###.....###.....###").is_broken(), "one that repeats is");
}

#[test]
fn paper_lemmas_5_2_and_5_3_the_longest_gap() {
    // y - x for a continuous reservation, 2 (y - x) for a basic one, and not a nanosecond more.
    assert!(!of("RESCS 3ns 8ns", "###.....###.....###").is_broken());
    assert!(of("RESCS 3ns 8ns", "###......###.....###").is_broken());
    assert!(!of("RESBS 3ns 8ns", "###..........###").is_broken());
    assert!(of("RESBS 3ns 8ns", "###...........###").is_broken());
    assert!(of("RESBS 3ns 8ns", "...........").is_broken());
    assert_eq!(of("RESBS 3ns 8ns", ".........."), Verdict::NeverTested);
}

#[test]
fn paper_theorem_5_5_and_5_4_are_tight() {
    // 2 (y - x) x/y = 15/4 behind, and not less.
    assert!(!of("PSBE 3/8 15/4ns", "###..........###").is_broken());
    assert!(of("PSBE 3/8 14/4ns", "###..........###").is_broken());
    assert!(!of("PSBE 3/8 15/8ns", "###.....###.....###").is_broken());
    assert!(of("PSBE 3/8 14/8ns", "###.....###.....###").is_broken());
}

#[test]
fn limit_the_shortest_windows_are_not_enough_for_a_basic_reservation() {
    // Each window of 2y - x = 3 holds 1, yet the rate is 1/3 where 1/2 is promised: windows of 5 ns,
    // which promise 2, hold 1.
    let schedule = "#..#..#..#..#";
    assert!(!of("RESCS 1ns 3ns", schedule).is_broken());
    let Verdict::Broken { worst, .. } = of("RESBS 1ns 2ns", schedule) else { panic!("kept") };
    assert!(worst.to.checked_sub(worst.from).unwrap() > length(3, 1));
}

#[test]
fn accepts_and_refuses_pieces_by_a_nanosecond() {
    assert!(!of("RESNH 2ns 5ns", ".##...##...##..").is_broken());
    assert!(of("RESNH 2ns 5ns", ".##...##....##.").is_broken());
    assert!(of("RESNH 2ns 5ns", ".##...#.#..##..").is_broken());
    assert!(!of("RESSH 2ns 5ns 1ns", ".##..").is_broken());
    assert!(of("RESSH 2ns 5ns 2ns", ".##..").is_broken());
    // A piece and a nanosecond more.
    assert!(matches!(of("RESNH 2ns 5ns", ".###..##...##.."), Verdict::Exceeded { .. }));
}

#[test]
fn a_told_deadline_breaks_no_piece() {
    let mut judge = Judge::new(&"RESNH 2ns 5ns".parse().unwrap(), Allowance::ZERO).unwrap();
    let at = Instant::from_nanos;
    judge.wakes(at(0));
    judge.served(at(0), at(1));
    judge.set_deadline(at(1), at(9));
    judge.served(at(1), at(2));
    judge.sleeps(at(5));
    assert!(!judge.verdict().is_broken());
}

#[test]
fn refuses_more_than_a_hard_reservation_allows() {
    // The end of one period and the beginning of the next, then a period's rest.
    assert!(!of("RESBH 3ns 8ns", "######.....###").is_broken());
    let Verdict::Exceeded { by, .. } = of("RESBH 3ns 8ns", "######....####") else {
        panic!("not exceeded");
    };
    assert_eq!(by.to_string(), "1ns");
    assert!(!of("RESBS 3ns 8ns", "######....####").is_broken());
}

#[test]
fn accepts_and_refuses_a_processor_to_itself() {
    assert_eq!(of("ALL", "####").tested(), 1);
    assert!(!of("ALL", "####").is_broken());
    assert!(of("ALL", "##.#").is_broken());
    assert_eq!(of("NULL", "...."), Verdict::NeverTested);
}

#[test]
fn a_share_in_the_long_run_is_not_refuted_or_broken() {
    let half = "#.".repeat(100);
    assert!(matches!(of("PS 1/2", &half), Verdict::NotRefuted { tested: 1, .. }));
    // 3 sqrt(200) = 42.4...: 57 of 100 are enough, 56 are not.
    let of_100 = |served: usize| {
        of("PS 1/2", &format!("{}{}", "#".repeat(served), ".".repeat(200 - served)))
    };
    assert!(matches!(of_100(57), Verdict::NotRefuted { .. }));
    assert!(of_100(56).is_broken());
    assert_eq!(of("PS 1/2", &"#.".repeat(18)), Verdict::NeverTested);
}

#[test]
fn limit_long_runs_keep_little() {
    // A hundred thousand periods, in each of which the piece lies elsewhere.
    let mut judge = Judge::new(&"RESBH 3us 10us".parse().unwrap(), Allowance::ZERO).unwrap();
    judge.wakes(Instant::ZERO);
    let mut noise: u64 = 1;
    for period in 0..100_000_u64 {
        noise =
            noise.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let at = period * 10_000 + (noise >> 33) % 7_001;
        judge.served(Instant::from_nanos(at), Instant::from_nanos(at + 3_000));
    }
    judge.sleeps(Instant::from_nanos(1_000_000_000));
    assert!(matches!(judge.verdict(), Verdict::Kept { tested: 58_823, .. }));
}

#[test]
fn a_deadline_told_too_late_or_out_of_order_ends_judgement() {
    let told = |first: u64, now: u64, second: u64| {
        let mut judge = Judge::new(&"RESU 1/2".parse().unwrap(), Allowance::ZERO).unwrap();
        let at = Instant::from_nanos;
        judge.wakes(at(0));
        judge.set_deadline(at(0), at(first));
        judge.served(at(0), at(first / 2));
        judge.set_deadline(at(now), at(second));
        judge.sleeps(at(3_000));
        judge.verdict()
    };
    assert!(told(1_000, 500, 2_000).is_broken(), "in time and in order: 500 of 1000 by 2000");
    assert!(!told(1_000, 1_100, 2_000).is_broken(), "too late");
    assert!(!told(1_000, 600, 900).is_broken(), "out of order");
}
