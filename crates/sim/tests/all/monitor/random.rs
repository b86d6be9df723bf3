//! Random nodes and processes under a monitor.

use super::{EPOCH, finish, plan, watch};
use proptest::prelude::*;
use std::cell::Cell;
use windfall_programs::ThreadChange;
use windfall_programs::memo::reported;
use windfall_programs::monitor::Look;
use windfall_scenario::outcome::Outcome;

/// A process: its node, its need and its work in ms of each epoch; work of zero is without end.
type Drawn = (usize, u32, u32);

fn drawn() -> impl Strategy<Value = Vec<Drawn>> {
    let node = prop_oneof![2 => Just(0_usize), 1 => 0_usize..4];
    let work = prop_oneof![1 => Just(0_u32), 4 => 1_u32..25];
    prop::collection::vec((node, prop_oneof![Just(0_u32), 1_u32..50], work), 2..11)
}

/// The processes as entries of a file. Needs that do not fit are left out.
fn text(drawn: &[Drawn]) -> String {
    let mut declared = [0_u32; 4];
    let mut text = String::new();
    for (at, (node, need, work)) in drawn.iter().enumerate() {
        text.push_str(&format!("[threads.p{at}]\nparent = \"node-{node}\"\n"));
        if *need > 0 && declared[*node] + need <= 100 {
            declared[*node] += need;
            text.push_str(&format!("reserve = \"{need}ms/100ms\"\n"));
        }
        match work {
            0 => text.push_str("run = \"spin\"\n"),
            _ => text
                .push_str(&format!("periodic = {{ work = \"{work}ms\", period = \"100ms\" }}\n")),
        }
    }
    text
}

fn run(drawn: &[Drawn]) -> (Outcome, Vec<Look>) {
    let mut plan = plan(4, &text(drawn));
    let looks = watch(&mut plan, "monitor", |monitor| {
        monitor.policy.window = 2;
        monitor.policy.margin = 15;
    });
    (finish(plan), reported(&looks))
}

#[test]
fn law_nothing_is_refused_or_lost_and_equal_runs_are_equal() {
    let seen: [Cell<u32>; 4] = Default::default();
    let count = |kind: usize| seen[kind].set(seen[kind].get() + 1);
    let config = ProptestConfig { cases: 40, failure_persistence: None, ..Default::default() };
    let mut runner = proptest::test_runner::TestRunner::new(config);
    let judged = runner.run(&drawn(), |drawn| {
        let (outcome, looks) = run(&drawn);
        prop_assert!(outcome.refused.is_empty(), "{:?}", outcome.refused);
        prop_assert!(outcome.failure.is_none() && outcome.quarantined.is_empty());
        let again = run(&drawn);
        prop_assert_eq!(&looks, &again.1);
        prop_assert_eq!(format!("{outcome:?}"), format!("{:?}", again.0));
        let mut moves = std::collections::BTreeMap::<&str, u32>::new();
        for (request, _) in looks.iter().flat_map(|look| &look.requests) {
            match &request.change {
                ThreadChange::Move(_) => {
                    count(0);
                    *moves.entry(&request.thread).or_default() += 1;
                }
                ThreadChange::Need { .. } => count(1),
                ThreadChange::Slice(_) => count(2),
                _ => {}
            }
        }
        // 50 rounds, with rests of 2, 4, 8, 16 and 32 after a move.
        prop_assert!(moves.values().all(|moves| *moves <= 5), "{moves:?}");
        let last = looks.last().unwrap();
        for node in &last.nodes {
            prop_assert!(node.declared <= EPOCH);
            let needs = node.processes.iter().fold(Default::default(), |sum, one| sum + one.need);
            prop_assert_eq!(node.declared, needs);
        }
        let processes: usize = last.nodes.iter().map(|node| node.processes.len()).sum();
        prop_assert_eq!(processes, drawn.len() + 1);
        let ended = looks.iter().rev().take(20).all(|look| look.requests.is_empty());
        if ended {
            count(3);
        }
        Ok(())
    });
    judged.unwrap_or_else(|why| panic!("{why}"));
    let seen = seen.each_ref().map(Cell::get);
    assert!(seen.iter().all(|seen| *seen >= 10), "{seen:?}");
}
