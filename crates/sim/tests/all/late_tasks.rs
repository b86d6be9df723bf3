//! Tasks of a process that end late, and the time stolen from it meanwhile (decision 0033).
#![expect(clippy::unwrap_used, reason = "a test stops at what it did not expect")]

use crate::common::{span, thread};
use windfall_programs::{Code, Node, Process, ProcessError, ProcessParams, TaskId};
use windfall_scenario::model::{Bound, Expectation, Level, Quantity, Subject};
use windfall_scenario::outcome::{Outcome, judge};
use windfall_scenario::{Home, PlannedThread, Scenario};
use windfall_sim::Sim;
use windfall_time::{Instant, Span};

/// One scheduler that admits, with a processor to itself.
pub(crate) const TREE: &str = concat!(
    include_str!("common/tasks.toml"),
    r#"[threads.other]
parent = "rest"
run = "spin"
"#
);

/// An interrupt of this length on a processor, in each of ten stretches of 10 ms.
fn interrupts(processor: u32, cost: &str) -> String {
    format!(
        "[[interrupts]]\nevery = \"10ms\"\noffset = \"1ms\"\ncost = \"{cost}\"\nprocessors = [{processor}]\n"
    )
}

/// What becomes of a task.
#[derive(Clone, Copy)]
enum End {
    Finish,
    Withdraw,
    Never,
}

/// Submits 5 ms by 6 ms at the beginning of each 10 ms, and works for so long on it.
#[derive(Clone)]
struct Worker {
    works: Vec<(Span, End)>,
}

impl Code for Worker {
    const NAME: &'static str = "worker";

    async fn run(self, mut me: impl Process) -> Result<(), ProcessError> {
        let mut at = Instant::ZERO;
        for (work, end) in self.works {
            let asked = me.submit(span("5ms"), at + span("6ms")).await;
            let task = asked.unwrap_or(TaskId::new(u32::MAX));
            me.compute(work).await;
            let _used_up_or_lost = match end {
                End::Finish => me.finish(task).await,
                End::Withdraw => me.withdraw(task).await,
                End::Never => Ok(()),
            };
            at = at + span("10ms");
            me.sleep_until(at).await;
        }
        Ok(())
    }
}

fn run(text: &str, works: &[(&str, End)]) -> (Scenario, Outcome) {
    let scenario = Scenario::parse("late.toml", text).map_err(|wrong| wrong.render(false)).unwrap();
    let mut plan = scenario.build().unwrap();
    let (_, server) = *plan.nodes.iter().find(|(name, _)| name == "server").unwrap();
    let home = Home::new(server, |_| Vec::new());
    plan.processes.nodes = vec![home];
    let works = works.iter().map(|(work, end)| (span(work), *end)).collect();
    let params = ProcessParams::default();
    plan.threads.push(PlannedThread::process(Node(0), &home, &params, Worker { works }));
    let outcome = Sim::of(plan, None).unwrap().run(Instant::ZERO + scenario.length, |_| true);
    (scenario, outcome)
}

/// How many ended late, by how much at most, and how much of that was stolen.
fn late(more: &str, works: &[(&str, End)]) -> (u64, Span, Span) {
    let (_, outcome) = run(&format!("{TREE}{more}"), works);
    let worker = outcome.threads.iter().find(|thread| thread.submitted > 0).unwrap();
    assert_eq!((worker.submitted, worker.refusals.all()), (works.len() as u64, 0));
    let late = worker.late_tasks;
    (late.count, late.most, late.stolen)
}

