//! The kernel's tracepoints: where they are, and what their bytes say.
//!
//! Offsets come from tracefs, since they differ between kernels.

use crate::kernel_event::{ChildKind, Comm, KernelEvent, stop};
use std::path::{Path, PathBuf};
use windfall_os::LinuxError;
use windfall_os::perf::{u16_at, u32_at, u64_at};
use windfall_trace::OverheadKind;

/// Which tracepoint.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Point {
    /// A processor goes from one thread to another.
    Switch,
    /// Wake-ups, reported by the waker on its processor.
    Waking,
    /// Wake-ups, reported where the woken thread will run.
    Wakeup,
    /// The first wake-up of a thread.
    WakeupNew,
    /// A thread is made.
    Fork,
    /// A thread is made; says of what kind.
    NewTask,
    /// A thread executes a program.
    Exec,
    /// A thread gets a name.
    Rename,
    /// A thread is about to end.
    Exit,
    /// A device's interrupt begins.
    IrqEntry,
    /// It ends.
    IrqExit,
    /// A softirq begins.
    SoftirqEntry,
    /// It ends.
    SoftirqExit,
    /// An interrupt of the processor's timer begins.
    TimerEntry,
    /// It ends.
    TimerExit,
}

use Point::{
    Exec, Exit, Fork, IrqEntry, IrqExit, NewTask, Rename, SoftirqEntry, SoftirqExit, Switch,
    TimerEntry, TimerExit, Wakeup, WakeupNew, Waking,
};

/// Where interrupts begin and end.
pub const INTERRUPTS: [Point; 6] =
    [IrqEntry, IrqExit, SoftirqEntry, SoftirqExit, TimerEntry, TimerExit];

/// The formats: where each tracepoint is in tracefs, and which of its fields are used, in order.
pub const POINTS: [(Point, &str, &[&str]); 15] = [
    (Switch, "sched/sched_switch", &["prev_pid", "prev_state", "next_pid"]),
    (Waking, "sched/sched_waking", &["pid"]),
    (Wakeup, "sched/sched_wakeup", &["pid"]),
    (WakeupNew, "sched/sched_wakeup_new", &["pid"]),
    (NewTask, "task/task_newtask", &["pid", "clone_flags", "comm"]),
    (Fork, "sched/sched_process_fork", &["parent_pid", "child_pid"]),
    (Exec, "sched/sched_process_exec", &["pid", "old_pid"]),
    (Rename, "task/task_rename", &["pid", "newcomm"]),
    (Exit, "sched/sched_process_exit", &["pid"]),
    (IrqEntry, "irq/irq_handler_entry", &["irq"]),
    (IrqExit, "irq/irq_handler_exit", &[]),
    (SoftirqEntry, "irq/softirq_entry", &["vec"]),
    (SoftirqExit, "irq/softirq_exit", &[]),
    (TimerEntry, "irq_vectors/local_timer_entry", &["vector"]),
    (TimerExit, "irq_vectors/local_timer_exit", &[]),
];

/// Offset of `common_pid`, the thread that passes a tracepoint; the same for all.
const COMMON_PID: usize = 4;

struct Format {
    point: Point,
    id: u16,
    offsets: Vec<usize>,
}

/// The tracepoints of this kernel.
pub struct Tracepoints(Vec<Format>);

impl Tracepoints {
    /// Reads their formats. Those of interrupts may be missing; those of the scheduler may not.
    ///
    /// # Errors
    /// When tracefs is not mounted or not readable, or a format lacks a field that is used.
    pub fn find() -> Result<Tracepoints, LinuxError> {
        let folder = folder()?;
        let mut formats = Vec::new();
        for (point, name, fields) in POINTS {
            let path = folder.join(name).join("format");
            let text = match std::fs::read_to_string(&path) {
                Ok(text) => text,
                Err(_) if !name.starts_with("sched") => continue,
                Err(error) => {
                    let what = format!("cannot read the kernel's tracepoint {name}");
                    return Err(LinuxError::of(
                        what,
                        &error,
                        "use a kernel with scheduler tracepoints",
                    ));
                }
            };
            let parsed = parse(&text, fields);
            let (id, offsets) = parsed.ok_or_else(|| {
                let why = "its format is not understood";
                LinuxError::new(
                    format!("tracepoint {name}"),
                    why,
                    "report it with the kernel's version",
                )
            })?;
            formats.push(Format { point, id, offsets });
        }
        Ok(Tracepoints(formats))
    }

    /// Tracepoints of a kernel that does not exist, for tests of decoding: all of [`POINTS`], numbered by their places,
    /// with fields of four bytes from byte 8 on.
    #[must_use]
    pub fn any() -> Tracepoints {
        let format = |(id, (point, _, fields)): (u16, (Point, &str, &[&str]))| {
            let offsets = (0..fields.len()).map(|field| 8 + 4 * field).collect();
            Format { point, id, offsets }
        };
        Tracepoints((0..).zip(POINTS).map(format).collect())
    }

