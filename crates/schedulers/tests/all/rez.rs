//! Hard reservations, by hand and at random.

use crate::common::listener::listen;
use crate::common::{Host, MS, S, reserve};
use proptest::prelude::*;
use windfall_hierarchy::{AnswerError, HierarchyError, Message, Parent};
use windfall_schedulers::kinds;
use windfall_schedulers::reservation::{Overruns, Rez};
use windfall_time::Ratio;

#[test]
fn paper_hls_10_5_2_a_hard_reservation_gives_10_ms_in_33_ms_exactly() {
    let mut host = Host::new(1);
    let root = host.top(kinds::REZ);
    let app = host.spin(root, "app", &[reserve(10 * MS, 33 * MS)]);
    host.run_to(33 * MS * 100);
    assert_eq!(host.ran(app), 10 * MS * 100);
}

#[test]
fn paper_hls_10_5_2_a_clock_of_1024_hz_lets_it_overrun_to_32_6_percent() {
    let mut host = Host::new(1);
    host.tick = S / 1024;
    let root = host.top(Rez::default().overruns(Overruns::Dropped));
    let app = host.spin(root, "app", &[reserve(10 * MS, 33 * MS)]);
    host.run_to(30 * S);
    let per_mille = host.ran(app) * 1000 / (30 * S);
    assert!((323..=329).contains(&per_mille), "{per_mille}");
}

#[test]
fn law_what_a_coarse_clock_lets_it_overrun_is_taken_from_the_periods_that_follow() {
    let mut host = Host::new(1);
    host.tick = S / 1024;
    let root = host.top(kinds::REZ);
    let app = host.spin(root, "app", &[reserve(10 * MS, 33 * MS)]);
    host.run_to(30 * S);
    let (ran, promised) = (host.ran(app), 30 * S / (33 * MS) * 10 * MS + 3 * MS);
    assert!(ran.abs_diff(promised) < S / 1024, "{ran} of {promised}");
}

#[test]
fn paper_hls_9_3_2_the_earliest_deadline_with_budget_runs() {
    let mut host = Host::new(1);
    let root = host.top(kinds::REZ);
    host.spin(root, "a", &[reserve(4 * MS, 20 * MS)]);
    host.spin(root, "b", &[reserve(3 * MS, 10 * MS)]);
    host.run_to(24 * MS);
    assert_eq!(host.timeline(0), "0 b, 3 a, 7 -, 10 b, 13 -, 20 b, 23 a");
}

/// The time that two threads receive in [9, 20.2) ms by the rules of 9.3.2, in steps of 0.1 ms: budgets fall as
/// threads run, are renewed at the beginning of each period, and the earliest deadline with a budget runs. The
/// first has 5 ms in 10 from 0 on and wakes at 9; the second, 5.6 in 11.2 from 9 on, is always ready.
fn by_the_words_of_9_3_2() -> [u64; 2] {
    let (mut budgets, mut had) = ([50, 56], [0, 0]);
    for step in 90..202 {
        if step == 100 {
            budgets[0] = 50;
        }
        let deadlines = [if step < 100 { 100 } else { 200 }, 202];
        let runs = (0..2).filter(|at| budgets[*at] > 0).min_by_key(|at| deadlines[*at]);
        if let Some(at) = runs {
            budgets[at] -= 1;
            had[at] += 1;
        }
    }
    had
}

#[test]
fn limit_a_budget_that_is_kept_while_its_thread_waits_breaks_anothers_reservation() {
    let [late, ready] = by_the_words_of_9_3_2();
    assert_eq!(
        (late, ready),
        (60, 52),
        "6 ms in 11 of a reservation of half, and 5.2 where 5.6 are promised"
    );
    let mut host = Host::new(1);
    let root = host.top(kinds::REZ);
    let late = host.thread(root, "late", &[reserve(5 * MS, 10 * MS)]);
    host.run_to(9 * MS);
    host.wake(late);
    let ready = host.spin(root, "ready", &[reserve(56 * MS / 10, 112 * MS / 10)]);
    host.run_to(202 * MS / 10);
    assert!(host.ran(ready) >= 56 * MS / 10, "{}", host.ran(ready));
    assert!(host.ran(late) >= 5 * MS, "its whole period is served: {}", host.ran(late));
}

