//! The time table, by hand and at random.

use crate::common::{Host, MS, at, span};
use proptest::prelude::*;
use windfall_guarantees::{Guarantee, Length, Supply};
use windfall_hierarchy::{Message, VpState};
use windfall_schedulers::kinds;
use windfall_schedulers::parameters;

fn block(amount: u64, period: u64, offset: Option<u64>) -> Message {
    match offset {
        Some(offset) => parameters::block(span(amount), span(period), at(offset)),
        None => crate::common::reserve(amount, period),
    }
}

#[test]
fn paper_hls_5_2_2_2_a_block_begins_where_its_child_asks() {
    let mut host = Host::new(1);
    let root = host.top(kinds::TIME_TABLE);
    let a = host.spin(root, "a", &[block(2 * MS, 10 * MS, Some(13 * MS))]);
    host.spin(root, "b", &[block(3 * MS, 5 * MS, None)]);
    host.run_to(20 * MS - 1);
    assert_eq!(host.timeline(0), "0 b, 3 a, 5 b, 8 -, 10 b, 13 a, 15 b, 18 -");
    host.keeps(a, 0, &"RESSH 2ms 10ms 3ms".parse().unwrap());
    host.block(a);
    host.run_to(24 * MS);
    host.wake(a);
    host.run_to(25 * MS);
    assert_eq!(host.ran(a), 5 * MS);
}

#[test]
fn refuses_a_block_that_would_ever_collide_beside_accepts_the_largest_that_does_not() {
    let mut host = Host::new(1);
    let root = host.top(kinds::TIME_TABLE);
    host.thread(root, "a", &[block(2, 6, Some(0))]);
    // The common divisor of 6 and 10 is 2: no room beside 2.
    assert!(host.try_thread(root, "b", &[block(1, 10, None)]).is_err());
    assert!(host.try_thread(root, "b", &[block(1, 9, Some(1))]).is_err());
    assert!(host.try_thread(root, "b", &[block(2, 9, None)]).is_err());
    host.thread(root, "b", &[block(1, 9, None)]);
    host.thread(root, "c", &[block(1, 9, Some(5))]);
}

/// Whether two blocks overlap, by looking at all nanoseconds of their common period.
fn collide(a: (u64, u64, u64), b: (u64, u64, u64)) -> bool {
    let on = |(x, y, z): (u64, u64, u64), t: u64| (t + y - z % y) % y < x;
    (0..a.1 * b.1).any(|t| on(a, t) && on(b, t))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn limit_two_blocks_are_admitted_exactly_when_they_never_overlap(
        a in (1_u64..6, 1_u64..20, 0_u64..20),
        b in (1_u64..6, 1_u64..20, prop::option::of(0_u64..20)),
    ) {
        let (a, b) = ((a.0.min(a.1), a.1, a.2), (b.0.min(b.1), b.1, b.2));
        let mut host = Host::new(1);
        let root = host.top(kinds::TIME_TABLE);
        host.thread(root, "a", &[block(a.0, a.1, Some(a.2))]);
        let admitted = host.try_thread(root, "b", &[block(b.0, b.1, b.2)]).is_ok();
        let fits = match b.2 {
            Some(offset) => !collide(a, (b.0, b.1, offset)),
            None => (0..b.1).any(|offset| !collide(a, (b.0, b.1, offset))),
        };
        prop_assert_eq!(admitted, fits);
    }

    /// Blocks are where they were promised, whatever the others do.
    #[test]
    fn law_every_block_is_kept_whatever_the_others_do(
        blocks in prop::collection::vec(
            (1_u64..5, prop::sample::select(vec![6_u64, 12, 18, 24, 36]), prop::option::of(0_u64..36)),
            1..6,
        ),
        steps in prop::collection::vec((0_usize..6, 0_u64..12, any::<bool>()), 1..100),
    ) {
        let mut host = Host::new(1);
        let root = host.top(kinds::TIME_TABLE);
        let mut children = Vec::new();
        for (amount, period, offset) in blocks {
            if let Ok(thread) = host.try_thread(root, "t", &[block(amount, period, offset)]) {
                host.wake(thread);
                let (x, y) = (Length::from(span(amount)), Length::from(span(period)));
                children.push((thread, match offset {
                    Some(offset) => Guarantee::Synchronized(x, y, Length::from(span(offset))),
                    None => Guarantee::NonPreemptive(x, y),
                }));
            }
        }
        for (who, pause, yields) in steps {
            host.run_for(pause);
            let thread = children[who % children.len()].0;
            let waits = host.tree.thread_state(host.threads[thread].id) == Some(VpState::Waiting);
            match (waits, yields) {
                (true, _) => host.wake(thread),
                (false, true) if host.on(0) == Some(thread) => host.yields(thread),
                (false, _) => host.block(thread),
            }
        }
        host.run_for(100);
        for (thread, promise) in children {
            host.keeps(thread, 0, &promise);
        }
    }
}

#[test]
fn r0017_periods_of_centuries_do_not_overflow() {
    let find = windfall_schedulers::catalogue::find("time-table").unwrap();
    let conversion = find.conversion(&windfall_schedulers::catalogue::Settings(&[])).unwrap();
    let centuries = windfall_time::Span::from_nanos(u64::MAX);
    let piece = |at: Option<u64>| {
        let length = windfall_time::Span::from_nanos(1);
        let mut piece = windfall_guarantees::ChildParams::default().reserve(length, centuries);
        piece.at = at.map(windfall_time::Instant::from_nanos);
        piece
    };
    let children = [piece(None), piece(Some(1 << 63)), piece(None)];
    let offers = conversion.give(Supply::of(&[windfall_guarantees::Guarantee::All]), &children);
    assert!(offers.iter().all(|offer| !offer.gives.is_empty()), "{offers:?}");
}
