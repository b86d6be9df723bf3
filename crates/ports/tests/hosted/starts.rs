//! A pool that cannot start leaves nothing behind.

use super::{CLIENTS, TREE};
use std::sync::{Arc, Mutex};
use windfall_hierarchy::Message;
use windfall_ports::hosted::Pool;
use windfall_programs::{Code, Node, Process, ProcessError, ProcessParams};
use windfall_scenario::{Home, PlannedThread, Scenario};
use windfall_sim::Sim;
use windfall_time::{Instant, Span};

/// The node whose scheduler admits three workers.
const NARROW: Node = Node(0);

fn workers(_: &ProcessParams) -> Vec<Message> {
    vec![Message::Reserve { amount: Span::from_millis(2), period: Span::from_millis(10) }]
}

#[derive(Clone)]
struct Starter(Arc<Mutex<Vec<String>>>);

impl Code for Starter {
    const NAME: &'static str = "starter";

    async fn run(self, mut me: impl Process) -> Result<(), ProcessError> {
        let note = |what: ProcessError| self.0.lock().unwrap().push(what.to_string());
        note(Pool::start(&mut me, NARROW, 0).await.unwrap_err());
        for workers in [4, 5, 9] {
            let error = Pool::start(&mut me, NARROW, workers).await.unwrap_err();
            assert_eq!(error, ProcessError::NotAdmitted { node: NARROW });
            // It has kept no event for that.
            assert_eq!(me.wait().await, Err(ProcessError::NoEvents));
        }
        // Those that had started have ended, so that there is room for as many as before.
        Pool::start(&mut me, NARROW, 3).await?;
        note(Pool::start(&mut me, NARROW, 1).await.unwrap_err());
        assert_eq!(me.wait().await, Err(ProcessError::NoEvents));
        Ok(())
    }
}

#[test]
fn refuses_a_pool_that_cannot_start_and_keeps_nothing_of_it() {
    let tree = TREE.replace("guarantee = \"RESBS 6ms 10ms\"", "guarantee = \"RESBS 100us 10ms\"");
    let scenario =
        Scenario::parse("starts.toml", &tree.replace("\"RESBS 2ms", "\"RESBS 1ms")).unwrap();
    let mut plan = scenario.build().unwrap();
    let node = |name| plan.nodes.iter().find(|(its, _)| its == name).unwrap().1;
    let homes = [Home::new(node("rez"), workers), Home::new(node("clients"), |_| Vec::new())];
    plan.processes.nodes = homes.to_vec();
    let notes = Arc::<Mutex<Vec<String>>>::default();
    let first = Starter(notes.clone());
    let first = PlannedThread::process(CLIENTS, &homes[1], &ProcessParams::default(), first);
    plan.threads.push(first);
    let outcome = Sim::of(plan, None).unwrap().run(Instant::ZERO + scenario.length, |_| true);
    assert_eq!(outcome.failure, None);
    let notes = notes.lock().unwrap();
    assert_eq!(notes[0], "a pool without workers takes no task; start it with at least 1");
    assert!(notes[1].ends_with("did not admit the process; ask for less"), "{notes:?}");
    assert_eq!(notes.len(), 2);
}
