//! The epoch scheduler against the words of Chrysalis 2.2 to 3.4, in schedules that can be followed by hand.
#![allow(clippy::unwrap_used, reason = "what fails here fails the test")]

mod common;

use common::{Host, MS, T, US, reserve, span};
use windfall_hierarchy::{Message, NodeId, Refusal};
use windfall_schedulers::catalogue::{Settings, Value, find};

const EPOCH: u64 = 100 * MS;

fn settings(slice: u64, useful: u64) -> [(&'static str, Value<'static>); 2] {
    [("slice", Value::Span(span(slice))), ("useful", Value::Span(span(useful)))]
}

/// One processor below an epoch scheduler with epochs of 100 ms, and slices of so much.
fn node(slice: u64) -> (Host, NodeId) {
    let mut host = Host::new(1);
    let root = host.root("epoch", &settings(slice, 300 * US));
    (host, root)
}

fn need(amount: u64) -> Message {
    reserve(amount, EPOCH)
}

fn spin(host: &mut Host, root: NodeId, name: &str, asks: &[Message]) -> T {
    host.spin(root, name, asks)
}

#[test]
fn paper_windfall_is_taken_in_the_low_queue_and_ends_with_the_epoch() {
    // a needs 20 ms, b 30 ms; both work for ever: 50 ms are uncommitted, first come, first served.
    let (mut host, root) = node(10 * MS);
    let a = spin(&mut host, root, "a", &[need(20 * MS)]);
    let b = spin(&mut host, root, "b", &[need(30 * MS)]);
    host.run_to(2 * EPOCH);
    assert_eq!((host.ran(a), host.ran(b)), (100 * MS, 100 * MS), "{}", host.timeline(0));
}

#[test]
fn paper_whoever_has_its_need_is_not_demoted_before_the_critical_period() {
    // a needs nothing, and has what is uncommitted until b's need can no longer wait.
    let (mut host, root) = node(10 * MS);
    let a = spin(&mut host, root, "a", &[Message::Priority(2)]);
    let b = spin(&mut host, root, "b", &[need(60 * MS)]);
    host.run_to(2 * EPOCH);
    assert_eq!(host.timeline(0), "0 a, 40 b, 100 a, 140 b, 200 a");
    assert_eq!((host.ran(a), host.ran(b)), (80 * MS, 120 * MS));
}

#[test]
fn paper_a_preempted_process_stays_at_the_head_and_an_exhausted_one_goes_to_the_end() {
    let (mut host, root) = node(10 * MS);
    let a = spin(&mut host, root, "a", &[]);
    spin(&mut host, root, "b", &[]);
    let urgent = host.thread(root, "u", &[Message::Priority(3)]);
    host.run_to(4 * MS);
    host.wake_for(urgent, MS);
    host.run_to(25 * MS);
    // a goes on with the 6 ms that it has left; b comes after it.
    assert_eq!(host.timeline(0), "0 a, 4 u, 5 a, 11 b, 21 a");
    let _ = a;
}

#[test]
fn paper_a_rest_of_a_few_hundred_microseconds_counts_as_used_up() {
    for (rest, then) in
        [(300 * US, "0 a, 9.7 u, 10.7 a, 11 b"), (299 * US, "0 a, 9.701 u, 10.701 b")]
    {
        let (mut host, root) = node(10 * MS);
        spin(&mut host, root, "a", &[]);
        spin(&mut host, root, "b", &[]);
        let urgent = host.thread(root, "u", &[Message::Priority(3)]);
        host.run_to(10 * MS - rest);
        host.wake_for(urgent, MS);
        host.run_to(12 * MS);
        assert_eq!(host.timeline(0), then);
    }
}

#[test]
fn paper_a_normal_queue_goes_before_every_low_one() {
    // u is of the highest priority, and on its low queue once the CSP has begun; the lowest normal one preempts it.
    let (mut host, root) = node(10 * MS);
    spin(&mut host, root, "u", &[Message::Priority(3)]);
    let z = host.thread(root, "z", &[Message::Priority(0), need(90 * MS)]);
    host.run_to(33 * MS);
    host.wake_for(z, 5 * MS);
    host.run_to(200 * MS);
    assert_eq!(host.timeline(0), "0 u, 33 z, 38 u");
}

