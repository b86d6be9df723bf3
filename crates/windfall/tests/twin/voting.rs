//! Three replicas that vote as processes: the same votes on both hosts, with a fault of each kind.

use super::{conserved, host};
use std::sync::Arc;
use windfall_linux::Settings;
use windfall_nmr::Iteration;
use windfall_nmr::process::{Fault, First, Votes, Voting};
use windfall_nmr::redundant::Injected;
use windfall_programs::{Node, ProcessParams};
use windfall_scenario::{Home, Plan, PlannedThread, Scenario};
use windfall_sim::Sim;
use windfall_time::{Instant, Span};

const TREE: &str = r#"
schema = 2
seed   = 18
length = "400ms"
[schedulers.replicas]
scheduler = "round-robin"
parent = "top"
"#;

fn voting(fault: Option<Injected>) -> Voting {
    let mut voting = Voting::new(3);
    voting.iterations = 60;
    voting.work = Span::from_nanos(200_000);
    // None is so far behind that a vote of it is another than that of its step.
    voting.settings = voting.settings.queue(64);
    voting.patience = Span::from_millis(100);
    let (from, iterations) = (Iteration(20), 5);
    voting.fault = fault.map(|kind| {
        let mut fault = Fault::new(kind);
        (fault.from, fault.iterations) = (from, iterations);
        fault
    });
    voting
}

fn plan(voting: &Voting) -> Plan {
    let mut plan = Scenario::parse("voting.toml", TREE).unwrap().build().unwrap();
    let home = Home::new(plan.nodes[0].1, |_| Vec::new());
    plan.processes.nodes = vec![home];
    let first = First(voting.clone());
    plan.threads.push(PlannedThread::process(Node(0), &home, &ProcessParams::default(), first));
    plan
}

fn taken(voting: &Voting) -> Votes {
    voting.votes.lock().unwrap().clone()
}

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
    for fault in faults {
        let simulated = voting(fault);
        let outcome = Sim::of(plan(&simulated), None).unwrap();
        let outcome = outcome.run(Instant::ZERO + Span::from_millis(400), |_| true);
        conserved(&outcome);
        let wanted = taken(&simulated);
        for correct in &wanted[..2] {
            assert_eq!(correct.len(), 60, "{fault:?}");
            assert_eq!(correct, &wanted[0], "{fault:?}");
        }
        let ends = matches!(fault, Some(Injected::Crash | Injected::Hang));
        assert_eq!(wanted[2].len(), if ends { 19 } else { 60 }, "{fault:?}");
        let real = voting(fault);
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