#[test]
fn refuses_more_than_the_processor_beside_accepts_exactly_all_of_it() {
    let mut host = Host::new(1);
    let root = host.top(kinds::REZ);
    for name in ["a", "b"] {
        host.thread(root, name, &[reserve(MS, 3 * MS)]);
    }
    let half = host.try_thread(root, "half", &[reserve(MS, 2 * MS)]);
    let (requested, left) = (Ratio::new(1, 2).unwrap(), Ratio::new(1, 3).unwrap());
    assert_eq!(half, Err(HierarchyError::Refused(AnswerError::NoRoom { requested, left })));
    let third = host.thread(root, "third", &[reserve(MS, 3 * MS)]);
    assert!(host.tell(third, reserve(MS + 1, 3 * MS)).is_err());
    host.tell(third, reserve(MS / 4, MS)).unwrap();
    host.tell(third, reserve(7, 21)).unwrap();
}

#[test]
fn refuses_an_amount_above_the_period_beside_accepts_all_of_it() {
    let mut host = Host::new(1);
    let root = host.top(kinds::REZ);
    let thread = host.thread(root, "a", &[]);
    let over = host.tell(thread, reserve(2, 1));
    assert!(matches!(over, Err(HierarchyError::Refused(AnswerError::OutOfRange { .. }))));
    assert!(host.tell(thread, reserve(0, 1)).is_err());
    assert!(host.tell(thread, Message::Share(1)).is_err());
    host.tell(thread, reserve(1, 1)).unwrap();
}

#[test]
fn limit_without_a_reservation_nothing_is_served() {
    let mut host = Host::new(1);
    let root = host.top(kinds::REZ);
    let thread = host.spin(root, "a", &[]);
    host.run_to(50 * MS);
    assert_eq!(host.on(0), None);
    host.tell(thread, reserve(MS, 10 * MS)).unwrap();
    assert_eq!(host.on(0), Some(thread));
    host.run_to(62 * MS);
    assert_eq!(host.timeline(0), "50 a, 51 -, 60 a, 61 -");
    host.tell(thread, Message::Unreserve).unwrap();
    host.run_to(90 * MS);
    assert_eq!(host.ran(thread), 2 * MS);
}

#[test]
fn limit_a_change_takes_effect_at_the_end_of_the_period() {
    let mut host = Host::new(1);
    let root = host.top(kinds::REZ);
    let thread = host.spin(root, "a", &[reserve(MS, 10 * MS)]);
    host.run_to(2 * MS);
    host.tell(thread, reserve(3 * MS, 5 * MS)).unwrap();
    host.run_to(18 * MS);
    assert_eq!(host.timeline(0), "0 a, 1 -, 10 a, 13 -, 15 a, 18 -");
}

#[test]
fn limit_waiting_costs_at_most_the_time_waited() {
    let mut host = Host::new(1);
    let root = host.top(kinds::REZ);
    let thread = host.spin(root, "a", &[reserve(5 * MS, 10 * MS)]);
    host.run_to(2 * MS);
    host.block(thread);
    host.run_to(3 * MS);
    host.wake(thread);
    host.run_to(6 * MS);
    // Of 5 ms, 2 were used before 1 ms of waiting; the rest of the period is worth 3.5, so all 3 are left.
    assert_eq!(host.timeline(0), "0 a, 2 -, 3 a, 6 -");
    host.run_to(10 * MS);
    host.block(thread);
    host.run_to(18 * MS);
    host.wake(thread);
    host.run_to(25 * MS);
    // Of 5 ms, the last 2 ms of the period are worth 1.
    assert_eq!(host.timeline(0), "0 a, 2 -, 3 a, 6 -, 18 a, 19 -, 20 a, 25 -");
}

#[test]
fn limit_a_share_used_ahead_and_given_back_is_free_when_it_would_have_been_used() {
    let mut host = Host::new(1);
    let root = host.top(kinds::REZ);
    let a = host.spin(root, "a", &[reserve(50 * MS, 100 * MS)]);
    let c = host.spin(root, "c", &[reserve(25 * MS, 50 * MS)]);
    host.run_to(75 * MS);
    assert_eq!(host.ran(a), 50 * MS);
    host.tell(a, Message::Unreserve).unwrap();
    let b = host.spin(root, "b", &[reserve(10 * MS, 20 * MS)]);
    host.run_to(100 * MS);
    assert_eq!((host.ran(b), host.ran(c)), (0, 50 * MS));
    host.run_to(200 * MS);
    assert_eq!((host.ran(b), host.ran(c)), (50 * MS, 100 * MS));
}

