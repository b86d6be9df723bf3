//! What a vote over three services of shared memory takes, beside three bare services of iceoryx2 that are read in turn, and whose values are compared. Rounds of both are interleaved, so that load on the machine meets both.
//!
//! Services are filled by one thread with skew, and read by another. A second pair of figures is of the reader alone, on one thread, with all values there.

use iceoryx2::node::NodeBuilder;
use iceoryx2::port::publisher::Publisher;
use iceoryx2::port::subscriber::Subscriber;
use iceoryx2::prelude::{SignalHandlingMode, ipc};
use std::hint::{black_box, spin_loop};
use std::sync::Barrier;
use std::sync::atomic::{AtomicU64, Ordering};
use windfall_clocks::{Lap, median};
use windfall_nmr::{Iteration, Majority, ReplicaNumber, Report, Settings, Voter};
use windfall_ports::transport::{Record, Transport};
use windfall_remote::shared_memory::{SharedMemory, clean, config};
use windfall_time::{Instant, Span};

const VOTES: u64 = 100_000;
const ROUNDS: usize = 11;
/// How many iterations the replicas are apart.
const SKEWS: [u64; 3] = [0, 3, 7];
/// The filler is at most so many iterations ahead of the reader: nothing is lost.
const AHEAD: u64 = 200;
/// So many iterations at once.
const BATCH: usize = 32;
const READER: usize = 3;
const NOW: Instant = Instant::ZERO;

type To = Publisher<ipc::Service, [u64; 2], ()>;
type From = Subscriber<ipc::Service, [u64; 2], ()>;

fn each(time: Span, count: u64) -> f64 {
    time.as_secs_f64() * 1e9 / f64::from(u32::try_from(count).expect("few enough"))
}

/// Calls with each iteration of each replica, in an order with skew.
fn fill(until: impl Fn(u64), mut send: impl FnMut(usize, u64)) {
    for step in 1..=VOTES + SKEWS[2] {
        until(step);
        for (replica, skew) in SKEWS.iter().enumerate() {
            if let Some(iteration) = step.checked_sub(*skew).filter(|i| (1..=VOTES).contains(i)) {
                send(replica, iteration);
            }
        }
    }
}

/// The node of bare services goes with them.
fn bare_ports<P>(
    run: u64,
    port: impl Fn(
        &iceoryx2::service::port_factory::publish_subscribe::PortFactory<ipc::Service, [u64; 2], ()>,
    ) -> P,
) -> (Vec<P>, iceoryx2::node::Node<ipc::Service>) {
    let config = config().expect("it is known who runs this");
    let builder = NodeBuilder::new().config(&config);
    let builder = builder.signal_handling_mode(SignalHandlingMode::Disabled);
    let node = builder.create::<ipc::Service>().expect("a node");
    let ports = (0..3).map(|replica| {
        let name = format!("windfall-bare/{run}/{replica}");
        let name = name.as_str().try_into().expect("a name");
        let service = node.service_builder(&name).publish_subscribe::<[u64; 2]>();
        let service = service.subscriber_max_buffer_size(1_024).open_or_create();
        port(&service.expect("a service"))
    });
    (ports.collect(), node)
}

fn writers(run: u64) -> (Vec<To>, iceoryx2::node::Node<ipc::Service>) {
    bare_ports(run, |service| service.publisher_builder().create().expect("a publisher"))
}

fn readers(run: u64) -> (Vec<From>, iceoryx2::node::Node<ipc::Service>) {
    bare_ports(run, |service| service.subscriber_builder().create().expect("a subscriber"))
}

fn take(from: &From) -> [u64; 2] {
    loop {
        if let Some(sample) = from.receive().expect("it is open") {
            return *sample;
        }
        spin_loop();
    }
}

fn compare(from: &[From]) {
    let [one, two, three] = [take(&from[0]), take(&from[1]), take(&from[2])];
    assert!(black_box(one == two && two == three), "equal values in order");
}

/// A voter that is offered what comes.
struct Reader {
    end: SharedMemory,
    voter: Voter<u64, Majority>,
    votes: u64,
}

impl Reader {
    fn new(run: u64) -> Reader {
        let end = SharedMemory::open(READER, 4, run).expect("shared memory");
        let settings = Settings::new(3).queue(64);
        let voter = Voter::new(&settings, Majority::EXACT).expect("it can be");
        Reader { end, voter, votes: 0 }
    }

