//! A vote over three rings, beside three bare rings of crate `rtrb` read in turn; the ring beside `rtrb`'s; bit by bit votes.
//!
//! One thread fills the rings, each with a skew of its own, another reads them. Rounds are interleaved, and ratios are medians of rounds. How near both processors are changes by itself on a virtual machine, so each round
//! says how long a bare ring took in it.

use std::hint::{black_box, spin_loop};
use windfall_clocks::{Lap, median};
use windfall_exchange::ring;
use windfall_nmr::{Iteration, Majority, ReplicaNumber, Report, Settings, Voter, words};

const VOTES: u64 = 2_000_000;
const SKEW: [u64; 3] = [0, 3, 7];
const CAPACITY: u32 = 1_024;
const ROUNDS: usize = 11;

const REPLICAS: [ReplicaNumber; 3] = [ReplicaNumber(0), ReplicaNumber(1), ReplicaNumber(2)];

/// What a record says.
fn read([iteration, value]: &[u64; 2]) -> (Iteration, u64) {
    (Iteration(*iteration), *value)
}

/// What a replica sends at a moment: none before its skew is over.
fn value_at(moment: u64, replica: usize) -> Option<u64> {
    let iteration = moment.checked_sub(SKEW[replica])?;
    (1..=VOTES).contains(&iteration).then_some(iteration)
}

/// Three bare rings, read in turn, of which two that agree make a vote.
fn bare(batch: usize) -> f64 {
    let mut to = Vec::new();
    let mut from = Vec::new();
    for _ in 0..3 {
        let (producer, consumer) = rtrb::RingBuffer::<[u64; 2]>::new(CAPACITY as usize);
        to.push(producer);
        from.push(consumer);
    }
    let lap = Lap::begin();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            fill(batch, |replica, records| {
                let mut left = records;
                while !left.is_empty() {
                    let room = to[replica].slots().min(left.len());
                    if room == 0 {
                        spin_loop();
                        continue;
                    }
                    let Ok(chunk) = to[replica].write_chunk_uninit(room) else { continue };
                    chunk.fill_from_iter(left[..room].iter().copied());
                    left = &left[room..];
                }
            })
        });
        let mut agreed = 0;
        for _ in 0..VOTES {
            let mut values = [[0; 2]; 3];
            for (value, ring) in values.iter_mut().zip(&mut from) {
                *value = loop {
                    match ring.pop() {
                        Ok(value) => break value,
                        Err(_) => spin_loop(),
                    }
                };
            }
            agreed += u64::from(values[0] == values[1] || values[1] == values[2]);
        }
        assert_eq!(black_box(agreed), VOTES);
    });
    lap.each(VOTES)
}

/// Fills three rings with records of iteration and value, in such batches.
fn fill(batch: usize, mut write: impl FnMut(usize, &[[u64; 2]])) {
    let mut records = [Vec::new(), Vec::new(), Vec::new()];
    for moment in 1..=VOTES + SKEW[2] {
        for (replica, records) in records.iter_mut().enumerate() {
            if let Some(iteration) = value_at(moment, replica) {
                records.push([iteration, iteration * 3]);
                if records.len() >= batch || iteration == VOTES {
                    write(replica, records);
                    records.clear();
                }
            }
        }
    }
}

/// The same through our rings and a voter.
fn voted(batch: usize) -> f64 {
    let mut to = Vec::new();
    let mut from = Vec::new();
    for _ in 0..3 {
        let (writer, reader) = ring::<2>(CAPACITY);
        to.push(writer);
        from.push(reader);
    }
    let settings = Settings::new(3).queue(2_048);
    let mut voter: Voter<u64, Majority> =
        Voter::new(&settings, Majority::EXACT).expect("it can be");
    let lap = Lap::begin();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            fill(batch, |replica, records| {
                let mut left = records;
                while !left.is_empty() {
                    let written = to[replica].write(left);
                    left = &left[written..];
                    if written == 0 {
                        spin_loop();
                    }
                }
            })
        });
        let mut votes = 0;
        let mut records = [[[0; 2]; 256]; 3];
        while votes < VOTES {
            let mut counts = [0; 3];
            for ((ring, records), count) in from.iter_mut().zip(&mut records).zip(&mut counts) {
                *count = ring.read(records);
            }
            if counts == [0; 3] {
                spin_loop();
            }
            let come = std::array::from_fn(|replica| &records[replica][..counts[replica]]);
            voter.receive_rows(REPLICAS, come, read, |report| {
                votes += u64::from(matches!(report, Report::Voted { .. }));
            });
        }
    });
    lap.each(VOTES)
}

/// A ring of single records from one thread to another: ours, and `rtrb`'s.
fn rings() -> [f64; 2] {
    let count = 10_000_000_u64;
    let (mut writer, mut reader) = ring::<1>(CAPACITY);
    let lap = Lap::begin();
    std::thread::scope(|scope| {
        scope.spawn(move || {
            for value in 0..count {
                while writer.write(&[[value]]) == 0 {
                    spin_loop();
                }
            }
        });
        let mut into = [[0]];
        for value in 0..count {
            while reader.read(&mut into) == 0 {
                spin_loop();
            }
            assert_eq!(into[0][0], value);
        }
    });
    let ours = lap.each(count);
    let (mut producer, mut consumer) = rtrb::RingBuffer::<u64>::new(CAPACITY as usize);
    let lap = Lap::begin();
    std::thread::scope(|scope| {
        scope.spawn(move || {
            for value in 0..count {
                while producer.push(value).is_err() {
                    spin_loop();
                }
            }
        });
        for value in 0..count {
            let got = loop {
                match consumer.pop() {
                    Ok(got) => break got,
                    Err(_) => spin_loop(),
                }
            };
            assert_eq!(got, value);
        }
    });
    [ours, lap.each(count)]
}

