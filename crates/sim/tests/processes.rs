//! Event-driven processes on the simulated machine: the papers' programs, and random ones.

use proptest::prelude::*;
use std::sync::{Arc, Mutex};
use windfall_programs::{
    Code, Costs, EventId, Node, Process, ProcessHandle, Queue, Refusal, Terms,
};
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
        "schema = 1\nseed = 1\nlength = \"10s\"\n[machine]\nprocessors = {}\n",
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
    let home = |(_, scheduler): &(_, _)| Home { scheduler: *scheduler, asks: |_| Vec::new() };
    plan.processes.nodes = plan.nodes.iter().map(home).collect();
    plan.processes.costs = costs;
    plan
}

/// Everything that was recorded.
#[derive(Default)]
struct Records(Vec<(Instant, Record)>);

impl Sink for Records {
    fn record(&mut self, at: Instant, event: &Record) {
        self.0.push((at, event.clone()));
    }
}

/// Runs one first process, which makes all others.
fn run(mut plan: Plan, first: impl Code, until: Instant) -> (Outcome, Vec<(Instant, Record)>) {
    let home = plan.processes.nodes[0];
    plan.threads.push(PlannedThread::process(Node(0), &home, &Terms::default(), first));
    let mut records = Records::default();
    let outcome = Sim::of(plan, Some(&mut records)).unwrap().run(until, |_| true);
    (outcome, records.0)
}

fn fine(outcome: &Outcome) {
    assert_eq!(outcome.failure, None);
    assert_eq!((&outcome.refused[..], &outcome.unborn[..]), (&[][..], &[][..]));
}

/// What processes have noted, in order.
type Log<T> = Arc<Mutex<Vec<T>>>;

fn note<T>(log: &Log<T>, one: T) {
    log.lock().unwrap().push(one);
}

fn notes<T: Clone>(log: &Log<T>) -> Vec<T> {
    log.lock().unwrap().clone()
}

/// Script A of the memo, which starts B; step by step into the log.
#[derive(Clone)]
struct ScriptA {
    log: Log<(u32, Instant)>,
    loops: u32,
}

#[derive(Clone)]
struct ScriptB {
    log: Log<(u32, Instant)>,
    partner: ProcessHandle,
}

const TEN: EventId = EventId(10);
const ELEVEN: EventId = EventId(11);

async fn step(me: &mut impl Process, log: &Log<(u32, Instant)>, step: u32) {
    let now = me.now().await;
    note(log, (step, now));
}

impl Code for ScriptA {
    const NAME: &'static str = "a";

    async fn run(self, mut me: impl Process) -> Result<(), Refusal> {
        let (node, log) = (me.node(), self.log);
        let template = me.make_template(node).await?;
        let script = ScriptB { log: log.clone(), partner: me.me() };
        let b = me.make_process(template, node, Terms::default(), script).await?;
        me.yield_now().await; // B blocks itself
        for _ in 0..self.loops {
            step(&mut me, &log, 1).await;
            me.wakeup(b).await?;
            step(&mut me, &log, 2).await;
            me.block().await;
            step(&mut me, &log, 5).await;
            me.wakeup(b).await?;
            step(&mut me, &log, 6).await;
            me.block().await;
            step(&mut me, &log, 11).await;
            assert_eq!(me.notify(TEN).await, 1);
            step(&mut me, &log, 12).await;
            me.block().await;
        }
        Ok(())
    }
}

impl Code for ScriptB {
    const NAME: &'static str = "b";

