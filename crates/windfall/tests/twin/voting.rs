//! Three replicas that vote as processes: the same votes on both hosts, with a fault of each kind.

use super::{conserved, host};
use std::sync::Arc;
use windfall_linux::Settings;
use windfall_nmr::process::{Fault, First, Votes, Voting};
use windfall_nmr::redundant::{Ending, FaultKind, Injected, Outcome, Remedy};
use windfall_nmr::{Iteration, WORDS};
use windfall_programs::{Node, ProcessParams};
use windfall_scenario::{Home, Plan, PlannedThread, Scenario};
use windfall_sim::Sim;
use windfall_time::{Instant, Span};

const TREE: &str = r#"
schema = 2
seed   = 18
length = "2s"
[schedulers.replicas]
scheduler = "round-robin"
parent = "top"
"#;

type State = [u64; WORDS];

fn voting(fault: Option<Injected>) -> Voting {
    let voting = Voting::new(3);
    // None is so far behind that a vote of it is another than that of its step.
    let settings = voting.settings.clone().queue(64);
    let fault = fault.map(|kind| Fault::new(kind).during(Iteration(20), 5));
    let voting = voting.settings(settings).steps(60, Span::from_nanos(200_000)).fault(fault);
    // Votes take milliseconds; but on a loaded machine a replica may begin a tenth of a second after the others.
    voting.patience(Span::from_secs(1))
}

fn plan(voting: &Voting) -> Plan {
    // Longer where one is to come back.
    let length = if voting.iterations > 60 { "3s" } else { "2s" };
    let text = TREE.replace("2s", length);
    let mut plan = Scenario::parse("voting.toml", &text).unwrap().build().unwrap();
    let home = Home::new(plan.nodes[0].1, |_| Vec::new());
    plan.processes.nodes = vec![home];
    let first = First(voting.clone());
    plan.threads.push(PlannedThread::process(Node(0), &home, &ProcessParams::default(), first));
    plan
}

fn taken(voting: &Voting) -> Votes {
    voting.votes.lock().unwrap().clone()
}

/// A state of several words: without a fault, with one in its last word, and with one in its first.
const WHOLE: [(Option<Injected>, u8); 3] =
    [(None, 2), (Some(Injected::Flip { bit: 200 }), 4), (Some(Injected::TwoFaced), 4)];

#[test]
fn twin_replicas_vote_alike() {
    let faults = [
        None,
        Some(Injected::Crash),
        Some(Injected::Hang),
        Some(Injected::Flip { bit: 5 }),
        Some(Injected::TwoFaced),
        Some(Injected::WrongIteration { by: 1_000 }),
        Some(Injected::Babble { values: 3 }),
    ];
    for (fault, words) in faults.into_iter().map(|fault| (fault, 1)).chain(WHOLE) {
        let sized = || {
            let mut voting = voting(fault);
            voting.words = words;
            voting
        };
        let simulated = sized();
        let outcome = Sim::of(plan(&simulated), None).unwrap();
        let outcome = outcome.run(Instant::ZERO + Span::from_secs(2), |_| true);
        conserved(&outcome);
        let wanted = taken(&simulated);
        for correct in &wanted[..2] {
            assert_eq!(correct.len(), 60, "{fault:?}");
            assert_eq!(correct, &wanted[0], "{fault:?}");
        }
        let ends = matches!(fault, Some(Injected::Crash | Injected::Hang));
        assert_eq!(wanted[2].len(), if ends { 19 } else { 60 }, "{fault:?}");
        let used =
            |(_, state): &(Iteration, State)| state.iter().filter(|word| **word != 0).count();
        let most = wanted[0].iter().map(used).max();
        assert_eq!(most, Some(words.into()), "the whole state is voted");
        let real = sized();
        let plan = || {
            let mut voting = real.clone();
            voting.votes = Arc::clone(&real.votes);
            plan(&voting)
        };
        let Some(outcome) = host::run(plan, &Settings::default(), None) else { return };
        conserved(&outcome);
        assert_eq!(taken(&real), wanted, "{fault:?}");
    }
}

/// The remedy for each fault, and the kind of fault that is noticed.
const REMEDIES: [(Injected, FaultKind, Remedy); 8] = [
    // In the last word of its state.
    (Injected::Flip { bit: 255 }, FaultKind::Wrong, Remedy::Restart),
    (Injected::Crash, FaultKind::Panicked, Remedy::Restart),
    (Injected::Hang, FaultKind::Lagging, Remedy::Restart),
    // Silent for longer than a vote is waited for.
    (Injected::Slow { by: Span::from_millis(600) }, FaultKind::Lagging, Remedy::Restart),
    (Injected::Flip { bit: 5 }, FaultKind::Wrong, Remedy::Restart),
    (Injected::Flip { bit: 5 }, FaultKind::Wrong, Remedy::Replace),
    (Injected::Hang, FaultKind::Lagging, Remedy::Replace),
    (Injected::Crash, FaultKind::Panicked, Remedy::Retire),
];

