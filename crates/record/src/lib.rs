#![doc = include_str!("../README.md")]
//!
//! # Inside
//!
//! Every processor's switches, wake-ups, starts and ends of threads, names and interrupts are written into rings in the
//! kernel; one thread of ours sleeps until one is half full or a tenth of a second has passed, and hands them on in
//! order of time. Nothing is started, stopped or changed on the machine but the command that is to be recorded.
//!
//! Invariants: a record is handed on when nothing older can come any more; the first records say who runs on each
//! processor and who is ready; what the rings lost is an [`Event::Lost`](windfall_trace::Event::Lost).
//!
//! A recorded command's threads, and all that they start, belong to a node of kind [`windfall_trace::COMMAND`]; everybody else is recorded,
//! too, since they are who took the processors meanwhile.
//!
//! Read next: `first.rs` (the state at the beginning), `translate.rs` (what events mean), and the crate `observe` (where they come
//! from).
#![forbid(unsafe_code)]

mod command;
mod first;
#[cfg(test)]
#[path = "../../../fuzz/mutate.rs"]
mod mutate;
mod recorded;
mod translate;

pub use recorded::{Answered, Recorded};

use command::Child;
use recorded::SETTLED;
use std::os::fd::AsRawFd;
use std::time::Duration;
use translate::Translator;
use windfall_observe::image::Image;
use windfall_observe::{EventSource, ObserveError, procfs, routines};
use windfall_os::LinuxError;
use windfall_os::events::Poll;
use windfall_os::process::StopSignals;
use windfall_os::{clock, sched, usage};
use windfall_time::{Instant, Span};
use windfall_trace::{Header, NodeId, Sink};

/// The longest sleep between two looks, in milliseconds.
const LOOK_MS: u64 = 100;

const SIGNALS: u64 = 1;
const ENDED: u64 = 2;
const RINGS: u64 = 3;

/// A recording to make.
#[derive(Clone, Debug, Default)]
pub struct Wanted {
    /// A command, word by word, that is started, and whose end is the recording's.
    pub command: Vec<String>,
    /// A process whose threads, and all that they start, belong to what is recorded, as a command's do.
    pub pid: Option<i32>,
    /// Record so long; otherwise until the command ends or a signal asks to stop.
    pub length: Option<Span>,
    /// Observe the start routines of threads, too. Each `pthread_create` on the machine then traps into the kernel.
    pub routines: bool,
}

/// Observes the whole machine; see [`Recorder::run`].
pub struct Recorder {
    events: EventSource,
    from: Instant,
    cpus: Vec<u16>,
}

impl Recorder {
    /// Begins to observe.
    ///
    /// # Errors
    /// Without the right to observe, or on a kernel without the tracepoints: what is missing, and what would help.
    pub fn open() -> Result<Recorder, LinuxError> {
        first::same_numbers()?;
        let cpus = procfs::online();
        let events = EventSource::open(&cpus)?;
        Ok(Recorder { events, from: clock::now(), cpus })
    }

    /// The trace's header.
    #[must_use]
    pub fn header(&self) -> Header {
        let last = self.cpus.iter().max().copied().unwrap_or(0);
        Header::new("windfall record", "mono", last + 1)
    }

