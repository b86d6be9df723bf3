//! Jobs that were admitted and can no longer be done, since time was stolen: named at once, by number and deadline (PORTS 2.2, decision 0029).
#![expect(clippy::unwrap_used, reason = "a test stops at what it did not expect")]

use crate::common::thread;
use windfall_scenario::Scenario;
use windfall_scenario::outcome::{LostTask, Outcome};
use windfall_sim::Sim;
use windfall_time::{Instant, Span};
use windfall_trace::explain::{Explainer, Keep, Question};
use windfall_trace::{Event, Memory, Sink, TaskEvent};

/// Jobs of 8 ms in 10, and an interrupt of this length in each.
fn run(cost: &str) -> (Outcome, Memory) {
    let text = format!(
        r#"
schema = 2
length = "60ms"
[schedulers.server]
scheduler = "ports"
parent = "top"
[threads.a]
parent = "server"
periodic = {{ work = "8ms", period = "20ms", deadline = "10ms", admit = true }}
[[interrupts]]
every = "20ms"
offset = "1ms"
cost = "{cost}"
"#
    );
    let scenario = Scenario::parse("lost.toml", &text).unwrap();
    let mut trace = Memory::default();
    let sim = Sim::of(scenario.build().unwrap(), Some(&mut trace)).unwrap();
    (sim.run(Instant::ZERO + scenario.length, |_| true), trace)
}

fn at(ms: u32) -> Instant {
    Instant::ZERO + Span::from_millis(ms)
}

#[test]
fn law_a_job_that_stolen_time_makes_impossible_is_named_at_once() {
    let (outcome, trace) = run("3ms");
    let ms = Span::from_millis;
    // The interrupt ends 4 ms after the release, when 7 ms are left to do in 6. All of the job's time would have passed 8 ms after it.
    let lost =
        |job: u32, from: u32| LostTask::new(job, at(from + 4), at(from + 10), Some(ms(7)), ms(3));
    let expected = [lost(0, 0), lost(1, 20), lost(2, 40)];
    let found = thread(&outcome, "a");
    assert_eq!((found.lost_tasks.kept(), found.lost, found.missed), (&expected[..], 3, 3));
    let named = trace.records.iter().filter_map(|record| match record.event {
        Event::Task { task, deadline, what: TaskEvent::Lost { left, stolen }, .. } => {
            Some(LostTask::new(task, record.at, deadline, left, stolen))
        }
        _ => None,
    });
    assert_eq!(named.collect::<Vec<_>>(), expected);
    let mut explainer = Explainer::new(Question::new("a".into(), Keep::Worst(1)));
    trace.records.iter().for_each(|record| explainer.record(record.at, &record.event));
    let explained = explainer.finish().threads.remove(0);
    let listed: Vec<_> =
        explained.task_findings.lost.iter().map(|lost| (lost.task, lost.at)).collect();
    assert_eq!(listed, expected.map(|lost| (lost.task, lost.at)));
}

#[test]
fn limit_a_job_that_can_just_be_done_is_not_named() {
    let (outcome, _) = run("2ms");
    let found = thread(&outcome, "a");
    assert_eq!((found.lost_tasks.kept(), found.lost, found.missed), (&[][..], 0, 0));
}