#[test]
fn law_a_task_is_late_when_its_process_finishes_it_after_its_deadline() {
    let none = (0, Span::ZERO, Span::ZERO);
    assert_eq!(late("", &[("5ms", End::Finish); 3]), none);
    // At its deadline is in time; a nanosecond later is not.
    assert_eq!(late("", &[("6ms", End::Finish)]), none);
    let least = Span::from_nanos(1);
    assert_eq!(late("", &[("6000001ns", End::Finish)]), (1, least, Span::ZERO));
    let works = [("7ms", End::Finish), ("5ms", End::Finish), ("9ms", End::Finish)];
    assert_eq!(late("", &works), (2, span("3ms"), Span::ZERO), "it worked more than it said");
    // What is taken back is not late. What was used up by its deadline and never finished is: nobody says that it was done.
    assert_eq!(late("", &[("9ms", End::Withdraw)]), none);
    let unfinished = (1, Span::ZERO, Span::ZERO);
    assert_eq!(late("", &[("9ms", End::Withdraw), ("9ms", End::Never)]), unfinished);
    let works = [("1ms", End::Never), ("7ms", End::Finish)];
    assert_eq!(
        late("", &works),
        (2, span("1ms"), Span::ZERO),
        "of unfinished ones no lateness is known"
    );
}

#[test]
fn law_the_stolen_part_of_lateness_is_at_most_what_was_stolen_and_at_most_all() {
    let (steals, works) = (interrupts(0, "3ms"), [("5ms", End::Finish); 2]);
    assert_eq!(late(&steals, &works), (2, span("2ms"), span("2ms")), "3 ms of 6 were stolen");
    // It works 1 ms more than it said, too: what was stolen counts first.
    assert_eq!(late(&steals, &[("6ms", End::Finish)]), (1, span("3ms"), span("3ms")));
    let less = interrupts(0, "1ms");
    assert_eq!(late(&less, &[("8ms", End::Finish)]), (1, span("3ms"), span("1ms")));
    // What an interrupt takes from another processor is not stolen from this process, nor what was taken before it submitted the task.
    assert_eq!(late(&interrupts(1, "3ms"), &[("8ms", End::Finish)]), (1, span("2ms"), Span::ZERO));
    let works = [("1ms", End::Never), ("8ms", End::Finish)];
    assert_eq!(late(&less, &works), (2, span("3ms"), span("1ms")));
}

#[test]
fn accepts_expectations_of_late_tasks() {
    let more = "[[expect]]\nwhat = \"other.tasks-late\"\nequals = 0\nbecause = \"none\"\n\
                [[expect]]\nwhat = \"other.task-lateness.max\"\nat-most = \"0s\"\nbecause = \"none\"\n";
    let text = format!("{TREE}{}{more}", interrupts(0, "3ms"));
    let (mut scenario, outcome) = run(&text, &[("5ms", End::Finish); 2]);
    let its = |quantity, level| {
        let subject = Subject::Threads("worker*".to_owned());
        Expectation::new(subject, quantity, Bound::equals(level)).because("3 ms are stolen")
    };
    for (quantity, level) in [
        (Quantity::TasksLate, Level::Count(2)),
        (Quantity::TaskLatenessMax, Level::Span(span("2ms"))),
        (Quantity::TasksLate, Level::Count(1)),
        (Quantity::TaskLatenessMax, Level::Span(span("1ms"))),
    ] {
        scenario.expectations.push(its(quantity, level));
    }
    let held: Vec<bool> = judge(&scenario, &outcome).iter().map(|verdict| verdict.held).collect();
    assert_eq!(held, [true, true, true, true, false, false], "{:?}", judge(&scenario, &outcome));
    assert_eq!(thread(&outcome, "other").late_tasks.count, 0);
}

#[test]
fn refuses_expectations_of_late_tasks_in_another_unit() {
    for (what, bound, help) in [
        ("tasks-late", "\"1ms\"", "write a whole number"),
        ("task-lateness.max", "1", "write a length of time with its unit"),
    ] {
        let more =
            format!("[[expect]]\nwhat = \"other.{what}\"\nat-most = {bound}\nbecause = \"none\"\n");
        let wrong = Scenario::parse("late.toml", &format!("{TREE}{more}")).unwrap_err();
        assert!(wrong.render(false).contains(help), "{}", wrong.render(false));
    }
}
