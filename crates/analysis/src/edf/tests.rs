//! The analyses of earliest deadline first against schedules simulated by the nanosecond.

use super::*;
use crate::tests::{small_tasks, task};
use proptest::prelude::*;

/// A job of a simulated schedule.
#[derive(Clone, Copy, Debug)]
struct Job {
    release: u64,
    due: u64,
    work: u64,
}

/// When each job ends if the processor is given to the earliest deadline, the last in the list where
/// several are due at once.
fn simulated(jobs: &[Job]) -> Vec<u64> {
    let mut left: Vec<u64> = jobs.iter().map(|job| job.work).collect();
    let mut ends = vec![0; jobs.len()];
    let mut now = 0;
    while left.iter().any(|left| *left > 0) {
        let ready = (0..jobs.len()).rev().filter(|j| left[*j] > 0 && jobs[*j].release <= now);
        if let Some(running) = ready.min_by_key(|j| jobs[*j].due) {
            left[running] -= 1;
            ends[running] = now + 1;
        }
        now += 1;
    }
    ends
}

/// The jobs of a task from the critical instant on that are due by the end, as [`Job`]s in a time
/// that starts `origin` before the critical instant.
fn jobs(task: &Task, deadlines: Deadlines, origin: u64, end: u64) -> impl Iterator<Item = Job> {
    let Task { work, period, deadline, jitter } = *task;
    let arrivals = (0..).map(move |n| origin - jitter.as_nanos() + n * period.as_nanos());
    let job = move |arrival: u64| {
        let release = arrival.max(origin);
        let counted = if deadlines == Deadlines::FromArrival { arrival } else { release };
        Job { release, due: counted + deadline.as_nanos(), work: work.as_nanos() }
    };
    arrivals.map(job).take_while(move |job| job.due <= end)
}

/// The longest response of the task by definition: for every moment of the busy period at which a
/// deadline may begin to count, the schedule in which all others start with the critical instant.
fn slow_response(tasks: &[Task], own: usize, deadlines: Deadlines, busy: u64) -> u64 {
    let origin = 20;
    let Task { work, period, deadline, jitter } = tasks[own];
    let earliest = match deadlines {
        Deadlines::FromArrival => origin - jitter.as_nanos(),
        Deadlines::FromRelease => origin,
    };
    let response = |counted: u64| {
        let due = counted + deadline.as_nanos();
        let others = tasks.iter().enumerate().filter(|(index, _)| *index != own);
        let mut all: Vec<Job> =
            others.flat_map(|(_, task)| jobs(task, deadlines, origin, due)).collect();
        // As many own jobs as may have come until then, in the order of their deadlines.
        let before = (counted - (origin - jitter.as_nanos())) / period.as_nanos();
        all.extend((0..=before).map(|n| {
            let arrival = origin - jitter.as_nanos() + n * period.as_nanos();
            Job { release: arrival.max(origin), due, work: work.as_nanos() }
        }));
        // Rotated to the front, the last own job loses every tie.
        all.rotate_right(1);
        simulated(&all)[0].saturating_sub(counted)
    };
    (earliest..origin + busy).map(response).max().unwrap()
}

/// Whether a deadline is missed in the schedule that starts with the critical instant.
fn misses(tasks: &[Task], end: u64) -> bool {
    let origin = 20;
    let dues = tasks.iter().flat_map(|t| jobs(t, Deadlines::FromArrival, origin, origin + end));
    let all: Vec<Job> = dues.collect();
    simulated(&all).iter().zip(&all).any(|(end, job)| *end > job.due)
}

