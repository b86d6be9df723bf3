//! One body on both hosts: event-driven processes do the same on the simulated machine and as threads.
//!
//! Effects of speed may differ, and are not compared: which consumer gets a datum, though not that one does.
#![expect(clippy::unwrap_used, reason = "a test stops at what it did not expect")]

#[path = "twin/misuse.rs"]
mod misuse;
#[path = "twin/random.rs"]
mod random;
#[path = "twin/scripts.rs"]
mod scripts;

use std::sync::{Arc, Mutex};
use windfall_processes::{Ended, Settings};
use windfall_programs::{
    Code, Event, EventId, Node, Process, ProcessError, ProcessHandle, ProcessParams, Queue,
};
use windfall_scenario::Scenario;
use windfall_sim::Sim;
use windfall_time::{Instant, Span};

type Log<T> = Arc<Mutex<Vec<T>>>;

fn note<T>(log: &Log<T>, one: T) {
    log.lock().unwrap().push(one);
}

fn us(count: u64) -> Span {
    Span::from_nanos(count * 1_000)
}

/// Runs a first process, and all that it makes, on two nodes of one simulated processor each.
fn simulate(first: impl Code) {
    let mut text = "schema = 2\nseed = 1\nlength = \"60s\"\n[machine]\nprocessors = 2\n".to_owned();
    for node in 0..2 {
        text += &format!(
            "[schedulers.node-{node}]\nscheduler = \"round-robin\"\nparent = \"top\"\n\
             processors = 1\nquantum = \"10ms\"\n"
        );
    }
    let mut plan = Scenario::parse("twin.toml", &text).unwrap().build().unwrap();
    plan.begin_with(|_| Vec::new(), &ProcessParams::default(), first);
    let until = Instant::ZERO + plan.length;
    let outcome = Sim::of(plan, None).unwrap().run(until, |_| true);
    assert_eq!(outcome.failure, None);
}

fn two_nodes() -> Settings {
    let cpus = std::fs::read_to_string("/proc/cpuinfo").unwrap();
    let more = u16::from(cpus.matches("processor\t").count() > 1);
    Settings::default().node([0]).node([more]).seed(1).length(Span::from_secs(60))
}

fn ended(ended: &Ended) {
    assert_eq!((ended.failures.as_slice(), ended.unfinished), (&[][..], 0));
}

/// Runs it on threads, each node on its processor.
fn on_threads(first: impl Code) -> Ended {
    let run = windfall_processes::run(&two_nodes(), first).unwrap();
    ended(&run);
    run
}

/// On both; what each has noted.
fn twin<T: Clone, C: Code>(first: impl Fn(Log<T>) -> C) -> [Vec<T>; 2] {
    let logs: [Log<T>; 2] = Default::default();
    simulate(first(logs[0].clone()));
    on_threads(first(logs[1].clone()));
    logs.map(|log| log.lock().unwrap().clone())
}

/// Message Generator and Sink (Chrysalis 4.1): so many messages through a dual queue, from one node to another.
#[derive(Clone)]
struct Generator {
    sink: Option<Queue>,
    log: Log<u64>,
}

#[derive(Clone)]
struct Sink {
    queue: Queue,
    log: Log<u64>,
}

const MESSAGES: u64 = 300;

impl Code for Generator {
    const NAME: &'static str = "generator";

    async fn run(self, mut me: impl Process) -> Result<(), ProcessError> {
        let queue = match self.sink {
            Some(queue) => queue,
            None => {
                let queue = me.make_queue(Node(1), 8).await?;
                let template = me.make_template(Node(1)).await?;
                let sink = Sink { queue, log: self.log.clone() };
                me.make_process(template, Node(1), ProcessParams::default(), sink).await?;
                queue
            }
        };
        for message in 0..MESSAGES {
            while let Err(refusal) = me.enqueue(queue, message).await {
                assert_eq!(refusal, ProcessError::QueueFull { queue, capacity: 8 });
                let now = me.now().await;
                me.sleep_until(now + us(50)).await;
            }
        }
        Ok(())
    }
}

impl Code for Sink {
    const NAME: &'static str = "sink";

    async fn run(self, mut me: impl Process) -> Result<(), ProcessError> {
        let event = me.make_event().await?;
        for _ in 0..MESSAGES {
            let message = me.take(self.queue, event).await?;
            note(&self.log, message);
        }
        Ok(())
    }
}

#[test]
fn twin_paper_a_message_generator_and_its_sink() {
    let logs = twin(|log| Generator { sink: None, log });
    assert_eq!(logs[0], (0..MESSAGES).collect::<Vec<_>>());
    assert_eq!(logs[0], logs[1]);
}

/// Timers and sleep end at their instant or after it.
#[derive(Clone)]
struct Timed(Log<bool>);

