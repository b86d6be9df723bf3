//! Tasks that the run's owner submits for a thread, which knows nothing of them (decision 0033).

use super::*;
use windfall_programs::{TaskId, TaskReply, TaskRequest};
use windfall_scenario::outcome::ThreadOutcome;
use windfall_time::Span;

const TREE: &str = concat!(
    include_str!("../../tests/all/common/tasks.toml"),
    r#"[threads.spinner]
parent = "server"
run = "spin"
[[interrupts]]
every = "1s"
offset = "40ms"
cost = "10ms"
processors = [0]
"#
);

const fn ms(ms: u64) -> Span {
    Span::from_nanos(ms * 1_000_000)
}

/// A run, and its thread.
struct Client(Simulation<'static>, u32);

impl Client {
    fn begin(text: &str) -> Client {
        let mut simulation = Simulation::of(&Scenario::parse("t.toml", text).unwrap()).unwrap();
        simulation.run_until(Instant::ZERO);
        Client(simulation, 0)
    }

    fn submit(&mut self, work: u64, by: u64) -> Option<TaskId> {
        let deadline = Instant::ZERO + ms(by);
        let answer =
            self.0.host.task_request(self.1, TaskRequest::Submit { work: ms(work), deadline });
        self.0.host.settle(false);
        match answer {
            Ok(TaskReply::Admitted(task)) => Some(task),
            _ => None,
        }
    }

    fn withdraw(&mut self, task: TaskId) -> bool {
        let answer = self.0.host.task_request(self.1, TaskRequest::Withdraw(task));
        self.0.host.settle(false);
        answer.is_ok()
    }

    fn until(&mut self, at: u64) {
        self.0.run_until(Instant::ZERO + ms(at));
    }

    /// The outcome, in which everything adds up.
    fn end(mut self) -> ThreadOutcome {
        let end = self.0.end();
        self.0.run_until(end);
        let outcome = self.0.finish().threads.swap_remove(0);
        assert_eq!(outcome.tasks_admitted(), outcome.tasks.submitted - outcome.tasks.refused);
        outcome
    }
}

#[test]
fn law_a_task_of_a_client_ends_when_it_is_used_up_lost_or_withdrawn() {
    let mut client = Client::begin(TREE);
    assert!(client.submit(5, 10).is_some() && client.submit(6, 10).is_none());
    let back = client.submit(5, 30).unwrap();
    assert!(client.withdraw(back) && !client.withdraw(back));
    client.until(35);
    // The first of these is half done when 10 ms are stolen; the other has room.
    assert!(client.submit(10, 48).is_some() && client.submit(10, 90).is_some());
    client.until(95);
    assert!(client.submit(3, 120).is_some() && client.submit(9, 120).is_some());
    let found = client.end();
    let (tasks, late) = (found.tasks, found.late_tasks);
    assert_eq!((tasks.submitted, tasks.refused, found.submitted), (7, 1, 7));
    assert_eq!((tasks.used_up, tasks.withdrawn, tasks.withdrawn_late), (3, 1, 0), "{tasks:?}");
    assert_eq!((tasks.lost, found.lost, tasks.open), (1, 1, 1), "{tasks:?}");
    assert_eq!((tasks.in_time, late.count, tasks.done_though_lost), (0, 0, 0));
}

#[test]
fn law_the_time_of_a_clients_task_passes_for_a_thread_that_waits_and_it_is_not_said_to_be_done() {
    let text = TREE.replace(r#"run = "spin""#, r#"steps = [{ sleep = "80ms" }, { run = "1ms" }]"#);
    let mut client = Client::begin(&text);
    client.until(1);
    assert!(client.submit(5, 10).is_some());
    client.until(60);
    let back = client.submit(5, 70).unwrap();
    client.until(72);
    // Its deadline has passed, and so has its time, though its scheduler was told of no event since.
    let _used_up = client.withdraw(back);
    let found = client.end();
    assert_eq!((found.tasks.used_up + found.tasks.withdrawn, found.tasks.in_time), (2, 0));
    assert_eq!(
        (found.lost, found.late_tasks.count, found.tasks.open),
        (0, 0, 0),
        "{:?}",
        found.tasks
    );
}

#[test]
fn law_tasks_of_clients_and_jobs_are_counted_apart() {
    let text = TREE.replace(
        r#"run = "spin""#,
        r#"periodic = { work = "2ms", period = "10ms", admit = true }"#,
    );
    let mut client = Client::begin(&text);
    client.until(1);
    assert!(client.submit(1, 9).is_some());
    let found = client.end();
    assert_eq!((found.submitted, found.tasks.submitted), (12, 1), "the last job at the very end");
    // Its job of 40 ms is lost as time is stolen: named, and judged as a job.
    assert_eq!((found.lost, found.tasks.lost, found.missed), (1, 0, 1));
    assert_eq!(found.tasks.used_up, 1);
}
