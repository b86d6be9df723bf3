//! The thread on each processor and its time there; stolen and lost time.
//!
//! Invariant: a thread receives the time from its switch to the next, less what was stolen in
//! between. After lost events the thread of a processor is unknown until its next switch.

use super::out::{Out, Track};
use super::states::{States, Task};
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::io::Write;
use windfall_time::{Instant, Span};
use windfall_trace::{Cpu, OverheadKind, ThreadId};

/// Numbers of the threads that stand for "unknown", one for each processor.
const UNKNOWN: i64 = (1 << 30) + (1 << 29);

#[derive(Debug, Default)]
struct Line {
    runs: Option<ThreadId>,
    /// Since when `runs` has had it without overhead.
    since: Instant,
    /// Time that `runs` received before `since`.
    got: Span,
    overheads: u32,
    lost: bool,
}

impl Line {
    /// Ends an account at `at`.
    fn settle(&mut self, at: Instant) -> Option<(ThreadId, Span)> {
        let thread = self.runs.take()?;
        Some((thread, self.so_far(at)))
    }

    fn so_far(&self, at: Instant) -> Span {
        let free = if self.overheads == 0 { at.saturating_since(self.since) } else { Span::ZERO };
        self.got.saturating_add(free)
    }
}

/// All processors.
#[derive(Debug, Default)]
pub(super) struct Cpus {
    lines: BTreeMap<Cpu, Line>,
}

fn stand_in(cpu: Cpu) -> i64 {
    UNKNOWN + i64::from(cpu.0)
}

impl Cpus {
    pub(super) fn declare(&mut self, out: &mut Out<impl Write>, cpu: Cpu) {
        if let Entry::Vacant(place) = self.lines.entry(cpu) {
            place.insert(Line::default());
            out.describe(Track::Cpu(cpu), &format!("cpu {}", cpu.0), Some(Track::Processors));
            out.describe(Track::Overheads(cpu), "stolen", Some(Track::Cpu(cpu)));
        }
    }

    pub(super) fn all(&self) -> Vec<Cpu> {
        self.lines.keys().copied().collect()
    }

    /// Whether some processor runs `thread`, as far as is known.
    pub(super) fn runs(&self, thread: ThreadId) -> bool {
        self.lines.values().any(|line| line.runs == Some(thread))
    }

    /// Gives `cpu` to `next`; who had it and what that got.
    pub(super) fn switch(
        &mut self,
        out: &mut Out<impl Write>,
        states: &mut States,
        at: Instant,
        cpu: Cpu,
        next: Option<ThreadId>,
    ) -> Option<(ThreadId, Span)> {
        let line = self.lines.entry(cpu).or_default();
        if std::mem::take(&mut line.lost) {
            out.end(at, Track::Unknown(cpu), &[]);
            states.set(stand_in(cpu), Task::Sleep);
        }
        let ran = line.settle(at);
        (line.runs, line.since, line.got) = (next, at, Span::ZERO);
        ran
    }

    /// Takes `thread` off every processor but `cpu`; what it got there.
    pub(super) fn leave_others(&mut self, at: Instant, cpu: Cpu, thread: ThreadId) -> Option<Span> {
        let others = self.lines.iter_mut().filter(|(other, _)| **other != cpu);
        let mut held = others.filter(|(_, line)| line.runs == Some(thread));
        held.next().and_then(|(_, line)| line.settle(at)).map(|(_, span)| span)
    }

    pub(super) fn overhead(
        &mut self,
        out: &mut Out<impl Write>,
        at: Instant,
        cpu: Cpu,
        kind: OverheadKind,
        number: u16,
    ) {
        self.declare(out, cpu);
        let line = self.lines.entry(cpu).or_default();
        line.got = line.so_far(at);
        line.overheads += 1;
        let name = match kind {
            OverheadKind::Interrupt => "interrupt",
            OverheadKind::Softirq => "softirq",
            OverheadKind::Steal => "stolen by the hypervisor",
            OverheadKind::Scheduling => "scheduling",
            OverheadKind::Switching => "switching",
            OverheadKind::StationWait => "waits at station",
            OverheadKind::StationService => "served at station",
        };
        if number == 0 {
            out.begin(at, Track::Overheads(cpu), name, &[]);
        } else {
            out.begin(at, Track::Overheads(cpu), &format!("{name} {number}"), &[]);
        }
    }

    pub(super) fn overhead_ends(&mut self, out: &mut Out<impl Write>, at: Instant, cpu: Cpu) {
        let Some(line) = self.lines.get_mut(&cpu) else {
            return;
        };
        if line.overheads > 0 {
            line.overheads -= 1;
            line.since = at;
            out.end(at, Track::Overheads(cpu), &[]);
        }
    }

    /// From here on `cpu` is unknown; who had it and what that got.
    pub(super) fn lose(
        &mut self,
        out: &mut Out<impl Write>,
        states: &mut States,
        at: Instant,
        cpu: Cpu,
        name: &str,
    ) -> Option<(ThreadId, Span)> {
        self.declare(out, cpu);
        let line = self.lines.entry(cpu).or_default();
        let ran = line.settle(at);
        for _ in 0..std::mem::take(&mut line.overheads) {
            out.end(at, Track::Overheads(cpu), &[]);
        }
        if line.lost {
            out.end(at, Track::Unknown(cpu), &[]);
        } else {
            states.name(stand_in(cpu), "unknown (events lost)");
            states.set(stand_in(cpu), Task::Running(cpu));
        }
        line.lost = true;
        if !out.is_described(Track::Unknown(cpu)) {
            out.describe(Track::Unknown(cpu), "unknown", Some(Track::Cpu(cpu)));
        }
        out.begin(at, Track::Unknown(cpu), name, &[]);
        ran
    }
}
