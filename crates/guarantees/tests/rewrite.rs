//! Table 5.2, its theorems, and the law that a step never promises more than there is.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use proptest::prelude::*;
use windfall_guarantees::{Guarantee, Length, RewriteError, Rule, Type, form, rewrite};
use windfall_time::{Ratio, Span};

fn parse(text: &str) -> Guarantee {
    text.parse().unwrap()
}

fn holds(from: &str, to: &str) -> bool {
    rewrite(&parse(from), &parse(to)).is_ok()
}

/// The rules by which `to` follows.
fn rules(from: &str, to: &str) -> Vec<Rule> {
    rewrite(&parse(from), &parse(to)).unwrap().into_iter().map(|step| step.rule).collect()
}

/// Table 5.2, row by row: which types become which, in the order of [`Type::ALL_TYPES`].
const TABLE: [(&str, &str); 12] = [
    ("ALL", "t t f t f t t f f t t t"),
    ("RESU 1/2", "f t f f f f f f f f t t"),
    ("RESBH 3ms 10ms", "f f t t f t t f f t t t"),
    ("RESBS 3ms 10ms", "f f f t f t t f f t t t"),
    ("RESCH 3ms 10ms", "f f t t t t t f f t t t"),
    ("RESCS 3ms 10ms", "f f f t f t t f f t t t"),
    ("RESPS 3ms 10ms 2ms", "f f f t f t t f f t t t"),
    ("RESNH 3ms 10ms", "f f t t t t t t f t t t"),
    ("RESSH 3ms 10ms 1ms", "f f t t t t t t t t t t"),
    ("PSBE 3/10 1ms", "f f f t f t t f f t t t"),
    ("PS 3/10", "f f f f f f f f f f t t"),
    ("NULL", "f f f f f f f f f f f t"),
];

/// A modest guarantee of each type, which follows where the types allow it.
const MODEST: [&str; 12] = [
    "ALL",
    "RESU 1/100",
    "RESBH 3ms 10ms",
    "RESBS 1ms 1s",
    "RESCH 3ms 10ms",
    "RESCS 1ms 1s",
    "RESPS 1ms 1s 0s",
    "RESNH 3ms 10ms",
    "RESSH 3ms 10ms 1ms",
    "PSBE 1/100 1s",
    "PS 1/100",
    "NULL",
];

#[test]
fn paper_table_5_2() {
    for (from, row) in TABLE {
        for ((to, modest), cell) in Type::ALL_TYPES.into_iter().zip(MODEST).zip(row.split(' ')) {
            let answer = rewrite(&parse(from), &parse(modest));
            assert_eq!(answer.is_ok(), cell == "t", "{from} to {to}: {answer:?}");
            if cell == "f" {
                assert!(matches!(answer, Err(RewriteError::Never { .. })), "{from} to {to}");
            }
        }
    }
}

#[test]
fn paper_theorem_5_2() {
    assert_eq!(rules("RESBS 10ms 20ms", "RESCS 10ms 30ms"), [Rule::Theorem52]);
    assert_eq!(rules("RESBH 10ms 20ms", "RESCS 10ms 31ms"), [Rule::Soft, Rule::Theorem52]);
    assert!(!holds("RESBS 10ms 20ms", "RESCS 10ms 29.999999ms"));
    assert!(!holds("RESBS 10ms 20ms", "RESCS 10.000001ms 30ms"));
}

#[test]
fn paper_theorem_5_3() {
    assert!(!holds("RESBH 10ms 20ms", "RESCH 10ms 20ms"));
    assert!(holds("RESBH 20ms 20ms", "RESCH 20ms 20ms"));
    assert!(holds("ALL", "RESBH 20ms 20ms"));
}

#[test]
fn paper_theorem_5_4() {
    assert_eq!(rules("RESCS 10ms 20ms", "PSBE 1/2 5ms"), [Rule::Theorem54]);
    assert!(!holds("RESCS 10ms 20ms", "PSBE 1/2 4.999999ms"));
}

#[test]
fn paper_theorem_5_5() {
    assert_eq!(rules("RESBS 10ms 20ms", "PSBE 1/2 10ms"), [Rule::Theorem55]);
    assert!(!holds("RESBS 10ms 20ms", "PSBE 1/2 9.999999ms"));
}

#[test]
fn paper_theorem_5_6() {
    assert_eq!(rules("RESCH 3ms 10ms", "PS 3/10"), [Rule::Theorem56]);
    assert!(!holds("RESCH 3ms 10ms", "PS 301/1000"));
}

