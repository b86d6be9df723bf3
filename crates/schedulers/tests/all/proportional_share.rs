//! Proportional share, by hand and at random.

use crate::common::warp::warped_is_first_within_its_share;
use crate::common::{Host, MS, S, span};
use proptest::prelude::*;
use windfall_hierarchy::{AnswerError, HierarchyError, Message};
use windfall_schedulers::kinds;
use windfall_schedulers::parameters::warp;
use windfall_schedulers::share::ProportionalShare;

fn share(weight: u32) -> [Message; 1] {
    [Message::Share(weight)]
}

#[test]
fn paper_hls_10_5_1_two_principals_get_half_each_whatever_one_of_them_runs() {
    let mut host = Host::new(1);
    let root = host.top(kinds::PROPORTIONAL_SHARE);
    let [one, two] = ["one", "two"].map(|n| host.below(root, n, "proportional-share", &share(1)));
    let first = host.spin(one, "first", &[]);
    let others: Vec<_> = (0..16).map(|n| host.spin(two, &format!("other{n}"), &[])).collect();
    host.run_to(10 * S);
    assert!(host.ran(first).abs_diff(5 * S) <= 10 * MS);
    for other in others {
        assert!(host.ran(other).abs_diff(5 * S / 16) <= 20 * MS);
    }
}

#[test]
fn paper_hls_9_3_3_default_priority_gets_eight_times_idle_priority() {
    let mut host = Host::new(1);
    let root = host.top(kinds::PROPORTIONAL_SHARE);
    let a = host.spin(root, "a", &share(8));
    let b = host.spin(root, "b", &share(1));
    host.run_to(90 * S);
    assert!(host.ran(a).abs_diff(80 * S) <= 20 * MS);
    assert!(host.ran(b).abs_diff(10 * S) <= 20 * MS);
}

#[test]
fn paper_hls_9_3_3_priorities_are_proportions() {
    let mut host = Host::new(1);
    let root = host.top(kinds::PROPORTIONAL_SHARE);
    let default = host.spin(root, "default", &[]);
    let eight = host.spin(root, "eight", &[Message::Priority(8)]);
    let idle = host.spin(root, "idle", &[Message::Priority(1)]);
    host.run_to(170 * S);
    for thread in [default, eight] {
        assert!(host.ran(thread).abs_diff(80 * S) <= 40 * MS, "{}", host.ran(thread));
    }
    assert!(host.ran(idle).abs_diff(10 * S) <= 40 * MS, "{}", host.ran(idle));
}

proptest! {
    /// With any shares and priorities, set in any order, children receive time in proportion to the products.
    #[test]
    fn law_time_is_in_proportion_to_share_times_priority(
        requested in prop::collection::vec((1_u32..5, 1_i32..=31, any::<bool>()), 2..6),
    ) {
        let mut host = Host::new(1);
        let root = host.top(ProportionalShare::default().quantum(span(MS)));
        let threads: Vec<_> = requested.iter().enumerate().map(|(n, (share, priority, first))| {
            let mut messages = [Message::Share(*share), Message::Priority(*priority)];
            if *first {
                messages.reverse();
            }
            host.spin(root, &format!("t{n}"), &messages)
        }).collect();
        host.run_to(2 * S);
        let weights: Vec<u64> = requested.iter().map(|(share, priority, _)| {
            u64::from(*share) * u64::from(priority.unsigned_abs())
        }).collect();
        let all: u64 = weights.iter().sum();
        for (thread, weight) in threads.into_iter().zip(weights) {
            // Nobody is further from its part than a quantum of everybody (equation 5.2).
            let part = 2 * S * weight / all;
            prop_assert!(host.ran(thread).abs_diff(part) <= 8 * MS, "{} of {part}", host.ran(thread));
        }
    }
}

#[test]
fn limit_a_priority_changes_later_service_only() {
    let mut host = Host::new(1);
    let root = host.top(kinds::PROPORTIONAL_SHARE);
    let (a, b) = (host.spin(root, "a", &[]), host.spin(root, "b", &[]));
    host.run_to(10 * S);
    host.tell(b, Message::Priority(1)).unwrap();
    host.run_to(100 * S);
    assert!(host.ran(a).abs_diff(85 * S) <= 40 * MS, "{}", host.ran(a));
    assert!(host.ran(b).abs_diff(15 * S) <= 40 * MS, "{}", host.ran(b));
    host.tell(b, Message::Priority(8)).unwrap();
    host.run_to(110 * S);
    assert!(host.ran(b).abs_diff(20 * S) <= 60 * MS, "{}", host.ran(b));
}

#[test]
fn refuses_a_priority_out_of_range_beside_accepts_the_bounds() {
    let mut host = Host::new(1);
    let root = host.top(kinds::PROPORTIONAL_SHARE);
    let a = host.thread(root, "a", &[]);
    for refused in [i32::MIN, -1, 0, 116, i32::MAX] {
        let answer = host.tell(a, Message::Priority(refused));
        let range = AnswerError::OutOfRange {
            what: "priority",
            allowed: "1 to 115, of which 8 is the default",
        };
        assert_eq!(answer, Err(HierarchyError::Refused(range)));
    }
    for accepted in [1, 115] {
        host.tell(a, Message::Priority(accepted)).unwrap();
    }
    // 115/8 of the largest share is no weight.
    let answer = host.tell(a, Message::Share(u32::MAX));
    assert!(matches!(answer, Err(HierarchyError::Refused(AnswerError::OutOfRange { .. }))));
    host.tell(a, Message::Priority(8)).unwrap();
    host.tell(a, Message::Share(u32::MAX)).unwrap();
}

