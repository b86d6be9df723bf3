//! Tasks with start times, against a processor that is simulated nanosecond by nanosecond in order of deadline.

#![expect(clippy::unwrap_used, reason = "a test stops at what it did not expect")]

mod common;

use common::Random;
use windfall_admission::{AdmitError, HORIZON, StartTimes, Ticket, TicketError};
use windfall_time::{Instant, Span};

/// Start, deadline, number of arrival, work left.
type Task = (u64, u64, u32, u64);

/// Who works in each nanosecond from `now` on: the earliest deadline of those that have started. Whether all end in time; and what is left at `to`.
fn simulate(now: u64, tasks: &[Task], to: u64) -> (bool, Vec<Task>) {
    let mut tasks = tasks.to_vec();
    tasks.sort_by_key(|task| (task.1, task.2));
    for at in now..to {
        let started = tasks.iter_mut().find(|task| task.0 <= at && task.3 > 0);
        if let Some(task) = started {
            task.3 -= 1;
            if at >= task.1 {
                return (false, tasks);
            }
        }
    }
    tasks.retain(|task| task.3 > 0);
    (true, tasks)
}

/// All deadlines of the tests are before.
const END: u64 = 200;

/// The most work that fits, by trying.
fn most(now: u64, tasks: &[Task], start: u64, deadline: u64) -> u64 {
    let fits = |work: &u64| {
        let with: Vec<Task> =
            tasks.iter().copied().chain([(start, deadline, u32::MAX, *work)]).collect();
        let (in_time, left) = simulate(now, &with, END);
        in_time && left.is_empty()
    };
    (1..=deadline.saturating_sub(now)).take_while(fits).last().unwrap_or(0)
}

fn ns(ns: u64) -> Span {
    Span::from_nanos(ns)
}

fn at(ns: u64) -> Instant {
    Instant::from_nanos(ns)
}

#[derive(Default, Debug)]
struct Judged {
    admitted: u32,
    refused: u32,
    later_start: u32,
    withdrawn: u32,
    preempted: u32,
    ended: usize,
}

fn program(random: &mut Random, judged: &mut Judged) {
    let (mut list, mut now) = (StartTimes::new(at(0), 12).unwrap(), 0);
    let (mut tasks, mut tickets): (Vec<Task>, Vec<(u32, Ticket)>) = (Vec::new(), Vec::new());
    for number in 0..20 {
        let start = (now + random.uniform(30)).saturating_sub(6);
        let deadline = now.max(start) + 1 + random.uniform(24);
        let room = most(now, &tasks, start, deadline);
        assert_eq!(list.idle_between(at(start), at(deadline)), ns(room), "{now} {tasks:?}");
        let work = 1 + random.uniform(9);
        match list.admit(ns(work), at(start), at(deadline)) {
            Ok(ticket) => {
                assert!(work <= room && tasks.len() < 12);
                tasks.push((start, deadline, number, work));
                tickets.push((number, ticket));
                judged.admitted += 1;
                judged.later_start += u32::from(start > now);
            }
            Err(AdmitError::Full { .. }) => assert_eq!(tasks.len(), 12),
            Err(AdmitError::NoRoom { idle, earliest, .. }) => {
                assert!(work > room && idle == ns(room));
                let earliest = earliest.unwrap().as_nanos();
                assert!(most(now, &tasks, start, earliest) >= work, "{now} {tasks:?}");
                assert!(most(now, &tasks, start, earliest - 1) < work, "{now} {tasks:?}");
                judged.refused += 1;
            }
            Err(other) => panic!("{other}"),
        }
        if random.uniform(4) == 0 && !tasks.is_empty() {
            let place = usize::try_from(random.uniform(tasks.len() as u64)).unwrap();
            let (_, _, number, left) = tasks.swap_remove(place);
            let ticket = tickets.iter().find(|one| one.0 == number).unwrap().1;
            assert_eq!(list.withdraw(ticket), Ok(ns(left)));
            assert_eq!(list.withdraw(ticket), Err(TicketError::Stale { ticket }));
            judged.withdrawn += 1;
        }
        let (to, before, ran) = (now + random.uniform(4), tasks.len(), list.running());
        tasks = simulate(now, &tasks, to).1;
        now = to;
        assert_eq!(list.advance(at(now)), Ok(before - tasks.len()));
        assert_eq!((list.len(), list.now()), (tasks.len(), at(now)));
        judged.ended += before - tasks.len();
        let running = tasks.iter().filter(|task| task.0 <= now).min_by_key(|task| (task.1, task.2));
        let ticket = |number| tickets.iter().find(|one| one.0 == number).unwrap().1;
        let asked = running.map(|task| (ticket(task.2), ns(task.3)));
        assert_eq!(list.running().map(|head| (head.ticket, head.left)), asked);
        let waits = |ran: Ticket| tasks.iter().any(|task| ticket(task.2) == ran);
        let other = ran.filter(|ran| asked.is_some_and(|asked| asked.0 != ran.ticket));
        judged.preempted += u32::from(other.is_some_and(|ran| waits(ran.ticket)));
    }
}

