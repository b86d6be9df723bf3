//! Why the kernel says no: it answers with the same error for many causes, so the cause is what the
//! error, the call and the signs that were seen have in common.

use Call::{Affinity, Class, Fork};
use Sign::{DeadlineThread, Full, NoGroupTime, NoRight, OutOfLimits, Pinned};

/// The call that the kernel refused.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Call {
    /// A class, a priority, a deadline.
    Class,
    /// A set of processors.
    Affinity,
    /// A child.
    Fork,
}

/// A sign seen on the calling thread.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Sign {
    /// Neither CAP_SYS_NICE nor a limit that allows the priority.
    NoRight,
    /// It asks for SCHED_DEADLINE and may not use all processors of its partition.
    Pinned,
    /// Its control group has no real-time runtime (RT_GROUP_SCHED).
    NoGroupTime,
    /// It asks for SCHED_DEADLINE with times within the kernel's limits.
    Full,
    /// It asks for SCHED_DEADLINE with times outside of them.
    OutOfLimits,
    /// It is a thread of SCHED_DEADLINE.
    DeadlineThread,
}

/// A row of the table.
#[derive(PartialEq, Eq, Debug)]
pub(super) struct Cause {
    call: Call,
    errno: i32,
    sign: Sign,
    /// The obstacle.
    pub(super) why: &'static str,
    /// The change that would help.
    pub(super) remedy: &'static str,
}

/// Causes in order: each hides those after it.
const CAUSES: [Cause; 7] = [
    Cause {
        call: Class,
        errno: libc::EPERM,
        sign: NoRight,
        why: "no right to real-time classes (CAP_SYS_NICE)",
        remedy: "run as root, or `setcap cap_sys_nice,cap_perfmon+ep` on the program, \
                 or raise `rtprio` in /etc/security/limits.d",
    },
    Cause {
        call: Class,
        errno: libc::EPERM,
        sign: Pinned,
        why: "the thread is pinned; a deadline needs all processors of its partition",
        remedy: "give the processors a cpuset partition of their own, or do not pin",
    },
    Cause {
        call: Class,
        errno: libc::EPERM,
        sign: NoGroupTime,
        why: "its control group has no real-time runtime (RT_GROUP_SCHED)",
        remedy: "write cpu.rt_runtime_us of the group, leave the group, \
                 or boot with `rt_group_sched=0` (6.16 and later)",
    },
    Cause {
        call: Class,
        errno: libc::EINVAL,
        sign: OutOfLimits,
        why: "times out of limits: 1024 ns <= runtime <= deadline <= period, period 100 us to 4.194 s",
        remedy: "stay within them, or `sysctl kernel.sched_deadline_period_{min,max}_us`",
    },
    Cause {
        call: Class,
        errno: libc::EBUSY,
        sign: Full,
        why: "the deadline threads of this partition have its bandwidth",
        remedy: "ask for less, or end one of those that `ps -eLo tid,cls,comm | grep DLN` lists",
    },
    Cause {
        call: Affinity,
        errno: libc::EBUSY,
        sign: DeadlineThread,
        why: "a deadline thread's affinity is fixed",
        remedy: "take it out of SCHED_DEADLINE first (`chrt -o -p 0 TID`)",
    },
    Cause {
        call: Fork,
        errno: libc::EAGAIN,
        sign: DeadlineThread,
        why: "a deadline thread may not fork",
        remedy: "set its reset-on-fork flag (`chrt -R`)",
    },
];

/// The cause of an error, where it is known.
pub(super) fn cause(call: Call, errno: i32, signs: &[Sign]) -> Option<&'static Cause> {
    CAUSES.iter().find(|row| row.call == call && row.errno == errno && signs.contains(&row.sign))
}

#[cfg(test)]
mod tests;
