//! Events of the kernel by BPF: our programs on its tracepoints write them to one ring.
//!
//! The programs are `bpf/events.bpf.c`, compiled beforehand; they are loaded and fitted to the kernel here.
//! They belong to this process: whatever ends it takes them out of the kernel.

use super::{Event, Where};
use crate::rungs;
use crate::sys::events::Poll;
use crate::sys::perf::{u16_at, u32_at, u64_at};
use crate::sys::shared::{Shared, zeroed};
use crate::tracepoints::{Seen, stop};
use aya::maps::{Map, MapData, RingBuf};
use aya::programs::BtfTracePoint;
use aya::{Btf, Ebpf, EbpfLoader};
use std::error::Error;
use std::os::fd::{AsFd, AsRawFd};
use std::sync::atomic::{AtomicU64, Ordering};
use windfall_time::{Instant, Span};

/// The compiled programs.
static OBJECT: &[u8] =
    aya::include_bytes_aligned!(concat!(env!("CARGO_MANIFEST_DIR"), "/bpf/events.bpf.o"));

/// As many as the programs have counters for.
const PROCESSORS: usize = 1024;

/// Which program sits on which tracepoint. Ends of interrupts come before their beginnings.
const SCHEDULER: [(&str, &str); 6] = [
    ("on_switch", "sched_switch"),
    ("on_wakeup", "sched_wakeup"),
    ("on_wakeup_new", "sched_wakeup_new"),
    ("on_fork", "sched_process_fork"),
    ("on_exec", "sched_process_exec"),
    ("on_rename", "task_rename"),
];
const INTERRUPTS: [[(&str, &str); 2]; 3] = [
    [("on_irq_exit", "irq_handler_exit"), ("on_irq_entry", "irq_handler_entry")],
    [("on_softirq_exit", "softirq_exit"), ("on_softirq_entry", "softirq_entry")],
    [("on_timer_exit", "local_timer_exit"), ("on_timer_entry", "local_timer_entry")],
];

/// `struct cpu` of the programs.
#[repr(C)]
struct Counters {
    watched: AtomicU64,
    begun: AtomicU64,
    stolen: AtomicU64,
    rest: [AtomicU64; 5],
}

#[repr(C)]
struct All([Counters; PROCESSORS]);

zeroed!(All);

/// The programs in the kernel, and what they write.
pub(super) struct Programs {
    ring: RingBuf<MapData>,
    counters: Shared<All>,
    /// Events that were lost on each processor until the last one that was read.
    lost: Vec<u32>,
    supervised: Vec<u16>,
    /// Takes the programs out of the kernel when it goes.
    _loaded: Ebpf,
}

impl Programs {
    /// Loads and attaches everything, or says why that cannot be done.
    pub(super) fn load(supervised: &[u16]) -> Result<Programs, String> {
        Programs::try_load(supervised).map_err(|error| {
            let mut why = error.to_string();
            let mut source = error.source();
            while let Some(deeper) = source {
                let deeper_why = deeper.to_string();
                if !why.contains(&deeper_why) {
                    why = format!("{why}: {deeper_why}");
                }
                source = deeper.source();
            }
            why
        })
    }

