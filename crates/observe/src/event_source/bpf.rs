//! Kernel events from BPF (`bpf/record.bpf.c`): one ring for all processors, put in order here.

use super::Observed;
use crate::bpf::{Place, Programs, Wanted};
use crate::error::ObserveError;
use crate::kernel_event::KernelEvent;
use std::collections::BTreeSet;
use std::io;
use std::path::PathBuf;
use windfall_os::events::Poll;
use windfall_time::{Instant, Span};
use windfall_trace::OverheadKind;

static OBJECT: &[u8] =
    aya::include_bytes_aligned!(concat!(env!("CARGO_MANIFEST_DIR"), "/bpf/record.bpf.o"));

/// A thread's last switch says that it has ended; a wake-up is reported by the waker, which is known there.
const SCHEDULER: [Place; 6] = [
    ("record_switch", "sched_switch"),
    ("record_waking", "sched_waking"),
    ("record_wakeup_new", "sched_wakeup_new"),
    ("record_newtask", "task_newtask"),
    ("on_exec", "sched_process_exec"),
    ("on_rename", "task_rename"),
];
const INTERRUPTS: [[Place; 2]; 3] = [
    [("record_irq_exit", "irq_handler_exit"), ("record_irq_entry", "irq_handler_entry")],
    [("record_softirq_exit", "softirq_exit"), ("record_softirq_entry", "softirq_entry")],
    [("record_timer_exit", "local_timer_exit"), ("record_timer_entry", "local_timer_entry")],
];

/// Our programs, and what they reported that was not handed on yet, in order of time.
pub(super) struct BpfEvents {
    programs: Programs,
    kept: Vec<(Instant, u16, Observed)>,
}

impl BpfEvents {
    pub(super) fn open() -> Result<BpfEvents, ObserveError> {
        let wanted = Wanted {
            object: OBJECT,
            globals: &[],
            needed: &SCHEDULER,
            interrupts: &INTERRUPTS,
            timer: ("record_timer", "hrtimer_expire_entry"),
        };
        Ok(BpfEvents { programs: Programs::load(&wanted)?, kept: Vec::new() })
    }

    /// The source of events, and events that it cannot see.
    pub(super) fn by(&self) -> String {
        self.programs.by()
    }

    pub(super) fn report_starts(&mut self, makers: &BTreeSet<PathBuf>) -> Result<(), ObserveError> {
        self.programs.report_starts(makers)
    }

    pub(super) fn join(&self, poll: &Poll, name: u64) -> io::Result<()> {
        self.programs.join(poll, name)
    }

    pub(super) fn until(&mut self, last: Instant, mut each: impl FnMut(u16, Observed)) {
        let BpfEvents { programs, kept } = self;
        programs.read(|cpu, lost, report| {
            let Some(report) = report else { return };
            if lost > 0 {
                kept.push((report.at, cpu, Observed::Lost(lost.into())));
            }
            let mut keep = |at, seen| kept.push((at, cpu, Observed::Event(at, seen)));
            if let KernelEvent::Steal { since } = report.seen {
                keep(since, KernelEvent::OverheadBegin { kind: OverheadKind::Steal, number: 0 });
                // Before the interrupt that it ends with.
                keep(
                    report.at.checked_sub(Span::from_nanos(1)).unwrap_or(since),
                    KernelEvent::OverheadEnd,
                );
            } else {
                keep(report.at, report.seen);
            }
        });
        kept.sort_by_key(|(at, ..)| *at); // nearly sorted, which this kind of sorting likes
        let settled = kept.partition_point(|(at, ..)| *at <= last);
        kept.drain(..settled).for_each(|(_, cpu, observed)| each(cpu, observed));
    }

    pub(super) fn stop(&mut self) {
        self.programs.stop();
    }
}
