//! Affinity on several processors: who stays, what it costs, and what stays as it is without.

use crate::common::{Host, MS, S};
use proptest::prelude::*;
use windfall_schedulers::catalogue::Value;

/// Every kind that has the setting, and the quantum that is set for it here.
const KINDS: [(&str, &str); 4] = [
    ("bvt", "allowance"),
    ("proportional-share", "quantum"),
    ("round-robin", "quantum"),
    ("time-sharing", "quantum"),
];

const QUANTUM: u64 = 10 * MS;

fn root(
    host: &mut Host,
    (kind, quantum): (&str, &str),
    affinity: &str,
) -> windfall_hierarchy::NodeId {
    let settings =
        [("affinity", Value::Word(affinity)), (quantum, Value::Span(crate::common::span(QUANTUM)))];
    host.root(kind, &settings)
}

/// Spinners that begin together, after so long a time.
fn spin(kind: (&str, &str), affinity: &str, (processors, threads): (u16, usize), to: u64) -> Host {
    let mut host = Host::new(processors);
    let root = root(&mut host, kind, affinity);
    for number in 0..threads {
        host.spin(root, &format!("x{number}"), &[]);
    }
    host.run_to(to);
    host
}

/// The part of dispatches, in per cent, on another processor than the last one of that thread.
fn migrations(host: &Host) -> usize {
    let (dispatches, migrations) = host.dispatches();
    100 * migrations / dispatches.max(1)
}

#[test]
fn law_five_spinners_on_two_processors_stay_with_affinity_and_wander_without() {
    for kind in KINDS {
        let parts =
            ["none", "weak", "strong"].map(|word| migrations(&spin(kind, word, (2, 5), 8 * S)));
        assert!(parts[0] > 90, "{kind:?}: {parts:?}");
        assert!(parts[1] < 40, "{kind:?}: {parts:?}");
        assert!(parts[2] < 5, "{kind:?}: {parts:?}");
    }
}

#[test]
fn law_shares_are_as_without_affinity() {
    for kind in KINDS {
        for (processors, threads) in [(2, 3), (2, 5), (3, 4), (3, 10), (4, 6), (4, 9)] {
            for affinity in ["weak", "strong"] {
                let host = spin(kind, affinity, (processors, threads), 20 * S);
                let fair = 20 * S * u64::from(processors) / threads as u64;
                // Three quanta ahead; in a queue, the head start of four places for each processor.
                let allowed = QUANTUM * (4 * u64::from(processors) + 4);
                for thread in 0..threads {
                    let ran = host.ran(thread);
                    let case = format!("{kind:?} {affinity} {threads} on {processors}");
                    assert!(ran.abs_diff(fair) <= allowed, "{case}: {ran} of {fair}");
                }
            }
        }
    }
}

#[test]
fn limit_a_child_that_shares_runs_three_quanta_ahead_at_most() {
    for kind in &KINDS[..2] {
        for (affinity, quanta) in [("none", 1), ("weak", 1), ("strong", 3)] {
            let mut host = spin(*kind, affinity, (2, 5), 0);
            let mut most = 0;
            for _ in 0..4_000 {
                host.run_for(MS);
                let ran: Vec<u64> = (0..5).map(|thread| host.ran(thread)).collect();
                most = most.max(ran.iter().max().unwrap() - ran.iter().min().unwrap());
            }
            assert!(most <= quanta * QUANTUM, "{kind:?} {affinity}: {most} apart");
            // The bound is not idle: it is met.
            assert!(most > (quanta - 1) * QUANTUM, "{kind:?} {affinity}: {most} apart");
        }
    }
}

#[test]
fn law_a_child_that_wakes_waits_for_nobody_whom_it_would_precede_without() {
    for affinity in ["none", "weak", "strong"] {
        let mut host = Host::new(2);
        let root = root(&mut host, ("proportional-share", "quantum"), affinity);
        let sleeper = host.thread(root, "sleeper", &[]);
        host.wake_for(sleeper, MS);
        let spinners: Vec<_> = (0..3).map(|n| host.spin(root, &format!("x{n}"), &[])).collect();
        // Those at the sleeper's last processor and elsewhere are ahead of it by now.
        for _ in 0..20 {
            host.run_for(97 * MS);
            host.wake_for(sleeper, MS);
            let ran = spinners.iter().filter(|thread| host.on(0) == Some(**thread)).count();
            let at_once = host.on(0) == Some(sleeper) || host.on(1) == Some(sleeper);
            assert!(at_once, "{affinity}: {ran} spinner on the first processor");
        }
    }
}

#[test]
fn accepts_a_higher_priority_at_once_wherever_it_last_ran() {
    let mut host = Host::new(2);
    let root = root(&mut host, ("time-sharing", "quantum"), "strong");
    let high = host.thread(root, "high", &[windfall_hierarchy::Message::Priority(20)]);
    host.wake_for(high, MS);
    let low: Vec<_> = (0..5).map(|n| host.spin(root, &format!("low{n}"), &[])).collect();
    for _ in 0..20 {
        host.run_for(31 * MS);
        host.wake_for(high, MS);
        assert!(host.on(0) == Some(high) || host.on(1) == Some(high));
    }
    assert!(low.iter().all(|thread| host.ran(*thread) > 100 * MS));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    /// On one processor all three settings are the same schedule, whatever wakes when.
    #[test]
    fn limit_on_one_processor_affinity_changes_nothing(
        kind in 0..KINDS.len(),
        steps in prop::collection::vec((0_usize..5, 1_u64..40, 1_u64..60), 1..40),
    ) {
        let schedule = |affinity: &str| {
            let mut host = Host::new(1);
            let root = root(&mut host, KINDS[kind], affinity);
            for number in 0..5 {
                host.thread(root, &format!("x{number}"), &[]);
            }
            run(&mut host, &steps);
            host.timeline(0)
        };
        let none = schedule("none");
        prop_assert_eq!(&none, &schedule("weak"));
        prop_assert_eq!(&none, &schedule("strong"));
    }

    /// On several processors no processor idles while a child is ready; the checks of both sides follow each event.
    #[test]
    fn law_no_processor_idles_while_a_child_is_ready(
        kind in 0..KINDS.len(),
        strong in any::<bool>(),
        processors in 2_u16..5,
        steps in prop::collection::vec((0_usize..9, 1_u64..40, 1_u64..60), 1..80),
    ) {
        let mut host = Host::new(processors);
        let root = root(&mut host, KINDS[kind], if strong { "strong" } else { "weak" });
        for number in 0..9 {
            host.thread(root, &format!("x{number}"), &[]);
        }
        for step in steps {
            run(&mut host, &[step]);
            let busy = (0..processors).filter(|processor| host.on(*processor).is_some()).count();
            let awake = (0..9).filter(|thread| host.is_awake(*thread)).count();
            prop_assert_eq!(busy, awake.min(processors.into()));
        }
    }
}

/// Lets time pass, and wakes a thread if it waits: steps of thread, time before, and work, in ms.
fn run(host: &mut Host, steps: &[(usize, u64, u64)]) {
    for (thread, wait, work) in steps {
        host.run_for(wait * MS);
        if !host.is_awake(*thread) {
            host.wake_for(*thread, work * MS);
        }
    }
}
