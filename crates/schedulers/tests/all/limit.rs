//! Limit, by hand.
#![allow(clippy::unwrap_used, reason = "what fails here fails the test")]

use crate::common::{Host, MS, conversion, gives, promise, reserve, span};
use proptest::prelude::*;
use windfall_guarantees::{ChildParams, Guarantee, Supply};
use windfall_hierarchy::{AnswerError, HierarchyError, Message, NodeId, Parent};
use windfall_schedulers::catalogue::{self, Settings, Value};
use windfall_schedulers::kinds;

/// A limit above a fixed-priority scheduler that also serves `rest`.
fn limited(amount: u64, period: u64) -> (Host, NodeId, NodeId) {
    let mut host = Host::new(1);
    let root = host.top(kinds::FIXED_PRIORITY);
    let cap = [("amount", Value::Span(span(amount))), ("period", Value::Span(span(period)))];
    let high: &[Message] = &[Message::Priority(2)];
    let limit = host.try_node("limit", "limit", &cap, &[(Parent::Node(root), high)]).unwrap();
    (host, root, limit)
}

#[test]
fn paper_hls_5_3_1_3_no_more_than_the_amount_in_each_period() {
    let (mut host, root, limit) = limited(3 * MS, 10 * MS);
    host.spin(root, "rest", &[]);
    let child = host.spin(limit, "child", &[]);
    host.run_to(24 * MS);
    assert_eq!(host.timeline(0), "0 child, 3 rest, 10 child, 13 rest, 20 child, 23 rest");
    host.block(child);
    host.run_to(36 * MS);
    host.wake(child);
    host.run_to(42 * MS);
    assert_eq!(host.ran(child), 9 * MS + 3 * MS + 2 * MS);
}

#[test]
fn accepts_a_cap_by_message_and_its_end() {
    let mut host = Host::new(1);
    let root = host.top(kinds::LIMIT);
    let child = host.spin(root, "child", &[]);
    host.run_to(10 * MS);
    assert_eq!(host.ran(child), 10 * MS, "without a cap nothing is limited");
    host.tell(child, reserve(MS, 4 * MS)).unwrap();
    host.run_to(16 * MS);
    assert_eq!(host.timeline(0), "0 child, 11 -, 14 child, 15 -");
    host.tell(child, Message::Unreserve).unwrap();
    host.run_to(20 * MS);
    assert_eq!(host.ran(child), 16 * MS);
}

#[test]
fn limit_time_under_another_does_not_count() {
    let (mut host, root, limit) = limited(4 * MS, 10 * MS);
    let child = host.spin(limit, "child", &[]);
    let above = host.thread(root, "above", &[Message::Priority(9)]);
    host.run_to(2 * MS);
    host.wake_for(above, 3 * MS);
    host.run_to(20 * MS);
    assert_eq!(host.timeline(0), "0 child, 2 above, 5 child, 7 -, 10 child, 14 -, 20 child");
    assert_eq!(host.ran(child), 8 * MS);
}

#[test]
fn refuses_a_second_child_and_odd_caps() {
    let (mut host, _, limit) = limited(MS, 2 * MS);
    let child = host.thread(limit, "child", &[]);
    assert!(matches!(
        host.try_thread(limit, "second", &[]),
        Err(HierarchyError::Refused(AnswerError::Full { .. }))
    ));
    assert!(matches!(
        host.tell(child, reserve(2, 1)),
        Err(HierarchyError::Refused(AnswerError::OutOfRange { .. }))
    ));
    assert!(host.tell(child, Message::Share(1)).is_err());
    host.tell(child, reserve(1, 1)).unwrap();
    let kind = catalogue::find("limit").unwrap();
    let build = |settings: &[_]| kind.build(&Settings(settings)).is_ok();
    let amount = ("amount", Value::Span(span(2)));
    assert!(!build(&[amount]));
    assert!(!build(&[amount, ("period", Value::Span(span(1)))]));
    assert!(build(&[amount, ("period", Value::Span(span(2)))]));
}

/// Another child: its start, amount and period of its reservation, its work and period.
type Other = (u64, (u64, u64), (u64, u64));

