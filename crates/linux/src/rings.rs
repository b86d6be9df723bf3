//! What the kernel has seen on all processors, in order of time.

use crate::fault::Fault;
use crate::rungs;
use crate::sys::events::Poll;
use crate::sys::perf::{Entry, Listen, Ring};
use crate::tracepoints::{Point, Seen, Tracepoints};
use std::os::fd::AsRawFd;
use windfall_time::Instant;

/// Pages of a ring; at 4 KiB, 256 hold some 10,000 events.
const PAGES: usize = 256;

/// Where something was seen.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Where {
    /// On this supervised processor.
    Here(usize),
    /// On a processor that is not supervised.
    Elsewhere,
}

/// Rings of all processors.
pub(crate) struct Rings {
    points: Tracepoints,
    rings: Vec<(Where, Ring)>,
    /// What was read and not yet handed out.
    batch: Vec<(Instant, Where, Seen)>,
    /// Where events were lost since the last look.
    pub(crate) lost: Vec<(Where, u64)>,
}

impl Rings {
    /// Listens to all processors: what happens to supervised threads, and interrupts on the
    /// processors that are supervised.
    pub(crate) fn open(supervised: &[u16], online: &[u16]) -> Result<Rings, Fault> {
        let points = Tracepoints::find()?;
        let mut rings = Vec::new();
        for cpu in online {
            let place = supervised.iter().position(|own| own == cpu);
            let mut listen = Vec::new();
            let mut add = |point, filter: &str, loud| {
                if let Some(id) = points.id(point) {
                    listen.push((id, filter.to_owned(), loud));
                }
            };
            if place.is_some() {
                let both = [rungs::supervised("prev_prio"), rungs::supervised("next_prio")];
                let either = format!("({}) || ({})", both[0], both[1]);
                add(Point::Switch, &either, false);
                for interrupts in [
                    Point::IrqEntry,
                    Point::IrqExit,
                    Point::SoftirqEntry,
                    Point::SoftirqExit,
                    Point::TimerEntry,
                    Point::TimerExit,
                ] {
                    add(interrupts, "", false);
                }
            }
            add(Point::Wakeup, &rungs::foreign("prio"), true);
            add(Point::WakeupNew, &rungs::foreign("prio"), true);
            add(Point::Fork, "", false);
            add(Point::Exec, "", false);
            add(Point::Rename, "", false);
            let listen: Vec<Listen<'_>> = listen
                .iter()
                .map(|(id, filter, loud)| Listen { id: *id, filter, loud: *loud })
                .collect();
            let ring = Ring::open(*cpu, &listen, PAGES).map_err(|e| {
                let what = format!("cannot listen to the tracepoints of processor {cpu}");
                Fault::of(what, &e, "use a kernel with perf events")
            })?;
            rings.push((place.map_or(Where::Elsewhere, Where::Here), ring));
        }
        Ok(Rings { points, rings, batch: Vec::new(), lost: Vec::new() })
    }

    /// Where the events come from, in words.
    pub(crate) const fn source(&self) -> &'static str {
        "perf tracepoints"
    }

    /// Has the ear wait for loud events.
    pub(crate) fn join(&self, poll: &Poll, name: u64) -> std::io::Result<()> {
        self.rings.iter().try_for_each(|(_, ring)| poll.add(ring.as_raw_fd(), name))
    }

    /// Everything that was seen since the last call, in order of time.
    pub(crate) fn take(&mut self) -> Vec<(Instant, Where, Seen)> {
        let Rings { points, rings, batch, lost } = self;
        let mut sources = 0;
        for (place, ring) in rings.iter_mut() {
            if ring.is_empty() {
                continue;
            }
            sources += 1;
            ring.drain(|entry| match entry {
                Entry::Sample(at, raw) => {
                    if let Some(seen) = points.decode(raw) {
                        batch.push((at, *place, seen));
                    }
                }
                Entry::Lost(count) => lost.push((*place, count)),
            });
        }
        if sources > 1 {
            batch.sort_by_key(|(at, _, _)| *at);
        }
        std::mem::take(batch)
    }

    /// Takes a batch back, so that its memory is used again.
    pub(crate) fn reuse(&mut self, mut batch: Vec<(Instant, Where, Seen)>) {
        batch.clear();
        self.batch = batch;
    }
}
