//! Kernel events from perf: the rings of all processors.

use crate::perf_rings::PerfRings;
use crate::tracepoints::{INTERRUPTS, Point, Tracepoints};
use windfall_os::{LinuxError, LinuxErrorKind};

/// Pages of a ring, the best first: who may lock little memory gets less.
const PAGES: [usize; 2] = [256, 64];

/// The tracepoints to record. A thread's last switch shows that it has ended, and its rename that it runs
/// another program, so neither needs a tracepoint of its own; a wake-up is reported by the waker, which is
/// known there.
const WANTED: [Point; 6] =
    [Point::Switch, Point::Waking, Point::WakeupNew, Point::NewTask, Point::Exec, Point::Rename];

/// Listens on these processors.
pub(super) fn open(cpus: &[u16]) -> Result<PerfRings, LinuxError> {
    let points = Tracepoints::find().map_err(|fault| rights(&fault.to_string()))?;
    for needed in [Point::Waking, Point::NewTask, Point::Rename] {
        if points.id(needed).is_none() {
            let what = "cannot record the machine";
            let why = format!("this kernel has no tracepoint for {needed:?}");
            let help = "record with another tool and `windfall import` it";
            return Err(LinuxError::unavailable(what, why, help));
        }
    }
    let wanted = |_| WANTED.into_iter().chain(INTERRUPTS).map(|point| (point, "", false)).collect();
    PerfRings::open(points, cpus, &PAGES, wanted).map_err(|(_, error)| rights(&error.to_string()))
}

/// The error when the kernel does not let us listen.
fn rights(why: &str) -> LinuxError {
    let paranoid = std::fs::read_to_string("/proc/sys/kernel/perf_event_paranoid");
    let paranoid = paranoid.map_or_else(|_| "?".to_owned(), |text| text.trim().to_owned());
    LinuxError::new(
        "cannot record the machine",
        format!("{why} (perf_event_paranoid is {paranoid})"),
        "the kernel's tracepoints need root, or CAP_PERFMON and leave to read /sys/kernel/tracing; run as root, or have \
         somebody with that right record (`trace-cmd record -e sched`, `perf sched record`) and read their text with \
         `windfall import`, which needs no rights",
    )
    .of_kind(LinuxErrorKind::MissingRight)
}
