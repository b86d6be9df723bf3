//! Rate monotonic and deadline monotonic, by hand.

use crate::common::{Host, MS, at, periodic};
use windfall_hierarchy::{AnswerError, HierarchyError, Message};
use windfall_schedulers::kinds;
use windfall_schedulers::priority::{Order, RateMonotonic};

#[test]
fn paper_liu_layland_1973_the_shorter_period_goes_first() {
    let mut host = Host::new(1);
    let root = host.top(kinds::RATE_MONOTONIC);
    let slow = periodic(10 * MS, 10 * MS);
    let fast = periodic(5 * MS, 5 * MS);
    host.cycle(root, "slow", &[slow], (4 * MS, 10 * MS));
    host.cycle(root, "fast", &[fast], (2 * MS, 5 * MS));
    host.run_to(10 * MS - 1);
    assert_eq!(host.timeline(0), "0 fast, 2 slow, 5 fast, 7 slow, 8 -");
}

#[test]
fn paper_leung_whitehead_1982_the_shorter_deadline_goes_first() {
    let mut host = Host::new(1);
    let root = host.top(RateMonotonic::default().order(Order::Deadline));
    let [urgent, fast] = [periodic(10 * MS, 3 * MS), periodic(5 * MS, 5 * MS)];
    host.cycle(root, "fast", &[fast], (2 * MS, 5 * MS));
    host.cycle(root, "urgent", &[urgent], (2 * MS, 10 * MS));
    host.run_to(5 * MS - 1);
    assert_eq!(host.timeline(0), "0 urgent, 2 fast, 4 -");
}

#[test]
fn limit_equal_periods_first_released_first_served() {
    let mut host = Host::new(1);
    let root = host.top(kinds::RATE_MONOTONIC);
    let task = periodic(10 * MS, 10 * MS);
    let [a, b, c] = ["a", "b", "c"].map(|name| host.thread(root, name, &[task]));
    let none = host.spin(root, "none", &[]);
    host.run_to(MS);
    host.wake_for(b, 3 * MS);
    host.run_to(2 * MS);
    let job = Message::Job { release: at(0), deadline: at(10 * MS), work: None };
    host.wake_for(a, MS);
    host.tell(c, job).unwrap();
    host.wake_for(c, MS);
    host.run_to(8 * MS);
    assert_eq!(host.timeline(0), "0 none, 1 b, 4 c, 5 a, 6 none");
    assert_eq!(host.on(0), Some(none));
}

#[test]
fn accepts_two_processors_and_refuses_priorities() {
    let mut host = Host::new(2);
    let root = host.top(kinds::RATE_MONOTONIC);
    let [a, b, c] = [9, 8, 7].map(|ms| host.spin(root, "t", &[periodic(ms * MS, ms * MS)]));
    assert_eq!((host.on(0), host.on(1)), (Some(c), Some(b)));
    assert!(matches!(
        host.tell(a, Message::Priority(1)),
        Err(HierarchyError::Refused(AnswerError::NotUnderstood { .. }))
    ));
    host.tell(a, periodic(MS, MS)).unwrap();
    assert_eq!((host.on(0), host.on(1)), (Some(c), Some(a)));
}