#[test]
fn paper_hls_9_3_3_waiting_builds_up_no_credit() {
    let mut host = Host::new(1);
    let root = host.top(kinds::PROPORTIONAL_SHARE);
    let a = host.spin(root, "a", &[]);
    let sleeper = host.thread(root, "sleeper", &[]);
    host.run_to(10 * S + MS);
    host.wake(sleeper);
    assert_eq!(host.on(0), Some(sleeper), "the start tag of the running one is earlier than now");
    host.run_to(12 * S);
    assert!(host.ran(sleeper).abs_diff(S) <= 10 * MS);
    assert!(host.ran(a).abs_diff(11 * S) <= 10 * MS);
}

#[test]
fn limit_nobody_pays_for_an_idle_time() {
    let mut host = Host::new(1);
    let root = host.top(kinds::PROPORTIONAL_SHARE);
    let a = host.thread(root, "a", &[]);
    let b = host.thread(root, "b", &[]);
    host.wake_for(a, 5 * S);
    host.run_to(6 * S);
    host.wake(b);
    host.run_to(6 * S + MS);
    host.wake(a);
    host.run_to(8 * S + MS);
    assert!(host.ran(b).abs_diff(S) <= 20 * MS, "{}", host.ran(b));
}

#[test]
fn accepts_warp_for_low_latency_without_more_than_the_share() {
    warped_is_first_within_its_share(kinds::PROPORTIONAL_SHARE);
}

#[test]
fn refuses_warp_when_it_is_off_beside_accepts_a_share() {
    let mut host = Host::new(1);
    let root = host.top(ProportionalShare::default().warps(false));
    let a = host.thread(root, "a", &[]);
    let answer = host.tell(a, warp(span(MS)));
    assert!(matches!(answer, Err(HierarchyError::Refused(AnswerError::NotUnderstood { .. }))));
    host.tell(a, Message::Share(u32::MAX)).unwrap();
}

#[test]
fn a_child_without_a_share_runs_only_while_nobody_with_one_is_ready() {
    let mut host = Host::new(1);
    let root = host.top(kinds::PROPORTIONAL_SHARE);
    let idler = host.spin(root, "idler", &share(0));
    let a = host.thread(root, "a", &share(1));
    let b = host.thread(root, "b", &share(3));
    for (begin, thread) in [(10, a), (20, b)] {
        host.run_to(begin * MS);
        host.wake_for(thread, 4 * MS);
        assert_eq!(host.on(0), Some(thread));
    }
    host.run_to(40 * MS);
    assert_eq!((host.ran(idler), host.ran(a), host.ran(b)), (32 * MS, 4 * MS, 4 * MS));
    // With a share it competes from then on, without advantage from what it received before.
    host.tell(idler, Message::Share(1)).unwrap();
    let (before, c) = (host.ran(idler), host.spin(root, "c", &share(1)));
    host.run_to(240 * MS);
    assert!((host.ran(idler) - before).abs_diff(100 * MS) <= 10 * MS);
    assert!(host.ran(c).abs_diff(100 * MS) <= 10 * MS);
}

#[test]
fn accepts_several_processors() {
    let mut host = Host::new(2);
    let root = host.top(kinds::PROPORTIONAL_SHARE);
    let threads: Vec<_> = (1..=4).map(|w| host.spin(root, &format!("w{w}"), &share(w))).collect();
    host.run_to(10 * S);
    for (thread, weight) in threads.into_iter().zip(1..) {
        let due = 20 * S * weight / 10;
        assert!(host.ran(thread).abs_diff(due) <= 50 * MS, "{weight}: {}", host.ran(thread));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    /// Equation 5.2 on a whole processor (s = 1, delta = 0): a child that never waits falls behind
    /// its share of any window by at most its share of one quantum of each child, and one quantum.
    #[test]
    fn law_hls_equation_5_2_bounds_how_far_a_backlogged_child_falls_behind(
        weights in prop::collection::vec(1_u32..30, 2..8),
        steps in prop::collection::vec((1_usize..8, 1_u64..40), 1..100),
    ) {
        let mut host = Host::new(1);
        let root = host.top(ProportionalShare::default().warps(false));
        let mut threads = Vec::new();
        for (number, weight) in weights.iter().enumerate() {
            let thread = host.thread(root, &format!("t{number}"), &share(*weight));
            host.wake(thread);
            threads.push(thread);
        }
        let total: u64 = weights.iter().map(|w| u64::from(*w)).sum();
        let (mine, count) = (u64::from(weights[0]), threads.len() as u64);
        let delta = mine * count * 10 * MS / total + 10 * MS;
        // The furthest ahead of its share so far, times `total`; a window begins there.
        let (mut most, mut behind) = (0_i128, 0_i128);
        for (who, time) in steps {
            for _ in 0..time {
                host.run_for(MS);
                let ahead = i128::from(host.ran(threads[0])) * i128::from(total)
                    - i128::from(host.now) * i128::from(mine);
                most = most.max(ahead);
                behind = behind.max(most - ahead);
            }
            prop_assert!(behind <= i128::from(delta) * i128::from(total),
                "{} behind, {} allowed", behind / i128::from(total), delta);
            if let Some(thread) = threads.get(who) {
                match host.tree.thread_state(host.threads[*thread].id) {
                    Some(windfall_hierarchy::VpState::Waiting) => host.wake(*thread),
                    _ => host.block(*thread),
                }
            }
        }
    }
}