    async fn run(self, mut me: impl Process) -> Result<(), Refusal> {
        let (a, log) = (self.partner, self.log);
        me.block().await;
        loop {
            step(&mut me, &log, 3).await;
            me.wakeup(a).await?;
            step(&mut me, &log, 4).await;
            me.block().await;
            step(&mut me, &log, 7).await;
            me.wakeup(a).await?;
            step(&mut me, &log, 8).await;
            assert_eq!(me.notify(TEN).await, 0);
            step(&mut me, &log, 9).await;
            me.add_event(TEN).await?;
            step(&mut me, &log, 10).await;
            me.wait_event(TEN).await;
            step(&mut me, &log, 13).await;
            assert_eq!(me.notify(ELEVEN).await, 0);
            step(&mut me, &log, 14).await;
            me.add_event(ELEVEN).await?;
            step(&mut me, &log, 15).await;
            assert!(me.del_event(ELEVEN).await);
            step(&mut me, &log, 16).await;
            me.wait_event(ELEVEN).await;
            step(&mut me, &log, 17).await;
            me.wakeup(a).await?;
            step(&mut me, &log, 18).await;
            me.block().await;
        }
    }
}

#[test]
fn paper_the_scripts_of_the_memo_run_in_the_order_of_their_steps() {
    let costs = Costs {
        now: us(1),
        wakeup: us(880),
        block: us(330),
        notify: us(230),
        notify_each: us(100),
        add_event: us(228),
        ..Costs::default()
    };
    let log = Log::default();
    let script = ScriptA { log: log.clone(), loops: 3 };
    let (outcome, _) = run(plan(1, 1, Span::from_secs(1), costs), script, at(1_000_000));
    fine(&outcome);
    let (steps, times): (Vec<u32>, Vec<Instant>) = notes(&log).into_iter().unzip();
    assert_eq!(steps, (1..=18).cycle().take(3 * 18).collect::<Vec<_>>());
    let took = |step: usize| times[step] - times[step - 1];
    // From its own entry to the next one: the call, and reading the clock there.
    assert_eq!([1, 2, 11, 13, 14].map(took), [881, 331, 331, 231, 229].map(us));
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

    async fn run(self, mut me: impl Process) -> Result<(), Refusal> {
        let mut sent = 0;
        while sent < self.messages {
            me.compute(self.each).await;
            match me.enqueue(self.queue, sent).await {
                Ok(()) => sent += 1,
                Err(Refusal::QueueFull { .. }) => me.yield_now().await,
                Err(other) => return Err(other),
            }
        }
        Ok(())
    }
}

/// Discards messages.
#[derive(Clone)]
struct Sink1 {
    queue: Queue,
    each: Span,
    log: Log<u64>,
}

impl Code for Sink1 {
    const NAME: &'static str = "sink";

