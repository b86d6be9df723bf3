//! Class, priority and affinity of a thread, as the kernel has them.

use super::check;
use std::io;

/// A thread's class and everything that goes with it, in the kernel's own form (`sched_attr`).
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Attributes {
    size: u32,
    /// The kernel's number of the class, as `SCHED_FIFO` of libc.
    pub policy: u32,
    flags: u64,
    nice: i32,
    /// The real-time priority, 1 to 99; 0 in classes without one.
    pub priority: u32,
    runtime: u64,
    deadline: u64,
    period: u64,
    util_min: u32,
    util_max: u32,
}

/// The bytes of `Attributes` before the utilisation clamps, which are left as they are.
const SIZE: u32 = 48;

impl Attributes {
    /// SCHED_FIFO at a priority of 1 to 99; children inherit it.
    #[must_use]
    #[inline]
    pub const fn fifo(priority: u32) -> Attributes {
        Attributes {
            size: SIZE,
            policy: libc::SCHED_FIFO.cast_unsigned(),
            flags: 0,
            nice: 0,
            priority,
            runtime: 0,
            deadline: 0,
            period: 0,
            util_min: 0,
            util_max: 0,
        }
    }

    /// SCHED_OTHER at nice 0.
    #[must_use]
    pub const fn ordinary() -> Attributes {
        let mut attributes = Attributes::fifo(0);
        attributes.policy = libc::SCHED_OTHER.cast_unsigned();
        attributes
    }

    /// SCHED_IDLE: what hardly runs while any other thread of the processor wants to.
    #[must_use]
    pub const fn idle() -> Attributes {
        let mut attributes = Attributes::fifo(0);
        attributes.policy = libc::SCHED_IDLE.cast_unsigned();
        attributes
    }

    /// As plain words, for memory that is shared: policy, flags, nice, priority, then runtime, deadline and period in ns, and 0.
    #[must_use]
    #[inline]
    pub const fn words(&self) -> [u64; 8] {
        let nice = self.nice.cast_unsigned() as u64;
        let (policy, priority) = (self.policy as u64, self.priority as u64);
        [policy, self.flags, nice, priority, self.runtime, self.deadline, self.period, 0]
    }

    /// The reverse of [`words`](Self::words). A policy or priority above `u32::MAX` is read as 0.
    #[must_use]
    pub fn from_words(words: [u64; 8]) -> Attributes {
        let [policy, flags, nice, priority, runtime, deadline, period, _] = words;
        let low = |word: u64| u32::try_from(word).unwrap_or(0);
        Attributes {
            size: SIZE,
            policy: low(policy),
            flags,
            nice: low(nice).cast_signed(),
            priority: low(priority),
            runtime,
            deadline,
            period,
            util_min: 0,
            util_max: 0,
        }
    }

    /// Reads those of the thread `tid`; 0 is the caller.
    ///
    /// # Errors
    /// The kernel's: as a rule there is no such thread (`ESRCH`).
    #[inline]
    pub fn of(tid: i32) -> io::Result<Attributes> {
        let mut attributes = Attributes::default();
        // SAFETY: the kernel writes at most `SIZE` bytes, and the struct is larger.
        let answer = unsafe {
            libc::syscall(libc::SYS_sched_getattr, tid, &raw mut attributes, SIZE, 0_u32)
        };
        check(answer)?;
        attributes.size = SIZE;
        Ok(attributes)
    }

    /// Gives them to the thread `tid`; 0 is the caller.
    ///
    /// # Errors
    /// The kernel's: no such thread (`ESRCH`), no right (`EPERM`), no such class or priority (`EINVAL`), or no room for a deadline
    /// thread (`EBUSY`).
    #[inline]
    pub fn give(&self, tid: i32) -> io::Result<()> {
        // SAFETY: the kernel reads `size` bytes of a live struct that is at least as large.
        let answer =
            unsafe { libc::syscall(libc::SYS_sched_setattr, tid, std::ptr::from_ref(self), 0_u32) };
        check(answer).map(drop)
    }
}

impl Attributes {
    /// The nice value in classes that have one, from -20 to 19; else 0.
    #[must_use]
    pub const fn nice(&self) -> i32 {
        self.nice
    }
}

/// The nice value of a thread, which it keeps in a real-time class, too; 0 is the caller.
///
/// # Errors
/// The kernel's: there is no such thread (`ESRCH`).
pub fn nice_of(tid: i32) -> io::Result<i32> {
    // SAFETY: takes numbers alone. The system call, other than libc's, answers 20 less the value, which is above zero.
    let answer = unsafe { libc::syscall(libc::SYS_getpriority, libc::PRIO_PROCESS, tid) };
    check(answer).map(|answer| 20 - i32::try_from(answer).unwrap_or(20))
}

