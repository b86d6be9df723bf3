use super::*;
use crate::learn::{Need, Note};
use proptest::prelude::*;

/// A habit with `confidence` in hundredths, and the reservation wanted for it.
fn wanted(confidence: u8, periods: u64, amount: u64, period: u64) -> (Habit, Wanted) {
    let us = |n: u64| Span::from_micros(n).expect("a short span");
    let habit = Habit {
        period: Some(us(period)),
        jitter: Span::ZERO,
        need: Need::default(),
        confidence: Ratio::new(i128::from(confidence), 100).expect("hundredths"),
        periods,
        wakeups: periods,
        note: Note::Periodic,
    };
    (habit, Wanted { amount: us(amount), period: us(period) })
}

proptest! {
    /// The slow definition: each processor's shares add up, and a thread that is left out has no room beside the
    /// more certain ones.
    #[test]
    fn law_what_is_reserved_fits_and_nobody_goes_without_for_a_less_sure_one(
        requested in prop::collection::vec((0_u8..=100, 8_u64..20, 0_u64..1_500, 1_u64..1_000), 0..12),
        processors in 0_u16..4,
        most in 0_u8..=100,
    ) {
        let requested: Vec<(Habit, Wanted)> =
            requested.into_iter().map(|(c, n, amount, period)| wanted(c, n, amount, period)).collect();
        let given: Vec<(&Habit, Wanted)> =
            requested.iter().map(|(habit, wanted)| (habit, *wanted)).collect();
        let most = Ratio::new(i128::from(most), 100).expect("hundredths");
        let placed = fit(&given, processors, most);
        let load = |processor: usize, than: Option<&(&Habit, Wanted)>| {
            let here = placed.iter().zip(&given).filter(|(place, other)| {
                **place == Ok(processor)
                    && than.is_none_or(|than| sureness(**other) >= sureness(*than))
            });
            here.map(|(_, (_, wanted))| wanted.share()).sum::<u128>()
        };
        let limit = u128::try_from(most.numerator() * 1_000_000 / most.denominator()).expect("positive");
        for processor in 0..usize::from(processors) {
            prop_assert!(load(processor, None) <= limit);
        }
        for (place, row) in placed.iter().zip(&given) {
            let share = row.1.share();
            match place {
                Ok(processor) => prop_assert!(*processor < usize::from(processors)),
                Err(LeftOut::TooMuch(_)) => prop_assert!(share > limit),
                Err(LeftOut::Kernel(_) | LeftOut::Recorder(_)) => prop_assert!(false, "no name was asked for"),
                Err(LeftOut::NoRoom(_)) => {
                    for processor in 0..usize::from(processors) {
                        prop_assert!(load(processor, Some(row)) + share > limit);
                    }
                }
            }
        }
    }
}

#[test]
fn accepts_exactly_the_part_that_may_be_reserved_and_refuses_a_millionth_more() {
    let most = Ratio::new(9, 10).expect("nine tenths");
    let (habit, fits) = wanted(100, 8, 900_000, 1_000_000);
    let (_, more) = wanted(100, 8, 900_001, 1_000_000);
    assert_eq!(fit(&[(&habit, fits)], 1, most), [Ok(0)]);
    assert_eq!(fit(&[(&habit, more)], 1, most), [Err(LeftOut::TooMuch(more))]);
}
