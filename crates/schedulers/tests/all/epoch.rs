//! The epoch scheduler against Chrysalis 2.2 to 3.4, in schedules that can be followed by hand.
#![allow(clippy::unwrap_used, reason = "what fails here fails the test")]

use crate::common::{Host, MS, T, US, at, conversion, gives, promise, reserve, span};
use windfall_guarantees::{ChildParam, ChildParams, Supply};
use windfall_hierarchy::{AnswerError, Count, HierarchyError, Message, NodeId, Target};
use windfall_schedulers::catalogue::{Settings, Value, find};
use windfall_schedulers::epoch::Epoch;
use windfall_schedulers::kinds;

const EPOCH: u64 = 100 * MS;

fn settings(slice: u64, useful: u64) -> [(&'static str, Value<'static>); 2] {
    [("slice", Value::Span(span(slice))), ("useful", Value::Span(span(useful)))]
}

/// One processor below an epoch scheduler with epochs of 100 ms and this slice.
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
    // a needs nothing, and receives uncommitted time until b's need can no longer wait.
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
    spin(&mut host, root, "a", &[]);
    spin(&mut host, root, "b", &[]);
    let urgent = host.thread(root, "u", &[Message::Priority(3)]);
    host.run_to(4 * MS);
    host.wake_for(urgent, MS);
    host.run_to(25 * MS);
    // a continues with the 6 ms that are left; b comes after it.
    assert_eq!(host.timeline(0), "0 a, 4 u, 5 a, 11 b, 21 a");
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
    // u has the highest priority, and is in its low queue once the CSP has begun; the lowest normal queue preempts
    // it.
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
    // The whole epoch is committed to s, which sleeps. The others share the windfall by slices, higher priority
    // first.
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
fn paper_whoever_goes_to_its_low_queue_gets_a_full_slice() {
    // When the second epoch begins b has 20 ms left of a slice of 30 ms, and nothing is uncommitted.
    let (mut host, root) = node(30 * MS);
    host.thread(root, "s", &[need(EPOCH)]);
    spin(&mut host, root, "a", &[]);
    spin(&mut host, root, "b", &[]);
    host.run_to(150 * MS);
    assert_eq!(host.timeline(0), "0 a, 30 b, 60 a, 90 b, 130 a");
}

#[test]
fn paper_what_is_past_is_lost() {
    // a sleeps through an epoch; in the next one it receives its need, and no more.
    let (mut host, root) = node(10 * MS);
    let a = host.thread(root, "a", &[need(40 * MS)]);
    let b = spin(&mut host, root, "b", &[need(60 * MS)]);
    host.run_to(EPOCH);
    host.wake(a);
    host.run_to(2 * EPOCH);
    assert_eq!((host.ran(a), host.ran(b)), (40 * MS, 160 * MS), "{}", host.timeline(0));
}

/// Section 3.4: w uses its need of 10 ms at once. A slice of the 20 ms that are uncommitted is lent to it, so the
/// CSP has begun at 10 ms. It waits and uses that slice late; v, which needs 70 ms, is ready from `wakes` on.
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

/// A statistic of the instance: a count, or nanoseconds.
fn figure(host: &Host, root: NodeId, name: &str) -> u64 {
    let figures = host.tree.counted(at(host.now), Target::Node(root));
    match figures.into_iter().find(|(known, _)| *known == name).unwrap().1 {
        Count::Times(times) => times,
        Count::Time(time) => time.as_nanos(),
        Count::At(at) => at.as_nanos(),
    }
}

fn critical(host: &Host, root: NodeId) -> u64 {
    figure(host, root, "critical-from")
}