#[test]
fn law_start_times_are_exact() {
    let (mut random, mut judged) = (Random(1), Judged::default());
    for _ in 0..400 {
        program(&mut random, &mut judged);
    }
    let Judged { admitted, refused, later_start, withdrawn, preempted, ended } = judged;
    assert!(admitted.min(refused).min(later_start) > 1_000, "{judged:?}");
    assert!(withdrawn.min(preempted) > 100 && ended > 1_000, "{judged:?}");
}

#[test]
fn paper_2_4_a_start_time_keeps_the_processor_from_running_ahead() {
    let ms = |ms| at(0) + Span::from_millis(ms);
    let mut list = StartTimes::new(at(0), 10).unwrap();
    // 4 ms of [10, 15): whatever is before, 1 ms is idle there.
    list.admit(Span::from_millis(4), ms(10), ms(15)).unwrap();
    assert_eq!(list.idle_between(ms(10), ms(15)), Span::from_millis(1));
    assert_eq!(list.idle_between(ms(0), ms(15)), Span::from_millis(11));
    assert!(list.running().is_none(), "it has not started");
    let refused = list.admit(Span::from_millis(2), ms(12), ms(14)).unwrap_err();
    let text =
        "work 2ms does not fit before 14ms: 1ms is idle; the earliest deadline for it is 16ms";
    assert_eq!(refused.to_string(), text);
}

#[test]
fn refuses_what_can_never_be_admitted_with_a_start_time() {
    let mut list = StartTimes::new(at(100), 1).unwrap();
    let mut admit = |work, start, deadline| list.admit(ns(work), at(start), at(deadline));
    assert_eq!(admit(0, 0, 200), Err(AdmitError::NoWork));
    let most = HORIZON - at(100);
    let too_much = AdmitError::TooMuchWork { work: Span::MAX, most };
    assert_eq!(admit(u64::MAX, 0, 200), Err(too_much));
    let none_left = AdmitError::TooMuchWork { work: ns(1), most: ns(0) };
    assert_eq!(admit(1, u64::MAX, u64::MAX), Err(none_left));
    let beyond = HORIZON + ns(1);
    let asked = Err(AdmitError::BeyondHorizon { deadline: beyond });
    assert_eq!(admit(1, 0, beyond.as_nanos()), asked);
    let earliest = Some(at(105));
    let passed = AdmitError::DeadlinePassed { deadline: at(100), now: at(100), earliest };
    assert_eq!(admit(5, 0, 100), Err(passed));
    let earliest = Some(at(155));
    let before = AdmitError::BeforeStart { deadline: at(150), start: at(150), earliest };
    assert_eq!(admit(5, 150, 150), Err(before));
    let text =
        "deadline 150ns is not later than the start, 150ns; the earliest deadline for it is 155ns";
    assert_eq!(before.to_string(), text);
    let ticket = admit(5, 150, 155).unwrap();
    assert_eq!(admit(5, 0, 1_000), Err(AdmitError::Full { slots: 1 }));
    let mut other = StartTimes::new(at(0), 1).unwrap();
    assert_eq!(other.withdraw(ticket), Err(TicketError::Foreign { ticket }));
    assert!(list.advance(at(99)).is_err() && list.advance(beyond).is_err());
    assert!(StartTimes::new(beyond, 1).is_err());
}
