//! Reservations that catch up, by hand and at random.

use crate::common::{Host, MS, reserve, span};
use proptest::prelude::*;
use windfall_hierarchy::{AnswerError, HierarchyError, Message, Processor};
use windfall_schedulers::catalogue::Value;
use windfall_schedulers::kinds;
use windfall_time::{Ratio, Span};

/// To the nanosecond.
const EXACT: [(&str, Value<'static>); 1] = [("granule", Value::Span(Span::from_nanos(1)))];

#[test]
fn paper_hls_11_5_2_a_thread_from_which_1_2_ms_are_stolen_runs_1_2_ms_longer() {
    let mut host = Host::new(1);
    host.stolen = vec![(MS, 12 * MS / 10)];
    let root = host.top(kinds::REZ_C);
    let a = host.spin(root, "a", &[reserve(4 * MS, 20 * MS)]);
    let b = host.spin(root, "b", &[reserve(2 * MS, 30 * MS)]);
    host.run_to(20 * MS);
    assert_eq!(host.timeline(0), "0 a, 5.2 b, 7.2 -, 20 a");
    assert_eq!((host.ran(a), host.ran(b)), (4 * MS, 2 * MS));
}

#[test]
fn paper_hls_11_7_1_catching_up_may_cost_a_neighbour_its_deadline() {
    let served = |kind| {
        let mut host = Host::new(1);
        host.stolen = vec![(0, 5 * MS)];
        let root = host.root(kind, &[]);
        let a = host.spin(root, "a", &[reserve(10 * MS, 20 * MS)]);
        let b = host.spin(root, "b", &[reserve(10 * MS, 20 * MS)]);
        host.run_to(20 * MS);
        (host.ran(a), host.ran(b))
    };
    assert_eq!(served("rez"), (5 * MS, 10 * MS));
    assert_eq!(served("rez-c"), (10 * MS, 5 * MS));
}

#[test]
fn limit_what_is_stolen_before_or_after_its_turn_is_nothing_to_a_child() {
    let mut host = Host::new(1);
    host.stolen = vec![(0, MS), (6 * MS, MS)];
    let root = host.top(kinds::REZ_C);
    host.run_to(MS);
    let a = host.spin(root, "a", &[reserve(4 * MS, 20 * MS)]);
    host.run_to(20 * MS);
    assert_eq!(host.timeline(0), "1 a, 5 -");
    assert_eq!(host.ran(a), 4 * MS);
}

#[test]
fn limit_a_rest_below_the_granule_is_dropped_and_a_long_interrupt_is_not_waited_for_in_nanoseconds()
{
    let mut host = Host::new(1);
    host.stolen = vec![(4 * MS - 9_999, 5 * MS)];
    let root = host.top(kinds::REZ_C);
    let a = host.spin(root, "a", &[reserve(4 * MS, 20 * MS)]);
    host.run_to(19 * MS);
    assert_eq!(host.ran(a), 4 * MS - 9_999);
    assert!(host.tree.notifications() < 10);
    // A rest of a granule is waited for, ten microseconds at a time while the interrupt lasts.
    let mut host = Host::new(1);
    host.stolen = vec![(4 * MS - 10_000, MS)];
    let root = host.top(kinds::REZ_C);
    let a = host.spin(root, "a", &[reserve(4 * MS, 20 * MS)]);
    host.run_to(19 * MS);
    assert_eq!(host.ran(a), 4 * MS);
    assert!((100..110).contains(&host.tree.notifications()));
}

#[test]
fn refuses_more_than_its_admission_beside_accepts_exactly_that() {
    for kind in ["rez", "rez-c", "rez-fb"] {
        let mut host = Host::new(1);
        let root = host.root(kind, &[("admission", Value::Integer(850))]);
        host.thread(root, "a", &[reserve(60, 100)]);
        let over = host.try_thread(root, "b", &[reserve(251, 1000)]);
        let (requested, left) = (Ratio::new(251, 1000).unwrap(), Ratio::new(1, 4).unwrap());
        assert_eq!(
            over,
            Err(HierarchyError::Refused(AnswerError::NoRoom { requested, left })),
            "{kind}"
        );
        host.thread(root, "b", &[reserve(250, 1000)]);
    }
}

#[test]
fn accepts_a_host_that_tells_nothing() {
    let mut host = Host::new(1);
    let root = host.top(kinds::REZ_C);
    let a = host.spin(root, "a", &[reserve(3, 10)]);
    host.run_to(100);
    assert_eq!(host.ran(a), 30);
    assert!(host.tree.report_stolen(Processor(1), span(1)).is_err(), "there is no such processor");
}

#[test]
fn law_each_scheduler_takes_differences_of_its_own() {
    let mut host = Host::new(1);
    host.stolen = vec![(2 * MS, MS), (7 * MS, 2 * MS)];
    let root = host.top(kinds::FIXED_PRIORITY);
    let above = host.below(root, "above", "rez-c", &[Message::Priority(2)]);
    let below = host.below(root, "below", "rez-c", &[Message::Priority(1)]);
    let a = host.spin(above, "a", &[reserve(4 * MS, 20 * MS)]);
    let b = host.spin(below, "b", &[reserve(4 * MS, 20 * MS)]);
    host.run_to(20 * MS);
    assert_eq!(host.timeline(0), "0 a, 5 b, 11 -, 20 a");
    assert_eq!((host.ran(a), host.ran(b)), (4 * MS, 4 * MS));
}

/// A reservation, its thread, and whether that thread waits at times.
#[derive(Clone, Copy)]
struct Reserved {
    amount: u64,
    period: u64,
    thread: usize,
    waits: bool,
}

impl Reserved {
    /// Its largest demand in an interval: the amounts of the periods that lie in it; or its share of the interval,
    /// if it may wake at any time.
    fn demand(&self, begin: u64, end: u64) -> u64 {
        match self.waits {
            true => self.amount * (end - begin) / self.period,
            false => self.amount * (end / self.period).saturating_sub(begin.div_ceil(self.period)),
        }
    }
}

/// Assumption A3: in every interval until `end` the stolen time and the demands fit.
fn fits(host: &Host, reserved: &[Reserved], end: u64) -> bool {
    (0..end).all(|begin| {
        let demand: u64 = reserved.iter().map(|r| r.demand(begin, end)).sum();
        host.stolen_within(begin, end) + demand <= end - begin
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    /// If stolen time and reservations fit (assumption A3), a child that never waits receives its amount in every
    /// period, wherever the others' periods lie; and it never receives more. The proof is that of the processor
    /// demand criterion: suppose it were short at `end`. Then, since the last moment at which no child due by then
    /// had anything left, the processor was stolen or served only such children.
    #[test]
    fn law_what_is_received_is_what_was_reserved_where_stolen_time_fits(
        shares in prop::collection::vec((1_u64..12, 5_u64..40), 1..5),
        gaps in prop::collection::vec((1_u64..60, 1_u64..12), 0..60),
        sleeper in any::<bool>(),
    ) {
        let mut host = Host::new(1);
        let mut now = 0;
        for (gap, cost) in gaps {
            host.stolen.push((now + gap, cost));
            now += gap + cost;
        }
        let root = host.root("rez-c", &EXACT);
        let mut reserved: Vec<Reserved> = Vec::new();
        for (number, (amount, period)) in shares.iter().enumerate() {
            let (amount, period) = (*amount.min(period), *period);
            let name = format!("t{number}");
            if let Ok(thread) = host.try_thread(root, &name, &[reserve(amount, period)]) {
                let waits = sleeper && number % 2 == 1;
                reserved.push(Reserved { amount, period, thread, waits });
                match waits {
                    true => host.begin_cycle(thread, (amount.div_ceil(2), period + 1)),
                    false => host.wake(thread),
                }
            }
        }
        let mut had = vec![0; reserved.len()];
        for end in 1..400 {
            host.run_to(end);
            for (at, slot) in reserved.iter().enumerate() {
                if slot.waits || !end.is_multiple_of(slot.period) {
                    continue;
                }
                let received = host.ran(slot.thread) - had[at];
                had[at] = host.ran(slot.thread);
                prop_assert!(received <= slot.amount, "{} by {}", received, end);
                if fits(&host, &reserved, end) {
                    prop_assert_eq!(received, slot.amount, "by {}: {}", end, host.timeline(0));
                }
            }
        }
    }
}

#[test]
fn law_the_condition_is_met_and_missed() {
    // The law above is not vacuous.
    let mut host = Host::new(1);
    host.stolen = vec![(2, 4)];
    let slot = |amount, period| Reserved { amount, period, thread: 0, waits: false };
    let reserved = [slot(5, 10), slot(4, 20)];
    assert!(fits(&host, &reserved, 10) && fits(&host, &reserved, 20));
    host.stolen = vec![(2, 6)];
    assert!(!fits(&host, &reserved, 10) && fits(&host, &reserved, 20));
    host.stolen = vec![(2, 7)];
    assert!(!fits(&host, &reserved, 20) && fits(&host, &reserved, 30));
}