    async fn run(self, mut me: impl Process) -> Result<(), Refusal> {
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

    async fn run(self, mut me: impl Process) -> Result<(), Refusal> {
        let queue = me.make_queue(self.sink, 32).await?;
        let template = me.make_template(self.sink).await?;
        let sink = Sink1 { queue, each: us(152), log: self.log };
        me.make_process(template, self.sink, Terms::default(), sink).await?;
        let here = me.node();
        let template = me.make_template(here).await?;
        let generator = Generator { queue, messages: self.messages, each: us(552) };
        me.make_process(template, here, Terms::default(), generator).await?;
        Ok(())
    }
}

#[test]
fn paper_a_message_generator_and_a_simple_sink() {
    let costs = Costs { load: us(100), post: us(16), ..Costs::default() };
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
    assert!(generated > 0 && generated % 16_000 == 0, "{generated}");
}

#[test]
fn law_posts_to_another_node_take_their_time_and_nobodys_processor() {
    let costs = Costs { latency: us(70), ..Costs::default() };
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

/// Does as it is told: what one producer does before each datum.
#[derive(Clone, Debug)]
enum Manner {
    Compute(u64),
    Sleep(u64),
    Yield,
}

#[derive(Clone)]
struct Producer {
    number: u64,
    queues: Vec<Queue>,
    data: Vec<(Manner, usize)>,
}

impl Code for Producer {
    const NAME: &'static str = "producer";

    async fn run(self, mut me: impl Process) -> Result<(), Refusal> {
        for (place, (manner, queue)) in (0..).zip(self.data) {
            match manner {
                Manner::Compute(span) => me.compute(us(span)).await,
                Manner::Sleep(span) => {
                    let now = me.now().await;
                    me.sleep_until(now + us(span)).await;
                }
                Manner::Yield => me.yield_now().await,
            }
            let datum = self.number << 32 | place;
            while let Err(refusal) = me.enqueue(self.queues[queue % self.queues.len()], datum).await
            {
                let Refusal::QueueFull { .. } = refusal else { return Err(refusal) };
                let now = me.now().await;
                me.sleep_until(now + us(3)).await;
            }
        }
        Ok(())
    }
}

/// Takes from all queues with an event each, whichever comes.
#[derive(Clone)]
struct Consumer {
    queues: Vec<Queue>,
    work: u64,
    log: Log<(usize, u64)>,
}

impl Code for Consumer {
    const NAME: &'static str = "consumer";

    async fn run(self, mut me: impl Process) -> Result<(), Refusal> {
        let mut events = Vec::new();
        for _ in &self.queues {
            events.push(me.make_event().await?);
        }
        let mut waits = vec![false; events.len()];
        loop {
            for (place, event) in events.iter().enumerate() {
                while !waits[place] {
                    match me.dequeue(self.queues[place], *event).await? {
                        Some(datum) => note(&self.log, (place, datum)),
                        None => waits[place] = true,
                    }
                    me.compute(us(self.work)).await;
                }
            }
            let posted = me.wait().await?;
            let place = events.iter().position(|event| *event == posted.event).unwrap();
            note(&self.log, (place, posted.datum));
            waits[place] = false;
        }
    }
}

#[derive(Clone, Debug)]
struct Fair {
    nodes: u8,
    processors: u16,
    quantum: u64,
    cost: u64,
    latency: u64,
    capacity: usize,
    queues: u8,
    consumers: Vec<u64>,
    producers: Vec<Vec<(Manner, usize)>>,
}

fn fair() -> impl Strategy<Value = Fair> {
    let manner = prop_oneof![
        (0_u64..30).prop_map(Manner::Compute),
        (0_u64..30).prop_map(Manner::Sleep),
        Just(Manner::Yield),
    ];
    let producer = prop::collection::vec((manner, 0_usize..3), 0..25);
    let machine = (1_u8..3, 1_u16..3, 1_u64..50, 0_u64..4, 0_u64..20);
    let work = (1_usize..4, 1_u8..4, prop::collection::vec(0_u64..20, 1..4));
    (machine, work, prop::collection::vec(producer, 1..5)).prop_map(
        |(
            (nodes, processors, quantum, cost, latency),
            (capacity, queues, consumers),
            producers,
        )| Fair {
            nodes,
            processors,
            quantum,
            cost,
            latency,
            capacity,
            queues,
            consumers,
            producers,
        },
    )
}

/// Makes everything else, on the nodes in turn.
#[derive(Clone)]
struct Everything(Fair, Log<(usize, u64)>);

impl Code for Everything {
    const NAME: &'static str = "everything";

    async fn run(self, mut me: impl Process) -> Result<(), Refusal> {
        let Everything(fair, log) = self;
        let nodes = (0..fair.nodes).map(Node).cycle();
        let mut queues = Vec::new();
        for node in nodes.clone().take(usize::from(fair.queues)) {
            queues.push(me.make_queue(node, fair.capacity).await?);
        }
        let (consumer, producer) =
            (me.make_template(Node(0)).await?, me.make_template(Node(0)).await?);
        for (work, node) in fair.consumers.into_iter().zip(nodes.clone()) {
            let code = Consumer { queues: queues.clone(), work, log: log.clone() };
            me.make_process(consumer, node, Terms::default(), code).await?;
        }
        for ((number, data), node) in (0..).zip(fair.producers).zip(nodes.skip(1)) {
            let code = Producer { number, queues: queues.clone(), data };
            me.make_process(producer, node, Terms::default(), code).await?;
        }
        Ok(())
    }
}

impl Fair {
    fn run(&self) -> (Vec<(usize, u64)>, Vec<(Instant, Record)>) {
        let cost = us(self.cost);
        let costs = Costs {
            enqueue: cost,
            dequeue: cost,
            post: us(1),
            wait: cost,
            make_process: us(self.cost * 2),
            latency: us(self.latency),
            ..Costs::default()
        };
        let log = Log::default();
        let plan = plan(self.nodes, self.processors, us(self.quantum), costs);
        let (outcome, records) = run(plan, Everything(self.clone(), log.clone()), at(1_000_000));
        fine(&outcome);
        (notes(&log), records)
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    /// However programs are scheduled, everything that is put into a queue comes out once; what one
    /// process put into a queue that one process takes from comes out in that order.
    #[test]
    fn law_no_datum_is_lost_or_handed_over_twice(fair in fair()) {
        let (got, _) = fair.run();
        let mut sent: Vec<(usize, u64)> = Vec::new();
        for (number, data) in (0_u64..).zip(&fair.producers) {
            let queues = usize::from(fair.queues);
            sent.extend((0..).zip(data).map(|(place, (_, queue))| (queue % queues, number << 32 | place)));
        }
        if fair.consumers.len() == 1 && fair.nodes == 1 {
            for queue in 0..usize::from(fair.queues) {
                for number in 0..fair.producers.len() as u64 {
                    let of = |all: &[(usize, u64)]| -> Vec<(usize, u64)> {
                        let its = all.iter().filter(|(q, datum)| *q == queue && datum >> 32 == number);
                        its.copied().collect()
                    };
                    prop_assert_eq!(of(&got), of(&sent));
                }
            }
        }
        let mut got = got;
        got.sort_unstable();
        sent.sort_unstable();
        prop_assert_eq!(got, sent);
    }

    /// The same programs on the same machine do the same at the same time.
    #[test]
    fn law_equal_programs_give_equal_traces(fair in fair()) {
        let (first, second) = (fair.run(), fair.run());
        prop_assert_eq!(first.0, second.0);
        prop_assert!(first.1 == second.1, "the traces differ");
    }
}

/// Awaits something that is not its process's.
#[derive(Clone)]
struct Stray;

impl Code for Stray {
    const NAME: &'static str = "stray";

    async fn run(self, mut me: impl Process) -> Result<(), Refusal> {
        me.compute(us(5)).await;
        core::future::pending().await
    }
}

/// Asks for what it cannot have.
#[derive(Clone)]
struct Greedy;

impl Code for Greedy {
    const NAME: &'static str = "greedy";

    async fn run(self, mut me: impl Process) -> Result<(), Refusal> {
        me.compute(us(5)).await;
        me.wait().await.map(|_| ())
    }
}

/// Reads the clock for ever.
#[derive(Clone)]
struct Restless;

impl Code for Restless {
    const NAME: &'static str = "restless";

    async fn run(self, mut me: impl Process) -> Result<(), Refusal> {
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
struct Maker(Log<Refusal>);

impl Code for Maker {
    const NAME: &'static str = "maker";

    async fn run(self, mut me: impl Process) -> Result<(), Refusal> {
        let template = me.make_template(Node(1)).await?;
        let made = me.make_process(template, Node(1), Terms::default(), Stray).await;
        self.0.lock().unwrap().extend(made.err());
        me.compute(us(5)).await;
        Ok(())
    }
}

#[test]
fn refuses_a_process_that_its_scheduler_will_not_have() {
    let mut plan = plan(2, 1, us(1_000), Costs::default());
    plan.processes.nodes[1].asks = |_| vec![windfall_hierarchy::Message::Share(3)];
    let log = Log::default();
    let (outcome, _) = run(plan, Maker(log.clone()), at(100));
    assert_eq!(notes(&log), [Refusal::NotAdmitted { node: Node(1) }]);
    assert_eq!(outcome.failure, None);
    assert_eq!((outcome.threads.len(), outcome.refused.len()), (1, 1));
}
