//! SWiFT, with a pipeline's queue as the plant.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use crate::common::{Host, MS, S, T, US, span};
use windfall_hierarchy::{AnswerError, HierarchyError, Message, NodeId, VpState};
use windfall_schedulers::kinds;

/// A queue of 100 items, which come at a steady rate from outside, and the thread that takes them.
struct Pipeline {
    thread: T,
    /// Items in a second that come.
    rate: u64,
    /// Work for one item.
    work: u64,
    /// In the queue, in thousandths of an item.
    filled: u64,
    /// Items that found the queue full, in thousandths.
    lost: u64,
    ran: u64,
}

const FULL: u64 = 100_000;

impl Pipeline {
    fn new(host: &mut Host, root: NodeId, name: &str, rate: u64, work: u64) -> Pipeline {
        let thread = host.spin(root, name, &[crate::common::progress(500)]);
        Pipeline { thread, rate, work, filled: FULL / 2, lost: 0, ran: 0 }
    }

    /// A millisecond has passed.
    fn step(&mut self, host: &mut Host) {
        let ran = host.ran(self.thread);
        let taken = (ran - self.ran) * 1000 / self.work;
        self.ran = ran;
        let filled = (self.filled + self.rate).saturating_sub(taken);
        self.lost += filled.saturating_sub(FULL);
        self.filled = filled.min(FULL);
        let progress = i64::try_from(self.filled * 1000 / FULL).unwrap();
        host.tell(self.thread, crate::common::progress(progress)).unwrap();
        let waits = host.tree.thread_state(host.threads[self.thread].id) == Some(VpState::Waiting);
        if self.filled == 0 && !waits {
            host.block(self.thread);
        } else if self.filled > 0 && waits {
            host.wake(self.thread);
        }
    }
}

fn run(host: &mut Host, pipelines: &mut [Pipeline], end: u64) {
    while host.now < end {
        host.run_for(MS);
        for pipeline in &mut *pipelines {
            pipeline.step(host);
        }
    }
}

/// 500 items a second of 0.6 ms are 30 % of the processor; later 1.2 ms, 60 %.
#[test]
fn law_the_queue_is_kept_half_full_and_the_share_follows_the_need() {
    let mut host = Host::new(1);
    let root = host.top(kinds::SWIFT);
    let mut pipelines = [Pipeline::new(&mut host, root, "a", 500, 600 * US)];
    for work in [600 * US, 1200 * US, 300 * US] {
        pipelines[0].work = work;
        let settled = host.now + 5 * S;
        run(&mut host, &mut pipelines, settled);
        let (ran, lost) = (host.ran(0), pipelines[0].lost);
        for _ in 0..50 {
            let end = host.now + 100 * MS;
            run(&mut host, &mut pipelines, end);
            let filled = pipelines[0].filled;
            assert!(filled.abs_diff(FULL / 2) <= FULL / 5, "{work}: {filled}");
        }
        let need = 500 * work * 5;
        assert!((host.ran(0) - ran).abs_diff(need) <= need / 20, "{work}: {}", host.ran(0) - ran);
        assert_eq!(pipelines[0].lost, lost);
    }
}

/// Two children that need 30 % and 40 %, beside one that reports nothing and would take everything.
#[test]
fn paper_steere_1999_one_without_progress_gets_what_is_left() {
    let mut host = Host::new(1);
    let root = host.top(kinds::SWIFT);
    let mut pipelines = [
        Pipeline::new(&mut host, root, "a", 500, 600 * US),
        Pipeline::new(&mut host, root, "b", 1000, 200 * US),
    ];
    let greedy = host.spin(root, "greedy", &[]);
    run(&mut host, &mut pipelines, 10 * S);
    let before = [0, 1, greedy].map(|thread| host.ran(thread));
    let lost = pipelines[0].lost + pipelines[1].lost;
    run(&mut host, &mut pipelines, 20 * S);
    let ran = [0, 1, greedy].map(|thread| (host.ran(thread) - before[thread]) / (S / 100));
    assert!((290..=310).contains(&ran[0]) && (190..=210).contains(&ran[1]), "{ran:?}");
    assert!((410..=460).contains(&ran[2]), "{ran:?}");
    assert_eq!(pipelines[0].lost + pipelines[1].lost, lost);
}

#[test]
fn paper_steere_1999_in_overload_all_are_squished_in_proportion() {
    let mut host = Host::new(1);
    let root = host.top(kinds::SWIFT);
    let mut pipelines = [
        Pipeline::new(&mut host, root, "a", 1000, 700 * US),
        Pipeline::new(&mut host, root, "b", 1000, 800 * US),
    ];
    run(&mut host, &mut pipelines, 10 * S);
    let ran = [0, 1].map(|thread| host.ran(thread) / (S / 100));
    // Both ask for all there is, and no more than the cap is given out.
    assert!(ran[0].abs_diff(ran[1]) <= 20, "{ran:?}");
    assert!(ran[0] + ran[1] <= 950 && ran[0] + ran[1] >= 930, "{ran:?}");
}

#[test]
fn limit_what_is_not_wanted_any_longer_is_free_for_others() {
    let mut host = Host::new(1);
    let root = host.top(kinds::SWIFT);
    let a = host.spin(root, "a", &[]);
    let b = host.spin(root, "b", &[]);
    host.run_to(5 * S);
    host.block(a);
    host.run_to(10 * S);
    let before = host.ran(b);
    host.run_to(11 * S);
    assert!(host.ran(b) - before >= 930 * MS, "{}", host.ran(b) - before);
}

#[test]
fn refuses_a_child_without_1_percent_beside_accepts_as_many_as_have_it() {
    let mut host = Host::new(1);
    let root = host.top(kinds::SWIFT);
    let first = host.spin(root, "first", &[]);
    host.run_to(5 * S);
    let all: Vec<T> = (1..95).map(|n| host.spin(root, &format!("t{n}"), &[])).collect();
    let refusal = host.try_thread(root, "one too many", &[]).unwrap_err();
    assert!(matches!(refusal, HierarchyError::Refused(AnswerError::Full { .. })), "{refusal}");
    // The first had everything, and shrinks until each child has 1 %.
    host.run_to(10 * S);
    for thread in &all {
        assert!(host.ran(*thread) > 45 * MS, "{}", host.ran(*thread));
    }
    for thread in all {
        host.exit(thread);
    }
    let before = host.ran(first);
    host.run_to(20 * S);
    assert!(host.ran(first) - before > 8 * S);
}

#[test]
fn refuses_more_than_full_beside_accepts_full() {
    let mut host = Host::new(1);
    let root = host.top(kinds::SWIFT);
    let a = host.spin(root, "a", &[]);
    assert!(host.tell(a, crate::common::progress(1000)).is_ok());
    assert!(host.tell(a, crate::common::progress(1001)).is_err());
    let zero = Message::Periodic { period: span(0), deadline: span(1), amount: None };
    assert!(host.tell(a, zero).is_err());
    assert!(host.tell(a, crate::common::reserve(1, 2)).is_err());
}
