//! What calls of event-driven processes take, beside a bare futex, all in one run: two threads, each pinned, on one
//! processor and apart.
//!
//! Each line is the median of some rounds; every round takes all measurements, one after the other.

use std::collections::BTreeMap;
use std::process::ExitCode;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use windfall_clocks::{Lap, median, quantile};
use windfall_os::futex;
use windfall_os::sched::Affinity;
use windfall_processes::{Settings, run};
use windfall_programs::{Code, EventId, Node, Process, ProcessError, ProcessHandle, ProcessParams};
use windfall_time::Span;

const ROUNDS: usize = 9;
/// Hand-overs in a round.
const TURNS: u32 = 20_000;
/// Calls in a batch, and batches in a round.
const BATCH: u32 = 256;
const BATCHES: u32 = 100;

type Table = Arc<Mutex<BTreeMap<(u32, String), Vec<f64>>>>;

fn main() -> ExitCode {
    let table = Table::default();
    for _ in 0..ROUNDS {
        for (place, cpus) in [("one processor", [1, 1]), ("apart", [0, 1])] {
            let bare = bare_futex(cpus);
            note(&table, 0, &format!("bare futex, hand-over ({place})"), bare);
            let first = First { table: table.clone(), cpus, place };
            let length = Span::from_secs(20);
            match run(&Settings::default().length(length), first) {
                Ok(ended) if ended.failures.is_empty() && ended.unfinished == 0 => {}
                other => {
                    eprintln!("{other:?}");
                    return ExitCode::FAILURE;
                }
            }
        }
    }
    let table = table.lock().map(|table| table.clone()).unwrap_or_default();
    println!("ns a call: median, least, most of {ROUNDS} rounds");
    for ((_, what), samples) in table {
        let [least, middle, most] = [0, 1, 2].map(|part| quantile(samples.clone(), part, 2));
        println!("  {what:<66} {middle:>9.1} {least:>9.1} {most:>9.1}");
    }
    ExitCode::SUCCESS
}

fn note(table: &Table, order: u32, what: &str, ns: f64) {
    if let Ok(mut table) = table.lock() {
        table.entry((order, what.to_owned())).or_default().push(ns);
    }
}

fn pin(cpu: usize) {
    let cpu = u16::try_from(cpu).expect("a machine has fewer");
    let _ = Affinity::one(cpu).give(0); // where it is not there, the kernel decides
}

/// The least that can be done: set a word and wake; sleep until it is set.
fn bare_futex(cpus: [usize; 2]) -> f64 {
    let words = [AtomicU32::new(0), AtomicU32::new(0)];
    let wake = |word: &AtomicU32| {
        word.store(1, Ordering::Release);
        futex::wake_one(word);
    };
    let sleep = |word: &AtomicU32| {
        while word.load(Ordering::Acquire) == 0 {
            futex::wait(word, 0);
        }
        word.store(0, Ordering::Relaxed);
    };
    std::thread::scope(|scope| {
        scope.spawn(|| {
            pin(cpus[1]);
            for _ in 0..TURNS + 100 {
                sleep(&words[1]);
                wake(&words[0]);
            }
        });
        scope
            .spawn(|| {
                pin(cpus[0]);
                for _ in 0..100 {
                    wake(&words[1]);
                    sleep(&words[0]);
                }
                let lap = Lap::begin();
                for _ in 0..TURNS {
                    wake(&words[1]);
                    sleep(&words[0]);
                }
                lap.each((2 * TURNS).into())
            })
            .join()
            .unwrap_or(f64::NAN)
    })
}

/// The first process, which measures.
#[derive(Clone)]
struct First {
    table: Table,
    cpus: [usize; 2],
    place: &'static str,
}

/// The other: answers wake-ups, then owns the events that are posted, then takes from a queue.
#[derive(Clone)]
struct Second {
    first: ProcessHandle,
    cpu: usize,
    queue: windfall_programs::Queue,
    table: Table,
    place: &'static str,
}

impl Code for Second {
    const NAME: &'static str = "second";

    async fn run(self, mut me: impl Process) -> Result<(), ProcessError> {
        pin(self.cpu);
        for _ in 0..TURNS + 100 {
            me.block().await;
            me.wakeup(self.first).await?;
        }
        me.block().await; // else the next wake-up and the last one could be one
        let mut waits = Vec::new();
        let lap = Lap::begin();
        let mut events = Vec::new();
        for _ in 0..BATCH {
            let event = me.make_event().await?;
            events.push(event);
        }
        note(&self.table, 12, &format!("make_event ({})", self.place), lap.each(BATCH.into()));
        for event in &events {
            me.enqueue(self.queue, event.datum()).await?;
        }
        me.wakeup(self.first).await?;
        for _ in 0..BATCHES {
            me.block().await;
            let lap = Lap::begin();
            for _ in 0..BATCH {
                me.wait().await?;
            }
            waits.push(lap.each(BATCH.into()));
            me.wakeup(self.first).await?;
        }
        note(&self.table, 3, &format!("wait, posted already ({})", self.place), median(waits));
        let mut takes = Vec::new();
        for _ in 0..BATCHES {
            me.block().await;
            let lap = Lap::begin();
            for _ in 0..BATCH {
                me.dequeue(self.queue, events[0]).await?;
            }
            takes.push(lap.each(BATCH.into()));
            me.wakeup(self.first).await?;
        }
        note(
            &self.table,
            5,
            &format!("dequeue that finds, another's ({})", self.place),
            median(takes),
        );
        for _ in 0..TURNS {
            me.take(self.queue, events[0]).await?;
            me.wakeup(self.first).await?;
        }
        Ok(())
    }
}

