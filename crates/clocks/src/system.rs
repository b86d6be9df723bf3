//! The kernel's clocks: some are read without entering the kernel (vDSO), those of processor time by a system call.

use crate::companion::Companion;
use crate::counter::in_order;
use crate::{Clock, Pairs, Reading, Scale};
use rustix::time::{ClockId, Timespec, clock_gettime};
use windfall_time::Instant;

/// A clock of the kernel; a tick is a nanosecond.
///
/// A reading does not say on which processor it was: these clocks agree on all, and a migration shows as a gap.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum SystemClock {
    /// CLOCK_MONOTONIC, at the rate that time servers correct.
    Monotonic,
    /// CLOCK_MONOTONIC_RAW, at the hardware's own rate.
    MonotonicRaw,
    /// CLOCK_BOOTTIME: CLOCK_MONOTONIC and the time for which the machine was suspended.
    Boottime,
    /// CLOCK_THREAD_CPUTIME_ID: processor time of the calling thread.
    ThreadCpuTime,
    /// CLOCK_PROCESS_CPUTIME_ID: processor time of all threads of the process.
    ProcessCpuTime,
}

impl SystemClock {
    /// Its name in C.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            SystemClock::Monotonic => "CLOCK_MONOTONIC",
            SystemClock::MonotonicRaw => "CLOCK_MONOTONIC_RAW",
            SystemClock::Boottime => "CLOCK_BOOTTIME",
            SystemClock::ThreadCpuTime => "CLOCK_THREAD_CPUTIME_ID",
            SystemClock::ProcessCpuTime => "CLOCK_PROCESS_CPUTIME_ID",
        }
    }

    /// A reading of the clock, at some moment near to this place in the program.
    #[must_use]
    #[inline]
    pub fn now(self) -> Instant {
        let id = match self {
            SystemClock::Monotonic => ClockId::Monotonic,
            SystemClock::MonotonicRaw => ClockId::MonotonicRaw,
            SystemClock::Boottime => ClockId::Boottime,
            SystemClock::ThreadCpuTime => ClockId::ThreadCPUTime,
            SystemClock::ProcessCpuTime => ClockId::ProcessCPUTime,
        };
        let Timespec { tv_sec, tv_nsec } = clock_gettime(id);
        // None of these begins below zero or reaches 584 years.
        let nanos =
            u128::from(tv_sec.unsigned_abs()) * 1_000_000_000 + u128::from(tv_nsec.unsigned_abs());
        Instant::saturating_from_nanos(nanos)
    }
}

impl Clock for SystemClock {
    #[inline]
    fn read(&self) -> Reading {
        in_order();
        let ticks = self.now().as_nanos();
        in_order();
        Reading { ticks, processor: None }
    }

    fn scale(&self) -> Scale {
        Scale::NANOSECONDS
    }

    fn elsewhere(&self) -> Option<Box<dyn Pairs + '_>> {
        Companion::start(*self).map(|companion| Box::new(companion) as Box<dyn Pairs>)
    }
}