/// Sets the nice value of a thread; 0 is the caller.
///
/// # Errors
/// The kernel's: no such thread (`ESRCH`), or no right (`EACCES`, `EPERM`).
pub fn set_nice(tid: i32, nice: i32) -> io::Result<()> {
    // SAFETY: takes numbers alone.
    let answer = unsafe { libc::syscall(libc::SYS_setpriority, libc::PRIO_PROCESS, tid, nice) };
    check(answer).map(drop)
}

/// Moves a thread to SCHED_FIFO at a priority of 1 to 99, by the cheapest call that does so.
///
/// # Errors
/// As [`Attributes::give`].
#[inline]
pub fn set_fifo(tid: i32, priority: u32) -> io::Result<()> {
    let param = libc::sched_param { sched_priority: priority.cast_signed() };
    // SAFETY: the parameter is live; the kernel checks the rest.
    let answer = unsafe { libc::sched_setscheduler(tid, libc::SCHED_FIFO, &raw const param) };
    check(answer.into()).map(drop)
}

/// Whether that is the kernel's number of SCHED_FIFO or SCHED_RR.
#[must_use]
pub const fn is_real_time(policy: u32) -> bool {
    policy == libc::SCHED_FIFO.cast_unsigned() || policy == libc::SCHED_RR.cast_unsigned()
}

/// A set of processors, as the kernel has it: numbers 0 to 1023.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Affinity([u64; 16]);

impl FromIterator<u16> for Affinity {
    fn from_iter<I: IntoIterator<Item = u16>>(cpus: I) -> Affinity {
        let mut set = Affinity::default();
        cpus.into_iter().for_each(|cpu| set.add(cpu));
        set
    }
}

impl Affinity {
    /// One processor.
    #[must_use]
    #[inline]
    pub fn one(cpu: u16) -> Affinity {
        let mut set = Affinity::default();
        set.add(cpu);
        set
    }

    /// Adds one; a number past 1023 changes nothing.
    #[inline]
    pub fn add(&mut self, cpu: u16) {
        if let Some(word) = self.0.get_mut(usize::from(cpu / 64)) {
            *word |= 1 << (cpu % 64);
        }
    }

    /// Whether it holds this one.
    #[must_use]
    #[inline]
    pub fn has(&self, cpu: u16) -> bool {
        self.0.get(usize::from(cpu / 64)).is_some_and(|word| word & (1 << (cpu % 64)) != 0)
    }

    /// The processors that are not in the other set.
    #[must_use]
    #[inline]
    pub fn without(&self, other: &Affinity) -> Affinity {
        Affinity(std::array::from_fn(|n| self.0[n] & !other.0[n]))
    }

    /// Whether the sets share a processor.
    #[must_use]
    #[inline]
    pub fn meets(&self, other: &Affinity) -> bool {
        self.0.iter().zip(other.0).any(|(own, other)| own & other != 0)
    }

    /// Whether it holds none.
    #[must_use]
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.0.iter().all(|word| *word == 0)
    }

    /// How many it holds.
    #[must_use]
    pub fn count(&self) -> u32 {
        self.0.iter().map(|word| word.count_ones()).sum()
    }

    /// As plain words, for memory that is shared: processor n is bit n % 64 of word n / 64.
    #[must_use]
    #[inline]
    pub const fn words(&self) -> [u64; 16] {
        self.0
    }

    /// The reverse of [`words`](Self::words).
    #[must_use]
    #[inline]
    pub const fn from_words(words: [u64; 16]) -> Affinity {
        Affinity(words)
    }

    /// Reads where the thread `tid` may run; 0 is the caller.
    ///
    /// # Errors
    /// The kernel's: as a rule there is no such thread (`ESRCH`).
    #[inline]
    pub fn of(tid: i32) -> io::Result<Affinity> {
        let mut set = Affinity::default();
        let size = size_of::<Affinity>();
        // SAFETY: the kernel writes at most `size` bytes.
        let answer =
            unsafe { libc::syscall(libc::SYS_sched_getaffinity, tid, size, set.0.as_mut_ptr()) };
        check(answer).map(|_| set)
    }

    /// Lets the thread `tid` run there and nowhere else; 0 is the caller.
    ///
    /// # Errors
    /// The kernel's: no such thread (`ESRCH`), no right (`EPERM`), no processor of the set is allowed or the thread may not be moved
    /// (`EINVAL`), or it is a deadline thread (`EBUSY`).
    #[inline]
    pub fn give(&self, tid: i32) -> io::Result<()> {
        let size = size_of::<Affinity>();
        // SAFETY: the kernel reads `size` bytes.
        let answer =
            unsafe { libc::syscall(libc::SYS_sched_setaffinity, tid, size, self.0.as_ptr()) };
        check(answer).map(drop)
    }
}

/// The number of the calling thread.
#[must_use]
#[inline]
pub fn own_tid() -> i32 {
    // SAFETY: takes nothing, and cannot fail.
    unsafe { libc::gettid() }
}