    /// Records into `sink` until the command ends, the time is over, the sink is broken, or SIGINT, SIGTERM or SIGHUP asks to stop.
    ///
    /// A command that still runs then is asked to end with all its descendants (SIGTERM), and waited for.
    ///
    /// # Errors
    /// When the command cannot be started; [`LinuxError::status`] is then 127 (not found) or 126.
    pub fn run(self, wanted: &Wanted, sink: &mut dyn Sink) -> Result<Recorded, LinuxError> {
        let Recorder { events: mut source, from, cpus } = self;
        let trouble =
            |e: std::io::Error| LinuxError::of("cannot set up the recording", &e, "report it");
        let mut translator = Translator::new(sink, from);
        if let Some(name) = wanted.name() {
            translator.begin_command(NodeId(0), &name, wanted.pid);
        }
        first::state(&mut translator, &mut source, from, &cpus);

        let signals = StopSignals::hold().map_err(trouble)?;
        let poll = Poll::new().map_err(trouble)?;
        poll.add(signals.fd().as_raw_fd(), SIGNALS).map_err(trouble)?;
        source.join(&poll, RINGS).map_err(trouble)?;
        let no_routines = wanted.report_starts(&mut source).err().map(|why| why.to_string());
        translator.expect_child_of(sched::own_tid());
        let mut child = match wanted.command.as_slice() {
            [] => None,
            words => Some(Child::start(words)?),
        };
        if let Some(child) = &child {
            poll.add(child.as_raw_fd(), ENDED).map_err(trouble)?;
        }

        let begun = (clock::now(), usage::of_this_thread());
        let end = wanted.length.map_or(Instant::MAX, |length| begun.0.saturating_add(length));
        let first = child.as_ref().map(Child::pid).or(wanted.pid);
        let image = watch(&mut source, &mut translator, &poll, end, first);
        source.stop();
        std::thread::sleep(Duration::from_nanos(SETTLED.as_nanos()));
        source.until(Instant::MAX, |cpu, observed| translator.take(cpu, observed));
        let (length, own) = (
            clock::now().saturating_since(begun.0),
            usage::of_this_thread().saturating_sub(begun.1),
        );
        let stopped = translator.finish();
        let interrupted = signals.arrive(0);
        let ended = child.as_mut().map(|child| child.end(&signals));
        let (answer, still_running) = ended.unwrap_or_default();
        signals.take();
        let by = source.by;
        Ok(Recorded {
            by,
            length,
            own,
            answer,
            still_running,
            interrupted,
            image,
            no_routines,
            ..stopped
        })
    }
}

/// Hands on what is observed until `end`, a signal, the command's end, or a broken sink. Returns the code that the process `first`
/// executed at the last look.
fn watch(
    source: &mut EventSource,
    translator: &mut Translator<'_>,
    poll: &Poll,
    end: Instant,
    first: Option<i32>,
) -> Option<Image> {
    let mut ready = Vec::new();
    let (mut image, mut looks) = (None, 0_u64);
    loop {
        let left = end.saturating_since(clock::now()).as_nanos().div_ceil(1_000_000);
        poll.wait(i32::try_from(left.min(LOOK_MS)).unwrap_or(0), &mut ready);
        let now = clock::now();
        let settled = now.checked_sub(SETTLED).unwrap_or(Instant::ZERO);
        source.until(settled, |cpu, observed| translator.take(cpu, observed));
        looks += 1;
        if looks.is_power_of_two() {
            image = first.and_then(Image::of).or(image);
        }
        let asked = ready.iter().any(|name| matches!(*name, SIGNALS | ENDED));
        if now >= end || asked || translator.is_broken() {
            return image;
        }
    }
}

impl Wanted {
    /// The name of the recorded process or command; `None` for the whole machine.
    fn name(&self) -> Option<String> {
        match self.command.as_slice() {
            [] => self.pid.map(|pid| format!("process {pid}")),
            words => Some(words.join(" ")),
        }
    }

    /// Has the source report where threads start, where that is wanted.
    fn report_starts(&self, source: &mut EventSource) -> Result<(), ObserveError> {
        if !self.routines {
            return Ok(());
        }
        let program = self.command.first().map(String::as_str);
        source.report_starts(&routines::makers(program.as_slice(), self.pid.as_slice()))
    }
}

impl Recorded {
    /// The recording thread's share of one processor, in thousandths of a percent.
    #[must_use]
    pub fn overhead(&self) -> u128 {
        let (own, length) = (u128::from(self.own.as_nanos()), u128::from(self.length.as_nanos()));
        own * 100_000 / length.max(1)
    }

    /// Switches of all processors in a second.
    #[must_use]
    pub fn rate(&self) -> u128 {
        let (switches, length) = (u128::from(self.switches), u128::from(self.length.as_nanos()));
        switches * 1_000_000_000 / length.max(1)
    }
}