/// Steps until the end of those that come back.
const STEPS: u64 = 1_500;

/// So that one that hangs is noticed, and comes back.
fn remedied(fault: Injected, remedy: Remedy) -> Voting {
    let mut voting = voting(Some(fault));
    voting.iterations = STEPS;
    voting.patience = Span::from_millis(200);
    voting.settings = voting.settings.queue(256).lag(4);
    if remedy == Remedy::Replace {
        voting.settings = voting.settings.spares(1);
    }
    voting.remedy = remedy;
    // Whoever comes back begins with all of the voted state.
    voting.words = 4;
    voting
}

/// The faulty replica comes back, or another takes its place, as was asked; and the votes of the correct ones.
fn comes_back(voting: &Voting, kind: FaultKind) -> Votes {
    let outcome: Outcome = voting.outcome.lock().unwrap().clone().expect("somebody looks after it");
    assert!(outcome.is_whole, "{outcome:?}");
    let [zero, one, two, spares @ ..] = &outcome.replicas[..] else { panic!("{outcome:?}") };
    for correct in [zero, one] {
        assert!(correct.faults.is_empty() && correct.lives == 1, "{outcome:?}");
    }
    assert!(two.faults.iter().all(|(fault, _)| fault.kind == kind), "{outcome:?}");
    let [(_, remedy), ..] = two.faults[..] else { panic!("{outcome:?}") };
    assert_eq!(remedy, voting.remedy, "{outcome:?}");
    let votes = taken(voting);
    let last = |number: usize| votes[number].last().map(|(iteration, _)| iteration.0);
    match remedy {
        Remedy::Restart => {
            assert_eq!((two.ending, last(2)), (Some(Ending::Returned), Some(STEPS)), "{outcome:?}");
            assert!(two.lives > 1, "{outcome:?}");
        }
        Remedy::Replace => {
            assert_eq!((spares[0].lives, last(3)), (1, Some(STEPS)), "{outcome:?}");
            assert_eq!(spares[0].ending, Some(Ending::Returned), "{outcome:?}");
        }
        _ => assert!(last(2) < Some(STEPS) && two.lives == 1, "{outcome:?}"),
    }
    // Whoever came back votes as the others.
    for (iteration, value) in votes[2..].iter().flatten() {
        let place = usize::try_from(iteration.0 - 1).unwrap();
        assert_eq!(votes[0][place], (*iteration, *value));
    }
    votes[..2].to_vec()
}

#[test]
fn twin_faulty_replicas_come_back_alike() {
    for (fault, kind, remedy) in REMEDIES {
        let simulated = remedied(fault, remedy);
        let outcome = Sim::of(plan(&simulated), None).unwrap();
        let outcome = outcome.run(Instant::ZERO + Span::from_secs(2), |_| true);
        conserved(&outcome);
        let wanted = comes_back(&simulated, kind);
        assert_eq!((wanted[0].len() as u64, &wanted[0]), (STEPS, &wanted[1]));
        let real = remedied(fault, remedy);
        let Some(outcome) = host::run(|| plan(&real), &Settings::default(), None) else { return };
        conserved(&outcome);
        assert_eq!(comes_back(&real, kind), wanted, "{fault:?} {remedy:?}");
    }
}

/// A replica that ends or hangs 1,000 times comes back as often, and every vote is right.
#[test]
fn law_one_that_ends_or_hangs_a_thousand_times_comes_back() {
    for (fault, kind) in
        [(Injected::Crash, FaultKind::Panicked), (Injected::Hang, FaultKind::Lagging)]
    {
        let voting = remedied(fault, Remedy::Restart)
            .steps(60_000, Span::from_nanos(50_000))
            .patience(Span::from_millis(2))
            .fault(Fault::new(fault).lives(1_000));
        let outcome = Sim::of(plan(&voting), None).unwrap();
        let outcome = outcome.run(Instant::ZERO + Span::from_secs(60), |_| true);
        conserved(&outcome);
        let ended = voting.outcome.lock().unwrap().clone().expect("somebody looks after it");
        assert_eq!((ended.is_whole, ended.replicas[2].lives), (true, 1_001), "{fault:?}");
        let faults = &ended.replicas[2].faults;
        let count = faults.iter().filter(|(fault, _)| fault.kind == kind).count();
        assert_eq!((count, faults.len()), (1_000, 1_000), "{fault:?}");
        assert_eq!(ended.replicas[2].ending, Some(Ending::Returned), "{fault:?}");
        let votes = taken(&voting);
        assert_eq!((votes[0].len(), &votes[0]), (60_000, &votes[1]), "{fault:?}");
        assert_eq!(votes[2].last(), votes[0].last(), "{fault:?}");
    }
}
