//! What the kernel does by perf events: the rings of all processors, read as one, in order of time.

use super::Observed;
use crate::tracepoints::{INTERRUPTS, Point, Tracepoints};
use std::io;
use std::os::fd::AsRawFd;
use windfall_os::LinuxError;
use windfall_os::events::Poll;
use windfall_os::perf::{Entry, Listen, Ring};
use windfall_time::Instant;

/// Pages of a ring, the best first: who may lock little memory gets less.
const PAGES: [usize; 2] = [256, 64];

/// What is recorded. A thread's last switch says that it has ended, and its rename that it runs another
/// program, so neither needs a tracepoint of its own; a wake-up is reported by the waker, which is known there.
const WANTED: [Point; 6] =
    [Point::Switch, Point::Waking, Point::WakeupNew, Point::NewTask, Point::Exec, Point::Rename];

/// The rings of all processors.
pub(super) struct PerfEvents {
    points: Tracepoints,
    rings: Vec<(u16, Ring)>,
    /// When each ring's oldest sample was taken, while they are read.
    oldest: Vec<Option<Instant>>,
}

impl PerfEvents {
    pub(super) fn open(cpus: &[u16]) -> Result<PerfEvents, LinuxError> {
        let points = Tracepoints::find().map_err(|fault| rights(&fault.to_string()))?;
        let listen: Vec<Listen<'_>> = WANTED
            .into_iter()
            .chain(INTERRUPTS)
            .filter_map(|point| points.id(point))
            .map(|id| Listen { id, filter: "", wakes_reader: false })
            .collect();
        for needed in [Point::Waking, Point::NewTask, Point::Rename] {
            if points.id(needed).is_none() {
                let what = "cannot record the machine";
                let why = format!("this kernel has no tracepoint for {needed:?}");
                return Err(LinuxError::new(
                    what,
                    why,
                    "record with another tool and `windfall import` it",
                ));
            }
        }
        let open = |cpu: u16| {
            let mut tries = PAGES.iter().map(|pages| Ring::open(cpu, &listen, *pages));
            let first = tries.next().unwrap_or_else(|| Err(io::Error::other("no size")));
            tries.fold(first, |best, next| if best.is_ok() { best } else { next })
        };
        let mut rings = Vec::new();
        for cpu in cpus {
            rings.push((*cpu, open(*cpu).map_err(|error| rights(&error.to_string()))?));
        }
        Ok(PerfEvents { points, oldest: vec![None; rings.len()], rings })
    }

    /// Has a poll wait until a ring is half full.
    pub(super) fn join(&self, poll: &Poll, name: u64) -> io::Result<()> {
        self.rings.iter().try_for_each(|(_, ring)| poll.add(ring.as_raw_fd(), name))
    }

    /// Reads all that was seen up to an instant, in order of time.
    pub(super) fn until(&mut self, last: Instant, mut each: impl FnMut(u16, Observed)) {
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
            let PerfEvents { points, rings, .. } = self;
            let (cpu, ring) = &mut rings[place];
            ring.drain_until(until, |entry| match entry {
                Entry::Lost(count) => each(*cpu, Observed::Lost(count)),
                Entry::Sample(at, raw) => {
                    points
                        .decode(raw)
                        .into_iter()
                        .for_each(|seen| each(*cpu, Observed::Event(at, seen)));
                }
            });
            self.oldest[place] = ring.oldest();
        }
    }

    /// Observes no more; what was observed can still be read.
    pub(super) fn stop(&self) {
        self.rings.iter().for_each(|(_, ring)| ring.stop());
    }
}

/// What is missing when the kernel does not let us listen.
pub(super) fn rights(why: &str) -> LinuxError {
    let paranoid = std::fs::read_to_string("/proc/sys/kernel/perf_event_paranoid");
    let paranoid = paranoid.map_or_else(|_| "?".to_owned(), |text| text.trim().to_owned());
    LinuxError::new(
        "cannot record the machine",
        format!("{why} (perf_event_paranoid is {paranoid})"),
        "the kernel's tracepoints need root, or CAP_PERFMON and leave to read /sys/kernel/tracing; run as root, or have \
         somebody with that right record (`trace-cmd record -e sched`, `perf sched record`) and read their text with \
         `windfall import`, which needs no rights",
    )
}
