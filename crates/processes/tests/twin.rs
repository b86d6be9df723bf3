//! One body on both hosts: event-driven processes do the same on the simulated machine and as threads.
//!
//! Effects of speed may differ, and are not compared: which consumer gets a datum, though not that one does.
#![expect(clippy::unwrap_used, reason = "a test stops at what it did not expect")]

#[path = "twin/random.rs"]
mod random;

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

const LOOPS: u64 = 200;

/// Script A of the memo.
#[derive(Clone)]
struct ScriptA(Log<u8>);

/// Script B, which is blocked at first.
#[derive(Clone)]
struct ScriptB(Log<u8>, ProcessHandle);

impl Code for ScriptA {
    const NAME: &'static str = "script-a";

    async fn run(self, mut me: impl Process) -> Result<(), ProcessError> {
        let step = |number| note(&self.0, number);
        let template = me.make_template(Node(0)).await?;
        let code = ScriptB(self.0.clone(), me.me());
        let b = me.make_process(template, Node(0), ProcessParams::default(), code).await?;
        me.block().await; // until B is about to block
        for _ in 0..LOOPS {
            step(1);
            me.wakeup(b).await?;
            step(2);
            me.block().await;
            step(5);
            me.wakeup(b).await?;
            step(6);
            me.block().await;
            step(11);
            assert_eq!(me.notify(EventId(10)).await, 1);
            step(12);
            me.block().await;
        }
        Ok(())
    }
}

impl Code for ScriptB {
    const NAME: &'static str = "script-b";

    async fn run(self, mut me: impl Process) -> Result<(), ProcessError> {
        let step = |number| note(&self.0, number);
        let a = self.1;
        me.wakeup(a).await?;
        for _ in 0..LOOPS {
            me.block().await;
            step(3);
            me.wakeup(a).await?;
            step(4);
            me.block().await;
            step(7);
            me.wakeup(a).await?;
            step(8);
            assert_eq!(me.notify(EventId(10)).await, 0);
            step(9);
            me.add_event(EventId(10)).await?;
            step(10);
            me.wait_event(EventId(10)).await;
            step(13);
            assert_eq!(me.notify(EventId(11)).await, 0);
            step(14);
            me.add_event(EventId(11)).await?;
            step(15);
            assert!(me.del_event(EventId(11)).await);
            step(16);
            me.wait_event(EventId(11)).await;
            step(17);
            me.wakeup(a).await?;
            step(18);
        }
        Ok(())
    }
}

