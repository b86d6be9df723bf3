//! Sets that the tests accept, compared with schedules simulated by the nanosecond.

use super::*;
use crate::tests::task;
use proptest::prelude::*;
use windfall_time::Span;

/// The longest response of each task in the first `limit` nanoseconds, if each task releases its
/// first job at its offset and every later one a period on.
fn simulated(tasks: &[Task], offsets: &[u64], processors: usize, limit: u64) -> Vec<u64> {
    let (mut worst, mut jobs) = (vec![0; tasks.len()], Vec::<(u64, usize, u64, u64)>::new());
    for now in 0..limit {
        for (index, task) in tasks.iter().enumerate() {
            let since = now.checked_sub(offsets[index]);
            if since.is_some_and(|since| since % task.period.as_nanos() == 0) {
                jobs.push((now + task.deadline.as_nanos(), index, now, task.work.as_nanos()));
            }
        }
        jobs.sort_unstable();
        for (_, index, release, left) in jobs.iter_mut().take(processors) {
            *left -= 1;
            if *left == 0 {
                worst[*index] = worst[*index].max(now + 1 - *release);
            }
        }
        jobs.retain(|(_, _, _, left)| *left > 0);
    }
    // What has not ended by then has taken that long at least.
    for (_, index, release, _) in jobs {
        worst[index] = worst[index].max(limit - release);
    }
    worst
}

/// Tasks with deadlines up to their periods, and offsets.
fn sets() -> impl Strategy<Value = Vec<(Task, u64)>> {
    let one =
        (1_u64..=5, 2_u64..=9, 0_u64..=3, 0_u64..=9).prop_map(|(work, period, early, offset)| {
            (task(work, period, (period - early.min(period - 1)).max(work), 0), offset)
        });
    prop::collection::vec(one, 1..=5)
}

fn split(set: Vec<(Task, u64)>) -> (Vec<Task>, Vec<u64>) {
    set.into_iter().unzip()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    #[test]
    fn law_what_a_test_accepts_meets_its_deadlines(set in sets(), processors in 1_u32..=3) {
        let (tasks, offsets) = split(set);
        let worst = simulated(&tasks, &offsets, processors as usize, 300);
        let meets = tasks.iter().zip(&worst).all(|(task, worst)| *worst <= task.deadline.as_nanos());
        for test in Test::ALL {
            prop_assert!(meets || test.accepts(&tasks, processors) != Ok(true), "{:?} {:?}", test, worst);
        }
        if let Ok(bounds) = response_times(&tasks, processors) {
            for (bound, worst) in bounds.iter().zip(&worst) {
                prop_assert!(bound.as_nanos() >= *worst);
            }
        }
    }

    #[test]
    fn law_late_jobs_end_within_the_bound(set in sets(), processors in 1_u32..=3) {
        let (mut tasks, offsets) = split(set);
        tasks.iter_mut().for_each(|task| task.deadline = task.period);
        if let Ok(bounds) = late_response_times(&tasks, processors) {
            let worst = simulated(&tasks, &offsets, processors as usize, 600);
            for (bound, worst) in bounds.iter().zip(&worst) {
                prop_assert!(bound.as_nanos() >= *worst, "{:?} {:?}", bounds, worst);
            }
        }
    }

    #[test]
    fn limit_one_processor_has_no_more_room_than_the_exact_test_says(set in sets()) {
        let (tasks, _) = split(set);
        if matches!(accepted_by(&tasks, 1), Ok(Some(_))) {
            prop_assert_eq!(crate::edf::schedulable(&tasks), crate::edf::Verdict::Schedulable);
        }
    }

    #[test]
    fn law_any_numbers_have_an_answer(
        numbers in prop::collection::vec(any::<(u64, u64, u64, u64)>(), 0..3), processors: u32,
    ) {
        let tasks: Vec<Task> = numbers.iter().map(|(c, t, d, j)| task(*c, *t, *d, *j)).collect();
        let _ = (accepted_by(&tasks, processors), late_response_times(&tasks, processors));
    }
}

