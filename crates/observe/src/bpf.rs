//! Our programs in the kernel: loaded, fitted to it, attached, and the ring that they write.
//!
//! They are compiled beforehand (`bpf/` of the project, decision 0010), and belong to this process: whatever ends it takes them out of
//! the kernel.

use crate::error::{ObserveError, in_words};
use crate::kernel_event::{ChildKind, Comm, KernelEvent, stop};
use crate::rings::Taken;
use crate::routines::MAKER;
use aya::maps::{HashMap, Map, MapData, RingBuf};
use aya::programs::uprobe::{UProbe, UProbeScope};
use aya::programs::{BtfTracePoint, Program};
use aya::{Btf, Ebpf, EbpfLoader};
use std::collections::BTreeSet;
use std::env::consts::ARCH;
use std::error::Error;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::os::fd::{AsFd, AsRawFd};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use windfall_os::clock;
use windfall_os::events::Poll;
use windfall_os::perf::{u16_at, u32_at, u64_at};
use windfall_os::sched::own_tid;
use windfall_os::shared::Shared;
use windfall_os::usage;
use windfall_time::{Instant, Span};
use windfall_trace::OverheadKind;

/// As many as the programs have counters for.
const PROCESSORS: usize = 1024;

/// The function of the kernel's tick in several releases, oldest first: where more than one exists, the older name is the tick's.
const TICKS: [&str; 3] = ["tick_sched_timer", "tick_nohz_highres_handler", "tick_nohz_handler"];

/// A program, and the tracepoint that it sits on.
pub(crate) type Place = (&'static str, &'static str);

/// Which programs are wanted.
pub(crate) struct Wanted<'a> {
    /// Compiled programs.
    pub(crate) object: &'static [u8],
    /// Constants of theirs.
    pub(crate) globals: &'a [(&'static str, i32)],
    /// The places without which nothing works.
    pub(crate) needed: &'a [Place],
    /// Ends and beginnings of interrupts, of which a machine may lack some.
    pub(crate) interrupts: &'a [[Place; 2]],
    /// The event that shows late ticks, where the kernel has it.
    pub(crate) timer: Place,
}

windfall_os::atomics! {
    /// `struct cpu` of the programs.
// Fields: as the programs of the kernel lay them out.
    #[repr(C)]
    struct Counters {
        watched: AtomicU64,
        begun: AtomicU64,
        stolen: AtomicU64,
        rest: [AtomicU64; 2],
        runs: AtomicU64,
        soft: AtomicU64,
        softly: AtomicU64,
        steal: AtomicU64,
        interrupts: [AtomicU64; 3],
        ticks: AtomicU64,
        others: [AtomicU64; 2],
        alarm: AtomicU64,
        put_on: AtomicU64,
        had: AtomicU64,
        before: AtomicU64,
        seen: AtomicU64,
        slow: AtomicU64,
        unused: [AtomicU64; 3],
    }

    /// The array of the programs: one for each processor.
    #[repr(C)]
    struct All {
        cpus: [Counters; PROCESSORS],
    }
}

/// A report of a BPF program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Report {
    /// When.
    pub at: Instant,
    /// Time taken on its processor until then, if it is counted.
    pub taken: Taken,
    /// The event.
    pub seen: KernelEvent,
}

/// Programs in the kernel, and what they write.
pub(crate) struct Programs {
    ring: RingBuf<MapData>,
    counters: Shared<All>,
    /// The threads whose children are reported, where not all are.
    followed: Option<HashMap<MapData, i32, u8>>,
    /// Programs name it by its descriptor until they are in the kernel, which may be later.
    _array: MapData,
    /// Events that were lost on each processor until the last one that was read.
    lost: Vec<u32>,
    /// Takes the programs out of the kernel when it goes.
    loaded: Ebpf,
    /// Why it is not reported when a processor stood still.
    pub(crate) steal_unseen: Option<String>,
    /// Whether the kernel counts the time of interrupts apart from threads'.
    apart: bool,
}

impl Programs {
    /// Loads and attaches everything, or says why that cannot be done.
    pub(crate) fn load(wanted: &Wanted<'_>) -> Result<Programs, ObserveError> {
        Programs::try_load(wanted).map_err(ObserveError::Bpf)
    }

