//! Bodies that cannot go on, and processes that are not made.

use super::*;

/// Awaits something that is not its process's.
#[derive(Clone)]
struct Stray;

impl Code for Stray {
    const NAME: &'static str = "stray";

    async fn run(self, mut me: impl Process) -> Result<(), ProcessError> {
        me.compute(us(5)).await;
        core::future::pending().await
    }
}

/// Asks for what it cannot have.
#[derive(Clone)]
struct Greedy;

impl Code for Greedy {
    const NAME: &'static str = "greedy";

    async fn run(self, mut me: impl Process) -> Result<(), ProcessError> {
        me.compute(us(5)).await;
        me.wait().await.map(|_| ())
    }
}

/// Reads the clock for ever.
#[derive(Clone)]
struct Restless;

impl Code for Restless {
    const NAME: &'static str = "restless";

    async fn run(self, mut me: impl Process) -> Result<(), ProcessError> {
        loop {
            me.now().await;
        }
    }
}

#[test]
fn refuses_bodies_that_cannot_go_on() {
    let why = |outcome: Outcome| outcome.failure.map(|failure| failure.to_string()).unwrap();
    let machine = || plan(1, 1, us(1_000), Costs::default());
    let stray = why(run(machine(), Stray, at(100)).0);
    assert!(stray.contains("`stray`") && stray.contains("5us"), "{stray}");
    let greedy = why(run(machine(), Greedy, at(100)).0);
    assert!(greedy.contains("process `greedy` ends at 5us: the process has no event"), "{greedy}");
    let restless = why(run(machine(), Restless, at(100)).0);
    assert!(restless.contains("acts for ever"), "{restless}");
}

/// Makes a process that its node's scheduler refuses.
#[derive(Clone)]
struct Maker(Log<ProcessError>);

impl Code for Maker {
    const NAME: &'static str = "maker";

    async fn run(self, mut me: impl Process) -> Result<(), ProcessError> {
        let template = me.make_template(Node(1)).await?;
        let made = me.make_process(template, Node(1), ProcessParams::default(), Stray).await;
        self.0.lock().unwrap().extend(made.err());
        me.compute(us(5)).await;
        Ok(())
    }
}

#[test]
fn refuses_a_process_that_its_scheduler_will_not_have() {
    let mut plan = plan(2, 1, us(1_000), Costs::default());
    plan.processes.nodes[1].parameters = |_| vec![windfall_hierarchy::Message::Share(3)];
    let log = Log::default();
    let (outcome, _) = run(plan, Maker(log.clone()), at(100));
    assert_eq!(notes(&log), [ProcessError::NotAdmitted { node: Node(1) }]);
    assert_eq!(outcome.failure, None);
    assert_eq!((outcome.threads.len(), outcome.refused.len()), (1, 1));
}

#[test]
fn refuses_a_first_process_on_a_node_that_there_is_not() {
    let mut plan = plan(1, 1, us(1_000), Costs::default());
    let home = plan.processes.nodes[0];
    plan.threads.push(PlannedThread::process(Node(3), &home, &ProcessParams::default(), Stray));
    let outcome = Sim::of(plan, None).unwrap().run(at(100), |_| true);
    let why = outcome.failure.unwrap().to_string();
    assert!(why.contains("there is no node 3; the machine has 1"), "{why}");
}
