//! Random schedules: each judgement against its slow definition.

use super::*;
use proptest::prelude::*;

/// Broken by so much (negative: the margin); `None` when nothing was promised.
fn amiss(verdict: Verdict) -> Option<Ratio> {
    match verdict {
        Verdict::Broken { short, .. } => Some(short.as_nanos()),
        Verdict::Kept { margin, .. } => Ratio::ZERO.checked_sub(margin.as_nanos()),
        Verdict::Exceeded { by, .. } => panic!("exceeded by {by}"),
        Verdict::NotRefuted { .. } | Verdict::NeverTested => None,
    }
}

/// All windows between two points of the lattice of `1/fine` ns: the greatest of `promised` in a window
/// of that length less what was received, where anything is promised; all in units of `1/fine`.
fn slow(stretches: &[Stretch], fine: i128, promised: impl Fn(i128) -> i128) -> Option<i128> {
    let mut worst = None;
    for (_, ticks) in stretches {
        let mut sums = vec![0];
        for served in ticks {
            for _ in 0..fine {
                sums.push(sums.last().unwrap() + i128::from(*served));
            }
        }
        for from in 0..sums.len() {
            for to in from..sums.len() {
                let due = promised((to - from) as i128);
                if due > 0 {
                    worst = worst.max(Some(due - (sums[to] - sums[from])));
                }
            }
        }
    }
    worst
}

/// The amount that a continuous reservation promises in a window of length t.
fn continuous(x: i128, y: i128, t: i128) -> i128 {
    if t < 0 { 0 } else { t / y * x + (t % y - (y - x)).max(0) }
}

