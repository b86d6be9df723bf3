//! Gang scheduling, by hand.

use crate::common::{Host, MS, S, T};
use proptest::prelude::*;
use windfall_hierarchy::{AnswerError, HierarchyError, Message, NodeId, Parent, VpState};
use windfall_schedulers::catalogue::Value;
use windfall_schedulers::kinds;

const WHOLE: [(&str, Value<'_>); 1] = [("partial", Value::Bool(false))];

fn gang(number: i32) -> [Message; 1] {
    [Message::Priority(number)]
}

/// A gang of threads that spin.
fn spinners(host: &mut Host, root: NodeId, number: i32, size: usize) -> Vec<T> {
    let name = |n| format!("g{number}.{n}");
    let all: Vec<T> = (0..size).map(|n| host.thread(root, &name(n), &gang(number))).collect();
    for thread in &all {
        host.wake(*thread);
    }
    all
}

/// The running thread of each processor.
fn running(host: &Host) -> Vec<Option<T>> {
    (0..host.tree.processors()).map(|processor| host.on(processor)).collect()
}

fn run_together(host: &Host, gang: &[T]) -> bool {
    gang.iter().all(|thread| running(host).contains(&Some(*thread)))
}

#[test]
fn paper_ousterhout_1982_members_run_at_once_and_gangs_take_turns() {
    for settings in [&[][..], &WHOLE] {
        let mut host = Host::new(3);
        let root = host.root("gang", settings);
        let a = spinners(&mut host, root, 1, 3);
        let b = spinners(&mut host, root, 2, 3);
        for slot in 0..10 {
            host.run_to(slot * 100 * MS + 50 * MS);
            let present = if slot % 2 == 0 { &a } else { &b };
            assert!(run_together(&host, present), "slot {slot}: {:?}", running(&host));
        }
        host.run_to(S);
        for thread in a.iter().chain(&b) {
            assert_eq!(host.ran(*thread), S / 2);
        }
    }
}

#[test]
fn paper_ousterhout_1982_small_gangs_share_a_row() {
    let mut host = Host::new(4);
    let root = host.root("gang", &WHOLE);
    let a = spinners(&mut host, root, 1, 2);
    let b = spinners(&mut host, root, 2, 3);
    let c = spinners(&mut host, root, 3, 2);
    for slot in 0..10 {
        host.run_to(slot * 100 * MS + 50 * MS);
        if slot % 2 == 0 {
            assert!(run_together(&host, &a) && run_together(&host, &c), "slot {slot}");
        } else {
            assert!(run_together(&host, &b), "slot {slot}");
        }
    }
}

#[test]
fn paper_ousterhout_1982_alternatives_fill_what_a_row_leaves_idle() {
    let mut host = Host::new(2);
    let root = host.top(kinds::GANG);
    let pair = spinners(&mut host, root, 1, 2);
    let single = host.spin(root, "single", &[]);
    host.run_to(150 * MS);
    // In the single's slot one of the pair runs beside it, in part.
    assert!(running(&host).contains(&Some(single)) && !running(&host).contains(&None));
    host.run_to(S);
    assert_eq!(host.ran(pair[0]) + host.ran(pair[1]) + host.ran(single), 2 * S);
    assert_eq!(host.ran(single), S / 2);
    // If gangs must be whole, that processor stays idle.
    let mut host = Host::new(2);
    let root = host.root("gang", &WHOLE);
    let pair = spinners(&mut host, root, 1, 2);
    let single = host.spin(root, "single", &[]);
    host.run_to(S);
    let ran = [pair[0], pair[1], single].map(|thread| host.ran(thread));
    assert_eq!(ran, [S / 2; 3]);
}

#[test]
fn limit_a_gang_of_which_all_but_one_wait_is_an_alternative() {
    let mut host = Host::new(2);
    let root = host.root("gang", &WHOLE);
    let pair = spinners(&mut host, root, 1, 2);
    let other = spinners(&mut host, root, 2, 2);
    host.run_to(150 * MS);
    assert!(run_together(&host, &other));
    host.block(other[1]);
    assert_eq!(host.on(1), None, "two of the other gang are ready");
    host.block(pair[0]);
    assert!(run_together(&host, &[other[0], pair[1]]));
    host.wake(pair[0]);
    assert!(!running(&host).contains(&Some(pair[1])), "the gang is to be whole again");
    assert!(running(&host).contains(&Some(other[0])));
}

/// The conflict of HLS 6.3.1: a reservation takes one of two processors.
#[test]
fn paper_hls_6_3_1_a_gang_that_loses_a_processor_runs_on_or_is_withdrawn_whole() {
    for settings in [&[][..], &WHOLE] {
        let mut host = Host::new(2);
        let high = host.top(kinds::FIXED_PRIORITY);
        let low: &[Message] = &[Message::Priority(0)];
        let owns = [(Parent::Node(high), low); 2];
        let root = host.try_node("gang", "gang", settings, &owns).unwrap();
        let pair = spinners(&mut host, root, 1, 2);
        let media = host.cycle(high, "media", &[Message::Priority(9)], (4 * MS, 10 * MS));
        host.run_to(S / 2);
        println!(
            "{} / {}",
            host.timeline(0).chars().take(200).collect::<String>(),
            host.timeline(1).chars().take(200).collect::<String>()
        );
        assert_eq!(host.ran(media), S / 5);
        let ran = host.ran(pair[0]) + host.ran(pair[1]);
        if settings.is_empty() {
            assert_eq!(ran, S - S / 5, "all that is left");
        } else {
            // They run only while both processors are there, from the next try on.
            assert_eq!(host.ran(pair[0]), host.ran(pair[1]));
            assert!(ran > S / 10 && ran <= 2 * (S / 2 - S / 5), "{ran}");
        }
    }
}

/// Both own VPs lead to the same processor, so that no gang of two can ever be whole.
#[test]
fn limit_two_own_vps_on_one_processor_lead_nobody_in_circles() {
    for settings in [&[][..], &WHOLE] {
        let mut host = Host::new(1);
        let upper = host.top(kinds::ROUND_ROBIN);
        let none: &[Message] = &[];
        let owns = [(Parent::Node(upper), none); 2];
        let root = host.try_node("gang", "gang", settings, &owns).unwrap();
        let pair = spinners(&mut host, root, 1, 2);
        let single = host.spin(root, "single", &[]);
        host.run_to(2 * S);
        let ran = host.ran(pair[0]) + host.ran(pair[1]);
        assert_eq!(ran + host.ran(single), 2 * S);
        assert_eq!(ran > 0, settings.is_empty());
    }
}

#[test]
fn refuses_a_gang_larger_than_the_machine_beside_accepts_one_as_large() {
    let mut host = Host::new(2);
    let root = host.top(kinds::GANG);
    let all: Vec<T> = (0..3).map(|n| host.spin(root, &format!("t{n}"), &[])).collect();
    host.tell(all[0], Message::Priority(7)).unwrap();
    host.tell(all[2], Message::Priority(7)).unwrap();
    host.tell(all[2], Message::Priority(7)).unwrap();
    let refusal = host.tell(all[1], Message::Priority(7)).unwrap_err();
    assert!(matches!(refusal, HierarchyError::Refused(AnswerError::Full { .. })));
    assert!(refusal.to_string().contains("at most as many members as"), "{refusal}");
    host.tell(all[1], Message::Priority(8)).unwrap();
    host.tell(all[2], Message::Priority(8)).unwrap();
    host.tell(all[2], Message::Priority(7)).unwrap();
    for slot in 0..6 {
        host.run_for(50 * MS);
        let pair = run_together(&host, &[all[0], all[2]]);
        let other = running(&host).contains(&Some(all[1]));
        assert!(pair || other, "slot {slot}");
        host.run_for(50 * MS);
    }
}

proptest! {
    /// The scheduler's own check follows every step: no gang runs in part where it must not, and no alternative
    /// runs in place of a member.
    #[test]
    fn law_gangs_are_whole_whatever_happens_above_and_below(
        whole in any::<bool>(),
        steps in prop::collection::vec((0_usize..12, 0_u8..6, 0_u64..80 * MS), 1..120),
    ) {
        let mut host = Host::new(3);
        let high = host.top(kinds::FIXED_PRIORITY);
        let owns = [(Parent::Node(high), &[Message::Priority(0)][..]); 3];
        let settings = [("partial", Value::Bool(!whole))];
        let root = host.try_node("gang", "gang", &settings, &owns).unwrap();
        let mut all: Vec<T> = Vec::new();
        for (number, name) in ["a", "a", "a", "b", "b", "c", "c", "d", "e"].iter().enumerate() {
            let gang = gang(i32::from(name.as_bytes()[0]));
            all.push(host.thread(root, &format!("{name}{number}"), &gang));
        }
        for number in 0..3 {
            all.push(host.thread(high, &format!("high{number}"), &[Message::Priority(number)]));
        }
        for (thread, action, ns) in steps {
            let thread = all[thread];
            let state = host.tree.thread_state(host.threads[thread].id).unwrap();
            match (action, state) {
                (0..=3, VpState::Waiting) => host.wake(thread),
                (0..=1, _) => host.block(thread),
                (2, VpState::Running(_)) => host.yields(thread),
                (4, _) if thread < 9 => {
                    let other = i32::from(b'a') + i32::try_from(ns % 5).unwrap();
                    let _ = host.tell(thread, Message::Priority(other));
                }
                _ => host.run_for(ns),
            }
        }
    }
}
