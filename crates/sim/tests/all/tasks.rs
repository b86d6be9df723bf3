//! What becomes of the tasks of processes: each that is admitted is counted once (decision 0033).
#![expect(clippy::unwrap_used, reason = "a test stops at what it did not expect")]

mod ends;

use crate::common::Random;
use crate::explained::explain;
use std::sync::{Arc, Mutex};
use windfall_hierarchy::Count;
use windfall_programs::{Code, Node, OwnRequest, Process, ProcessError, ProcessParams, TaskId};
use windfall_scenario::outcome::{Outcome, ThreadOutcome};
use windfall_scenario::{Home, PlannedThread, Scenario};
use windfall_sim::Sim;
use windfall_time::{Instant, Span};
use windfall_trace::{Event, Memory, Note};

/// What a process does.
#[derive(Clone, Copy, Debug)]
enum Step {
    Submit(Span, Span),
    Compute(Span),
    Sleep(Span),
    /// Of the tasks that it was ever admitted, by their place among them, from the last.
    Finish(u64),
    Withdraw(u64),
    /// To another scheduler, which admits nothing, or back.
    Move(&'static str),
}

/// What a process knows of a task.
#[derive(Clone, Copy, Debug)]
struct Known {
    deadline: Instant,
    end: Option<(End, Instant)>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum End {
    Finish,
    Withdraw,
}

/// What a process knows of all its tasks.
#[derive(Clone, Default, Debug)]
struct Log {
    tasks: Vec<(TaskId, Known)>,
    refused: u64,
    /// What it submitted last, if the run ended before it had the answer.
    pending: Option<Known>,
    over: Option<Instant>,
}

impl Log {
    fn place(&self, from_last: u64) -> Option<usize> {
        self.tasks.len().checked_sub(1 + usize::try_from(from_last).unwrap())
    }

    fn ends(&mut self, at: usize, end: End, now: Instant) {
        let end = Some((end, now));
        self.tasks[at].1.end = self.tasks[at].1.end.or(end);
    }

    /// How many ended first like this, by whether that was after their deadlines.
    fn ended(&self, end: End, late: bool) -> u64 {
        let ends = |(_, known): &&(TaskId, Known)| {
            known.end.is_some_and(|(its, at)| its == end && (at > known.deadline) == late)
        };
        self.tasks.iter().filter(ends).count() as u64
    }

    /// How many were left by `end`, by whether that was after their deadlines.
    fn left(&self, end: Instant, late: bool) -> u64 {
        let left =
            |(_, known): &&(TaskId, Known)| known.end.is_none() && (end > known.deadline) == late;
        self.tasks.iter().filter(left).count() as u64
    }
}

#[derive(Clone)]
struct Scripted {
    steps: Vec<Step>,
    log: Arc<Mutex<Log>>,
}

impl Code for Scripted {
    const NAME: &'static str = "scripted";