#[test]
fn paper_the_critical_period_begins_later_when_needs_are_met_and_earlier_when_time_is_lent() {
    let (mut host, root) = node(10 * MS);
    let a = host.thread(root, "a", &[need(25 * MS)]);
    host.thread(root, "s", &[need(45 * MS)]);
    assert_eq!(critical(&host, root), 30 * MS, "the end of the epoch less all needs");
    host.run_to(5 * MS);
    assert_eq!(critical(&host, root), 30 * MS, "time that is wasted moves nothing");
    host.wake(a);
    host.run_to(12 * MS);
    assert_eq!(critical(&host, root), 37 * MS, "what it has used so far is added");
    host.run_to(24 * MS);
    assert_eq!(critical(&host, root), 49 * MS, "a second slice out of its need");
    // The third slice holds 5 ms of its need and 5 ms that are uncommitted.
    host.run_to(25 * MS);
    assert_eq!(critical(&host, root), 45 * MS, "these are subtracted at once");
    host.run_to(33 * MS);
    assert_eq!(critical(&host, root), 53 * MS, "within its slice its time goes on being added");
    host.block(a);
    // 2 ms of the slice are given back, and since it waits a new one of 10 ms is lent to it.
    assert_eq!(critical(&host, root), (55 - 10) * MS);
    host.run_to(50 * MS);
    assert_eq!(critical(&host, root), 45 * MS, "and has begun");
    host.run_to(EPOCH);
    assert_eq!(critical(&host, root), 130 * MS, "what is past is past");
}

#[test]
fn paper_time_used_beyond_slice_and_need_brings_the_critical_period_forward() {
    // A coarse timer: a's slice of 10 ms, 4 ms of them its need, ends after 15 ms only.
    let (mut host, root) = node(10 * MS);
    let a = host.thread(root, "a", &[need(4 * MS)]);
    host.thread(root, "s", &[need(50 * MS)]);
    host.tick = 15 * MS;
    host.wake(a);
    assert_eq!(critical(&host, root), 40 * MS, "46 ms are uncommitted, and 6 of them lent");
    host.run_to(15 * MS);
    // 10 ms are added, for slice and need; 5 ms are used beyond both; then 10 ms more are lent.
    assert_eq!(critical(&host, root), (40 + 10 - 10) * MS);
}

#[test]
fn paper_time_that_is_still_needed_is_not_lent() {
    // By the letter of 3.3, c would get 48 ms of what a has not used of its slice, and b only 1 ms of its need.
    let (mut host, root) = node(50 * MS);
    let a = host.thread(root, "a", &[need(50 * MS), Message::Priority(3)]);
    let b = spin(&mut host, root, "b", &[need(50 * MS)]);
    let c = spin(&mut host, root, "c", &[Message::Priority(2)]);
    host.wake_for(a, MS);
    host.run_to(50 * MS);
    host.wake(a);
    host.run_to(EPOCH);
    assert_eq!([a, b, c].map(|thread| host.ran(thread)), [50 * MS, 50 * MS, 0]);
}

#[test]
fn paper_the_six_ways_through_the_scheduler_are_counted() {
    let (mut host, root) = node(10 * MS);
    let s = host.thread(root, "s", &[need(EPOCH)]);
    let a = host.thread(root, "a", &[]);
    let b = host.thread(root, "b", &[]);
    let names = ["started", "restarted", "stopped", "resumed", "switched", "interrupted-low"];
    let ways = |host: &Host| names.map(|name| figure(host, root, name));
    host.wake_for(a, 12 * MS);
    assert_eq!(ways(&host), [1, 0, 0, 0, 0, 0]);
    host.run_to(11 * MS);
    assert_eq!(ways(&host), [1, 1, 0, 0, 0, 0], "its slice has ended, and it is alone");
    host.run_to(13 * MS);
    assert_eq!(ways(&host), [1, 1, 1, 0, 0, 0]);
    host.wake_for(a, 2 * MS);
    assert_eq!(ways(&host), [1, 1, 1, 1, 0, 0]);
    host.wake_for(b, MS);
    assert_eq!(ways(&host), [1, 2, 1, 1, 0, 0], "b is sent to its low queue, and a goes on");
    host.wake_for(s, MS);
    assert_eq!(ways(&host), [1, 2, 1, 1, 1, 1], "a was on its low queue, s is on its normal one");
    host.run_to(14 * MS);
    host.run_to(20 * MS);
    assert_eq!(ways(&host), [1, 2, 2, 1, 3, 1], "s, a, b, nobody");
    assert_eq!(host.timeline(0), "0 a, 12 -, 13 s, 14 a, 16 b, 17 -");
}

