//! Random producers and consumers on nodes, with a queue between them.

use super::*;
use proptest::prelude::*;

/// A producer's action before each datum.
#[derive(Clone, Debug)]
enum Manner {
    Compute(u64),
    Sleep(u64),
    Yield,
}

#[derive(Clone, Debug)]
struct Fair {
    capacity: usize,
    consumers: Vec<bool>,
    producers: Vec<Vec<Manner>>,
}

fn fair() -> impl Strategy<Value = Fair> {
    let manner = prop_oneof![
        (0_u64..30).prop_map(Manner::Compute),
        (0_u64..30).prop_map(Manner::Sleep),
        Just(Manner::Yield),
    ];
    let producers = prop::collection::vec(prop::collection::vec(manner, 0..40), 1..4);
    (1_usize..5, prop::collection::vec(any::<bool>(), 1..4), producers)
        .prop_map(|(capacity, consumers, producers)| Fair { capacity, consumers, producers })
}

#[derive(Clone)]
struct Producer(u64, Vec<Manner>, Queue);

impl Code for Producer {
    const NAME: &'static str = "producer";

    async fn run(self, mut me: impl Process) -> Result<(), ProcessError> {
        let Producer(number, manners, queue) = self;
        for (place, manner) in (0..).zip(manners) {
            match manner {
                Manner::Compute(span) => me.compute(us(span)).await,
                Manner::Sleep(span) => {
                    let now = me.now().await;
                    me.sleep_until(now + us(span)).await;
                }
                Manner::Yield => me.yield_now().await,
            }
            put(&mut me, queue, number << 32 | place).await?;
        }
        put(&mut me, queue, u64::MAX).await
    }
}

/// Puts a datum in as soon as it fits.
async fn put(me: &mut impl Process, queue: Queue, datum: u64) -> Result<(), ProcessError> {
    while let Err(refusal) = me.enqueue(queue, datum).await {
        let ProcessError::QueueFull { .. } = refusal else { return Err(refusal) };
        let now = me.now().await;
        me.sleep_until(now + us(20)).await;
    }
    Ok(())
}

/// Takes until it is told that there is no more, and passes that on.
#[derive(Clone)]
struct Consumer {
    queue: Queue,
    /// Whether it waits for a while only, and then asks anew.
    impatient: bool,
    last: EventId,
    producers: usize,
    ended: Arc<Mutex<usize>>,
    log: Log<(ProcessHandle, u64)>,
}

impl Code for Consumer {
    const NAME: &'static str = "consumer";

    async fn run(self, mut me: impl Process) -> Result<(), ProcessError> {
        let [event, alarm] = [me.make_event().await?, me.make_event().await?];
        loop {
            let datum = match me.dequeue(self.queue, event).await? {
                Some(datum) => datum,
                None if self.impatient => {
                    let at = me.now().await + us(30);
                    me.post_at(alarm, 0, at).await?;
                    let first = me.wait().await?;
                    me.cancel(alarm).await?;
                    me.reset(alarm).await?;
                    let taken = if first.event == event { Some(first.datum) } else { None };
                    match taken.or(me.reset(event).await?) {
                        Some(datum) => datum,
                        None => continue,
                    }
                }
                None => me.mwait(&[event]).await?.datum,
            };
            if datum == u64::MAX {
                let over = {
                    let mut ended = self.ended.lock().unwrap();
                    *ended += 1;
                    *ended >= self.producers
                };
                if over {
                    put(&mut me, self.queue, u64::MAX).await?; // the others shall end, too
                    me.notify(self.last).await;
                    return Ok(());
                }
                continue;
            }
            note(&self.log, (me.me(), datum));
        }
    }
}

#[derive(Clone)]
struct Everything(Fair, Log<(ProcessHandle, u64)>);

impl Code for Everything {
    const NAME: &'static str = "everything";

    async fn run(self, mut me: impl Process) -> Result<(), ProcessError> {
        let Everything(fair, log) = self;
        let queue = me.make_queue(Node(1), fair.capacity + fair.consumers.len()).await?;
        let (consumer, producer) =
            (me.make_template(Node(0)).await?, me.make_template(Node(0)).await?);
        let (ended, producers, last) = (Arc::default(), fair.producers.len(), EventId(5));
        me.add_event(last).await?;
        for (impatient, node) in fair.consumers.into_iter().zip([0, 1].into_iter().cycle()) {
            let (ended, log) = (Arc::clone(&ended), log.clone());
            let code = Consumer { queue, impatient, last, producers, ended, log };
            me.make_process(consumer, Node(node), ProcessParams::default(), code).await?;
        }
        for ((number, manners), node) in (0..).zip(fair.producers).zip([1, 0].into_iter().cycle()) {
            let code = Producer(number, manners, queue);
            me.make_process(producer, Node(node), ProcessParams::default(), code).await?;
        }
        me.wait_event(last).await;
        Ok(())
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    /// In any order of execution, every datum comes out once, those of one producer to one consumer in
    /// their order.
    #[test]
    fn twin_no_datum_is_lost_or_handed_over_twice(fair in fair()) {
        let logs = twin(|log| Everything(fair.clone(), log));
        for log in logs {
            let (mut sent, mut last) = (Vec::new(), std::collections::BTreeMap::new());
            for (number, manners) in (0_u64..).zip(&fair.producers) {
                sent.extend((0..manners.len() as u64).map(|place| number << 32 | place));
            }
            for (consumer, datum) in &log {
                let before = last.insert((*consumer, datum >> 32), *datum);
                prop_assert!(before.is_none_or(|before| before < *datum));
            }
            let mut got: Vec<u64> = log.into_iter().map(|(_, datum)| datum).collect();
            got.sort_unstable();
            prop_assert_eq!(got, sent);
        }
    }
}