    fn try_load(supervised: &[u16]) -> Result<Programs, Box<dyn Error>> {
        let kernel = Btf::from_sys_fs()?;
        let prio = |rung| rungs::in_kernel(rung).cast_signed();
        let mut loaded = EbpfLoader::new()
            .btf(Some(&kernel))
            .override_global("top", &prio(rungs::EAR), true)
            .override_global("bottom", &prio(rungs::HELD), true)
            .override_global("granted", &prio(rungs::GRANTED), true)
            .override_global("held", &prio(rungs::HELD), true)
            .load(OBJECT)?;
        let map = |loaded: &mut Ebpf, name| loaded.take_map(name).ok_or("a map is missing");
        let Map::Array(array) = map(&mut loaded, "cpus")? else { return Err("no array".into()) };
        let counters: Shared<All> = Shared::of(array.fd().as_fd())?;
        let ring = RingBuf::try_from(map(&mut loaded, "events")?)?;
        for (program, tracepoint) in SCHEDULER {
            attach(&mut loaded, &kernel, program, tracepoint)?;
        }
        for pair in INTERRUPTS {
            for (program, tracepoint) in pair {
                // Without its end, no beginning; not every machine has all of these.
                if attach(&mut loaded, &kernel, program, tracepoint).is_err() {
                    break;
                }
            }
        }
        for cpu in supervised {
            let own = counters.0.get(usize::from(*cpu)).ok_or("too many processors")?;
            own.watched.store(1, Ordering::Release);
        }
        let lost = vec![0; PROCESSORS];
        Ok(Programs { ring, counters, lost, supervised: supervised.to_vec(), _loaded: loaded })
    }

    /// The kernel's numbers for the programs.
    #[cfg(test)]
    pub(super) fn numbers(&self) -> Vec<u32> {
        let programs = self._loaded.programs();
        programs.filter_map(|(_, program)| Some(program.info().ok()?.id())).collect()
    }

    pub(super) fn join(&self, poll: &Poll, name: u64) -> std::io::Result<()> {
        poll.add(self.ring.as_raw_fd(), name)
    }

    pub(super) fn read(&mut self, batch: &mut Vec<Event>, lost: &mut Vec<(Where, u64)>) {
        while let Some(item) = self.ring.next() {
            let cpu = u16_at(&item, 20);
            let place = Where::of(cpu, &self.supervised);
            let count = u32_at(&item, 16);
            if let Some(before) = self.lost.get_mut(usize::from(cpu))
                && *before != count
            {
                let more = count.wrapping_sub(std::mem::replace(before, count));
                lost.push((place, u64::from(more)));
            }
            if let Some(seen) = seen(&item) {
                let at = Instant::from_nanos(u64_at(&item, 0));
                let stolen = Span::from_nanos(u64_at(&item, 8));
                batch.push(Event { at, place, stolen, seen });
            }
        }
    }

    pub(super) fn stolen(&self, cpu: usize) -> Span {
        let number = self.supervised.get(cpu).copied().map(usize::from);
        let counters = number.and_then(|number| self.counters.0.get(number));
        counters.map_or(Span::ZERO, Counters::stolen)
    }
}

impl Counters {
    /// With what is being taken at this moment, unless the kernel is just changing it.
    fn stolen(&self) -> Span {
        let begun = self.begun.load(Ordering::Acquire);
        let stolen = self.stolen.load(Ordering::Acquire);
        let under_way = if begun > 0 && self.begun.load(Ordering::Acquire) == begun {
            crate::sys::clock::now().saturating_since(Instant::from_nanos(begun))
        } else {
            Span::ZERO
        };
        Span::from_nanos(stolen) + under_way
    }
}

fn attach(
    loaded: &mut Ebpf,
    kernel: &Btf,
    program: &str,
    tracepoint: &str,
) -> Result<(), Box<dyn Error>> {
    let program = loaded.program_mut(program).ok_or("a program is missing")?;
    let program: &mut BtfTracePoint = program.try_into()?;
    program.load(tracepoint, kernel)?;
    program.attach()?;
    Ok(())
}

/// `struct event` of the programs.
fn seen(item: &[u8]) -> Option<Seen> {
    let (first, second) = (u32_at(item, 24).cast_signed(), u32_at(item, 28).cast_signed());
    let state = item.get(23).copied().unwrap_or(0);
    Some(match item.get(22)? {
        0 => Seen::Switch { prev: first, stop: stop(state.into()), next: second },
        1 => Seen::Wake { tid: first, by: second },
        2 => Seen::Fork { parent: first, child: second },
        3 => Seen::Named { tid: first },
        _ => return None,
    })
}