    /// Until there are so many votes: what has come from one replica after the other.
    fn reads(&mut self, votes: u64) {
        while self.votes < votes {
            for replica in 0..3 {
                let values = self.end.receive_all(replica.into()).take(BATCH);
                let values = values.map(|[iteration, value, ..]| (Iteration(iteration), value));
                let votes = &mut self.votes;
                self.voter.receive_all(ReplicaNumber(replica), values, |report| {
                    *votes += u64::from(matches!(report, Report::Voted { .. }));
                });
            }
        }
    }
}

fn senders(run: u64) -> Vec<SharedMemory> {
    (0..3).map(|own| SharedMemory::open(own, 4, run).expect("shared memory")).collect()
}

fn send(senders: &mut [SharedMemory], replica: usize, iteration: u64) {
    let record: Record = [iteration, iteration, 0, 0, 0, 0, 0, 0];
    assert!(senders[replica].send(NOW, READER, record));
}

/// One thread fills, the other reads: nanoseconds a vote of bare services, and of ours.
fn two_threads(run: u64) -> [f64; 2] {
    let (read, ready) = (AtomicU64::new(0), Barrier::new(2));
    let waits = |step: u64| {
        while step > read.load(Ordering::Acquire) + AHEAD {
            spin_loop();
        }
    };
    let bare = std::thread::scope(|scope| {
        scope.spawn(|| {
            let (ports, _node) = writers(run);
            ready.wait();
            ready.wait();
            fill(waits, |replica, i| _ = ports[replica].send_copy([i, i]).expect("there is room"));
            ready.wait();
        });
        let (ports, _node) = readers(run);
        ready.wait();
        ready.wait();
        let lap = Lap::begin();
        for vote in 1..=VOTES {
            compare(&ports);
            read.store(vote, Ordering::Release);
        }
        let time = lap.each(VOTES);
        ready.wait();
        time
    });
    read.store(0, Ordering::Release);
    let ours = std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut senders = senders(run);
            ready.wait();
            ready.wait();
            fill(waits, |replica, iteration| send(&mut senders, replica, iteration));
            ready.wait();
        });
        let mut reader = Reader::new(run);
        ready.wait();
        ready.wait();
        let lap = Lap::begin();
        for vote in 1..=VOTES {
            reader.reads(vote);
            read.store(vote, Ordering::Release);
        }
        let time = lap.each(VOTES);
        ready.wait();
        time
    });
    [bare, ours]
}

/// One thread, in batches: what the reader alone takes.
fn reader_alone(run: u64) -> [f64; 2] {
    let (to, _node) = writers(run);
    let (from, _other) = readers(run);
    let mut senders = senders(run);
    let mut reader = Reader::new(run);
    let size = BATCH as u64;
    let batches = VOTES / size;
    // A lap is some microseconds, so its two readings count.
    let nothing = Lap::of_nothing();
    let (mut bare, mut ours) = (Span::ZERO, Span::ZERO);
    for batch in 0..batches {
        let iterations = batch * size + 1..=(batch + 1) * size;
        for iteration in iterations.clone() {
            for (replica, to) in to.iter().enumerate() {
                to.send_copy([iteration; 2]).expect("there is room");
                send(&mut senders, replica, iteration);
            }
        }
        let lap = Lap::begin();
        iterations.for_each(|_| compare(&from));
        bare += lap.passed().saturating_sub(nothing);
        let lap = Lap::begin();
        reader.reads((batch + 1) * size);
        ours += lap.passed().saturating_sub(nothing);
    }
    [each(bare, batches * size), each(ours, batches * size)]
}

fn main() {
    let run = u64::from(std::process::id());
    for (what, measure) in
        [("two threads", two_threads as fn(u64) -> [f64; 2]), ("the reader alone", reader_alone)]
    {
        let rounds: Vec<[f64; 2]> = (0..ROUNDS).map(|_| measure(run)).collect();
        let of = |place: usize| median(rounds.iter().map(|round| round[place]).collect());
        let ratio = median(rounds.iter().map(|[bare, ours]| ours / bare).collect());
        println!(
            "{what}: three bare services {:.0} ns a vote, ours with a voter {:.0} ns, ratio {ratio:.2}",
            of(0),
            of(1)
        );
    }
    clean().expect("nothing is left");
}