    async fn run(self, mut me: impl Process) -> Result<(), ProcessError> {
        let log = || self.log.lock().unwrap();
        for step in &self.steps {
            let now = me.now().await;
            match *step {
                Step::Submit(work, by) => {
                    let known = Known { deadline: now + by, end: None };
                    log().pending = Some(known);
                    match me.submit(work, known.deadline).await {
                        Ok(task) => log().tasks.push((task, known)),
                        Err(_) => log().refused += 1,
                    }
                    log().pending = None;
                }
                Step::Compute(span) => me.compute(span).await,
                Step::Sleep(span) => me.sleep_until(now + span).await,
                Step::Finish(place) | Step::Withdraw(place) => {
                    let at = log().place(place);
                    let Some(at) = at else { continue };
                    let task = log().tasks[at].0;
                    let end = if let Step::Finish(_) = step { End::Finish } else { End::Withdraw };
                    log().ends(at, end, now);
                    let _known = match end {
                        End::Finish => me.finish(task).await,
                        End::Withdraw => me.withdraw(task).await,
                    };
                }
                Step::Move(to) => {
                    let _ = me.request_own(OwnRequest::Move(to.to_owned())).await;
                }
            }
        }
        let now = me.now().await;
        log().over = Some(now);
        Ok(())
    }
}

/// A scheduler that admits, below a reservation that may shrink, with time stolen; and one below it that does not admit.
fn tree(random: &mut Random) -> String {
    let mut text = format!(
        r#"
schema = 2
seed = 1
length = "{}ms"
[schedulers.rez]
scheduler = "rez"
parent = "top"
[schedulers.server]
scheduler = "ports"
parent = "rez"
guarantee = "RESBS {}ms 10ms"
[schedulers.low]
scheduler = "round-robin"
parent = "server"
quantum = "1ms"
[threads.other]
parent = "rez"
run = "spin"
"#,
        random.within(60, 150),
        random.within(4, 9)
    );
    if random.below(2) == 0 {
        let (every, cost) = (random.within(5, 20), random.within(1, 4));
        text += &format!("[[interrupts]]\nevery = \"{every}ms\"\ncost = \"{cost}ms\"\n");
    }
    if random.below(2) == 0 {
        let (at, to) = (random.within(5, 60), random.within(1, 4));
        text += &format!(
            "[[at]]\ntime = \"{at}ms\"\ndo = \"guarantee\"\nscheduler = \"server\"\nguarantee = \"RESBS {to}ms 10ms\"\n"
        );
    }
    text
}

fn steps(random: &mut Random, moves: bool) -> Vec<Step> {
    let ms =
        |random: &mut Random, most: u64| Span::from_nanos(500_000 * random.within(1, 2 * most));
    let one = |random: &mut Random| match random.below(if moves { 13 } else { 12 }) {
        0..4 => {
            let (work, by) = (ms(random, 4), ms(random, 50));
            Step::Submit(work, by)
        }
        4..6 => Step::Compute(ms(random, 5)),
        6 => Step::Sleep(ms(random, 8)),
        7..10 => Step::Finish(random.below(5)),
        10..12 => Step::Withdraw(random.below(8)),
        _ => Step::Move(if random.below(2) == 0 { "low" } else { "server" }),
    };
    (0..random.within(1, 40)).map(|_| one(random)).collect()
}

/// Runs processes with these steps. Their logs, the outcome, and the notes of the scheduler that tasks were lost.
fn run(text: &str, scripts: Vec<Vec<Step>>) -> (Vec<Log>, Outcome, Memory) {
    let scenario = Scenario::parse("t.toml", text).map_err(|wrong| wrong.render(false)).unwrap();
    let mut plan = scenario.build().map_err(|wrong| wrong.render(false)).unwrap();
    let (_, server) = *plan.nodes.iter().find(|(name, _)| name == "server").unwrap();
    let home = Home::new(server, |_| Vec::new());
    plan.processes.nodes = vec![home];
    let mut logs = Vec::new();
    for steps in scripts {
        logs.push(Arc::<Mutex<Log>>::default());
        let code = Scripted { steps, log: logs[logs.len() - 1].clone() };
        let params = ProcessParams::default();
        plan.threads.push(PlannedThread::process(Node(0), &home, &params, code));
    }
    let mut trace = Memory::default();
    let sim = Sim::of(plan, Some(&mut trace)).unwrap();
    let outcome = sim.run(Instant::ZERO + scenario.length, |_| true);
    let mut logs: Vec<Log> = logs.iter().map(|log| log.lock().unwrap().clone()).collect();
    let threads = outcome.threads.iter().filter(|thread| thread.name.starts_with("scripted"));
    for (log, thread) in logs.iter_mut().zip(threads) {
        match log.pending.take() {
            Some(_) if thread.tasks.refused > log.refused => log.refused += 1,
            Some(known) => log.tasks.push((TaskId::new(u32::MAX), known)),
            None => {}
        }
    }
    (logs, outcome, trace)
}

/// How often the scheduler noted that a task was lost.
fn lost(trace: &Memory) -> u64 {
    let lost = |record: &&windfall_trace::Record| {
        matches!(record.event, Event::Note { what: Note::Lost(_), thread: Some(_), .. })
    };
    trace.records.iter().filter(lost).count() as u64
}

/// What `explain` says of a trace agrees with what was counted.
fn explained(trace: &Memory, outcome: &Outcome) {
    for found in explain(&trace.records, outcome).threads {
        let thread = &outcome.threads[found.thread.0 as usize];
        let (said, tasks, late) = (found.tasks, thread.tasks, thread.late_tasks);
        let ends = (said.in_time, said.late + said.unfinished, said.unfinished, said.lost);
        assert_eq!(ends, (tasks.in_time, late.count, late.unfinished, thread.lost), "{said:?}");
        assert_eq!((said.withdrawn, said.used_up), (tasks.withdrawn, tasks.used_up), "{said:?}");
        assert_eq!(said.admitted, thread.tasks_admitted());
        // A scheduler that admits nothing makes no note of a refusal.
        assert!(said.refused <= tasks.refused);
        let listed = found.task_findings;
        let all = listed.refused.len() + listed.lost.len() + listed.late.len();
        let all = all as u64 + listed.left_out;
        assert!(
            all <= tasks.refused + thread.lost + late.count
                && (all > 0) == (tasks.refused + thread.lost + late.count > 0)
        );
    }
}

/// What became of tasks agrees with what their process knows, and adds up.
fn agrees(log: &Log, thread: &ThreadOutcome, end: Instant, seed: u64) {
    let (tasks, late) = (thread.tasks, thread.late_tasks);
    let context = format!("seed {seed}: {tasks:?}, {late:?}, {log:?}");
    let admitted = log.tasks.len() as u64;
    assert_eq!(
        (tasks.submitted, tasks.refused),
        (admitted + log.refused, log.refused),
        "{context}"
    );
    assert_eq!((thread.submitted, thread.refusals.all()), (tasks.submitted, tasks.refused));
    assert_eq!(thread.tasks_admitted(), admitted, "{context}");
    // What it finished is in time or late by the clock, lost or not.
    assert_eq!(tasks.in_time, log.ended(End::Finish, false), "{context}");
    assert_eq!(late.count - late.unfinished, log.ended(End::Finish, true), "{context}");
    assert!(tasks.done_though_lost <= tasks.in_time + late.count - late.unfinished, "{context}");
    // All others that were lost are that; then it took them back, or they were left.
    assert_eq!(thread.lost, tasks.lost + tasks.done_though_lost, "{context}");
    let over = log.over.unwrap_or(end);
    let [back, back_late] = [false, true].map(|late| log.ended(End::Withdraw, late));
    let [left, left_late] = [false, true].map(|late| log.left(over, late));
    assert!(late.unfinished <= left_late && tasks.withdrawn_late <= back_late, "{context}");
    // A process that ends takes back what is not late.
    let (open, ends) = if log.over.is_some() { (0, left) } else { (left, 0) };
    assert!(tasks.open <= open && tasks.withdrawn <= back + back_late + ends, "{context}");
    if thread.lost == 0 {
        assert_eq!((late.unfinished, tasks.withdrawn_late), (left_late, back_late), "{context}");
        assert_eq!((tasks.open, tasks.withdrawn), (open, back + back_late + ends), "{context}");
    }
    let finished = log.tasks.iter().filter_map(|(_, known)| {
        let late = |at: Instant| at.saturating_since(known.deadline);
        known.end.filter(|(end, _)| *end == End::Finish).map(|(_, at)| late(at))
    });
    assert_eq!(late.most, finished.max().unwrap_or_default(), "{context}");
    assert_eq!((tasks.used_up, tasks.unknown), (0, 0), "{context}");
}

#[test]
fn law_each_task_that_is_admitted_is_counted_once_as_what_became_of_it() {
    let mut sum = ThreadOutcome::new("all", None);
    let mut elsewhere = 0;
    for seed in 1..=600 {
        let random = &mut Random(seed * 0x9e37_79b9);
        random.below(9);
        let text = tree(random);
        let moves = random.below(3) == 0;
        let scripts = (0..random.within(1, 3)).map(|_| steps(random, moves)).collect();
        let (logs, outcome, trace) = run(&text, scripts);
        explained(&trace, &outcome);
        let noted = lost(&trace);
        let end = Instant::ZERO + outcome.length;
        let threads = outcome.threads.iter().filter(|thread| thread.name.starts_with("scripted"));
        let threads: Vec<_> = threads.collect();
        assert_eq!(threads.len(), logs.len());
        for (thread, log) in threads.iter().zip(&logs) {
            agrees(log, thread, end, seed);
            sum.add(thread);
        }
        // What threads lost is what their scheduler says, and notes; and what they left there by a move.
        let server = outcome.nodes.iter().find(|node| node.name == "server").unwrap();
        let (_, count) = server.stats.iter().find(|(name, _)| *name == "lost").unwrap();
        let all: u64 = threads.iter().map(|thread| thread.lost).sum();
        assert_eq!(*count, Count::Times(noted), "seed {seed}");
        assert!(if moves { all >= noted } else { all == noted }, "seed {seed}");
        elsewhere += all - noted;
    }
    let (tasks, late) = (sum.tasks, sum.late_tasks);
    let each = [tasks.refused, tasks.in_time, tasks.lost, tasks.withdrawn, tasks.withdrawn_late];
    let others =
        [tasks.open, tasks.done_though_lost, late.unfinished, late.count - late.unfinished];
    assert!(each.iter().chain(&others).all(|count| *count > 20), "{tasks:?}, {late:?}");
    assert!(elsewhere > 20, "{elsewhere}");
}