impl Code for Timed {
    const NAME: &'static str = "timed";

    async fn run(self, mut me: impl Process) -> Result<(), ProcessError> {
        let event = me.make_event().await?;
        for wait in [0, 50, 200, 1_000] {
            let due = me.now().await + us(wait);
            me.post_at(event, wait, due).await?;
            assert_eq!(me.wait().await?.datum, wait);
            note(&self.0, me.now().await >= due);
            let due = me.now().await + us(wait);
            me.sleep_until(due).await;
            note(&self.0, me.now().await >= due);
        }
        Ok(())
    }
}

#[test]
fn twin_timers_and_sleep_are_never_early() {
    let logs = twin(Timed);
    assert_eq!(logs, [vec![true; 8], vec![true; 8]]);
    let run = on_threads(Timed(Log::default()));
    assert_eq!(run.lateness.timers, 4);
    assert!(run.lateness.worst > Span::ZERO && run.lateness.worst <= run.lateness.total);
}

/// Posts to another node, which come in order.
#[derive(Clone)]
struct Sender(Queue);

#[derive(Clone)]
struct Receiver(Log<u64>);

const POSTS: u64 = 100;

impl Code for Receiver {
    const NAME: &'static str = "receiver";

    async fn run(self, mut me: impl Process) -> Result<(), ProcessError> {
        let queue = me.make_queue(Node(0), 128).await?;
        for _ in 0..POSTS {
            let event = me.make_event().await?;
            me.enqueue(queue, event.datum()).await?;
        }
        let template = me.make_template(Node(1)).await?;
        let sender = Sender(queue);
        me.make_process(template, Node(1), ProcessParams::default(), sender).await?;
        for _ in 0..POSTS {
            let posted = me.wait().await?;
            note(&self.0, posted.datum);
        }
        Ok(())
    }
}

impl Code for Sender {
    const NAME: &'static str = "sender";

    async fn run(self, mut me: impl Process) -> Result<(), ProcessError> {
        let own = me.make_event().await?;
        for number in 0..POSTS {
            let event = Event::from_datum(me.take(self.0, own).await?);
            me.post(event, number).await?;
        }
        Ok(())
    }
}

#[test]
fn twin_posts_to_another_node_arrive_in_order() {
    let logs = twin(Receiver);
    assert_eq!(logs[0], (0..POSTS).collect::<Vec<_>>());
    assert_eq!(logs[0], logs[1]);
}

/// Waits for what never comes.
#[derive(Clone)]
struct Forlorn {
    asleep: bool,
}

impl Code for Forlorn {
    const NAME: &'static str = "forlorn";

    async fn run(self, mut me: impl Process) -> Result<(), ProcessError> {
        if self.asleep {
            me.sleep_until(Instant::MAX).await;
        }
        let event = me.make_event().await?;
        for _ in 0..5_000 {
            me.post_at(event, 0, Instant::MAX).await?; // nor does the controller keep what is cancelled
            me.cancel(event).await?;
        }
        me.wait().await?;
        Ok(())
    }
}

#[test]
fn law_a_run_ends_at_its_end_whoever_waits() {
    for asleep in [false, true] {
        let settings = two_nodes().length(us(200_000));
        let run = windfall_processes::run(&settings, Forlorn { asleep }).unwrap();
        assert_eq!((run.failures.as_slice(), run.unfinished), (&[][..], 1));
    }
}

/// Meets a second process at a queue that both name, and is refused another capacity.
#[derive(Clone)]
struct Meets(Log<u64>);

#[derive(Clone)]
struct Met;

impl Code for Meets {
    const NAME: &'static str = "meets";

    async fn run(self, mut me: impl Process) -> Result<(), ProcessError> {
        let template = me.make_template(Node(1)).await?;
        me.make_process(template, Node(1), ProcessParams::default(), Met).await?;
        let queue = me.named_queue("line", 3).await?;
        let event = me.make_event().await?;
        note(&self.0, me.take(queue, event).await?);
        let other = me.named_queue("line", 4).await;
        assert!(matches!(other, Err(ProcessError::OtherCapacity { capacity: 3, wanted: 4, .. })));
        me.delete(queue).await?;
        let again = me.named_queue("line", 4).await?;
        note(&self.0, u64::from(again == queue));
        Ok(())
    }
}

impl Code for Met {
    const NAME: &'static str = "met";

    async fn run(self, mut me: impl Process) -> Result<(), ProcessError> {
        let queue = me.named_queue("line", 3).await?;
        me.enqueue(queue, 42).await
    }
}

#[test]
fn twin_processes_meet_at_a_queue_that_they_name() {
    for log in twin(Meets) {
        assert_eq!(log, [42, 0]);
    }
}