/// With equal real-time priorities on one processor nobody runs before the other waits, as in the memo.
#[test]
fn twin_paper_the_scripts_of_the_memo_run_through_in_its_order() {
    let memo: Vec<u8> = (0..LOOPS).flat_map(|_| 1..=18).collect();
    let (simulated, real) = (Log::default(), Log::default());
    simulate(ScriptA(Arc::clone(&simulated)));
    assert_eq!(*simulated.lock().unwrap(), memo);
    let settings = two_nodes().real_time(1);
    match windfall_processes::run(&settings, ScriptA(Arc::clone(&real))) {
        Ok(run) => ended(&run),
        Err(why) if why.to_string().contains("real-time priority") => {
            return windfall_skips::skip(windfall_skips::Needs::Real, why);
        }
        Err(why) => panic!("{why}"),
    }
    assert_eq!(*real.lock().unwrap(), memo);
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

/// Every misuse, and what it is answered.
#[derive(Clone)]
struct Clumsy(Log<String>);

#[derive(Clone)]
struct Owner(ProcessHandle, Queue);

impl Code for Owner {
    const NAME: &'static str = "owner";

    async fn run(self, mut me: impl Process) -> Result<(), ProcessError> {
        let [shown, stands] = [me.make_event().await?, me.make_event().await?];
        me.enqueue(self.1, shown.datum()).await?;
        me.wakeup(self.0).await?;
        me.block().await;
        me.dequeue(self.1, stands).await?; // it dies standing there
        me.wakeup(self.0).await?;
        Ok(())
    }
}

impl Code for Clumsy {
    const NAME: &'static str = "clumsy";

    async fn run(self, mut me: impl Process) -> Result<(), ProcessError> {
        let this = me.me();
        macro_rules! told {
            ($call:expr) => {{
                let answer = $call.await;
                note(&self.0, format!("{answer:?}"));
                answer
            }};
        }
        let _ = told!(me.wait());
        let queue = me.make_queue(Node(0), 1).await?;
        let template = me.make_template(Node(0)).await?;
        let owner = Owner(this, queue);
        let owner = me.make_process(template, Node(0), ProcessParams::default(), owner).await?;
        me.block().await;
        let [event, other] = [me.make_event().await?, me.make_event().await?];
        let foreign = Event::from_datum(me.take(queue, event).await?);
        let _ = told!(me.reset(foreign));
        let _ = told!(me.mwait(&[]));
        let _ = told!(me.mwait(&[event, foreign]));
        let _ = told!(me.post_at(foreign, 1, Instant::ZERO));
        let _ = told!(me.post(event, 1));
        let _ = told!(me.post(event, 2));
        let _ = told!(me.dequeue(queue, event));
        let _ = told!(me.test(event));
        let _ = told!(me.wait());
        let _ = told!(me.dequeue(queue, event));
        let _ = told!(me.post(event, 3));
        let _ = told!(me.delete(queue));
        let _ = told!(me.dequeue(queue, event));
        let _ = told!(me.reset(event));
        let _ = told!(me.enqueue(queue, 4));
        let _ = told!(me.enqueue(queue, 5));
        let _ = told!(me.dequeue(queue, event));
        let _ = told!(me.delete(other));
        let _ = told!(me.post(other, 1));
        let _ = told!(me.make_queue(Node(9), 1));
        let _ = told!(me.make_queue(Node(0), 0));
        let _ = told!(me.post(Event::from_handle(queue.handle()), 1));
        let _ = told!(me.delete(this));
        let _ = told!(me.add_event(EventId(1)));
        let _ = told!(me.add_event(EventId(1)));
        let _ = told!(me.del_event(EventId(1)));
        let _ = told!(me.del_event(EventId(1)));
        let params = ProcessParams::new(4);
        let _ = told!(me.make_process(template, Node(0), params, Owner(this, queue)));
        let wrong = windfall_programs::Template::<Sink>::from_handle(template.handle());
        let code = Sink { queue, log: Log::default() };
        let _ = told!(me.make_process(wrong, Node(0), ProcessParams::default(), code));
        let far = me.now().await + Span::from_secs(1_000);
        me.post_at(event, 1, far).await?;
        let again =
            matches!(me.post_at(event, 2, far).await, Err(ProcessError::AlreadyTimed { .. }));
        note(&self.0, format!("{again}"));
        let _ = told!(me.cancel(event));
        let _ = told!(me.cancel(event));
        me.wakeup(owner).await?;
        me.block().await;
        // Its last wake-up came before its end.
        while me.wakeup(owner).await.is_ok() {
            let now = me.now().await;
            me.sleep_until(now + us(100)).await;
        }
        let _ = told!(me.enqueue(queue, 6));
        let _ = told!(me.enqueue(queue, 7));
        let _ = told!(me.dequeue(queue, event));
        let _ = told!(me.wakeup(owner));
        let _ = told!(me.post(foreign, 1));
        let _ = told!(me.delete(queue));
        let _ = told!(me.enqueue(queue, 8));
        let _ = told!(me.delete(template));
        let _ = told!(me.delete(template));
        Ok(())
    }
}

#[test]
fn twin_misuse_is_refused_alike() {
    let [simulated, real] = twin(Clumsy);
    let places = simulated.iter().zip(&real).enumerate();
    for (place, (simulated, real)) in places {
        assert_eq!(simulated, real, "answer {place}");
    }
    assert_eq!(simulated.len(), real.len());
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

/// Fails in every way in which a body can.
#[derive(Clone)]
struct Failing(u8);

impl Code for Failing {
    const NAME: &'static str = "failing";

    async fn run(self, mut me: impl Process) -> Result<(), ProcessError> {
        match self.0 {
            0 => me.mwait(&[]).await.map(|_| ()),
            1 => {
                std::future::pending::<()>().await;
                Ok(())
            }
            _ => panic!("on purpose"),
        }
    }
}

#[test]
fn refuses_bodies_that_cannot_go_on_and_says_why() {
    for (way, why) in [
        (0, "the set of events to wait for is empty"),
        (1, "nobody would wake it"),
        (2, "panicked"),
    ] {
        let run = windfall_processes::run(&two_nodes(), Failing(way)).unwrap();
        assert_eq!(run.failures.len(), 1);
        assert!(run.failures[0].why.contains(why), "{}", run.failures[0].why);
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
