//! Constant bandwidth servers, by hand.

use crate::common::{Host, MS, reserve};
use windfall_guarantees::Guarantee;
use windfall_schedulers::kinds;
use windfall_schedulers::reservation::{Cbs, UsedUp};

fn promise(text: &str) -> Guarantee {
    text.parse().unwrap_or(Guarantee::Null)
}

#[test]
fn paper_abeni_buttazzo_1998_a_wake_up_begins_a_period_unless_the_budget_is_small() {
    let mut host = Host::new(1);
    let root = host.top(kinds::CBS);
    let a = host.spin(root, "a", &[reserve(3 * MS, 12 * MS)]);
    host.run_to(MS);
    host.block(a);
    host.run_to(4 * MS);
    // 2 ms of budget are the share of the 8 ms until the deadline.
    host.wake(a);
    host.run_to(17 * MS);
    assert_eq!(host.timeline(0), "0 a, 1 -, 4 a, 7 -, 16 a");
    host.block(a);
    host.run_to(20 * MS - 1);
    // The 2 ms are less than the share of the time until 28 ms, by a nanosecond.
    host.wake(a);
    host.run_to(30 * MS);
    let after = "0 a, 1 -, 4 a, 7 -, 16 a, 17 -, 19.999999 a, 21.999999 -, 28 a";
    assert_eq!(host.timeline(0), after);
}

#[test]
fn limit_across_wake_ups_periods_move_and_more_fits_than_in_fixed_ones() {
    let mut host = Host::new(1);
    let root = host.top(kinds::CBS);
    let b = host.spin(root, "b", &[reserve(6 * MS, 9 * MS)]);
    let a = host.spin(root, "a", &[reserve(4 * MS, 12 * MS)]);
    host.run_to(6 * MS);
    host.block(b);
    for (block, wake) in [(9 * MS, 9 * MS + 1), (11 * MS + 1, 15 * MS + 1)] {
        host.run_to(block);
        host.block(a);
        host.run_to(wake);
        host.wake(a);
    }
    host.run_to(30 * MS);
    assert_eq!(
        host.timeline(0),
        "0 b, 6 a, 9 -, 9.000001 a, 11.000001 -, 15.000001 a, 19.000001 -, 27.000001 a"
    );
    // 9 ms in 13 ms: wherever periods of 12 ms begin, with 4 ms in each they hold at most 8 ms.
}

#[test]
fn limit_postponed_deadlines_promise_no_interval_anything() {
    let mut host = Host::new(1);
    let root = host.top(Cbs::default().overrun(UsedUp::Postpone));
    let a = host.spin(root, "a", &[reserve(MS, 10 * MS)]);
    host.run_to(100 * MS);
    assert_eq!(host.ran(a), 100 * MS);
    // a has used the share of a second; b has the next 800 ms for itself.
    let b = host.spin(root, "b", &[reserve(9 * MS, 10 * MS)]);
    host.run_to(900 * MS);
    assert_eq!((host.ran(a), host.ran(b)), (100 * MS, 800 * MS));
    host.run_to(60_000 * MS);
    assert!(host.judge(a, 0, &promise("RESBS 1ms 10ms")).is_broken());
    assert!(host.judge(a, 0, &promise("RESBS 1ms 100ms")).is_broken());
    // In the long run it has its share, but a child that wakes while it is ahead must wait.
    host.keeps(a, 0, &promise("PS 1/10"));
    host.keeps(b, 0, &promise("PS 9/10"));
}

#[test]
fn limit_a_throttled_server_that_is_alone_gets_its_amount_and_no_more() {
    let mut host = Host::new(1);
    let root = host.top(kinds::CBS);
    let a = host.spin(root, "a", &[reserve(MS, 10 * MS)]);
    host.run_to(1_000 * MS);
    assert_eq!(host.ran(a), 100 * MS);
}