proptest! {
    #[test]
    fn limit_the_verdict_is_that_of_the_simulated_critical_instant(tasks in small_tasks(1..=3)) {
        match schedulable(&tasks) {
            Verdict::Schedulable => prop_assert!(!misses(&tasks, 700)),
            Verdict::Late { window, demand: due } => {
                prop_assert!(misses(&tasks, window.as_nanos()));
                prop_assert_eq!(demand(&tasks, window), Ok(due));
                prop_assert!(due > window);
            }
            Verdict::Overloaded => {
                prop_assert_eq!(exact::utilisation(&tasks).compare_whole(1), Ordering::Greater);
            }
            Verdict::Undecided => prop_assert!(false, "undecided"),
        }
    }

    #[test]
    fn limit_few_windows_decide_as_all_do(tasks in small_tasks(1..=5)) {
        if let Ok(Some(least)) = least_slack(&tasks) {
            let fits = least.slack.as_nanos() >= 0;
            prop_assert_eq!(schedulable(&tasks) == Verdict::Schedulable, fits);
            let due = demand(&tasks, least.window).unwrap();
            let spare = least.window.as_nanos().checked_signed_diff(due.as_nanos());
            prop_assert_eq!(spare, Some(least.slack.as_nanos()));
            let busy = busy_period(&tasks).unwrap().as_nanos();
            let spare = (1..=busy).map(Span::from_nanos).filter_map(|window| {
                let due = demand(&tasks, window).unwrap().as_nanos();
                (due > 0).then(|| window.as_nanos().checked_signed_diff(due).unwrap())
            });
            prop_assert!(spare.min() >= Some(least.slack.as_nanos()));
        }
    }

    #[test]
    fn limit_responses_are_those_of_all_moments(tasks in small_tasks(1..=3)) {
        for deadlines in [Deadlines::FromArrival, Deadlines::FromRelease] {
            let fast = response_times(&tasks, deadlines);
            let busy = busy_period(&tasks).ok();
            for (own, fast) in fast.into_iter().enumerate() {
                let slow = busy
                    .filter(|busy| busy.as_nanos() < 150)
                    .map(|busy| slow_response(&tasks, own, deadlines, busy.as_nanos()));
                if slow.is_some() || busy.is_none() {
                    let slow = slow.map(Span::from_nanos);
                    prop_assert_eq!(fast.ok(), slow, "{} {:?}", own, deadlines);
                }
            }
        }
    }

    #[test]
    fn law_responses_within_deadlines_are_a_demand_that_fits(tasks in small_tasks(1..=4)) {
        let responses = response_times(&tasks, Deadlines::FromArrival);
        if responses.iter().all(Result::is_ok) {
            let within = |(t, r): (&Task, &Result<Span, _>)| r.is_ok_and(|r| r <= t.deadline);
            let in_time = tasks.iter().zip(&responses).all(within);
            prop_assert_eq!(schedulable(&tasks) == Verdict::Schedulable, in_time);
        }
    }

    #[test]
    fn law_any_numbers_have_an_answer(
        numbers in prop::collection::vec(any::<(u64, u64, u64, u64)>(), 0..3),
        window: u64,
    ) {
        let tasks: Vec<Task> = numbers.iter().map(|(c, t, d, j)| task(*c, *t, *d, *j)).collect();
        let _ = (schedulable(&tasks), least_slack(&tasks), demand(&tasks, Span::from_nanos(window)));
        prop_assert_eq!(response_times(&tasks, Deadlines::FromRelease).len(), tasks.len());
    }
}

#[test]
fn refuses_one_nanosecond_more_than_the_processor() {
    let thirds = |work| [task(333, 999, 999, 0), task(work, 999_999, 999_999, 0)];
    assert_eq!(schedulable(&thirds(666_666)), Verdict::Schedulable);
    assert_eq!(schedulable(&thirds(666_667)), Verdict::Overloaded);
}

#[test]
fn accepts_the_whole_processor_with_jitter_where_deadlines_have_room_for_it() {
    assert_eq!(schedulable(&[task(10, 10, 11, 1)]), Verdict::Schedulable);
    let [window, demand] = [19, 20].map(Span::from_nanos);
    assert_eq!(schedulable(&[task(10, 10, 10, 1)]), Verdict::Late { window, demand });
}

#[test]
fn refuses_a_demand_that_no_number_holds_and_says_of_which_task() {
    let window = Span::from_nanos(10);
    let tasks = [task(1, 5, 5, 0), task(1, 0, 5, 0)];
    assert_eq!(demand(&tasks, window), Err(DemandError::ZeroPeriod { task: 1 }));
    assert_eq!(demand(&tasks, Span::from_nanos(4)), Ok(Span::ZERO), "nothing is due yet");
    assert_eq!(demand(&[task(u64::MAX, 5, 5, 0)], window), Err(DemandError::TooMuch));
    assert_eq!(demand(&[task(1, 1, 0, 1)], Span::MAX), Err(DemandError::TooMuch));
}

#[test]
fn refuses_busy_periods_without_end_and_says_why() {
    for (tasks, why) in [
        (vec![task(0, 5, 5, 0)], UnboundedError::OutOfRange),
        (vec![task(6, 5, 5, 0)], UnboundedError::Overload),
        (vec![task(5, 5, 5, 1)], UnboundedError::Saturated),
    ] {
        assert_eq!(busy_period(&tasks), Err(why));
        assert_eq!(least_slack(&tasks), Err(why));
    }
}

#[test]
fn accepts_a_busy_period_without_a_deadline_in_it() {
    assert_eq!(least_slack(&[]), Ok(None));
    assert_eq!(busy_period(&[task(1, 10, 10, 0)]), Ok(Span::from_nanos(1)));
    assert_eq!(least_slack(&[task(1, 10, 10, 0)]), Ok(None));
}