    /// The number of a tracepoint, where this kernel has it.
    #[must_use]
    pub fn id(&self, point: Point) -> Option<u64> {
        self.0.iter().find(|format| format.point == point).map(|format| u64::from(format.id))
    }

    /// Decodes a sample; `None` for a tracepoint that is not one of [`POINTS`].
    #[must_use]
    pub fn decode(&self, raw: &[u8]) -> Option<KernelEvent> {
        let id = u16_at(raw, 0);
        let Format { point, offsets, .. } = self.0.iter().find(|format| format.id == id)?;
        let field = |n: usize| offsets.get(n).map_or(0, |at| u32_at(raw, *at).cast_signed());
        let name = |n: usize| Comm::at(raw, *offsets.get(n)?);
        let passer = u32_at(raw, COMMON_PID).cast_signed();
        Some(match point {
            Switch => {
                let state = offsets.get(1).map_or(0, |at| u64_at(raw, *at));
                KernelEvent::Switch { prev: field(0), stop: stop(state), next: field(2) }
            }
            Waking | Wakeup | WakeupNew => {
                KernelEvent::Wake { tid: field(0), by: if interrupted(raw) { 0 } else { passer } }
            }
            NewTask => {
                const CLONE_THREAD: u32 = 0x0001_0000;
                let thread = field(1).cast_unsigned() & CLONE_THREAD != 0;
                let kind = Some(ChildKind { thread, name: name(2)? });
                KernelEvent::Fork { parent: passer, child: field(0), kind }
            }
            Fork => KernelEvent::Fork { parent: field(0), child: field(1), kind: None },
            Exec => KernelEvent::Executed { tid: field(0), before: field(1) },
            Rename => KernelEvent::Named { tid: field(0), name: name(1)? },
            Exit => KernelEvent::Exit { tid: field(0) },
            IrqEntry | TimerEntry => overhead(OverheadKind::Interrupt, field(0)),
            SoftirqEntry => overhead(OverheadKind::Softirq, field(0)),
            IrqExit | SoftirqExit | TimerExit => KernelEvent::OverheadEnd,
        })
    }
}

/// Whether a sample was taken while an interrupt was served.
fn interrupted(raw: &[u8]) -> bool {
    const COMMON_FLAGS: usize = 2;
    const SERVED: u8 = 0x18; // hard, soft
    raw.get(COMMON_FLAGS).is_some_and(|flags| flags & SERVED != 0)
}

fn overhead(kind: OverheadKind, number: i32) -> KernelEvent {
    KernelEvent::OverheadBegin { kind, number: u16::try_from(number).unwrap_or(0) }
}

/// Where tracefs shows its events.
fn folder() -> Result<PathBuf, LinuxError> {
    let places = ["/sys/kernel/tracing/events", "/sys/kernel/debug/tracing/events"];
    let found = places.iter().map(Path::new).find(|place| place.join("sched").is_dir());
    found.map(Path::to_owned).ok_or_else(|| {
        LinuxError::new(
            "cannot find the kernel's tracepoints",
            "tracefs is not mounted, or this user may not look into it",
            "mount it (`mount -t tracefs tracefs /sys/kernel/tracing`) and run as root",
        )
    })
}

/// A format file's number and the offsets of some fields.
fn parse(text: &str, fields: &[&str]) -> Option<(u16, Vec<usize>)> {
    let id = text.lines().find_map(|line| line.strip_prefix("ID: "))?.trim().parse().ok()?;
    let offset = |name: &&str| {
        text.lines().find_map(|line| {
            let (declaration, rest) = line.trim().strip_prefix("field:")?.split_once(';')?;
            let last = declaration.split([' ', '\t']).next_back()?;
            let matches = last.split('[').next()? == *name;
            let at = rest.trim().strip_prefix("offset:")?.split(';').next()?;
            at.parse::<usize>().ok().filter(|_| matches)
        })
    };
    Some((id, fields.iter().map(offset).collect::<Option<_>>()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SWITCH: &str = "name: sched_switch\nID: 372\nformat:\n\
        \tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\
        \tfield:char prev_comm[16];\toffset:8;\tsize:16;\tsigned:0;\n\
        \tfield:pid_t prev_pid;\toffset:24;\tsize:4;\tsigned:1;\n\
        \tfield:long prev_state;\toffset:32;\tsize:8;\tsigned:1;\n\
        \tfield:pid_t next_pid;\toffset:56;\tsize:4;\tsigned:1;\n";

    #[test]
    fn accepts_the_format_of_a_switch() {
        let found = parse(SWITCH, &["prev_pid", "prev_state", "next_pid", "prev_comm"]);
        assert_eq!(found, Some((372, vec![24, 32, 56, 8])));
    }

    #[test]
    fn refuses_a_format_without_a_field_that_is_used() {
        assert_eq!(parse(SWITCH, &["prev_pid", "wanted"]), None);
    }
}
