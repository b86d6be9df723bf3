//! What threads were before they were touched, in memory that the guardian sees too.
//!
//! Invariant: a thread's entry is whole before the thread is changed, and marked as gone before it is
//! used for another. The guardian reads only when the supervisor is dead; an entry that it was
//! about to write then counts as gone.

use crate::fault::Fault;
use crate::proc::{self, Stat};
use crate::rungs;
use crate::sys::sched::{Affinity, Attributes, own_tid};
use crate::sys::shared::Shared;
use std::fs;
use std::sync::Mutex;
use std::sync::atomic::{AtomicI32, AtomicI64, AtomicU32, AtomicU64, Ordering};

/// So many threads can be noted at a time.
const MOST: usize = 32_768;
const RUNTIME: &str = "/proc/sys/kernel/sched_rt_runtime_us";
const PERIOD: &str = "/proc/sys/kernel/sched_rt_period_us";

/// A thread's former class, priority and affinity, as plain words.
struct Entry {
    /// 0: nothing; 1: to be restored; 2: gone or restored.
    state: AtomicU32,
    tid: AtomicI32,
    start: AtomicU64,
    attributes: [AtomicU64; 8],
    affinity: [AtomicU64; 16],
}

/// Shared by the supervisor and its guardian.
pub(crate) struct Table {
    /// Counts while the supervisor is well.
    pub(crate) heartbeat: AtomicU64,
    /// Whether everything has been restored in good order.
    pub(crate) done: AtomicU32,
    /// Whether the throttle of real-time threads was changed, and what it was (us).
    throttled: AtomicU32,
    runtime: AtomicI64,
    period: AtomicI64,
    used: AtomicU32,
    entries: [Entry; MOST],
}

crate::sys::shared::zeroed!(Table);

/// The journal of one run.
pub(crate) struct Journal {
    table: Shared<Table>,
    /// Entries that may be used again.
    free: Mutex<Vec<usize>>,
}

/// What a thread was.
pub(crate) type Former = (Attributes, Affinity);

impl Journal {
    pub(crate) fn new() -> Result<Journal, Fault> {
        let table = Shared::new();
        let table = table.map_err(|e| Fault::of("cannot share memory", &e, "free some memory"))?;
        Ok(Journal { table, free: Mutex::new(Vec::with_capacity(1024)) })
    }

    pub(crate) fn table(&self) -> &Table {
        &self.table
    }

    /// The supervisor is well; from the first beat on the guardian expects the next one soon.
    pub(crate) fn beat(&self) {
        self.table.heartbeat.fetch_add(1, Ordering::Release);
    }

    /// Everything has been given back, or nothing was changed: no beat is expected for a while.
    pub(crate) fn rest(&self) {
        self.table.heartbeat.store(0, Ordering::Release);
    }

    /// Notes what a thread that began at `start` is, before it is changed.
    pub(crate) fn note(&self, tid: i32, start: u64) -> Result<Former, Fault> {
        let trouble = |e: &std::io::Error| {
            Fault::of(format!("cannot read the class of thread {tid}"), e, "run as root")
        };
        let attributes = Attributes::of(tid).map_err(|e| trouble(&e))?;
        let affinity = Affinity::of(tid).map_err(|e| trouble(&e))?;
        self.note_as(tid, start, (attributes, affinity)).map(|()| (attributes, affinity))
    }

    /// Notes what a thread that began at `start` is to be when this is over: what it has inherited from us is
    /// nothing to return to.
    pub(crate) fn note_as(&self, tid: i32, start: u64, former: Former) -> Result<(), Fault> {
        let (attributes, affinity) = former;
        let again = self.free().pop();
        let at = again.unwrap_or_else(|| self.table.used.fetch_add(1, Ordering::Relaxed) as usize);
        let Some(entry) = self.table.entries.get(at) else {
            self.table.used.fetch_sub(1, Ordering::Relaxed);
            let why = format!("{MOST} threads are supervised");
            return Err(Fault::new(format!("cannot take thread {tid}"), why, "take fewer"));
        };
        entry.tid.store(tid, Ordering::Relaxed);
        entry.start.store(start, Ordering::Relaxed);
        for (word, value) in entry.attributes.iter().zip(attributes.words()) {
            word.store(value, Ordering::Relaxed);
        }
        for (word, value) in entry.affinity.iter().zip(affinity.words()) {
            word.store(value, Ordering::Relaxed);
        }
        entry.state.store(1, Ordering::Release);
        Ok(())
    }

    /// A thread has ended, or has been given back; its entry is free.
    pub(crate) fn forget(&self, tid: i32) {
        let its = |entry: &Entry| {
            entry.state.load(Ordering::Acquire) == 1 && entry.tid.load(Ordering::Relaxed) == tid
        };
        let found = self.entries().enumerate().find(|(_, entry)| its(entry));
        if let Some((at, entry)) = found {
            entry.state.store(2, Ordering::Release);
            self.free().push(at);
        }
    }

    fn free(&self) -> std::sync::MutexGuard<'_, Vec<usize>> {
        self.free.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    fn entries(&self) -> impl Iterator<Item = &Entry> {
        let used = (self.table.used.load(Ordering::Acquire) as usize).min(MOST);
        self.table.entries.iter().take(used)
    }