#[test]
fn paper_theorem_5_7() {
    // 5.3.3.1: PSBE 1/4 75ms is RESCS 25ms 400ms; ten per cent pessimism takes 3000 ms.
    assert_eq!(rules("PSBE 1/4 75ms", "RESCS 25ms 400ms"), [Rule::Theorem57]);
    assert!(!holds("PSBE 1/4 75ms", "RESCS 25.000001ms 400ms"));
    assert!(holds("PSBE 1/4 75ms", "RESCS 675ms 3000ms"), "9/10 of 1/4 of 3000 ms");
    assert!(!holds("PSBE 1/4 75ms", "RESCS 674.775ms 2999ms"), "and of no shorter period");
    // A period below d/s gives nothing.
    let none = rewrite(&parse("PSBE 1/4 75ms"), &parse("RESBS 1ns 300ms"));
    assert_eq!(none, Err(RewriteError::TooMuch { most: None }));
}

/// 5.3.3.2: with an error of one quantum of 10 ms the video takes 5/11; with 10 % pessimism, a share
/// of 1/6, the quantum is 0.5 ms.
#[test]
fn paper_a_share_for_a_video() {
    assert!(holds("PSBE 5/11 10ms", "RESCS 5ms 33ms"));
    assert!(!holds("PSBE 4999/10999 10ms", "RESCS 5ms 33ms"));
    assert!(holds("PSBE 1/6 0.5ms", "RESCS 5ms 33ms"));
    assert!(!holds("PSBE 1/6 0.500001ms", "RESCS 5ms 33ms"));
}

#[test]
fn refuses_with_the_most_that_there_is() {
    let most = |from: &str, to: &str| match rewrite(&parse(from), &parse(to)) {
        Err(RewriteError::TooMuch { most }) => most.map(|most| most.to_string()),
        other => panic!("{other:?}"),
    };
    assert_eq!(most("PSBE 1/4 75ms", "RESBS 30ms 400ms").unwrap(), "RESBS 25ms 400ms");
    assert_eq!(most("RESBS 10ms 20ms", "RESCS 10ms 25ms").unwrap(), "RESCS 5ms 25ms");
    assert_eq!(most("RESBS 10ms 20ms", "RESBS 21ms 40ms").unwrap(), "RESBS 20ms 40ms");
    assert_eq!(most("PS 1/4", "PS 1/2").unwrap(), "PS 1/4");
}

#[test]
fn the_tightest_form_of_each_type() {
    let form = |from: &str, to| form(&parse(from), to).map(|steps| steps.last().unwrap().gives);
    assert_eq!(form("RESBH 10ms 20ms", Type::Psbe), Some(parse("PSBE 1/2 10ms")));
    assert_eq!(form("RESBH 10ms 20ms", Type::Rescs), Some(parse("RESCS 10ms 30ms")));
    assert_eq!(form("ALL", Type::Psbe), Some(parse("PSBE 1 0s")));
    assert_eq!(form("ALL", Type::Resu), Some(parse("RESU 1")));
    assert_eq!(form("PS 1/3", Type::Psbe), None);
    assert_eq!(form("RESU 1/3", Type::Ps), Some(parse("PS 1/3")));
}

/// The time that a virtual processor gets in `[from, to)`, in the schedule that uses a guarantee's
/// freedom to the full: as soon as it may at first, and from then on as late as it may. Slow and
/// simple: unit by unit.
fn worst(guarantee: &Guarantee, length: u64) -> Ratio {
    let nanos = |length: Length| length.to_span().unwrap().as_nanos();
    let count = |early: u64, x: u64, y: u64| {
        // Period 0 runs at once; each later one at its end. The interval begins when it has run.
        let begin = early;
        let runs = |at: u64| at / y > 0 && at % y >= y - x;
        Ratio::whole((begin..begin + length).filter(|at| runs(*at)).count() as u64)
    };
    match *guarantee {
        Guarantee::BasicHard(x, y) | Guarantee::BasicSoft(x, y) => {
            count(nanos(x), nanos(x), nanos(y))
        }
        Guarantee::ContinuousHard(x, y)
        | Guarantee::ContinuousSoft(x, y)
        | Guarantee::NonPreemptive(x, y) => count(nanos(y), nanos(x), nanos(y)),
        Guarantee::BoundedShare(s, d) => {
            let got = s.checked_mul(Ratio::whole(length)).unwrap();
            let got = got.checked_sub(d.as_nanos()).unwrap();
            got.max(Ratio::ZERO)
        }
        Guarantee::All => Ratio::whole(length),
        _ => Ratio::ZERO,
    }
}

/// The amount that `guarantee` promises in an interval of that length.
fn promised(guarantee: &Guarantee, length: u64) -> Ratio {
    worst(guarantee, length)
}

fn reservations() -> impl Strategy<Value = Guarantee> {
    (1_u64..12, 0_u64..12, 0_u8..5).prop_map(|(x, more, kind)| {
        let (x, y) = (Span::from_nanos(x).into(), Span::from_nanos(x + more).into());
        match kind {
            0 => Guarantee::BasicHard(x, y),
            1 => Guarantee::BasicSoft(x, y),
            2 => Guarantee::ContinuousHard(x, y),
            3 => Guarantee::ContinuousSoft(x, y),
            _ => Guarantee::NonPreemptive(x, y),
        }
    })
}

