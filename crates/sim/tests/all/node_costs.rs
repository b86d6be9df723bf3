//! Charges on a node of Chrysalis: which process pays for which cost (2.6 to 2.8, 3.1, 4.2).

#![expect(clippy::unwrap_used, reason = "a test stops at what it did not expect")]

use windfall_hierarchy::{Count, Message};
use windfall_programs::{Code, Node, NodeCosts, Process, ProcessError, ProcessParams};
use windfall_scenario::outcome::{Outcome, ThreadOutcome};
use windfall_scenario::{Home, PlannedThread, Scenario};
use windfall_sim::Sim;
use windfall_time::{Instant, Span};

const TIMER: Span = Span::from_nanos(100_000);
const SCHEDULER: Span = Span::from_nanos(29_000);
const REGISTERS: Span = Span::from_nanos(90_000);
/// Only the timer's interrupt costs.
const TIMER_ALONE: NodeCosts = NodeCosts::NONE.timer(TIMER);

/// Computes, and sleeps for as long as its pause; without a pause it computes without end.
#[derive(Clone)]
struct Works {
    work: Span,
    pause: Option<Span>,
}

impl Code for Works {
    const NAME: &'static str = "works";

    async fn run(self, mut me: impl Process) -> Result<(), ProcessError> {
        loop {
            me.compute(self.work).await;
            if let Some(pause) = self.pause {
                let now = me.now().await;
                me.sleep_until(now + pause).await;
            }
        }
    }
}

/// Computes for a while, and posts an event to a process that waits for it and then works for as long.
#[derive(Clone)]
struct Posts(Span);

#[derive(Clone)]
struct Waits(windfall_programs::Queue, Span);

impl Code for Posts {
    const NAME: &'static str = "posts";

    async fn run(self, mut me: impl Process) -> Result<(), ProcessError> {
        let queue = me.make_queue(me.node(), 100).await?;
        let template = me.make_template(me.node()).await?;
        me.make_process(template, me.node(), ProcessParams::default(), Waits(queue, self.0))
            .await?;
        me.sleep_until(Instant::ZERO + Span::from_millis(1)).await; // the other waits by then
        me.compute(self.0).await;
        me.enqueue(queue, 0).await?;
        me.compute(self.0).await;
        Ok(())
    }
}

impl Code for Waits {
    const NAME: &'static str = "waits";

    async fn run(self, mut me: impl Process) -> Result<(), ProcessError> {
        let event = me.make_event().await?;
        me.take(self.0, event).await?;
        me.compute(self.1).await;
        Ok(())
    }
}

/// 1 s of processes of equal priority on one node, with slices of 10 ms.
fn run<C: Code>(costs: NodeCosts, all: &[C]) -> Outcome {
    let text = "schema = 2\nseed = 1\nlength = \"1s\"\n[machine]\nprocessors = 1\n\
                [schedulers.node]\nscheduler = \"epoch\"\nparent = \"top\"\n";
    let scenario = Scenario::parse("test.toml", text).map_err(|wrong| wrong.render(false));
    let mut plan = scenario.unwrap().build().unwrap();
    let requires = |_: &ProcessParams| vec![Message::Priority(1)];
    let home = Home::new(plan.nodes[0].1, requires);
    plan.processes.nodes = vec![home];
    plan.processes.node_costs = Some(costs);
    for code in all {
        let first = PlannedThread::process(Node(0), &home, &ProcessParams::default(), code.clone());
        plan.threads.push(first);
    }
    let sim = Sim::of(plan, None).unwrap();
    let outcome = sim.run(Instant::ZERO + Span::from_secs(1), |_| true);
    assert_eq!(outcome.failure, None);
    assert_eq!((&outcome.refused[..], &outcome.not_admitted[..]), (&[][..], &[][..]));
    outcome
}

fn times(span: Span, count: u64) -> Span {
    span.checked_mul(count).unwrap()
}

/// The time that its scheduler has charged to a process.
fn charged(thread: &ThreadOutcome) -> Span {
    let ran = thread.stats.iter().find(|(name, _)| *name == "ran").unwrap();
    let Count::Time(span) = ran.1 else { panic!("no time") };
    span
}

#[test]
fn paper_an_interrupt_is_charged_to_whoever_runs_when_it_comes() {
    let endless = Works { work: Span::from_secs(9), pause: None };
    let brief = Works { work: Span::from_millis(1), pause: Some(Span::from_millis(7)) };
    let outcome = run(TIMER_ALONE, &[endless, brief]);
    let [endless, brief] = &outcome.threads[..] else { panic!("two processes") };
    assert!(brief.wakeups > 20, "{}", brief.wakeups);
    // Its slices never end: it is charged with its work, and with the ends of epochs that come while it runs.
    let interrupts = outcome.cpus[0].scheduling;
    let more = |thread: &ThreadOutcome| charged(thread).saturating_sub(thread.received);
    assert!(more(brief) <= times(TIMER, 10), "{}", more(brief));
    assert_eq!(more(endless) + more(brief), interrupts);
    // One brings its wake-up, and one the end of each slice of the other.
    let count = interrupts.checked_div(TIMER).unwrap();
    assert!(count >= brief.wakeups && times(TIMER, count) == interrupts, "{count}");
}

#[test]
fn paper_the_timer_service_of_processes_interrupts_too() {
    let brief = Works { work: Span::from_millis(1), pause: Some(Span::from_nanos(8_900_000)) };
    let outcome = run(TIMER_ALONE, &[brief]);
    // The routine is over before its process is woken: each round takes 1 + 8.9 + 0.1 ms.
    assert_eq!(outcome.threads[0].wakeups, 101, "its beginning counts as one");
    assert_eq!(outcome.cpus[0].scheduling, times(TIMER, 100));
    assert_eq!(outcome.cpus[0].received, Span::from_millis(100));
}

#[test]
fn paper_who_is_resumed_from_idle_and_ran_last_pays_no_register_swap() {
    let costs = NodeCosts::NONE.registers(REGISTERS);
    let often = |pause| Works { work: Span::from_millis(1), pause: Some(Span::from_millis(pause)) };
    let one = run(costs, &[often(9)]);
    assert!(one.threads[0].dispatches >= 100);
    assert_eq!(one.cpus[0].switching, REGISTERS, "once, for the first time");
    let two = run(costs, &[often(9), often(9)]);
    let dispatches = two.threads.iter().map(|thread| thread.dispatches).sum::<u64>();
    assert_eq!(two.cpus[0].switching, times(REGISTERS, dispatches), "they take turns");
}

#[test]
fn paper_a_post_that_preempts_nobody_does_not_enter_the_scheduler() {
    let costs = NodeCosts::NONE.scheduler(SCHEDULER);
    let outcome = run(costs, &[Posts(Span::from_millis(1))]);
    // The first one is put on and sleeps, the other is put on and waits; the first is resumed and ends, the other is put on
    // and ends. Neither making the other nor the post gives the processor to anybody, and ending gives it on or to none.
    assert_eq!(outcome.cpus[0].scheduling, times(SCHEDULER, 6), "{:?}", outcome.cpus);
}

#[test]
fn law_without_costs_a_node_is_as_any_other_machine() {
    let brief = Works { work: Span::from_millis(1), pause: Some(Span::from_millis(9)) };
    let outcome = run(NodeCosts::default(), &[brief.clone(), brief]);
    let cpu = &outcome.cpus[0];
    assert_eq!((cpu.scheduling, cpu.switching, cpu.stolen), (Span::ZERO, Span::ZERO, Span::ZERO));
    assert_eq!(cpu.received, Span::from_millis(200));
}
