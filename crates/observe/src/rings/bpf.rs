//! Events of the kernel by BPF (`bpf/events.bpf.c`).

use super::{Event, Taken, Where};
use crate::bpf::{Place, Programs, Wanted};
use crate::error::ObserveError;
use crate::fifo_priorities;
use windfall_os::events::Poll;
use windfall_time::Instant;

static OBJECT: &[u8] =
    aya::include_bytes_aligned!(concat!(env!("CARGO_MANIFEST_DIR"), "/bpf/events.bpf.o"));

const SCHEDULER: [Place; 7] = [
    ("on_switch", "sched_switch"),
    ("on_wakeup", "sched_wakeup"),
    ("on_wakeup_new", "sched_wakeup_new"),
    ("on_fork", "sched_process_fork"),
    ("on_exit", "sched_process_exit"),
    ("on_exec", "sched_process_exec"),
    ("on_rename", "task_rename"),
];
const INTERRUPTS: [[Place; 2]; 3] = [
    [("on_irq_exit", "irq_handler_exit"), ("on_irq_entry", "irq_handler_entry")],
    [("on_softirq_exit", "softirq_exit"), ("on_softirq_entry", "softirq_entry")],
    [("on_timer_exit", "local_timer_exit"), ("on_timer_entry", "local_timer_entry")],
];

/// Events of supervised threads, as our BPF programs report them.
pub(super) struct BpfEvents {
    pub(super) programs: Programs,
    supervised: Vec<u16>,
}

impl BpfEvents {
    /// Loads and attaches the programs, or says why that cannot be done.
    pub(super) fn load(supervised: &[u16]) -> Result<BpfEvents, ObserveError> {
        let prio = |priority| fifo_priorities::in_kernel(priority).cast_signed();
        let programs = Programs::load(&Wanted {
            object: OBJECT,
            globals: &[
                ("top", prio(fifo_priorities::EVENTS)),
                ("bottom", prio(fifo_priorities::FROZEN)),
                ("granted", prio(fifo_priorities::GRANTED)),
                ("held", prio(fifo_priorities::HELD)),
            ],
            needed: &SCHEDULER,
            interrupts: &INTERRUPTS,
            timer: ("on_timer", "hrtimer_expire_entry"),
        })?;
        supervised.iter().try_for_each(|cpu| programs.watch(*cpu))?;
        Ok(BpfEvents { programs, supervised: supervised.to_vec() })
    }

    pub(super) fn join(&self, poll: &Poll, name: u64) -> std::io::Result<()> {
        self.programs.join(poll, name)
    }

    pub(super) fn read(&mut self, batch: &mut Vec<Event>, lost: &mut Vec<(Where, u64)>) {
        let BpfEvents { programs, supervised } = self;
        programs.read(|cpu, more, report| {
            let place = Where::of(cpu, supervised);
            if more > 0 {
                lost.push((place, more.into()));
            }
            let event = |report: crate::bpf::Report| Event {
                at: report.at,
                place,
                taken: report.taken,
                seen: report.seen,
            };
            batch.extend(report.map(event));
        });
    }

    pub(super) fn expect(&self, alarm: Option<Instant>) {
        self.supervised.iter().for_each(|cpu| self.programs.expect(*cpu, alarm));
    }

    pub(super) fn sees_steal(&self) -> bool {
        self.supervised.iter().all(|cpu| self.programs.ticks(*cpu))
    }

    pub(super) fn taken(&self, cpu: usize) -> Taken {
        self.supervised.get(cpu).map_or(Taken::default(), |number| self.programs.taken(*number))
    }
}
