//! Events of the kernel by perf: a ring for each processor, filtered by the kernel.

use super::{Event, Taken, Where};
use crate::fifo_priorities;
use crate::kernel_event::KernelEvent;
use crate::observed::Observed;
use crate::perf_rings::PerfRings;
use crate::tracepoints::{INTERRUPTS, Point, Tracepoints};
use std::collections::BTreeMap;
use windfall_os::LinuxError;
use windfall_os::events::Poll;
use windfall_time::{Instant, Span};
use windfall_trace::OverheadKind;

/// Pages of a ring; at 4 KiB, 256 hold some 10,000 events.
const PAGES: usize = 256;

/// Rings of all processors.
pub(super) struct PerfEvents {
    rings: PerfRings,
    /// By the number of the processor.
    places: BTreeMap<u16, (Where, Overheads)>,
}

/// Time that interrupts have taken on a processor, as far as its ring was read.
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
        let switches = ["prev_prio", "next_prio"]
            .map(|field| format!("({})", fifo_priorities::supervised(field)));
        let switches = switches.join(" || ");
        let foreign = fifo_priorities::foreign("prio");
        let everywhere = [
            (Point::Wakeup, &*foreign, true),
            (Point::WakeupNew, &foreign, true),
            (Point::Fork, "", false),
            (Point::Exec, "", false),
            (Point::Rename, "", false),
        ];
        let wanted = |cpu| {
            let interrupts = INTERRUPTS.map(|point| (point, "", false));
            let here = [(Point::Switch, &*switches, false)].into_iter().chain(interrupts);
            let here = here.filter(|_| supervised.contains(&cpu));
            here.chain(everywhere).collect()
        };
        let rings = PerfRings::open(points, online, &[PAGES], wanted).map_err(|(cpu, e)| {
            let what = format!("cannot listen to the tracepoints of processor {cpu}");
            LinuxError::of(what, &e, "use a kernel with perf events")
        })?;
        let place = |cpu: &u16| (*cpu, (Where::of(*cpu, supervised), Overheads::default()));
        Ok(PerfEvents { rings, places: online.iter().map(place).collect() })
    }

    pub(super) fn join(&self, poll: &Poll, name: u64) -> std::io::Result<()> {
        self.rings.join(poll, name)
    }

    pub(super) fn read(&mut self, batch: &mut Vec<Event>, lost: &mut Vec<(Where, u64)>) {
        let PerfEvents { rings, places } = self;
        rings.until(Instant::MAX, |cpu, observed| {
            let Some((place, overheads)) = places.get_mut(&cpu) else { return };
            match observed {
                Observed::Event(at, KernelEvent::OverheadBegin { kind, .. }) => {
                    overheads.begin(kind, at);
                }
                Observed::Event(at, KernelEvent::OverheadEnd) => overheads.end(at),
                Observed::Event(at, mut seen) => {
                    if let KernelEvent::Wake { by, .. } = &mut seen
                        && (*place == Where::Elsewhere || overheads.depth > 0)
                    {
                        *by = 0; // perhaps in an interrupt, of which elsewhere nothing is seen
                    }
                    batch.push(Event { at, place: *place, taken: overheads.until(at), seen });
                }
                Observed::Lost(count) => {
                    overheads.depth = 0;
                    lost.push((*place, count));
                }
            }
        });
    }

    /// An interrupt under way is not counted before its end is read.
    pub(super) fn taken(&self, cpu: usize) -> Taken {
        let its = self.places.values().find(|(place, _)| *place == Where::Here(cpu));
        its.map_or(Taken::default(), |(_, overheads)| overheads.taken)
    }
}
