//! Event-driven processes on the simulated machine: the papers' programs, and what each call means.

#![expect(clippy::unwrap_used, reason = "a test stops at what it did not expect")]

mod random;
mod refused;

use std::sync::{Arc, Mutex};
use windfall_programs::{Code, Costs, EventId, Node, Process, ProcessError, ProcessParams, Queue};
use windfall_scenario::outcome::Outcome;
use windfall_scenario::{Home, Plan, PlannedThread, Scenario};
use windfall_sim::Sim;
use windfall_time::{Instant, Span};
use windfall_trace::{Event as Record, Sink};

fn us(count: u64) -> Span {
    Span::from_nanos(count * 1_000)
}

fn at(micros: u64) -> Instant {
    Instant::ZERO + us(micros)
}

/// A machine of so many nodes, each with a processor or more and round robin on it.
fn plan(nodes: u8, processors: u16, quantum: Span, costs: Costs) -> Plan {
    let mut text = format!(
        "schema = 2\nseed = 1\nlength = \"10s\"\n[machine]\nprocessors = {}\n",
        u16::from(nodes) * processors
    );
    for node in 0..nodes {
        text += &format!(
            "[schedulers.node-{node}]\nscheduler = \"round-robin\"\nparent = \"top\"\n\
             processors = {processors}\nquantum = \"{quantum}\"\n"
        );
    }
    let scenario = Scenario::parse("test.toml", &text).map_err(|wrong| wrong.render(false));
    let mut plan = scenario.unwrap().build().unwrap();
    let home = |(_, scheduler): &(_, _)| Home::new(*scheduler, |_| Vec::new());
    plan.processes.nodes = plan.nodes.iter().map(home).collect();
    plan.processes.costs = costs;
    plan
}

type Recorded = Vec<(Instant, Record)>;

/// Everything that was recorded.
#[derive(Default)]
struct Records(Recorded);

impl Sink for Records {
    fn record(&mut self, at: Instant, event: &Record) {
        self.0.push((at, event.clone()));
    }
}

/// Runs one first process, which makes all others.
fn run(mut plan: Plan, first: impl Code, until: Instant) -> (Outcome, Recorded) {
    let home = plan.processes.nodes[0];
    plan.threads.push(PlannedThread::process(Node(0), &home, &ProcessParams::default(), first));
    let mut records = Records::default();
    let outcome = Sim::of(plan, Some(&mut records)).unwrap().run(until, |_| true);
    (outcome, records.0)
}

fn fine(outcome: &Outcome) {
    assert_eq!(outcome.failure, None);
    assert_eq!((&outcome.refused[..], &outcome.not_admitted[..]), (&[][..], &[][..]));
}

/// Notes of processes, in order.
type Log<T> = Arc<Mutex<Vec<T>>>;

fn note<T>(log: &Log<T>, one: T) {
    log.lock().unwrap().push(one);
}

fn notes<T: Clone>(log: &Log<T>) -> Vec<T> {
    log.lock().unwrap().clone()
}