/// A child below a limit of x in y below a reservation of `reserved`, and when the limit began.
fn doubly(
    (amount, period): (u64, u64),
    reserved: (u64, u64),
    late: u64,
    others: &[Other],
) -> (Host, usize) {
    let mut host = Host::new(1);
    let root = host.top(kinds::REZ);
    let requested = [reserve(reserved.0, reserved.1)];
    let holder = host.below(root, "holder", "fixed-priority", &requested);
    host.run_to(late);
    let cap = [("amount", Value::Span(span(amount))), ("period", Value::Span(span(period)))];
    let limit = host.try_node("limit", "limit", &cap, &[(Parent::Node(holder), &[])]).unwrap();
    let child = host.spin(limit, "child", &[]);
    for (after, (amount, period), (work, every)) in others {
        host.run_for(*after);
        if let Ok(other) = host.try_thread(root, "o", &[reserve(*amount.min(period), *period)]) {
            if work < every { host.begin_cycle(other, (*work, *every)) } else { host.wake(other) }
        }
    }
    (host, child)
}

fn offered(own: Guarantee, cap: (u64, u64)) -> Vec<Guarantee> {
    let params = ChildParams::default().reserve(span(cap.0), span(cap.1));
    let offers = conversion("limit", &[]).give(Supply::of(&[own]), &[params]);
    offers[0].gives.iter().map(|given| given.guarantee).collect()
}

/// 5.3.1.3 and table 5.1 derive RESBH x y from RESBS x y. With a reservation of 3 ms in 10 ms whose periods begin
/// at 0 ms, and a limit whose periods begin at 1 ms, the limit has used its amount when the reservation's next
/// period begins, requests again in the middle of it, and gets only the amount for the rest.
#[test]
fn refuses_the_papers_limit_whose_periods_lie_askew() {
    let others = [(0, (15 * MS, 22 * MS), (MS, 0))];
    let (mut host, child) = doubly((3 * MS, 10 * MS), (3 * MS, 10 * MS), MS, &others);
    host.run_to(201 * MS);
    assert!(host.judge(child, MS, &promise("RESBH 3ms 10ms")).is_broken());
}

#[test]
fn limit_a_cap_of_what_any_interval_leaves() {
    let own = promise("RESBS 5ms 10ms");
    assert_eq!(offered(own, (5 * MS, 15 * MS)), [promise("RESBH 5ms 15ms")]);
    assert_eq!(offered(own, (5 * MS, 14 * MS)), [promise("RESBS 4ms 14ms")]);
    assert_eq!(offered(own, (5 * MS, 10 * MS)), []);
    assert_eq!(offered(promise("RESCS 5ms 10ms"), (5 * MS, 10 * MS)), [promise("RESBH 5ms 10ms")]);
    assert_eq!(offered(promise("PS 1/2"), (5 * MS, 10 * MS)), []);
    let free = conversion("limit", &[]).give(Supply::of(&[own]), &[ChildParams::default()]);
    assert_eq!(gives(&free[0]), ["RESBS 5ms 10ms"]);
}

proptest! {
    #[test]
    fn law_what_a_limit_gives_is_kept(
        amount in MS..=20 * MS,
        cap in (MS..=20 * MS, 5 * MS..=60 * MS),
        late in 0..50 * MS,
        others in prop::collection::vec(
            (0..40 * MS, (MS..30 * MS, MS..60 * MS), (MS..30 * MS, MS..60 * MS)),
            0..5,
        ),
        sleeps in prop::collection::vec((MS..40 * MS, MS..20 * MS), 0..6),
    ) {
        let cap = (cap.0.min(cap.1), cap.1);
        let (mut host, child) = doubly(cap, (amount, 20 * MS), late, &others);
        for (after, length) in sleeps {
            host.run_for(after);
            host.block(child);
            host.run_for(length);
            host.wake(child);
        }
        host.run_for(500 * MS);
        let own = Guarantee::BasicSoft(span(amount).into(), span(20 * MS).into());
        for guarantee in offered(own, cap) {
            host.keeps(child, late, &guarantee);
        }
    }
}