impl Code for First {
    const NAME: &'static str = "first";

    async fn run(self, mut me: impl Process) -> Result<(), ProcessError> {
        pin(self.cpus[0]);
        let place = self.place;
        let tell =
            |order, what: &str, ns| note(&self.table, order, &format!("{what} ({place})"), ns);
        let queue = me.make_queue(Node(0), 4096).await?;
        let template = me.make_template::<Second>(Node(0)).await?;
        let (first, table) = (me.me(), self.table.clone());
        let second = Second { first, cpu: self.cpus[1], queue, table, place };
        let second = me.make_process(template, Node(0), ProcessParams::default(), second).await?;
        for _ in 0..100 {
            me.wakeup(second).await?;
            me.block().await;
        }
        let lap = Lap::begin();
        for _ in 0..TURNS {
            me.wakeup(second).await?;
            me.block().await;
        }
        tell(1, "wakeup and block, hand-over", lap.each((2 * TURNS).into()));
        me.wakeup(second).await?;
        me.block().await;
        let own = me.make_event().await?;
        let mut events = Vec::new();
        for _ in 0..BATCH {
            let datum = me.dequeue(queue, own).await?.unwrap_or(0);
            events.push(windfall_programs::Event::from_datum(datum));
        }
        let mut posts = Vec::new();
        for _ in 0..BATCHES {
            let lap = Lap::begin();
            for event in &events {
                me.post(*event, 1).await?;
            }
            posts.push(lap.each(BATCH.into()));
            me.wakeup(second).await?;
            me.block().await;
        }
        tell(2, "post, nobody waits", median(posts));
        let mut puts = Vec::new();
        for _ in 0..BATCHES {
            let lap = Lap::begin();
            for datum in 0..BATCH {
                me.enqueue(queue, datum.into()).await?;
            }
            puts.push(lap.each(BATCH.into()));
            me.wakeup(second).await?;
            me.block().await;
        }
        tell(4, "enqueue that stores, for another", median(puts));
        let lap = Lap::begin();
        for _ in 0..TURNS {
            me.enqueue(queue, 1).await?;
            me.block().await;
        }
        tell(6, "enqueue, take and wakeup, block: hand-over", lap.each((2 * TURNS).into()));
        // Alone.
        let (mut puts, mut takes, mut pairs) = (Vec::new(), Vec::new(), Vec::new());
        let (mut adds, mut dels, mut notifies) = (Vec::new(), Vec::new(), Vec::new());
        let mut reads = Vec::new();
        for _ in 0..BATCHES {
            let lap = Lap::begin();
            for datum in 0..BATCH {
                me.enqueue(queue, datum.into()).await?;
            }
            puts.push(lap.each(BATCH.into()));
            let lap = Lap::begin();
            for _ in 0..BATCH {
                me.dequeue(queue, own).await?;
            }
            takes.push(lap.each(BATCH.into()));
            let lap = Lap::begin();
            for datum in 0..BATCH {
                me.enqueue(queue, datum.into()).await?;
                me.dequeue(queue, own).await?;
            }
            pairs.push(lap.each(BATCH.into()));
            let lap = Lap::begin();
            for _ in 0..BATCH {
                me.notify(EventId(8)).await;
            }
            notifies.push(lap.each(BATCH.into()));
            let lap = Lap::begin();
            for _ in 0..BATCH {
                me.now().await;
            }
            reads.push(lap.each(BATCH.into()));
            let (mut add, mut del) = (Span::ZERO, Span::ZERO);
            for _ in 0..BATCH / 8 {
                let lap = Lap::begin();
                for id in 0..8 {
                    me.add_event(EventId(id)).await?;
                }
                add += lap.passed();
                let lap = Lap::begin();
                for id in 0..8 {
                    me.del_event(EventId(id)).await;
                }
                del += lap.passed();
            }
            adds.push(add.as_nanos() as f64 / f64::from(BATCH));
            dels.push(del.as_nanos() as f64 / f64::from(BATCH));
        }
        tell(7, "enqueue that stores, alone", median(puts));
        tell(8, "dequeue that finds, alone", median(takes));
        tell(9, "enqueue and dequeue, alone, both", median(pairs));
        tell(10, "notify, nobody waits", median(notifies));
        tell(11, "add_event, eight in turn", median(adds));
        tell(11, "del_event, eight in turn", median(dels));
        tell(13, "now", median(reads));
        Ok(())
    }
}