#[test]
fn paper_whoever_becomes_ready_again_before_the_processor_comes_finds_it_idle() {
    // Below a sibling of higher priority: the processor comes when nobody else wants it, but only if it was
    // requested.
    let mut host = Host::new(1);
    let top = host.top(kinds::FIXED_PRIORITY);
    let node = host.below(top, "node", "epoch", &[Message::Priority(1)]);
    let high = host.spin(top, "high", &[Message::Priority(2)]);
    let a = host.spin(node, "a", &[need(20 * MS)]);
    host.run_to(10 * MS);
    assert_eq!((host.ran(a), figure(&host, node, "started")), (0, 0));
    host.block(high);
    host.run_to(15 * MS);
    host.wake_for(high, 30 * MS);
    host.run_to(60 * MS);
    // The need was promised for a whole processor only: 20 ms of 60 were enough here.
    assert_eq!((host.ran(a), figure(&host, node, "resumed")), (20 * MS, 1));
}

#[test]
fn paper_an_overcommitted_processor_never_demotes_whoever_asks_for_all_of_it() {
    // Section 4.3: the Message Generator requests 100 %, beside the needs of two others.
    let mut host = Host::new(1);
    let root = host.top(Epoch::default().overcommit(true));
    let generator = spin(&mut host, root, "g", &[need(EPOCH)]);
    spin(&mut host, root, "u", &[]);
    let demon = host.thread(root, "d", &[need(4 * MS), Message::Priority(3)]);
    host.begin_cycle(demon, (4 * MS, EPOCH));
    host.run_to(5 * EPOCH);
    assert_eq!((host.ran(generator), host.ran(demon)), (5 * 96 * MS, 5 * 4 * MS));
    let parts = ["committed", "uncommitted", "windfall"].map(|name| figure(&host, root, name));
    assert_eq!(parts, [5 * EPOCH, 0, 0]);
}