    /// Has the programs report, too, which routine each thread starts with that one of these files makes, in whatever process,
    /// or says why they cannot.
    pub(crate) fn report_starts(&mut self, makers: &BTreeSet<PathBuf>) -> Result<(), ObserveError> {
        if makers.is_empty() {
            return Err(ObserveError::NoMaker);
        }
        let mut attach = || -> Result<(), Box<dyn Error + Send + Sync>> {
            let program = self.loaded.program_mut(&format!("on_start_{ARCH}"));
            let program: &mut UProbe = program.ok_or("none for this architecture")?.try_into()?;
            program.load()?;
            for file in makers {
                program.attach(MAKER, file, UProbeScope::AllProcesses)?;
            }
            Ok(())
        };
        attach().map_err(ObserveError::Bpf)
    }

    fn try_load(wanted: &Wanted<'_>) -> Result<Programs, Box<dyn Error + Send + Sync>> {
        let kernel = Btf::from_sys_fs()?;
        let mut loader = EbpfLoader::new();
        loader.btf(Some(&kernel));
        for (name, value) in wanted.globals {
            loader.override_global(name, value, true);
        }
        let (tick, apart) = symbols();
        let address = tick.as_ref().copied().unwrap_or(0);
        loader.override_global("tick", &address, true);
        let counted_apart = i32::from(apart);
        loader.override_global("interrupts_apart", &counted_apart, false);
        let mut loaded = loader.load(wanted.object)?;
        let map = |loaded: &mut Ebpf, name| loaded.take_map(name).ok_or("a map is missing");
        let Map::Array(array) = map(&mut loaded, "cpus")? else { return Err("no array".into()) };
        let counters: Shared<All> = Shared::of(array.fd().as_fd())?;
        let ring = RingBuf::try_from(map(&mut loaded, "events")?)?;
        let followed = loaded.take_map("followed").map(HashMap::try_from).transpose()?;
        for place in wanted.needed {
            attach(&mut loaded, &kernel, *place)?;
        }
        for pair in wanted.interrupts {
            for place in pair {
                // Without its end, which comes first, no beginning.
                if attach(&mut loaded, &kernel, *place).is_err() {
                    break;
                }
            }
        }
        let attached = tick.and_then(|_| {
            attach(&mut loaded, &kernel, wanted.timer).map_err(|error| in_words(&*error))
        });
        let steal_unseen = attached.err();
        Ok(Programs {
            steal_unseen,
            ring,
            counters,
            followed,
            _array: array,
            lost: vec![0; PROCESSORS],
            loaded,
            apart,
        })
    }

    /// Has the programs report what happens on a processor; of others they do not.
    pub(crate) fn watch(&self, cpu: u16) -> Result<(), ObserveError> {
        let own = self.counters.cpus.get(usize::from(cpu));
        let own = own.ok_or(ObserveError::BeyondCounters { cpu, counters: PROCESSORS })?;
        own.watched.store(1, Ordering::Release);
        Ok(())
    }

    /// Has the programs report what becomes of a thread, and of all threads that it makes from now on.
    pub(crate) fn follow(&mut self, tid: i32) -> Result<(), ObserveError> {
        let Some(followed) = &mut self.followed else { return Ok(()) };
        followed.insert(tid, 1, 0).map_err(|why| ObserveError::Bpf(Box::new(why)))
    }

    /// The source of events, and events that it cannot see.
    pub(crate) fn by(&self) -> String {
        self.steal_unseen.as_ref().map_or("BPF".to_owned(), |why| {
            format!("BPF (not when a processor stands still: {why})")
        })
    }

    /// The kernel's numbers for the programs.
    #[cfg(test)]
    pub(crate) fn numbers(&self) -> Vec<u32> {
        let programs = self.loaded.programs();
        programs.filter_map(|(_, program)| Some(program.info().ok()?.id())).collect()
    }

    /// Has a poll wait until a program asks for the reader.
    pub(crate) fn join(&self, poll: &Poll, name: u64) -> std::io::Result<()> {
        poll.add(self.ring.as_raw_fd(), name)
    }