/// There and back through two rings, half of it: ours, and `rtrb`'s.
fn latencies() -> [f64; 2] {
    let count = 500_000_u64;
    let ((mut go, mut gone), (mut back, mut came)) = (ring::<1>(4), ring::<1>(4));
    let lap = Lap::begin();
    std::thread::scope(|scope| {
        scope.spawn(move || {
            let mut into = [[0]];
            for _ in 0..count {
                while gone.read(&mut into) == 0 {
                    spin_loop();
                }
                back.write(&into);
            }
        });
        let mut into = [[0]];
        for value in 0..count {
            go.write(&[[value]]);
            while came.read(&mut into) == 0 {
                spin_loop();
            }
        }
    });
    let ours = lap.each(count * 2);
    let (mut go, mut gone) = rtrb::RingBuffer::<u64>::new(4);
    let (mut back, mut came) = rtrb::RingBuffer::<u64>::new(4);
    let lap = Lap::begin();
    std::thread::scope(|scope| {
        scope.spawn(move || {
            for _ in 0..count {
                let value = loop {
                    if let Ok(value) = gone.pop() {
                        break value;
                    }
                    spin_loop();
                };
                _ = back.push(value);
            }
        });
        for value in 0..count {
            _ = go.push(value);
            while came.pop().is_err() {
                spin_loop();
            }
        }
    });
    [ours, lap.each(count * 2)]
}

/// Nanoseconds a word, in states that fit into the first cache.
fn majority_of_words() -> f64 {
    let (state, mut voted) = (vec![0x5555_u64; 1_024], vec![0; 1_024]);
    let rounds = 20_000;
    let lap = Lap::begin();
    for _ in 0..rounds {
        let states = [black_box(&state[..]), &state, &state];
        black_box(words::majority(states, &mut voted)).expect("equal sizes");
    }
    lap.each(rounds * 1_024)
}

/// One thread alone: what a voter takes for three values of an iteration, in batches of so many.
fn alone(batch: u32) -> f64 {
    let settings = Settings::new(3).queue(64);
    let mut voter: Voter<u64, Majority> =
        Voter::new(&settings, Majority::EXACT).expect("it can be");
    let lap = Lap::begin();
    let mut votes = 0;
    for first in (1..=VOTES).step_by(batch as usize) {
        for replica in 0..3 {
            let values = (first..first + u64::from(batch)).map(|n| (Iteration(n), black_box(n)));
            voter.receive_all(ReplicaNumber(replica), values, |report| {
                votes += u64::from(matches!(report, Report::Voted { .. }));
            });
        }
    }
    assert_eq!(black_box(votes), VOTES);
    lap.each(VOTES)
}

/// The same, where values of all replicas are there together.
fn alone_in_rows(batch: u64) -> f64 {
    let settings = Settings::new(3).queue(64);
    let mut voter: Voter<u64, Majority> =
        Voter::new(&settings, Majority::EXACT).expect("it can be");
    let lap = Lap::begin();
    let mut votes = 0;
    let mut records = Vec::new();
    for first in (1..=VOTES).step_by(usize::try_from(batch).expect("a few")) {
        records.clear();
        records.extend((first..first + batch).map(|n| [n, black_box(n)]));
        voter.receive_rows(REPLICAS, [&records[..]; 3], read, |report| {
            votes += u64::from(matches!(report, Report::Voted { .. }));
        });
    }
    assert_eq!(black_box(votes), VOTES);
    lap.each(VOTES)
}

fn main() {
    for batch in [1, 32] {
        let took = median((0..ROUNDS).map(|_| alone(batch)).collect());
        let rows = median((0..ROUNDS).map(|_| alone_in_rows(batch.into())).collect());
        println!("a voter alone, batches of {batch}: {took:.1} ns a vote, in rows {rows:.1} ns");
    }
    println!(
        "majority of words: {:.3} ns a word",
        median((0..ROUNDS).map(|_| majority_of_words()).collect())
    );
    for batch in [64, 1] {
        let rounds: Vec<[f64; 2]> = (0..ROUNDS).map(|_| [bare(batch), voted(batch)]).collect();
        let of = |place: usize| median(rounds.iter().map(|round| round[place]).collect());
        let ratio = median(rounds.iter().map(|[bare, voted]| voted / bare).collect());
        println!(
            "batches of {batch}: three bare rings {:.1} ns a vote, ours with a voter {:.1} ns, ratio {ratio:.2}",
            of(0),
            of(1)
        );
    }
    for (what, measure) in [("one record", rings as fn() -> [f64; 2]), ("latency", latencies)] {
        let rounds: Vec<[f64; 2]> = (0..ROUNDS).map(|_| measure()).collect();
        let of = |place: usize| median(rounds.iter().map(|round| round[place]).collect());
        let ratio = median(rounds.iter().map(|[ours, rtrb]| ours / rtrb).collect());
        println!("ring, {what}: ours {:.1} ns, rtrb {:.1} ns, ratio {ratio:.2}", of(0), of(1));
    }
}
