//! Today's mechanisms, one way between two threads: half of the time of a message and its answer.

use crate::experiment::LabError;
use crate::native::{pin, processors};
use crate::statistics::median;
use std::hint::spin_loop;
use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::sync::mpsc;
use std::thread;
use windfall_clocks::Lap;
use windfall_exchange::ring;

pub(super) const NOTE: &str = "Today's threads are on two processors where there are two. The ring is this project's (crate `exchange`), whose reader polls; channel and stream wake a thread that sleeps, as StarOS does a blocked process. \
     A word is 8 bytes, copied into the message and out of it; on Cm* it was 2, accessed where it lay. Where a thread is woken, the cost of a word is less than what wake-ups scatter by, and its figure may be below zero.";

/// Words of the long message.
const LONG: usize = 200;
/// Short ones, since others use these processors, too.
const ROUNDS: usize = 101;

/// The time of a mechanism, in ns.
pub(super) struct Today {
    pub(super) name: &'static str,
    pub(super) latency_ns: f64,
    /// The difference that a word makes.
    pub(super) word_ns: f64,
}

pub(super) fn circumstances() -> String {
    "here: two threads of this process, under the system's own scheduler".to_owned()
}

/// The median over rounds of the time of a message one way, in ns.
fn one_way(times: usize, mut there_and_back: impl FnMut()) -> f64 {
    let each = times / ROUNDS + 1;
    (0..each).for_each(|_| there_and_back());
    let rounds: Vec<f64> = (0..ROUNDS)
        .map(|_| {
            let lap = Lap::begin();
            (0..each).for_each(|_| there_and_back());
            lap.each(2 * each as u64)
        })
        .collect();
    median(&rounds)
}

/// Runs `partner` on another processor, if there is one, while `measures` runs here; the partner ends with the channel that it is given.
fn beside<T: Send>(
    partner: impl FnOnce() + Send,
    measures: impl FnOnce() -> T + Send,
) -> Result<T, LabError> {
    let (last, other) = processors()?;
    thread::scope(|scope| {
        let partner = scope.spawn(move || {
            let pinned = pin(other.unwrap_or(last));
            partner();
            pinned
        });
        // A thread of its own, since the caller is to stay where it was.
        let measured = scope.spawn(move || pin(last).map(|()| measures()));
        let ended = |_| LabError::Run("a thread of the measurement panicked".to_owned());
        let measured = measured.join().map_err(ended)?;
        partner.join().map_err(ended)??;
        measured
    })
}

/// Over a ring each way, with a message of so many words that is one record.
fn over_rings<const WORDS: usize>(times: usize) -> Result<f64, LabError> {
    let (mut ask, mut asked) = ring::<WORDS>(4);
    let (mut answer, mut answered) = ring::<WORDS>(4);
    const END: u64 = u64::MAX;
    let alone = processors()?.1.is_none();
    beside(
        move || {
            let mut record = [[0; WORDS]];
            loop {
                if asked.read(&mut record) == 0 {
                    poll_again(alone);
                    continue;
                }
                if record[0][0] == END {
                    return;
                }
                answer.write(&record);
            }
        },
        move || {
            let (mut sent, mut got) = ([[1; WORDS]], [[0; WORDS]]);
            let found = one_way(times, || {
                ask.write(&sent);
                while answered.read(&mut got) == 0 {
                    poll_again(alone);
                }
            });
            sent[0][0] = END;
            ask.write(&sent);
            found
        },
    )
}

/// With one processor only, who polls must let the other run.
fn poll_again(alone: bool) {
    if alone {
        thread::yield_now();
    } else {
        spin_loop();
    }
}

/// Over a channel of the standard library each way.
fn over_channels(times: usize, words: usize) -> Result<f64, LabError> {
    let (ask, asked) = mpsc::sync_channel::<Vec<u64>>(1);
    let (answer, answered) = mpsc::sync_channel::<Vec<u64>>(1);
    beside(
        move || {
            while let Ok(message) = asked.recv() {
                if answer.send(message.clone()).is_err() {
                    return;
                }
            }
        },
        move || {
            let message = vec![1_u64; words];
            let found = one_way(times, || {
                let _ = ask.send(message.clone());
                let _ = answered.recv();
            });
            drop(ask);
            found
        },
    )
}

/// Over a pair of Unix sockets.
fn over_sockets(times: usize, words: usize) -> Result<f64, LabError> {
    let refused = |why: std::io::Error| LabError::Machine {
        asked: "make a pair of sockets".to_owned(),
        why: why.to_string(),
    };
    let (mut here, mut there) = UnixStream::pair().map_err(refused)?;
    let bytes = 8 * words;
    beside(
        move || {
            let mut message = vec![0; bytes];
            while there.read_exact(&mut message).is_ok() {
                if there.write_all(&message).is_err() {
                    return;
                }
            }
        },
        move || {
            let (sent, mut got) = (vec![1; bytes], vec![0; bytes]);
            one_way(times, || {
                let _ = here.write_all(&sent);
                let _ = here.read_exact(&mut got);
            })
        },
    )
}

#[expect(clippy::cast_precision_loss, reason = "200 words")]
fn with_words(name: &'static str, short: f64, long: f64) -> Today {
    Today { name, latency_ns: short, word_ns: (long - short) / (LONG - 1) as f64 }
}

/// Measures all, each so many times.
pub(super) fn measured(times: usize) -> Result<Vec<Today>, LabError> {
    Ok(vec![
        with_words("ring, polled", over_rings::<1>(10 * times)?, over_rings::<LONG>(10 * times)?),
        with_words("channel", over_channels(times, 1)?, over_channels(times, LONG)?),
        with_words("stream socket", over_sockets(times, 1)?, over_sockets(times, LONG)?),
    ])
}