#[test]
fn paper_needs_are_what_is_promised_unless_the_processor_is_overcommitted() {
    let params = |needs: &[u64]| -> Vec<ChildParams> {
        let term = |need: &u64| ChildParams::default().reserve(span(*need), span(EPOCH));
        needs.iter().map(term).collect()
    };
    let given = |settings: &[(&str, Value<'_>)], own: &str, needs: &[u64]| -> Vec<String> {
        let offers =
            conversion("epoch", settings).give(Supply::of(&[promise(own)]), &params(needs));
        offers.iter().map(|offer| gives(offer).join(" ")).collect()
    };
    let fits = [60 * MS, 40 * MS];
    let more = [60 * MS, 40 * MS + 1];
    let over = [("overcommit", Value::Bool(true))];
    assert_eq!(given(&[], "ALL", &fits), ["RESBS 60ms 100ms", "RESBS 40ms 100ms"]);
    assert_eq!(given(&over, "ALL", &fits), ["RESBS 60ms 100ms", "RESBS 40ms 100ms"]);
    assert_eq!(given(&[], "ALL", &more), ["RESBS 60ms 100ms", ""], "the last is refused");
    assert_eq!(given(&over, "ALL", &more), ["", ""], "nobody is promised anything");
    assert_eq!(given(&[], "NULL", &fits), ["", ""]);
    let told = |text: &str| conversion("epoch", &[]).parameter_for(&promise(text));
    let need = |ms| Ok(ChildParam::Reserve { amount: span(ms), period: span(EPOCH) });
    assert_eq!(told("RESBS 20ms 100ms"), need(20 * MS));
    assert_eq!(told("RESBS 21ms 300ms"), need(7 * MS), "three epochs in one");
    assert_eq!(
        told("RESCS 20ms 250ms"),
        need(20 * MS),
        "wherever they lie, one epoch or two halves"
    );
    assert_eq!(told("PS 1/4"), need(25 * MS));
    assert_eq!(told("ALL"), need(EPOCH));
    assert!(told("RESBH 20ms 100ms").is_err());
}

#[test]
fn limit_it_decides_for_one_processor() {
    let mut host = Host::new(2);
    let root = host.top(kinds::EPOCH);
    spin(&mut host, root, "a", &[need(50 * MS)]);
    spin(&mut host, root, "b", &[need(50 * MS)]);
    host.run_to(EPOCH);
    assert_eq!(host.timeline(1), "");
}

#[test]
fn paper_a_need_declared_in_mid_epoch_is_met_although_all_was_lent() {
    // The whole epoch is lent to w. At 10 ms v is added; 70 of its 80 ms count in this epoch.
    let (mut host, root) = node(EPOCH);
    spin(&mut host, root, "w", &[Message::Priority(2)]);
    host.run_to(10 * MS);
    spin(&mut host, root, "v", &[need(80 * MS)]);
    host.run_to(3 * EPOCH);
    assert_eq!(host.timeline(0), "0 w, 30 v, 100 w, 120 v, 200 w, 220 v, 300 w");
}

#[test]
fn law_more_need_counts_from_the_next_epoch_less_and_a_new_one_at_once() {
    let (mut host, root) = node(10 * MS);
    let a = host.thread(root, "a", &[need(30 * MS)]);
    host.run_to(10 * MS);
    host.tell(a, need(50 * MS)).unwrap();
    assert_eq!(critical(&host, root), 70 * MS);
    host.tell(a, Message::Unreserve).unwrap();
    assert_eq!(critical(&host, root), 100 * MS, "somebody else may be promised that now");
    host.thread(root, "b", &[need(40 * MS)]);
    assert_eq!(critical(&host, root), 70 * MS, "what is left of it after 10 ms");
    host.run_to(EPOCH);
    assert_eq!(critical(&host, root), 160 * MS);
}

#[test]
fn law_whoever_is_promised_what_another_gave_up_has_it_from_then_on() {
    // At 1 ms a, which has the higher priority, gives up its need or most of it, and b is promised that amount.
    for less in [Message::Unreserve, need(10 * MS)] {
        let (mut host, root) = node(10 * MS);
        let a = spin(&mut host, root, "a", &[need(60 * MS), Message::Priority(2)]);
        host.run_to(MS);
        host.tell(a, less).unwrap();
        let b = spin(&mut host, root, "b", &[need(60 * MS)]);
        host.run_to(140 * MS);
        assert!(host.ran(b) >= 59 * MS, "RESBS 60ms 100ms: {}", host.timeline(0));
    }
}

#[test]
fn refuses_a_need_for_another_period_and_more_than_is_left() {
    let (mut host, root) = node(10 * MS);
    let other = host.try_thread(root, "a", &[reserve(10 * MS, 50 * MS)]);
    assert!(matches!(
        other,
        Err(HierarchyError::Refused(AnswerError::OutOfRange { what: "period", .. }))
    ));
    host.thread(root, "b", &[need(70 * MS)]);
    assert!(matches!(
        host.try_thread(root, "c", &[need(30 * MS + 1)]),
        Err(HierarchyError::Refused(AnswerError::NoRoom { .. }))
    ));
    host.thread(root, "d", &[need(30 * MS)]);
    for priority in [-1, 4] {
        let refused = host.try_thread(root, "e", &[Message::Priority(priority)]);
        assert!(matches!(
            refused,
            Err(HierarchyError::Refused(AnswerError::OutOfRange { what: "priority", .. }))
        ));
    }
    let short = host.try_thread(root, "e", &[Message::Quantum(span(300 * US - 1))]);
    assert!(matches!(
        short,
        Err(HierarchyError::Refused(AnswerError::OutOfRange { what: "quantum", .. }))
    ));
    let kind = find("epoch").unwrap();
    assert!(kind.build(&Settings(&settings(MS, MS + 1))).is_err());
    assert!(kind.build(&Settings(&settings(MS, MS))).is_ok());
}