#[test]
fn paper_low_queues_have_priorities_and_full_slices_too() {
    // All is committed to s, who sleeps: the others share windfall, by slices, the higher priority first.
    let (mut host, root) = node(10 * MS);
    host.thread(root, "s", &[need(EPOCH)]);
    spin(&mut host, root, "a", &[]);
    spin(&mut host, root, "b", &[]);
    let c = host.thread(root, "c", &[Message::Priority(2)]);
    host.run_to(12 * MS);
    host.wake_for(c, 15 * MS);
    host.run_to(48 * MS);
    assert_eq!(host.timeline(0), "0 a, 10 b, 12 c, 27 b, 35 a, 45 b");
}

#[test]
fn paper_what_is_past_is_lost() {
    // a sleeps through an epoch; in the next one it has its need, and no more than that.
    let (mut host, root) = node(10 * MS);
    let a = host.thread(root, "a", &[need(40 * MS)]);
    let b = spin(&mut host, root, "b", &[need(60 * MS)]);
    host.run_to(EPOCH);
    host.wake(a);
    host.run_to(2 * EPOCH);
    assert_eq!((host.ran(a), host.ran(b)), (40 * MS, 160 * MS), "{}", host.timeline(0));
}

/// Section 3.4: w has its need of 10 ms at once; a slice of the 20 ms that are uncommitted is lent to it, so that
/// the CSP has begun at 10 ms. It waits and uses that slice late; v, which needs 70 ms, is ready from `wakes` on.
fn lost(wakes: u64, late: bool) -> u64 {
    let (mut host, root) = node(20 * MS);
    let w = host.thread(root, "w", &[need(10 * MS), Message::Priority(2)]);
    let v = host.thread(root, "v", &[need(70 * MS)]);
    host.wake_for(w, 10 * MS);
    host.run_to(wakes);
    host.wake(v);
    host.run_to(60 * MS);
    if late {
        host.wake_for(w, 20 * MS);
    }
    host.run_to(EPOCH);
    host.ran(v)
}

#[test]
fn paper_a_need_is_lost_to_a_slice_that_was_lent_before_only_if_ready_after_the_start_of_the_csp() {
    assert_eq!(lost(28 * MS, false), 72 * MS, "what is left is enough");
    assert_eq!(lost(28 * MS, true), 52 * MS, "but for w's late slice");
    assert_eq!(lost(10 * MS, true), 70 * MS, "ready at the start of the CSP");
    assert_eq!(lost(10 * MS + 1, true), 70 * MS - 1, "and not any later");
}

#[test]
fn refuses_a_need_for_another_period_and_more_than_is_left() {
    let (mut host, root) = node(10 * MS);
    let other = host.try_thread(root, "a", &[reserve(10 * MS, 50 * MS)]);
    assert!(matches!(other, Err(Refusal::OutOfRange { what: "period", .. })));
    host.thread(root, "b", &[need(70 * MS)]);
    assert!(matches!(
        host.try_thread(root, "c", &[need(30 * MS + 1)]),
        Err(Refusal::NoRoom { .. })
    ));
    host.thread(root, "d", &[need(30 * MS)]);
    for priority in [-1, 4] {
        let refused = host.try_thread(root, "e", &[Message::Priority(priority)]);
        assert!(matches!(refused, Err(Refusal::OutOfRange { what: "priority", .. })));
    }
    let short = host.try_thread(root, "e", &[Message::Quantum(span(300 * US - 1))]);
    assert!(matches!(short, Err(Refusal::OutOfRange { what: "quantum", .. })));
    let build = find("epoch").unwrap().build;
    assert!(build(&Settings(&settings(MS, MS + 1))).is_err());
    assert!(build(&Settings(&settings(MS, MS))).is_ok());
}
