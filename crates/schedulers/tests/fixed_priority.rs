//! Fixed priority, by hand.

mod common;

use common::{Host, MS};
use windfall_hierarchy::{Message, Refusal};
use windfall_schedulers::catalogue::Value;

const LOW: [Message; 1] = [Message::Priority(1)];
const MIDDLE: [Message; 1] = [Message::Priority(2)];
const HIGH: [Message; 1] = [Message::Priority(3)];

#[test]
fn paper_hls_5_3_1_1_no_other_delays_the_highest() {
    let mut host = Host::new(1);
    let root = host.root("fixed-priority", &[("exclusive", Value::Bool(true))]);
    let low = host.spin(root, "low", &LOW);
    let high = host.cycle(root, "high", &HIGH, (2 * MS, 10 * MS));
    host.cycle(root, "middle", &MIDDLE, (3 * MS, 5 * MS));
    host.run_to(10 * MS - 1);
    assert_eq!(host.timeline(0), "0 high, 2 middle, 8 low");
    assert_eq!(host.ran(high), 2 * MS);
    assert_eq!(host.ran(low), 2 * MS - 1);
}

#[test]
fn accepts_equals_first_come_first_served_and_the_running_one_stays() {
    let mut host = Host::new(1);
    let root = host.root("fixed-priority", &[]);
    let [a, b, c] = ["a", "b", "c"].map(|name| host.spin(root, name, &MIDDLE));
    assert_eq!(host.on(0), Some(a));
    host.yields(a);
    assert_eq!(host.on(0), Some(b));
    let high = host.spin(root, "high", &HIGH);
    assert_eq!(host.on(0), Some(high));
    host.block(high);
    assert_eq!(host.on(0), Some(b), "a preempted one comes before those that asked later");
    host.block(b);
    assert_eq!(host.on(0), Some(c));
}

#[test]
fn accepts_as_many_as_there_are_processors() {
    let mut host = Host::new(2);
    let root = host.root("fixed-priority", &[]);
    let low = host.spin(root, "low", &LOW);
    let middle = host.spin(root, "middle", &MIDDLE);
    let high = host.spin(root, "high", &HIGH);
    assert_eq!((host.on(0), host.on(1)), (Some(high), Some(middle)));
    host.tell(low, Message::Priority(9)).unwrap();
    assert_eq!((host.on(0), host.on(1)), (Some(high), Some(low)));
}

#[test]
fn limit_without_a_priority_ranks_below_every_priority() {
    let mut host = Host::new(1);
    let root = host.root("fixed-priority", &[("exclusive", Value::Bool(true))]);
    let none = host.spin(root, "none", &[]);
    host.thread(root, "none too", &[]);
    let least = host.spin(root, "least", &[Message::Priority(i32::MIN)]);
    assert_eq!(host.on(0), Some(least));
    host.block(least);
    assert_eq!(host.on(0), Some(none));
}

#[test]
fn refuses_a_priority_that_another_has_beside_accepts_it_when_that_one_is_gone() {
    let mut host = Host::new(1);
    let root = host.root("fixed-priority", &[("exclusive", Value::Bool(true))]);
    let first = host.thread(root, "first", &HIGH);
    let taken = Err(Refusal::Taken { what: "priority" });
    assert_eq!(host.try_thread(root, "second", &HIGH), taken);
    let second = host.thread(root, "second", &MIDDLE);
    assert_eq!(host.tell(second, HIGH[0]).map(|()| 0), taken);
    assert_eq!(host.tell(second, MIDDLE[0]), Ok(()), "its own again");
    host.tell(first, LOW[0]).unwrap();
    host.tell(second, HIGH[0]).unwrap();
    host.exit(second);
    host.tell(first, HIGH[0]).unwrap();
}