/// Calls everything once, and reads the clock after each.
#[derive(Clone)]
struct Caller(Log<(&'static str, Instant)>);

impl Code for Caller {
    const NAME: &'static str = "caller";
    const KIB: u64 = 5;

    async fn run(self, mut me: impl Process) -> Result<(), ProcessError> {
        let (log, id, this) = (self.0, EventId(1), me.me());
        macro_rules! timed {
            ($name:literal, $call:expr) => {{
                let answer = $call.await;
                let now = me.now().await;
                note(&log, ($name, now));
                answer
            }};
        }
        me.now().await;
        let event = timed!("make", me.make_event())?;
        timed!("post", me.post(event, 1))?;
        assert_eq!(timed!("reset", me.test(event))?, Some(1));
        assert_eq!(timed!("wait", me.wait())?.datum, 1);
        let near = timed!("make", me.make_queue(Node(0), 1))?;
        timed!("enqueue", me.enqueue(near, 2))?;
        assert_eq!(timed!("dequeue", me.dequeue(near, event))?, Some(2));
        assert_eq!(timed!("dequeue", me.dequeue(near, event))?, None);
        timed!("enqueue and post", me.enqueue(near, 3))?;
        assert_eq!(timed!("wait", me.mwait(&[event]))?.datum, 3);
        let far = timed!("make", me.make_queue(Node(1), 1))?;
        timed!("enqueue far", me.enqueue(far, 4))?;
        timed!("wakeup", me.wakeup(this))?;
        timed!("block", me.block());
        timed!("add", me.add_event(id))?;
        assert!(timed!("del", me.del_event(id)));
        assert_eq!(timed!("notify", me.notify(id)), 0);
        timed!("wait event", me.wait_event(id));
        timed!("delete", me.delete(event))?;
        timed!("load", me.make_template::<Caller>(Node(0)))?;
        Ok(())
    }
}

#[test]
fn law_each_call_takes_what_the_plan_says() {
    let costs = Costs::default()
        .now(us(1))
        .make(us(2))
        .post(us(3))
        .reset(us(4))
        .wait(us(5))
        .enqueue(us(6))
        .dequeue(us(7))
        .wakeup(us(8))
        .block(us(9))
        .add_event(us(10))
        .del_event(us(11))
        .notify(us(12))
        .wait_event(us(13))
        .delete(us(14))
        .make_template(us(15))
        .load(us(16))
        .remote(us(17));
    let cost = |name: &str| match name {
        "enqueue and post" => 6 + 3,
        "enqueue far" => 6 + 17,
        "load" => 15 + 5 * 16,
        name => {
            let names = [
                "make",
                "post",
                "reset",
                "wait",
                "enqueue",
                "dequeue",
                "wakeup",
                "block",
                "add",
                "del",
                "notify",
                "wait event",
                "delete",
            ];
            2 + names.iter().position(|other| *other == name).unwrap() as u64
        }
    };
    let log = Log::default();
    let (outcome, _) = run(plan(2, 1, us(10_000), costs), Caller(log.clone()), at(10_000));
    fine(&outcome);
    let mut now = at(1);
    for (name, then) in notes(&log) {
        assert_eq!(then - now, us(cost(name) + 1), "{name}");
        now = then;
    }
    assert_eq!(outcome.threads[0].received, now - Instant::ZERO);
    let [loaded] = &outcome.processes.loaded[..] else { panic!("{:?}", outcome.processes) };
    assert_eq!((loaded.name, loaded.kib, loaded.took), ("caller", 5, us(95)));
}

/// Puts messages into a queue, and ends with one that says so.
#[derive(Clone)]
struct Generator {
    queue: Queue,
    messages: u64,
    each: Span,
}

impl Code for Generator {
    const NAME: &'static str = "generator";
    const KIB: u64 = 3;

    async fn run(self, mut me: impl Process) -> Result<(), ProcessError> {
        let mut sent = 0;
        while sent < self.messages {
            me.compute(self.each).await;
            match me.enqueue(self.queue, sent).await {
                Ok(()) => sent += 1,
                Err(ProcessError::QueueFull { .. }) => me.yield_now().await,
                Err(other) => return Err(other),
            }
        }
        Ok(())
    }
}

/// Discards messages.
#[derive(Clone)]
struct SimpleSink {
    queue: Queue,
    each: Span,
    log: Log<u64>,
}

impl Code for SimpleSink {
    const NAME: &'static str = "sink";

    async fn run(self, mut me: impl Process) -> Result<(), ProcessError> {
        let event = me.make_event().await?;
        loop {
            let message = me.take(self.queue, event).await?;
            me.compute(self.each).await;
            note(&self.log, message);
        }
    }
}

/// Makes a generator and a simple sink with a queue between them.
#[derive(Clone)]
struct Bsat {
    messages: u64,
    sink: Node,
    log: Log<u64>,
}

impl Code for Bsat {
    const NAME: &'static str = "bsat";

    async fn run(self, mut me: impl Process) -> Result<(), ProcessError> {
        let queue = me.make_queue(self.sink, 32).await?;
        let template = me.make_template(self.sink).await?;
        let sink = SimpleSink { queue, each: us(152), log: self.log };
        me.make_process(template, self.sink, ProcessParams::default(), sink).await?;
        let here = me.node();
        let template = me.make_template(here).await?;
        let generator = Generator { queue, messages: self.messages, each: us(552) };
        me.make_process(template, here, ProcessParams::default(), generator).await?;
        Ok(())
    }
}

#[test]
fn paper_a_message_generator_and_a_simple_sink() {
    let costs = Costs::default().load(us(100)).post(us(16));
    let log = Log::default();
    let bsat = Bsat { messages: 500, sink: Node(0), log: log.clone() };
    let (outcome, _) = run(plan(1, 1, us(10_000), costs), bsat, at(1_000_000));
    fine(&outcome);
    assert_eq!(notes(&log), (0..500).collect::<Vec<_>>());
    let received = |name: &str| {
        outcome.threads.iter().find(|thread| thread.name == name).map(|thread| thread.received)
    };
    assert_eq!(received("bsat"), Some(us(300)), "3 KiB were loaded");
    assert_eq!(received("sink-1"), Some(us(152 * 500)));
    // Each time the sink waits, the next message is posted to it.
    let generated = received("generator-1").unwrap().as_nanos() - us(552 * 500).as_nanos();
    assert!(generated > 0 && generated.is_multiple_of(16_000), "{generated}");
}

#[test]
fn law_posts_to_another_node_take_their_time_and_nobodys_processor() {
    let costs = Costs::default().latency(us(70));
    let log = Log::default();
    let bsat = Bsat { messages: 1, sink: Node(1), log: log.clone() };
    let (outcome, records) = run(plan(2, 1, us(10_000), costs), bsat, at(5_000));
    fine(&outcome);
    assert_eq!(notes(&log), [0]);
    let woken = records.iter().filter_map(|(at, record)| match record {
        Record::Wake { thread, by: Some(by) } => Some((*at, thread.0, by.0)),
        _ => None,
    });
    assert_eq!(woken.collect::<Vec<_>>(), [(at(552 + 70), 1, 2)]);
    assert_eq!(outcome.cpus[0].received, us(552));
    assert_eq!(outcome.cpus[1].received, us(152));
}

/// Waits for a timer, for one that it takes back, and sleeps.
#[derive(Clone)]
struct Timed(Log<(u64, Instant)>);

impl Code for Timed {
    const NAME: &'static str = "timed";

    async fn run(self, mut me: impl Process) -> Result<(), ProcessError> {
        let (first, second) = (me.make_event().await?, me.make_event().await?);
        me.post_at(first, 1, at(1_100)).await?;
        me.post_at(second, 2, at(500)).await?;
        assert!(me.cancel(second).await?);
        let posted = me.wait().await?;
        note(&self.0, (posted.datum, me.now().await));
        me.sleep_until(at(3_000)).await;
        me.post_at(second, 3, at(1)).await?; // that has passed
        note(&self.0, (me.mwait(&[second]).await?.datum, me.now().await));
        assert_eq!(me.test(first).await?, None);
        Ok(())
    }
}

#[test]
fn law_a_timer_posts_when_the_timer_of_the_machine_goes_off() {
    let log = Log::default();
    fine(&run(plan(1, 1, us(10_000), Costs::default()), Timed(log.clone()), at(9_000)).0);
    assert_eq!(notes(&log), [(1, at(1_100)), (3, at(3_000))]);
    let log = Log::default();
    let mut ticks = plan(1, 1, us(10_000), Costs::default());
    ticks.machine.timer = windfall_scenario::model::Timer::Ticks(500);
    fine(&run(ticks, Timed(log.clone()), at(9_000)).0);
    assert_eq!(notes(&log), [(1, at(2_000)), (3, at(4_000))]);
}