    /// Has the programs report no more; what they have reported can still be read.
    pub(crate) fn stop(&mut self) {
        for (_, program) in self.loaded.programs_mut() {
            // What was never loaded refuses, and the rest ends with the process at the latest.
            let _ = match program {
                Program::BtfTracePoint(program) => program.unload(),
                Program::UProbe(program) => program.unload(),
                _ => Ok(()),
            };
        }
    }

    /// Reads the reports since the last call, nearly in order of time: for each the processor, how many reports were lost
    /// there just before, and the report.
    pub(crate) fn read(&mut self, mut each: impl FnMut(u16, u32, Option<Report>)) {
        while let Some(item) = self.ring.next() {
            let (cpu, count, report) = decode(&item);
            let before = self.lost.get_mut(usize::from(cpu));
            let lost =
                before.map_or(0, |before| count.wrapping_sub(std::mem::replace(before, count)));
            each(cpu, lost, report);
        }
    }

    /// A timer of ours goes off on a processor, for which it was set in time: if it is late, the processor stood still.
    pub(crate) fn expect(&self, cpu: u16, alarm: Option<Instant>) {
        let due = alarm.map_or(0, Instant::as_nanos);
        if let Some(its) = self.counters.cpus.get(usize::from(cpu)) {
            its.alarm.store(due, Ordering::Release);
        }
    }

    /// Whether the kernel's tick was ever seen on a processor: without it, nothing shows that the processor stands still.
    pub(crate) fn ticks(&self, cpu: u16) -> bool {
        let its = self.counters.cpus.get(usize::from(cpu));
        its.is_some_and(|its| its.ticks.load(Ordering::Relaxed) > 0)
    }

    /// Time taken on a processor until now, as far as it is watched.
    pub(crate) fn taken(&self, cpu: u16) -> Taken {
        let Some(its) = self.counters.cpus.get(usize::from(cpu)) else { return Taken::default() };
        let Taken { all, soft, steal } = its.taken();
        let (counted, lacking) = its.lacking(self.apart);
        Taken { all: all + counted, soft, steal: steal + lacking }
    }
}

/// A thread of ours must have been on its processor for longer than this before it asks the kernel how much
/// of that time it ran.
const LONG: Span = Span::from_nanos(100_000);

impl Counters {
    /// With what is being taken at this moment, unless the kernel is just changing it.
    fn taken(&self) -> Taken {
        let begun = self.begun.load(Ordering::Acquire);
        let softly = self.softly.load(Ordering::Acquire) > 0;
        // A part is never more than the whole: it is written after it, and read before.
        let soft = Span::from_nanos(self.soft.load(Ordering::Acquire));
        let steal = Span::from_nanos(self.steal.load(Ordering::Acquire));
        let all = Span::from_nanos(self.stolen.load(Ordering::Acquire));
        let under_way = if begun > 0 && self.begun.load(Ordering::Acquire) == begun {
            clock::now().saturating_since(Instant::from_nanos(begun))
        } else {
            Span::ZERO
        };
        let softly = if softly { under_way } else { Span::ZERO };
        Taken { all: all + under_way, soft: soft + softly, steal }
    }

    /// Time that a hypervisor has taken since the calling thread was put on this processor, if it is there: first the
    /// part that is not counted as an interrupt's, then all. `settle` of the programs does the same when the thread is
    /// taken off.
    fn lacking(&self, apart: bool) -> (Span, Span) {
        let none = (Span::ZERO, Span::ZERO);
        let read = |counter: &AtomicU64| counter.load(Ordering::Acquire);
        let put_on = read(&self.put_on);
        let whole = clock::now().saturating_since(Instant::from_nanos(put_on));
        let own = || u64::try_from(own_tid()).is_ok_and(|tid| read(&self.runs) == tid);
        if put_on == 0 || whole < LONG || !own() {
            return none;
        }
        let interrupts = read(&self.stolen).saturating_sub(read(&self.steal));
        let interrupts = if apart { interrupts.saturating_sub(read(&self.before)) } else { 0 };
        let ran = usage::of_this_thread().saturating_sub(Span::from_nanos(read(&self.had)));
        let known = Span::from_nanos(interrupts + read(&self.seen));
        let whole = clock::now().saturating_since(Instant::from_nanos(put_on));
        let lacking = whole.saturating_sub(ran + known);
        if lacking < LONG || read(&self.put_on) != put_on {
            return none;
        }
        let slow = if apart { 0 } else { read(&self.slow) };
        (lacking.saturating_sub(Span::from_nanos(slow)), lacking)
    }
}

