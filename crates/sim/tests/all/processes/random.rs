//! Random programs: producers and consumers on nodes, queues between them.

use super::*;
use proptest::prelude::*;

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

    async fn run(self, mut me: impl Process) -> Result<(), ProcessError> {
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
                let ProcessError::QueueFull { .. } = refusal else { return Err(refusal) };
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

    async fn run(self, mut me: impl Process) -> Result<(), ProcessError> {
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

    async fn run(self, mut me: impl Process) -> Result<(), ProcessError> {
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
            me.make_process(consumer, node, ProcessParams::default(), code).await?;
        }
        for ((number, data), node) in (0..).zip(fair.producers).zip(nodes.skip(1)) {
            let code = Producer { number, queues: queues.clone(), data };
            me.make_process(producer, node, ProcessParams::default(), code).await?;
        }
        Ok(())
    }
}

impl Fair {
    fn run(&self) -> (Vec<(usize, u64)>, Recorded) {
        let cost = us(self.cost);
        let costs = Costs::default()
            .enqueue(cost)
            .dequeue(cost)
            .post(us(1))
            .wait(cost)
            .make_process(us(self.cost * 2))
            .latency(us(self.latency));
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
