//! Total bandwidth servers, by hand.

use crate::common::{Host, MS, at, reserve, span};
use windfall_guarantees::Guarantee;
use windfall_hierarchy::Message;
use windfall_schedulers::catalogue::Value;
use windfall_schedulers::kinds;

fn job(work: u64) -> Message {
    Message::Job { release: at(0), deadline: at(0), work: Some(span(work * MS)) }
}

const CHARGED: &[(&str, Value<'_>)] = &[("slack", Value::Word("charged"))];

#[test]
fn paper_spuri_buttazzo_1996_a_job_is_due_after_its_work_over_the_share() {
    for settings in [CHARGED, &[]] {
        let mut host = Host::new(1);
        let root = host.root("tbs", settings);
        // A quarter: 1 ms is due in 4 ms, 2 ms are due in 8 ms.
        let a = host.thread(root, "a", &[reserve(2 * MS, 8 * MS)]);
        let b = host.thread(root, "b", &[reserve(3 * MS, 6 * MS)]);
        host.wake_for(b, 3 * MS);
        host.tell(a, job(1)).unwrap();
        host.wake_for(a, MS);
        host.run_to(20 * MS);
        host.tell(a, job(2)).unwrap();
        host.wake_for(a, 2 * MS);
        host.wake_for(b, 3 * MS);
        host.run_to(40 * MS);
        assert_eq!(host.timeline(0), "0 a, 1 b, 4 -, 20 b, 23 a, 25 -");
    }
}

#[test]
fn limit_a_job_that_overruns_delays_only_its_own_child() {
    let mut host = Host::new(1);
    let root = host.top(kinds::TBS);
    let a = host.thread(root, "a", &[reserve(2 * MS, 8 * MS)]);
    let b = host.spin(root, "b", &[reserve(6 * MS, 8 * MS)]);
    host.tell(a, job(1)).unwrap();
    host.wake(a);
    host.run_to(80 * MS);
    assert!(host.ran(a) >= 18 * MS);
    let promise: Guarantee = "RESBS 6ms 8ms".parse().unwrap();
    assert!(host.keeps(b, 0, &promise) > 2);
}

#[test]
fn limit_charged_slack_leaves_no_interval_promised() {
    let mut host = Host::new(1);
    let root = host.root("tbs", CHARGED);
    let a = host.spin(root, "a", &[reserve(MS, 10 * MS)]);
    host.run_to(100 * MS);
    let b = host.spin(root, "b", &[reserve(9 * MS, 10 * MS)]);
    host.run_to(900 * MS);
    // It has the deadline of the next second; b goes first until then.
    assert_eq!((host.ran(a), host.ran(b)), (100 * MS, 800 * MS));
    assert!(host.judge(a, 0, &"RESBS 1ms 10ms".parse().unwrap()).is_broken());
}

#[test]
fn limit_free_slack_costs_nothing_later() {
    let mut host = Host::new(1);
    let root = host.top(kinds::TBS);
    let a = host.spin(root, "a", &[reserve(MS, 10 * MS)]);
    host.run_to(100 * MS);
    assert_eq!(host.ran(a), 100 * MS);
    host.spin(root, "b", &[reserve(9 * MS, 10 * MS)]);
    host.run_to(900 * MS);
    assert_eq!(host.ran(a), 180 * MS);
    host.keeps(a, 0, &"RESBS 1ms 10ms".parse().unwrap());
}