fn attach(
    loaded: &mut Ebpf,
    kernel: &Btf,
    place: Place,
) -> Result<(), Box<dyn Error + Send + Sync>> {
    let (program, tracepoint) = place;
    let program = loaded.program_mut(program).ok_or("a program is missing")?;
    let program: &mut BtfTracePoint = program.try_into()?;
    program.load(tracepoint, kernel)?;
    program.attach()?;
    Ok(())
}

/// Where the function of the kernel's tick lies, or why that is not known; and whether the kernel counts the time of
/// interrupts apart from threads'.
fn symbols() -> (Result<u64, String>, bool) {
    const NAMES: &str = "/proc/kallsyms";
    let file = match File::open(NAMES) {
        Ok(file) => file,
        Err(error) => return (Err(format!("{NAMES}: {error}")), false),
    };
    let (mut found, mut apart) = (None, false);
    for line in BufReader::new(file).lines().map_while(Result::ok) {
        let mut words = line.split_ascii_whitespace();
        let address = words.next().and_then(|word| u64::from_str_radix(word, 16).ok());
        let (Some(address), Some(name)) = (address, words.nth(1)) else { continue };
        apart |= name == "irqtime_account_irq";
        if let Some(place) = TICKS.iter().position(|tick| *tick == name) {
            found = Some(found.unwrap_or((place, address)).min((place, address)));
        }
    }
    let tick = match found {
        None => Err(format!("{NAMES} names none of {}", TICKS.join(", "))),
        Some((_, 0)) => Err(format!("{NAMES} hides addresses; it needs CAP_SYSLOG")),
        Some((_, address)) => Ok(address),
    };
    (tick, apart)
}

/// Decodes a record in the ring of the BPF programs: its processor, how many records were lost there so far, and the
/// report; `None` for an unknown kind. Records of any length are accepted: missing bytes at the end are read as 0.
#[must_use]
pub fn decode(item: &[u8]) -> (u16, u32, Option<Report>) {
    let at = Instant::from_nanos(u64_at(item, 0));
    let [all, soft, steal] = [8, 16, 24].map(|place| Span::from_nanos(u64_at(item, place)));
    let taken = Taken { all, soft, steal };
    (u16_at(item, 36), u32_at(item, 32), seen(item).map(|seen| Report { at, taken, seen }))
}

/// `struct event` of the programs, `struct named` and `struct starts`.
fn seen(item: &[u8]) -> Option<KernelEvent> {
    let (first, second) = (u32_at(item, 40).cast_signed(), u32_at(item, 44).cast_signed());
    let state = item.get(39).copied().unwrap_or(0);
    let name = Comm::at(item, 48);
    let overhead =
        |kind| KernelEvent::OverheadBegin { kind, number: u16::try_from(first).unwrap_or(0) };
    let fork = |kind| KernelEvent::Fork { parent: first, child: second, kind };
    let kind = |thread| Some(ChildKind { thread, name: name? });
    Some(match item.get(38)? {
        0 => KernelEvent::Switch { prev: first, stop: stop(state.into()), next: second },
        1 => KernelEvent::Wake { tid: first, by: second },
        2 => fork(None),
        3 => KernelEvent::Named { tid: first, name: name? },
        4 => KernelEvent::Executed { tid: first, before: second },
        5 => fork(Some(kind(false)?)),
        6 => fork(Some(kind(true)?)),
        7 => overhead(OverheadKind::Interrupt),
        8 => overhead(OverheadKind::Softirq),
        9 => KernelEvent::OverheadEnd,
        10 => KernelEvent::Starts { tid: first, pid: second, routine: u64_at(item, 48) },
        11 => KernelEvent::Steal { since: Instant::from_nanos(u64_at(item, 40)) },
        12 => KernelEvent::Interrupted { since: Instant::from_nanos(u64_at(item, 40)) },
        _ => return None,
    })
}
