//! Children that are bound to some own VPs (decision 0021): where they run, whom they wait for, and what others get.
#![allow(clippy::unwrap_used, reason = "what fails here fails the test")]

use crate::common::{Host, MS, S, T};
use proptest::prelude::*;
use std::collections::BTreeMap;
use windfall_hierarchy::{AnswerError, HierarchyError, Message, NodeId, ProcessorSet};
use windfall_schedulers::catalogue::{KINDS, Value};
use windfall_schedulers::parameters::{PROCESSORS, processors};

/// Every kind that binds children, with the setting of its quantum.
const BINDING: [(&str, &str); 4] = [
    ("bvt", "allowance"),
    ("proportional-share", "quantum"),
    ("round-robin", "quantum"),
    ("time-sharing", "quantum"),
];

const AFFINITIES: [&str; 3] = ["none", "weak", "strong"];
const QUANTUM: u64 = 10 * MS;

fn to(own_vps: &[u16]) -> Message {
    processors(ProcessorSet::of(own_vps.iter().copied()).unwrap())
}

fn root(host: &mut Host, (kind, quantum): (&str, &str), affinity: &str) -> NodeId {
    let settings =
        [("affinity", Value::Word(affinity)), (quantum, Value::Span(crate::common::span(QUANTUM)))];
    host.root(kind, &settings)
}

/// So many processors, and spinners with these bindings; an empty one is none.
fn spin(kind: (&str, &str), affinity: &str, count: u16, bindings: &[&[u16]]) -> (Host, NodeId) {
    let mut host = Host::new(count);
    let root = root(&mut host, kind, affinity);
    for (number, own_vps) in bindings.iter().enumerate() {
        let messages = if own_vps.is_empty() { vec![] } else { vec![to(own_vps)] };
        host.spin(root, &format!("x{number}"), &messages);
    }
    (host, root)
}

#[test]
fn law_the_kinds_that_bind_are_those_of_this_test() {
    let binding = KINDS.iter().filter(|kind| kind.takes(&PROCESSORS)).map(|kind| kind.name);
    assert_eq!(binding.collect::<Vec<_>>(), BINDING.map(|(kind, _)| kind));
}

/// Counts of the random test's judgements.
#[derive(Default, Debug)]
struct Judged {
    ran_bound: u64,
    waited_bound: u64,
    idled_beside: u64,
    driven_off: u64,
}

/// Steps: thread, what, and a number: time in ms, or a set as bits.
type Step = (usize, u8, u64);

fn judge(kind: usize, affinity: usize, count: u16, steps: &[Step], judged: &mut Judged) {
    const THREADS: usize = 7;
    let mut host = Host::new(count);
    let root = root(&mut host, BINDING[kind], AFFINITIES[affinity]);
    let mut bound: BTreeMap<T, Vec<u16>> = BTreeMap::new();
    for number in 0..THREADS {
        host.thread(root, &format!("x{number}"), &[]);
    }
    let is_on = |host: &Host, thread| (0..count).find(|own| host.on(*own) == Some(thread));
    for (thread, what, number) in steps.iter().copied() {
        match what {
            0 => {
                let set: Vec<u16> = (0..count).filter(|own| number >> own & 1 == 1).collect();
                let before = is_on(&host, thread);
                let told = host.tell(thread, to(&set));
                assert_eq!(told.is_err(), set.is_empty(), "{told:?}");
                if !set.is_empty() {
                    judged.driven_off += u64::from(before.is_some_and(|own| !set.contains(&own)));
                    bound.insert(thread, set);
                }
            }
            1 => host.run_for(number * MS),
            _ if !host.is_awake(thread) => host.wake_for(thread, number * MS),
            _ => {}
        }
        for thread in 0..THREADS {
            let may = |own: &u16| bound.get(&thread).is_none_or(|set| set.contains(own));
            let is_bound = !(0..count).all(|own| may(&own));
            match is_on(&host, thread) {
                Some(own) => {
                    assert!(may(&own), "thread {thread} on {own}: {bound:?}");
                    judged.ran_bound += u64::from(is_bound);
                }
                None if host.is_awake(thread) => {
                    let idle = |own: &u16| host.on(*own).is_none();
                    let found = (0..count).find(|own| may(own) && idle(own));
                    assert_eq!(found, None, "thread {thread} waits: {bound:?}");
                    judged.waited_bound += u64::from(is_bound);
                    judged.idled_beside += u64::from((0..count).any(|own| idle(&own)));
                }
                None => {}
            }
        }
    }
}

