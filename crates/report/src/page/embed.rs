//! The timeline as bytes that a page can carry: distances and lengths as varints, in base64.
//!
//! Invariant: what `report.js` reads is what is written here, in this order: for each processor, a
//! count and its slices; for each thread, a count and its stretches, then a count and its jobs.
//! A slice is its distance from the end of the last one, its length and its kind. Idle and blocked
//! are what lies between. Times are nanoseconds since the timeline's beginning.

use crate::{Job, Outcome, Story};
use std::collections::BTreeMap;
use windfall_time::Instant;
use windfall_trace::timeline::{State, What};
use windfall_trace::{OverheadKind, ThreadId};

/// Threads of a processor's slices count from here; below are overheads and 5, unknown.
const FIRST_THREAD: u64 = 6;
/// Processors of a thread's stretches count from here; below are ready, device, stopped, unknown.
const FIRST_CPU: u64 = 4;

/// The timeline and jobs of `story` in base64.
pub(super) fn pack(story: &Story) -> String {
    let timeline = &story.timeline;
    let mut bytes = Bytes { to: Vec::new(), from: timeline.from };
    let places: BTreeMap<ThreadId, u64> =
        timeline.threads.iter().zip(0..).map(|(line, place)| (line.id, place)).collect();
    for line in &timeline.cpus {
        let slices = line.slices.iter().filter_map(|slice| {
            let kind = match slice.what {
                What::Idle => return None,
                What::Overhead(overhead) => overhead_kind(overhead),
                What::Unknown => 5,
                What::Thread(thread) => FIRST_THREAD + places.get(&thread).copied()?,
            };
            Some((slice.from, slice.to, kind))
        });
        bytes.slices(slices);
    }
    let mut jobs: BTreeMap<ThreadId, Vec<&Job>> = BTreeMap::new();
    for job in &story.jobs {
        jobs.entry(job.thread).or_default().push(job);
    }
    for line in &timeline.threads {
        let stretches = line.stretches.iter().filter_map(|stretch| {
            let kind = match stretch.state {
                State::Blocked => return None,
                State::Ready => 0,
                State::Uninterruptible => 1,
                State::Stopped => 2,
                State::Unknown => 3,
                State::Running(cpu) => FIRST_CPU + u64::from(cpu.0),
            };
            Some((stretch.from, stretch.to, kind))
        });
        bytes.slices(stretches);
        bytes.jobs(jobs.get(&line.id).map_or(&[], Vec::as_slice));
    }
    base64(&bytes.to)
}

fn overhead_kind(overhead: OverheadKind) -> u64 {
    match overhead {
        OverheadKind::Interrupt => 0,
        OverheadKind::Softirq => 1,
        OverheadKind::Steal => 2,
        OverheadKind::Scheduling => 3,
        OverheadKind::Switching => 4,
        // Drawn as the host's own time is.
        OverheadKind::StationWait | OverheadKind::StationService => 4,
    }
}

struct Bytes {
    to: Vec<u8>,
    from: Instant,
}

impl Bytes {
    /// Seven bits a byte, lowest first; the top bit says that more follow.
    fn number(&mut self, mut number: u64) {
        loop {
            let low = u8::try_from(number & 0x7f).expect("seven bits");
            number >>= 7;
            if number == 0 {
                self.to.push(low);
                return;
            }
            self.to.push(low | 0x80);
        }
    }

    fn slices(&mut self, slices: impl Iterator<Item = (Instant, Instant, u64)> + Clone) {
        self.number(slices.clone().count() as u64);
        let mut last = self.from;
        for (from, to, kind) in slices {
            self.number(from.saturating_since(last).as_nanos());
            self.number(to.saturating_since(from).as_nanos());
            self.number(kind);
            last = to;
        }
    }

    /// Release since the last one, then deadline and end since the release, plus one; 0 for none.
    fn jobs(&mut self, jobs: &[&Job]) {
        self.number(jobs.len() as u64);
        let mut last = self.from;
        for job in jobs {
            let since = |at: Option<Instant>| {
                at.map_or(0, |at| at.saturating_since(job.release).as_nanos().saturating_add(1))
            };
            self.number(job.release.saturating_since(last).as_nanos());
            self.number(since(job.deadline));
            self.number(since(job.end));
            self.number(match job.outcome {
                Outcome::Open => 0,
                Outcome::Done => 1,
                Outcome::Missed => 2,
                Outcome::GivenUp => 3,
            });
            last = job.release;
        }
    }
}

/// RFC 4648 with padding.
fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for three in bytes.chunks(3) {
        let byte = |at: usize| usize::from(three.get(at).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for place in 0..4 {
            let letter = LETTERS[bits >> (18 - 6 * place) & 63];
            text.push(if place <= three.len() { char::from(letter) } else { '=' });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_of_the_rfc() {
        for (plain, coded) in [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foobar", "Zm9vYmFy")] {
            assert_eq!(base64(plain.as_bytes()), coded);
        }
    }

    #[test]
    fn numbers_take_seven_bits_a_byte() {
        let mut bytes = Bytes { to: Vec::new(), from: Instant::ZERO };
        bytes.number(127);
        bytes.number(300);
        assert_eq!(bytes.to, [0x7f, 0xac, 0x02]);
    }
}
