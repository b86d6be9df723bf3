//! PerfEvents of the kernel by perf: a ring for each processor, filtered by the kernel.

use super::{Event, Taken, Where};
use crate::fifo_priorities;
use crate::kernel_event::KernelEvent;
use crate::tracepoints::{INTERRUPTS, Point, Tracepoints};
use std::os::fd::AsRawFd;
use windfall_os::LinuxError;
use windfall_os::events::Poll;
use windfall_os::perf::{Entry, Listen, Ring};
use windfall_time::{Instant, Span};
use windfall_trace::OverheadKind;

/// Pages of a ring; at 4 KiB, 256 hold some 10,000 events.
const PAGES: usize = 256;

/// Rings of all processors.
pub(super) struct PerfEvents {
    points: Tracepoints,
    rings: Vec<(Where, Ring, Overheads)>,
}

/// What interrupts have taken on a processor, as far as its ring was read.
#[derive(Default)]
struct Overheads {
    depth: u32,
    begun: Instant,
    /// Whether the one under way is a softirq.
    softly: bool,
    taken: Taken,
}

impl Overheads {
    fn begin(&mut self, kind: OverheadKind, at: Instant) {
        if self.depth == 0 {
            (self.begun, self.softly) = (at, kind == OverheadKind::Softirq);
        }
        self.depth += 1;
    }

    /// The end of one whose begin was not seen does not count.
    fn end(&mut self, at: Instant) {
        if self.depth == 1 {
            self.taken = self.until(at);
        }
        self.depth = self.depth.saturating_sub(1);
    }

    fn until(&self, at: Instant) -> Taken {
        let under_way = if self.depth > 0 { at.saturating_since(self.begun) } else { Span::ZERO };
        let softly = if self.softly { under_way } else { Span::ZERO };
        Taken {
            all: self.taken.all + under_way,
            soft: self.taken.soft + softly,
            steal: Span::ZERO, // not seen
        }
    }
}

impl PerfEvents {
    pub(super) fn open(supervised: &[u16], online: &[u16]) -> Result<PerfEvents, LinuxError> {
        let points = Tracepoints::find()?;
        let mut rings = Vec::new();
        for cpu in online {
            let place = Where::of(*cpu, supervised);
            let mut listen = Vec::new();
            let mut add = |point, filter: &str, wakes_reader| {
                if let Some(id) = points.id(point) {
                    listen.push((id, filter.to_owned(), wakes_reader));
                }
            };
            if place != Where::Elsewhere {
                let both = [
                    fifo_priorities::supervised("prev_prio"),
                    fifo_priorities::supervised("next_prio"),
                ];
                let either = format!("({}) || ({})", both[0], both[1]);
                add(Point::Switch, &either, false);
                INTERRUPTS.into_iter().for_each(|point| add(point, "", false));
            }
            add(Point::Wakeup, &fifo_priorities::foreign("prio"), true);
            add(Point::WakeupNew, &fifo_priorities::foreign("prio"), true);
            add(Point::Fork, "", false);
            add(Point::Exec, "", false);
            add(Point::Rename, "", false);
            let listen: Vec<Listen<'_>> = listen
                .iter()
                .map(|(id, filter, wakes_reader)| Listen {
                    id: *id,
                    filter,
                    wakes_reader: *wakes_reader,
                })
                .collect();
            let ring = Ring::open(*cpu, &listen, PAGES).map_err(|e| {
                let what = format!("cannot listen to the tracepoints of processor {cpu}");
                LinuxError::of(what, &e, "use a kernel with perf events")
            })?;
            rings.push((place, ring, Overheads::default()));
        }
        Ok(PerfEvents { points, rings })
    }

    pub(super) fn join(&self, poll: &Poll, name: u64) -> std::io::Result<()> {
        self.rings.iter().try_for_each(|(_, ring, _)| poll.add(ring.as_raw_fd(), name))
    }

    pub(super) fn read(&mut self, batch: &mut Vec<Event>, lost: &mut Vec<(Where, u64)>) {
        let PerfEvents { points, rings } = self;
        for (place, ring, overheads) in rings.iter_mut() {
            if ring.is_empty() {
                continue;
            }
            ring.drain(|entry| match entry {
                Entry::Sample(at, raw) => match points.decode(raw) {
                    Some(KernelEvent::OverheadBegin { kind, .. }) => overheads.begin(kind, at),
                    Some(KernelEvent::OverheadEnd) => overheads.end(at),
                    Some(mut seen) => {
                        if let KernelEvent::Wake { by, .. } = &mut seen
                            && (*place == Where::Elsewhere || overheads.depth > 0)
                        {
                            *by = 0; // perhaps in an interrupt, of which elsewhere nothing is seen
                        }
                        let taken = overheads.until(at);
                        batch.push(Event { at, place: *place, taken, seen });
                    }
                    None => {}
                },
                Entry::Lost(count) => {
                    overheads.depth = 0;
                    lost.push((*place, count));
                }
            });
        }
    }

    /// An interrupt under way is not counted before its end is read.
    pub(super) fn taken(&self, cpu: usize) -> Taken {
        let its = self.rings.iter().find(|(place, ..)| *place == Where::Here(cpu));
        its.map_or(Taken::default(), |(.., overheads)| overheads.taken)
    }
}
