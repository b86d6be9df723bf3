//! Perf's rings of several processors, read as one in order of time.

use crate::observed::Observed;
use crate::tracepoints::{Point, Tracepoints};
use std::io;
use std::os::fd::AsRawFd;
use windfall_os::events::Poll;
use windfall_os::perf::{Entry, Listen, Ring};
use windfall_time::Instant;

/// A tracepoint, the kernel's filter of its samples (empty: all), and whether one wakes the reader.
pub(crate) type Wanted<'a> = (Point, &'a str, bool);

/// A ring for each processor.
pub(crate) struct PerfRings {
    points: Tracepoints,
    rings: Vec<(u16, Ring)>,
    /// When each ring's oldest sample was taken, while they are read.
    oldest: Vec<Option<Instant>>,
}

impl PerfRings {
    /// Listens on each processor to those tracepoints of `wanted` that the kernel has. A ring has the first number of `pages` for
    /// which there is room.
    ///
    /// # Errors
    /// As [`Ring::open`], and on which processor.
    pub(crate) fn open<'a>(
        points: Tracepoints,
        cpus: &[u16],
        pages: &[usize],
        wanted: impl Fn(u16) -> Vec<Wanted<'a>>,
    ) -> Result<PerfRings, (u16, io::Error)> {
        let mut rings = Vec::new();
        for cpu in cpus {
            let listen = wanted(*cpu).into_iter().filter_map(|(point, filter, wakes_reader)| {
                points.id(point).map(|id| Listen { id, filter, wakes_reader })
            });
            let listen: Vec<Listen<'_>> = listen.collect();
            let mut tries = pages.iter().map(|pages| Ring::open(*cpu, &listen, *pages));
            let first = tries.next().unwrap_or_else(|| Err(io::Error::other("no size")));
            let ring = tries.fold(first, |best, next| if best.is_ok() { best } else { next });
            rings.push((*cpu, ring.map_err(|error| (*cpu, error))?));
        }
        Ok(PerfRings { points, oldest: vec![None; rings.len()], rings })
    }

    /// Has a poll wait until a ring is half full, or a sample wakes the reader.
    pub(crate) fn join(&self, poll: &Poll, name: u64) -> io::Result<()> {
        self.rings.iter().try_for_each(|(_, ring)| poll.add(ring.as_raw_fd(), name))
    }

    /// Reads all that was seen up to an instant, in order of time; `each` gets the processor's number.
    pub(crate) fn until(&mut self, last: Instant, mut each: impl FnMut(u16, Observed)) {
        for ((_, ring), oldest) in self.rings.iter().zip(&mut self.oldest) {
            *oldest = ring.oldest();
        }
        loop {
            // The ring whose turn it is, and when the next one's comes.
            let mut turn: Option<(Instant, usize)> = None;
            let mut until = last;
            for (place, at) in self.oldest.iter().enumerate() {
                let Some(at) = *at else { continue };
                match turn {
                    Some((first, _)) if first <= at => until = until.min(at),
                    _ => {
                        until = turn.map_or(until, |(first, _)| until.min(first));
                        turn = Some((at, place));
                    }
                }
            }
            let Some((_, place)) = turn.filter(|(at, _)| *at <= last) else { return };
            let PerfRings { points, rings, .. } = self;
            let (cpu, ring) = &mut rings[place];
            ring.drain_until(until, |entry| match entry {
                Entry::Lost(count) => each(*cpu, Observed::Lost(count)),
                Entry::Sample(at, raw) => {
                    let seen = points.decode(raw).into_iter();
                    seen.for_each(|seen| each(*cpu, Observed::Event(at, seen)));
                }
            });
            self.oldest[place] = ring.oldest();
        }
    }

    /// Observes no more; what was observed can still be read.
    pub(crate) fn stop(&self) {
        self.rings.iter().for_each(|(_, ring)| ring.stop());
    }
}