    /// Lifts or sets the kernel's throttle of real-time threads, and notes what it was.
    pub(crate) fn throttle(&self, runtime: i64, period: i64) -> Result<(), Fault> {
        let read = |path: &str| {
            let text = fs::read_to_string(path)
                .map_err(|e| Fault::of(format!("cannot read {path}"), &e, "mount /proc"))?;
            text.trim().parse::<i64>().map_err(|e| Fault::new(path, e.to_string(), "report it"))
        };
        let table = &self.table;
        table.runtime.store(read(RUNTIME)?, Ordering::Relaxed);
        table.period.store(read(PERIOD)?, Ordering::Relaxed);
        table.throttled.store(1, Ordering::Release);
        set_throttle(runtime, period)
            .map_err(|e| Fault::of(format!("cannot write {RUNTIME}"), &e, "run as root"))
    }

    /// Gives everything back. What cannot be given back is told; the rest is done all the same.
    pub(crate) fn restore(&self) -> Vec<String> {
        let mut trouble = self.restore_others();
        self.entries().for_each(|entry| entry.restore(&mut trouble));
        trouble
    }

    /// Gives everything back but what the calling thread was: hundreds of threads that compute must
    /// not come between it and what is left to do.
    pub(crate) fn restore_others(&self) -> Vec<String> {
        let mut trouble = Vec::new();
        let caller = own_tid();
        // Twice: a child may be made, on a rung of ours, while we look.
        for _ in 0..2 {
            let others = self.entries().filter(|entry| entry.tid.load(Ordering::Relaxed) != caller);
            others.for_each(|entry| entry.restore(&mut trouble));
            self.restore_strangers(&mut trouble);
        }
        if self.table.throttled.swap(0, Ordering::AcqRel) == 1 {
            let runtime = self.table.runtime.load(Ordering::Relaxed);
            if let Err(e) = set_throttle(runtime, self.table.period.load(Ordering::Relaxed)) {
                trouble.push(format!("{RUNTIME}: {e}; write {runtime} into it"));
            }
        }
        trouble
    }

    /// Threads on our rungs that were never noted: late children. They become what their process,
    /// or its parent, was.
    fn restore_strangers(&self, trouble: &mut Vec<String>) {
        let ourselves = std::process::id().cast_signed();
        let mut former: std::collections::BTreeMap<i32, Former> = std::collections::BTreeMap::new();
        for entry in self.entries() {
            former.insert(entry.tid.load(Ordering::Relaxed), entry.what());
        }
        for pid in proc::processes().into_iter().filter(|pid| *pid != ourselves) {
            for tid in proc::threads(pid) {
                let Some(stat) = proc::stat(tid) else { continue };
                let ours = stat.policy == libc::SCHED_FIFO.cast_unsigned()
                    && (rungs::HELD..=rungs::OWN).contains(&stat.priority);
                if !ours {
                    continue;
                }
                let inherited = former.get(&pid).or_else(|| former.get(&stat.ppid));
                let (attributes, affinity) = inherited.copied().unwrap_or_else(|| {
                    (Attributes::ordinary(), Affinity::of(ourselves).unwrap_or_default())
                });
                give(tid, &attributes, &affinity, trouble);
            }
        }
    }
}

impl Entry {
    fn what(&self) -> Former {
        let attributes = std::array::from_fn(|n| self.attributes[n].load(Ordering::Relaxed));
        let affinity = std::array::from_fn(|n| self.affinity[n].load(Ordering::Relaxed));
        (Attributes::from_words(attributes), Affinity::from_words(affinity))
    }

    fn restore(&self, trouble: &mut Vec<String>) {
        if self.state.load(Ordering::Acquire) != 1 {
            return;
        }
        let tid = self.tid.load(Ordering::Relaxed);
        let same = |stat: &Stat| stat.start == self.start.load(Ordering::Relaxed);
        if proc::stat(tid).as_ref().is_some_and(same) {
            let (attributes, affinity) = self.what();
            give(tid, &attributes, &affinity, trouble);
        }
        self.state.store(2, Ordering::Release);
    }
}

fn give(tid: i32, attributes: &Attributes, affinity: &Affinity, trouble: &mut Vec<String>) {
    // The class first: a deadline thread's affinity is its class' own matter.
    for done in [attributes.give(tid), affinity.give(tid)] {
        match done {
            Err(e) if e.raw_os_error() != Some(libc::ESRCH) => {
                trouble.push(format!("thread {tid} did not get its class and affinity back: {e}"));
            }
            _ => {}
        }
    }
}

/// The order matters: the kernel refuses a runtime above the period. It also refuses (busy) while
/// deadline threads hold more than would be left; those may be gone in a moment.
fn set_throttle(runtime: i64, period: i64) -> std::io::Result<()> {
    let write = |path: &str, value: i64| {
        for _ in 0..40 {
            match fs::write(path, value.to_string()) {
                Err(e) if e.raw_os_error() == Some(libc::EBUSY) => {
                    std::thread::sleep(std::time::Duration::from_millis(20));
                }
                other => return other,
            }
        }
        fs::write(path, value.to_string())
    };
    write(RUNTIME, -1)?;
    write(PERIOD, period)?;
    write(RUNTIME, runtime)
}