#[test]
fn accepts_density_at_the_bound_and_refuses_above() {
    let tasks = |work| [task(1, 2, 2, 0), task(1, 2, 2, 0), task(work, 2_000, 2_000, 0)];
    assert_eq!(Test::Density.accepts(&tasks(1_000), 2), Ok(true));
    assert_eq!(Test::Density.accepts(&tasks(1_001), 2), Ok(false));
}

#[test]
fn refuses_jitter_and_no_processors() {
    let [plain, jitter] = [0, 1].map(|jitter| [task(1, 10, 10, jitter)]);
    assert_eq!(accepted_by(&plain, 2), Ok(Some(Test::Density)));
    for (tasks, processors, why) in [
        (&jitter[..], 2, GlobalError::Jitter(0)),
        (&plain, 0, GlobalError::NoProcessors),
        (&[], 0, GlobalError::NoProcessors),
        (&[plain[0], task(1, 0, 10, 0)], 2, GlobalError::OutOfRange),
    ] {
        assert_eq!(accepted_by(tasks, processors), Err(why));
        for test in Test::ALL {
            assert_eq!(test.accepts(tasks, processors), Err(why), "{test:?}");
        }
    }
    assert_eq!(late_response_times(&jitter, 2), Err(GlobalError::Jitter(0)));
    assert_eq!(late_response_times(&plain, 1), Ok(vec![Span::from_nanos(10)]));
}

#[test]
fn refuses_deadlines_beyond_periods_but_for_one_test() {
    let set = |works: [u64; 3]| works.map(|work| task(work, 10, 11, 0));
    for test in Test::ALL {
        let [light, heavy] = [[1; 3], [10; 3]].map(|works| test.accepts(&set(works), 2));
        let expected = match test {
            Test::Baker => [Ok(true), Ok(false)],
            _ => [Err(GlobalError::DeadlineAbovePeriod(0)); 2],
        };
        assert_eq!([light, heavy], expected, "{test:?}");
    }
    assert_eq!(accepted_by(&set([1; 3]), 2), Ok(Some(Test::Baker)));
    assert_eq!(accepted_by(&set([10; 3]), 2), Ok(None), "one test covers them, and refuses");
    let alone_too_long = [task(12, 20, 11, 0)];
    assert_eq!(accepted_by(&alone_too_long, 2), Ok(None));
}

#[test]
fn refuses_what_has_no_bound_and_says_why() {
    let plain = task(1, 10, 10, 0);
    let both = |tasks: &[Task], processors| {
        let why = response_times(tasks, processors).unwrap_err();
        [why, late_response_times(tasks, processors).unwrap_err()]
    };
    assert_eq!(both(&[plain], 0), [GlobalError::NoProcessors; 2]);
    assert_eq!(both(&[], 0), [GlobalError::NoProcessors; 2]);
    assert_eq!(both(&[plain, task(0, 10, 10, 0)], 2), [GlobalError::OutOfRange; 2]);
    assert_eq!(both(&[plain, task(1, 10, 10, 1)], 2), [GlobalError::Jitter(1); 2]);
    assert_eq!(both(&[plain, task(11, 10, 10, 0)], 2), [GlobalError::WorkTooLong(1); 2]);
    assert_eq!(both(&[task(10, 10, 10, 0); 3], 2), [GlobalError::Overload; 2]);
    let [above, other] = both(&[plain, task(1, 10, 11, 0)], 2);
    assert_eq!(above, GlobalError::DeadlineAbovePeriod(1));
    assert_eq!(other, GlobalError::DeadlineNotPeriod(1));
    // Two of three tasks at two thirds run first, and the third is late.
    let thirds = [task(2, 3, 3, 0); 3];
    assert_eq!(response_times(&thirds, 2), Err(GlobalError::NotShown));
    assert!(late_response_times(&thirds, 2).is_ok());
}