#[test]
fn paper_hls_6_2_2_a_child_hears_why_it_is_revoked() {
    let mut host = Host::new(1);
    let root = host.top(kinds::REZ);
    let (listener, heard) = listen(&mut host, root, &[]);
    let work = host.spin(listener, "work", &[]);
    host.ask(listener, 0, reserve(5, 20)).unwrap();
    host.run_to(2);
    let urgent = host.thread(root, "urgent", &[reserve(1, 10)]);
    host.wake(urgent);
    host.run_to(7);
    host.block(work);
    host.run_to(8);
    host.wake(work);
    host.run_to(20);
    host.ask(listener, 0, Message::Unreserve).unwrap();
    let expected = [
        "0 exhausted",
        "0 replenished 5 until 20",
        "0 grant",
        "2 revoke",
        "3 grant",
        "6 exhausted",
        "6 revoke",
        "8 exhausted",
        "20 replenished 5 until 40",
        "20 grant",
        "20 exhausted",
        "20 revoke",
    ];
    assert_eq!(*heard.lock().unwrap(), expected);
}

#[test]
fn accepts_a_place_below_another_scheduler() {
    let mut host = Host::new(1);
    let root = host.top(kinds::FIXED_PRIORITY);
    let rez = host.below(root, "rez", "rez", &[Message::Priority(2)]);
    let rest = host.below(root, "rest", "round-robin", &[Message::Priority(1)]);
    let real = host.spin(rez, "real", &[reserve(2 * MS, 10 * MS)]);
    host.spin(rest, "other", &[]);
    host.run_to(30 * MS);
    assert_eq!(host.ran(real), 6 * MS);
    host.exit(real);
    assert_eq!(host.tree.peek(windfall_hierarchy::Processor(0)), None);
}

#[test]
fn accepts_more_own_vps_but_uses_one() {
    let mut host = Host::new(2);
    let top: (Parent, &[Message]) = (Parent::Top, &[]);
    let rez = host.try_node("rez", "rez", &[], &[top, top]).unwrap();
    let a = host.spin(rez, "a", &[reserve(MS, 2 * MS)]);
    let b = host.spin(rez, "b", &[reserve(MS, 2 * MS)]);
    host.run_to(20 * MS);
    assert_eq!((host.ran(a), host.ran(b)), (10 * MS, 10 * MS));
    assert_eq!(host.on(1), None);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    /// With any behaviour of the others, a child that never waits gets its amount in each of its periods, and no
    /// child ever gets more.
    #[test]
    fn law_a_backlogged_child_gets_its_amount_in_every_period(
        shares in prop::collection::vec((1_u64..60, 20_u64..200), 2..6),
        steps in prop::collection::vec((0_usize..6, 1_u64..40, any::<bool>()), 1..150),
    ) {
        let mut host = Host::new(1);
        let root = host.top(kinds::REZ);
        let mut children = Vec::new();
        for (number, (amount, period)) in shares.iter().enumerate() {
            let ask = [reserve(*amount.min(period), *period)];
            if let Ok(thread) = host.try_thread(root, &format!("t{number}"), &ask) {
                children.push((thread, *amount.min(period), *period, 0_u64));
                host.wake(thread);
            }
        }
        // The first child works on and on; the others sleep, yield, and change their reservations.
        for (who, time, odd) in steps {
            let (end, first) = (host.now + time, children[0]);
            let mut now = host.now;
            while now < end {
                let next = (now / first.2 + 1) * first.2;
                host.run_to(next.min(end));
                now = host.now;
                if now == next {
                    let had = host.ran(children[0].0) - children[0].3;
                    prop_assert_eq!(had, children[0].1, "in the period that ended at {}", now);
                    children[0].3 = host.ran(children[0].0);
                }
            }
            let who = who % children.len();
            let (thread, amount, period, _) = children[who];
            let state = host.tree.thread_state(host.threads[thread].id);
            if who == 0 {
                if host.on(0) == Some(thread) {
                    host.yields(thread);
                }
            } else if state == Some(windfall_hierarchy::VpState::Waiting) {
                host.wake(thread);
            } else if odd && time % 5 == 0 {
                host.tell(thread, Message::Unreserve).unwrap();
                let _ = host.tell(thread, reserve(amount.min(period / 3).max(1), period / 3 + 1));
            } else if odd {
                host.block(thread);
            }
        }
    }
}
