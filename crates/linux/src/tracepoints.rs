//! The kernel's tracepoints: where they are, and what their bytes say.
//!
//! Offsets come from tracefs, since they differ between kernels.

use crate::error::LinuxError;
use std::path::{Path, PathBuf};
use windfall_os::perf::{u16_at, u32_at, u64_at};
use windfall_time::Instant;
use windfall_trace::{OverheadKind, Stop};

/// What a tracepoint has seen.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Seen {
    /// A processor goes from one thread to another; 0 is nobody.
    Switch { prev: i32, stop: Stop, next: i32 },
    /// A thread that waited can run; 0 wakes it by an interrupt.
    Wake { tid: i32, by: i32 },
    /// A thread has been made, and is about to be woken for the first time.
    Fork { parent: i32, child: i32 },
    /// A thread has this name from now on.
    Named { tid: i32, name: Comm },
    /// A thread runs another program; it may have taken over the number of its process' first thread, and had
    /// another one before.
    Executed { tid: i32, before: i32 },
    /// A thread is about to end.
    Exit { tid: i32 },
    /// Somebody other than a thread takes the processor, or gives it back.
    TheftBegin { kind: OverheadKind, number: u16 },
    /// See `TheftBegin`.
    TheftEnd,
    /// The processor has stood still until now.
    Steal { since: Instant },
    /// An interrupt has had the processor for long, until now. Its time is counted besides.
    Interrupted { since: Instant },
    /// A thread has been made, of its parent's process or of one of its own.
    Made { parent: i32, child: i32, thread: bool, name: Comm },
    /// The next thread that a thread of a process makes will start at an address of theirs.
    Starts { tid: i32, pid: i32, routine: u64 },
}

/// A thread's name as the kernel keeps it, with zeros behind.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Comm([u8; 16]);

impl Comm {
    /// The one at an offset of the kernel's bytes; what stands behind its end, from earlier names, is left out.
    pub(crate) fn at(bytes: &[u8], at: usize) -> Option<Comm> {
        let bytes = bytes.get(at..at + 16)?.split(|byte| *byte == 0).next()?;
        let mut name = [0; 16];
        name[..bytes.len()].copy_from_slice(bytes);
        Some(Comm(name))
    }

    /// Bytes that are not UTF-8 are replaced.
    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.0).trim_end_matches('\0').to_owned()
    }
}

/// Which tracepoint.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Point {
    Switch,
    /// Wake-ups, told by who wakes, where he does it.
    Waking,
    /// Wake-ups, told where the woken thread will run.
    Wakeup,
    WakeupNew,
    Fork,
    /// A thread is made; tells of what kind.
    NewTask,
    Exec,
    Rename,
    Exit,
    IrqEntry,
    IrqExit,
    SoftirqEntry,
    SoftirqExit,
    TimerEntry,
    TimerExit,
}

use Point::{
    Exec, Exit, Fork, IrqEntry, IrqExit, NewTask, Rename, SoftirqEntry, SoftirqExit, Switch,
    TimerEntry, TimerExit, Wakeup, WakeupNew, Waking,
};

/// Where interrupts begin and end.
pub(crate) const INTERRUPTS: [Point; 6] =
    [IrqEntry, IrqExit, SoftirqEntry, SoftirqExit, TimerEntry, TimerExit];

/// Where each is, and which of its fields are used, in order.
pub(crate) const POINTS: [(Point, &str, &[&str]); 15] = [
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
pub(crate) struct Tracepoints(Vec<Format>);

impl Tracepoints {
    /// Reads their formats. Those of interrupts may be missing; those of the scheduler may not.
    pub(crate) fn find() -> Result<Tracepoints, LinuxError> {
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

    /// All of them, numbered by their places, with fields of four bytes after the common ones.
    #[cfg(test)]
    pub(crate) fn any() -> Tracepoints {
        let format = |(id, (point, _, fields)): (u16, (Point, &str, &[&str]))| {
            let offsets = (0..fields.len()).map(|field| 8 + 4 * field).collect();
            Format { point, id, offsets }
        };
        Tracepoints((0..).zip(POINTS).map(format).collect())
    }

    /// The number of a tracepoint, where this kernel has it.
    pub(crate) fn id(&self, point: Point) -> Option<u64> {
        self.0.iter().find(|format| format.point == point).map(|format| u64::from(format.id))
    }

    /// What the bytes of a sample say; nothing for a tracepoint that is not ours.
    pub(crate) fn decode(&self, raw: &[u8]) -> Option<Seen> {
        let id = u16_at(raw, 0);
        let Format { point, offsets, .. } = self.0.iter().find(|format| format.id == id)?;
        let field = |n: usize| offsets.get(n).map_or(0, |at| u32_at(raw, *at).cast_signed());
        let name = |n: usize| Comm::at(raw, *offsets.get(n)?);
        let passer = u32_at(raw, COMMON_PID).cast_signed();
        Some(match point {
            Switch => {
                let state = offsets.get(1).map_or(0, |at| u64_at(raw, *at));
                Seen::Switch { prev: field(0), stop: stop(state), next: field(2) }
            }
            Waking | Wakeup | WakeupNew => {
                Seen::Wake { tid: field(0), by: if interrupted(raw) { 0 } else { passer } }
            }
            NewTask => {
                const CLONE_THREAD: u32 = 0x0001_0000;
                let thread = field(1).cast_unsigned() & CLONE_THREAD != 0;
                Seen::Made { parent: passer, child: field(0), thread, name: name(2)? }
            }
            Fork => Seen::Fork { parent: field(0), child: field(1) },
            Exec => Seen::Executed { tid: field(0), before: field(1) },
            Rename => Seen::Named { tid: field(0), name: name(1)? },
            Exit => Seen::Exit { tid: field(0) },
            IrqEntry | TimerEntry => overhead(OverheadKind::Interrupt, field(0)),
            SoftirqEntry => overhead(OverheadKind::Softirq, field(0)),
            IrqExit | SoftirqExit | TimerExit => Seen::TheftEnd,
        })
    }
}

/// Whether a sample was taken while an interrupt was served.
fn interrupted(raw: &[u8]) -> bool {
    const COMMON_FLAGS: usize = 2;
    const SERVED: u8 = 0x18; // hard, soft
    raw.get(COMMON_FLAGS).is_some_and(|flags| flags & SERVED != 0)
}

fn overhead(kind: OverheadKind, number: i32) -> Seen {
    Seen::TheftBegin { kind, number: u16::try_from(number).unwrap_or(0) }
}

/// Why a thread no longer runs, from the kernel's `prev_state`.
pub(crate) const fn stop(state: u64) -> Stop {
    const PREEMPTED: u64 = 0x100;
    match state & 0xff {
        0 => Stop::Preempted,
        _ if state & PREEMPTED != 0 => Stop::Preempted,
        s if s & 0x30 != 0 => Stop::Exited,
        s if s & 0x02 != 0 => Stop::Uninterruptible,
        s if s & 0x0c != 0 => Stop::Stopped,
        _ => Stop::Blocked,
    }
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

    #[test]
    fn paper_a_preempted_thread_can_run_and_a_dead_one_cannot() {
        let states = [(0, Stop::Preempted), (0x100, Stop::Preempted), (1, Stop::Blocked)];
        let more = [(2, Stop::Uninterruptible), (4, Stop::Stopped), (0x10, Stop::Exited)];
        for (state, expected) in states.into_iter().chain(more).chain([(0x80, Stop::Blocked)]) {
            assert_eq!(stop(state), expected, "{state:#x}");
        }
    }
}