fn schedules() -> impl Strategy<Value = Vec<Stretch>> {
    let busy = prop_oneof![Just(0.5), Just(0.2), Just(0.8), Just(0.35)];
    let runs = prop::collection::vec((1..6_usize, any::<bool>()), 1..24);
    let random = busy.prop_flat_map(|p| prop::collection::vec(prop::bool::weighted(p), 1..70));
    let runs = runs.prop_map(|runs| {
        runs.into_iter().flat_map(|(span, served)| vec![served; span]).collect::<Vec<bool>>()
    });
    // Nearly what a reservation gives: x somewhere in each period.
    let periods =
        (2..9_usize, prop::collection::vec(0..8_usize, 2..12)).prop_flat_map(|(y, at)| {
            (1..=y).prop_map(move |x| {
                let period = |at: &usize| {
                    let at = (*at).min(y - x);
                    (0..y).map(move |tick| tick >= at && tick < at + x)
                };
                at.iter().flat_map(period).collect::<Vec<bool>>()
            })
        });
    let one = prop_oneof![random, runs, periods];
    prop::collection::vec(one, 1..3).prop_map(|all| {
        let mut from = 7;
        let mut place = |ticks: Vec<bool>| {
            let at = from;
            from += ticks.len() as u64 + 3;
            (at, ticks)
        };
        all.into_iter().map(&mut place).collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn limit_reservations_fare_as_in_all_windows(
        stretches in schedules(), fine in 1..4_i128, y in 1..25_i128, part in 0..24_i128,
    ) {
        let x = 1 + part % y;
        let (amount, period) = (length(x, fine), length(y, fine));
        let found = amiss(verdict(&Guarantee::ContinuousSoft(amount, period), &stretches));
        let slowly = slow(&stretches, fine, |t| continuous(x, y, t));
        prop_assert_eq!(found, slowly.map(|n| Ratio::new(n, fine).unwrap()), "continuous");
        let found = amiss(verdict(&Guarantee::BasicSoft(amount, period), &stretches));
        let slowly = slow(&stretches, fine, |t| continuous(x, y, t - (y - x)));
        prop_assert_eq!(found, slowly.map(|n| Ratio::new(n, fine).unwrap()), "basic");
    }

    #[test]
    fn limit_hard_reservations_get_no_more_than_in_any_window(
        stretches in schedules(), fine in 1..4_i128, y in 1..25_i128, part in 0..24_i128,
    ) {
        let x = 1 + part % y;
        let guarantee = Guarantee::BasicHard(length(x, fine), length(y, fine));
        let most = |t: i128| if t < x { t } else { x + (t - x) / y * x + ((t - x) % y).min(x) };
        let inverse: Vec<Stretch> = stretches.iter()
            .map(|(at, ticks)| (*at, ticks.iter().map(|served| !served).collect())).collect();
        // More than `most` was received where the inverse received less than `t - most`.
        let over = slow(&inverse, fine, |t| t - most(t)).filter(|n| *n > 0);
        match verdict(&guarantee, &stretches) {
            Verdict::Exceeded { by, worst, .. } => {
                prop_assert_eq!(Some(by.as_nanos()), over.map(|n| Ratio::new(n, fine).unwrap()));
                prop_assert_eq!(worst.received.checked_sub(worst.promised), Some(by));
            }
            Verdict::Broken { .. } => {}
            _ => prop_assert_eq!(over, None),
        }
    }

    #[test]
    fn limit_bounded_shares_lag_as_in_all_windows(
        stretches in schedules(), below in 1..9_i128, part in 0..8_i128, error in 0..20_i128,
    ) {
        let above = 1 + part % below;
        let share = Ratio::new(above, below).unwrap();
        let found = amiss(verdict(&Guarantee::BoundedShare(share, length(error, 1)), &stretches));
        // Here a window counts even where less than the error is promised.
        let lag = stretches.iter().filter_map(|one| {
            slow(core::slice::from_ref(one), 1, |t| t).map(|_| lag(one, above, below))
        }).max();
        let tested = stretches.iter().any(|(_, ticks)| above * ticks.len() as i128 > below * error);
        match found {
            None => prop_assert!(!tested),
            Some(found) => {
                let lag = Ratio::new(lag.unwrap(), below).unwrap();
                prop_assert_eq!(lag.checked_sub(Ratio::new(error, 1).unwrap()), Some(found));
            }
        }
    }

    #[test]
    fn limit_pieces_come_where_a_search_finds_them(
        stretches in schedules(), y in 1..12_u64, part in 0..11_u64, whole in prop::option::of(0..30_u64),
    ) {
        let x = 1 + part % y;
        let (amount, period) = (length(x.into(), 1), length(y.into(), 1));
        let guarantee = match whole {
            None => Guarantee::NonPreemptive(amount, period),
            Some(at) => Guarantee::Synchronized(amount, period, length(at.into(), 1)),
        };
        let comes = |offset: u64| stretches.iter().all(|(from, ticks)| {
            let begins = (*from..from + ticks.len() as u64).filter(|at| at % y == offset);
            begins.into_iter().all(|at| {
                let first = usize::try_from(at - from).unwrap();
                let last = (first + usize::try_from(x).unwrap()).min(ticks.len());
                ticks[first..last].iter().all(|served| *served)
            })
        });
        let some = match whole {
            None => (0..y).any(comes),
            Some(at) => comes(at % y),
        };
        let broken = matches!(verdict(&guarantee, &stretches), Verdict::Broken { .. });
        prop_assert_eq!(!broken, some);
    }

    #[test]
    fn limit_speeds_are_judged_at_all_told_deadlines(
        stretches in schedules(), later in prop::collection::vec(1..60_u64, 0..3),
        below in 1..6_i128, part in 0..5_i128,
    ) {
        let above = 1 + part % below;
        let mut judge =
            Judge::new(&Guarantee::Slower(Ratio::new(above, below).unwrap()), Allowance::ZERO).unwrap();
        let mut worst = None;
        // How far ahead it is: the most by which what it got since any time exceeds the speed.
        let (mut gained, mut past): (i128, Vec<i128>) = (0, Vec::new());
        let mut now = 0;
        for (from, ticks) in &stretches {
            let at = |tick: usize| Instant::from_nanos(from + tick as u64);
            gained -= above * i128::from(from - now);
            past.push(gained);
            let ahead = gained - past.iter().min().unwrap();
            judge.wakes(at(0));
            for later in &later {
                judge.set_deadline(at(0), Instant::from_nanos(from + later));
            }
            let mut orderly = true;
            let mut told = 0;
            for later in &later {
                orderly &= *later >= told;
                told = *later;
            }
            let mut since: i128 = 0;
            for (tick, served) in ticks.iter().enumerate() {
                if *served {
                    judge.served(at(tick), at(tick + 1));
                }
                since += if *served { below - above } else { -above };
                // Budgets are whole nanoseconds: eight for each deadline told.
                let rounding = 8 * below * later.len() as i128;
                let due = above * (tick as i128 + 1) - ahead - rounding;
                if orderly && later.last() == Some(&(tick as u64 + 1)) && due > 0 {
                    worst = worst.max(Some(-ahead - since - rounding));
                }
            }
            judge.sleeps(at(ticks.len()));
            now = from + ticks.len() as u64;
            for served in ticks {
                gained += if *served { below - above } else { -above };
                past.push(gained);
            }
        }
        prop_assert_eq!(amiss(judge.verdict()), worst.map(|n| Ratio::new(n, below).unwrap()));
    }

    #[test]
    fn law_a_window_says_what_it_received(
        stretches in schedules(), y in 1..25_i128, part in 0..24_i128, which in 0..4_u8,
    ) {
        let (x, y) = (length(1 + part % y, 1), length(y, 1));
        let guarantee = match which {
            0 => Guarantee::ContinuousHard(x, y),
            1 => Guarantee::BasicHard(x, y),
            2 => Guarantee::BoundedShare(x.over(y).unwrap(), x),
            _ => Guarantee::All,
        };
        if let Some(worst) = verdict(&guarantee, &stretches).worst() {
            let nanos = |at: windfall_guarantees::Length| at.to_span().unwrap().as_nanos();
            let (from, to) = (nanos(worst.from), nanos(worst.to));
            let inside = |(at, ticks): &&Stretch| *at <= from && to <= at + ticks.len() as u64;
            let (at, ticks) = stretches.iter().find(inside).expect("inside one stretch");
            let ticks = (from..to).filter(|t| ticks[usize::try_from(t - at).unwrap()]);
            prop_assert_eq!(ticks.count() as u64, nanos(worst.received));
        }
    }
}

/// The greatest of `above (v - u) - below (S(v) - S(u))`.
fn lag((_, ticks): &Stretch, above: i128, below: i128) -> i128 {
    let mut worst = 0;
    for from in 0..ticks.len() {
        let mut sum = 0;
        for served in &ticks[from..] {
            sum += above - if *served { below } else { 0 };
            worst = worst.max(sum);
        }
    }
    worst
}