/// Random bindings, changed while threads run, wait and sleep; the checks of both sides follow each event.
#[test]
fn law_a_bound_child_runs_in_its_set_only_and_no_own_vp_there_idles_while_it_waits() {
    let step = (0_usize..7, 0_u8..4, 1_u64..40);
    let cases = (0..BINDING.len(), 0..3_usize, 2_u16..5, prop::collection::vec(step, 1..80));
    let judged = std::cell::RefCell::new(Judged::default());
    let config = ProptestConfig { cases: 192, failure_persistence: None, ..Default::default() };
    let mut runner = proptest::test_runner::TestRunner::new(config);
    let tried = runner.run(&cases, |(kind, affinity, count, steps)| {
        judge(kind, affinity, count, &steps, &mut judged.borrow_mut());
        Ok(())
    });
    tried.unwrap();
    let Judged { ran_bound, waited_bound, idled_beside, driven_off } = judged.into_inner();
    for count in [ran_bound, waited_bound, idled_beside, driven_off] {
        assert!(count > 50, "{ran_bound} {waited_bound} {idled_beside} {driven_off}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    /// A binding to all own VPs is none.
    #[test]
    fn limit_a_binding_to_all_changes_nothing(
        kind in 0..BINDING.len(),
        affinity in 0..3_usize,
        steps in prop::collection::vec((0_usize..5, 1_u64..40, 1_u64..60), 1..40),
    ) {
        let schedule = |bound: bool| {
            let mut host = Host::new(2);
            let root = root(&mut host, BINDING[kind], AFFINITIES[affinity]);
            for number in 0..5 {
                let messages = if bound { vec![to(&[0, 1])] } else { vec![] };
                host.thread(root, &format!("x{number}"), &messages);
            }
            for (thread, wait, work) in &steps {
                host.run_for(wait * MS);
                if !host.is_awake(*thread) {
                    host.wake_for(*thread, work * MS);
                }
            }
            (host.timeline(0), host.timeline(1))
        };
        prop_assert_eq!(schedule(false), schedule(true));
    }
}

/// If every child is bound to one own VP, each own VP is a scheduler of its own.
#[test]
fn limit_children_that_are_all_bound_to_one_own_vp_share_it_as_below_a_scheduler_of_its_own() {
    for kind in BINDING {
        for affinity in AFFINITIES {
            let (mut host, _) =
                spin(kind, affinity, 2, &[&[0], &[1], &[0], &[1], &[0], &[1], &[1]]);
            host.run_to(12 * S);
            for (threads, fair) in [([0, 2, 4, 4], 4 * S), ([1, 3, 5, 6], 3 * S)] {
                for thread in threads {
                    let ran = host.ran(thread);
                    assert!(ran.abs_diff(fair) <= 4 * QUANTUM, "{kind:?} {affinity}: {ran}");
                }
            }
        }
    }
}

/// Affinity holds within a binding.
#[test]
fn law_five_spinners_bound_to_two_of_four_own_vps_stay_where_they_are_with_affinity() {
    for kind in BINDING {
        let parts = AFFINITIES.map(|word| {
            let (mut host, _) = spin(kind, word, 4, &[&[0, 2][..]; 5]);
            host.run_to(8 * S);
            let (dispatches, migrations) = host.dispatches();
            100 * migrations / dispatches.max(1)
        });
        assert!(parts[0] > 90 && parts[1] < 40 && parts[2] < 5, "{kind:?}: {parts:?}");
    }
}

/// The children of one own VP fall behind for ever; who comes later is not measured by them.
#[test]
fn law_nobody_starves_beside_children_that_share_an_own_vp_with_many() {
    for kind in BINDING {
        for affinity in AFFINITIES {
            let (mut host, root) = spin(kind, affinity, 2, &[&[0], &[0], &[0], &[0], &[1]]);
            let free = host.thread(root, "free", &[]);
            host.run_for(60 * S);
            let before = host.ran(4);
            assert!(before >= 59 * S, "{kind:?} {affinity}: alone, it ran {before}");
            host.wake_for(free, 100 * S);
            host.run_for(4 * S);
            let (bound, free) = (host.ran(4) - before, host.ran(free));
            assert!(bound >= 3 * S / 2, "{kind:?} {affinity}: {bound} beside {free}");
            assert!(free >= 3 * S / 2, "{kind:?} {affinity}: {free} beside {bound}");
            // Bound to where the others fell behind, it waits its turn among them, and not for them to catch up.
            let ran = host.ran(4);
            host.tell(4, to(&[0])).unwrap();
            host.run_for(5 * S);
            let rebound = host.ran(4) - ran;
            assert!(rebound.abs_diff(S) <= S / 4, "{kind:?} {affinity}: {rebound}");
            // Bound to none any longer, it does not make up for what it did not get there.
            let others: u64 = host.ran(0);
            host.tell(4, to(&[0, 1])).unwrap();
            host.run_for(4 * S);
            assert!(host.ran(0) - others >= S / 2, "{kind:?} {affinity}");
        }
    }
}

#[test]
fn accepts_a_child_that_is_driven_off_its_own_vp_and_goes_on_elsewhere_at_once() {
    for kind in BINDING {
        let (mut host, _) = spin(kind, "strong", 3, &[&[], &[]]);
        host.run_for(3 * MS);
        let own = (0..3).find(|own| host.on(*own) == Some(0)).unwrap();
        let other = (0..3).find(|own| host.on(*own).is_none()).unwrap();
        host.tell(0, to(&[other])).unwrap();
        assert_eq!((host.on(other), host.on(own)), (Some(0), None), "{kind:?}");
    }
}

#[test]
fn refuses_a_set_that_is_empty_or_has_what_is_not_there() {
    for kind in BINDING {
        let (mut host, _) = spin(kind, "strong", 2, &[&[]]);
        for set in [&[][..], &[2], &[0, 191]] {
            let refused = host.tell(0, to(set)).unwrap_err();
            let allowed = "one or more of the scheduler's own virtual processors";
            let what = "processors";
            let expected = AnswerError::OutOfRange { what, allowed };
            assert_eq!(refused, HierarchyError::Refused(expected), "{kind:?} {set:?}");
        }
    }
}

#[test]
fn refuses_more_different_bindings_than_an_instance_looks_through() {
    let bits = |set: u16| (0..9).filter(|own| set >> own & 1 == 1).collect::<Vec<u16>>();
    let mut host = Host::new(9);
    let root = root(&mut host, BINDING[1], "strong");
    let threads: Vec<T> = (0..257).map(|n| host.spin(root, &format!("x{n}"), &[])).collect();
    for (thread, set) in threads.iter().zip(1..=256) {
        host.tell(*thread, to(&bits(set))).unwrap();
    }
    let refused = host.tell(threads[256], to(&bits(257))).unwrap_err();
    assert!(refused.to_string().contains("at most 256 ways"), "{refused}");
    // One of those that there are, and one in place of another, are taken.
    host.tell(threads[256], to(&bits(7))).unwrap();
    host.tell(threads[0], to(&bits(257))).unwrap();
    host.run_for(100 * MS);
}