fn shares() -> impl Strategy<Value = Guarantee> {
    (1_i128..8, 0_i128..8, 0_u64..15).prop_map(|(above, more, error)| {
        let share = Ratio::new(above, above + more).unwrap();
        Guarantee::BoundedShare(share, Span::from_nanos(error).into())
    })
}

fn measured() -> impl Strategy<Value = Guarantee> {
    prop_oneof![3 => reservations(), 1 => shares(), 1 => Just(Guarantee::All)]
}

fn any() -> impl Strategy<Value = Guarantee> {
    prop_oneof![
        4 => measured(),
        1 => (1_i128..5, 0_i128..5).prop_map(|(a, b)| Guarantee::Slower(Ratio::new(a, a + b).unwrap())),
        1 => (1_i128..5, 0_i128..5).prop_map(|(a, b)| Guarantee::Share(Ratio::new(a, a + b).unwrap())),
        1 => Just(Guarantee::Null),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20_000))]

    /// Soundness: what follows is kept by the worst schedule that keeps what there is.
    #[test]
    fn law_nothing_follows_that_the_worst_schedule_breaks(from in measured(), to in measured()) {
        if rewrite(&from, &to).is_ok() {
            for length in 0..120 {
                prop_assert!(worst(&from, length) >= promised(&to, length), "{from} {to} {length}");
            }
        }
    }

    /// Completeness: where a goal that bounds every interval does not follow, the worst schedule
    /// breaks it.
    #[test]
    fn law_what_is_refused_is_broken_by_the_worst_schedule(from in measured(), to in measured()) {
        // Two lines meet between whole nanoseconds.
        let lines = matches!(from, Guarantee::BoundedShare(..));
        let bounds = matches!(to, Guarantee::ContinuousSoft(..))
            || !lines && matches!(to, Guarantee::BoundedShare(..));
        if bounds && rewrite(&from, &to).is_err() {
            // A larger share is broken in the end, however long that takes.
            let more = to.share() > from.share();
            let broken = more || (0..400).any(|length| worst(&from, length) < promised(&to, length));
            prop_assert!(broken, "{from} {to}");
        }
    }

    #[test]
    fn law_rewriting_is_transitive(a in any(), b in any(), c in any()) {
        if rewrite(&a, &b).is_ok() && rewrite(&b, &c).is_ok() {
            prop_assert!(rewrite(&a, &c).is_ok(), "{a}, {b}, {c}");
        }
    }

    #[test]
    fn law_rewriting_is_reflexive_and_each_step_follows(from in any(), to in any()) {
        prop_assert_eq!(rewrite(&from, &from), Ok(vec![]));
        if let Ok(steps) = rewrite(&from, &to) {
            let mut last = from;
            for step in &steps {
                prop_assert!(rewrite(&last, &step.gives).is_ok(), "{} to {}", last, step.gives);
                prop_assert!(last != step.gives, "an empty step to {}", last);
                last = step.gives;
            }
            prop_assert_eq!(last, to);
        }
    }

    #[test]
    fn law_a_form_is_the_tightest(from in any(), to in any()) {
        let Some(steps) = form(&from, to.kind()) else { return Ok(()) };
        let tightest = steps.last().map_or(from, |step| step.gives);
        prop_assert!(rewrite(&from, &tightest).is_ok());
        // Where the period is free there is no tightest reservation.
        let free = matches!(to.kind(), Type::Resbs | Type::Rescs | Type::Resps);
        if !free && rewrite(&from, &to).is_ok() {
            prop_assert!(rewrite(&tightest, &to).is_ok(), "{from} {to} {tightest}");
        }
    }
}

#[test]
fn refuses_numbers_that_are_too_fine() {
    let error = Length::from_nanos(Ratio::new(1, i128::MAX - 2).unwrap()).unwrap();
    let from = Guarantee::BoundedShare(Ratio::new(2, 3).unwrap(), error);
    let to = Guarantee::BoundedShare(Ratio::new(1, 1_000_003).unwrap(), error);
    assert_eq!(rewrite(&from, &to), Err(RewriteError::TooFine));
}

#[test]
fn accepts_whole_periods_of_a_hard_reservation_and_refuses_others() {
    assert_eq!(rules("RESBH 2ms 4ms", "RESBH 4ms 8ms"), [Rule::Periods]);
    assert!(
        !holds("RESBH 2ms 4ms", "RESBH 3ms 8ms"),
        "it gives 4 ms, and a hard one is no more than it says"
    );
    assert!(!holds("RESBH 2ms 4ms", "RESBH 3ms 6ms"), "its own periods are no part of those");
    assert!(!holds("RESBH 4ms 8ms", "RESBH 2ms 4ms"));
}
