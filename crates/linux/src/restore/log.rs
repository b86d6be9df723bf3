//! The restore log: what threads were before a run changed them. It is a file that the run and its guardian map into memory, and that
//! is read after both have died.
//!
//! Invariant: a thread's entry is complete before the thread is changed, and marked as gone before it is used for another. Other
//! processes read only when the supervisor is dead; an entry that it was about to write then counts as gone.

mod entry;
mod limits;
mod patient;
mod unlogged;

use crate::restore::claim::{self, Log};
use crate::restore::throttle::{self, RUNTIME};
use entry::Entry;
use std::collections::BTreeSet;
use std::fs::{self, File};
use std::os::fd::AsFd;
use std::sync::Mutex;
use std::sync::atomic::{AtomicI32, AtomicI64, AtomicU32, AtomicU64, Ordering};
use windfall_observe::procfs::{self, Stat};
use windfall_observe::supervision;
use windfall_os::LinuxError;
use windfall_os::freezer;
use windfall_os::sched::{Affinity, Attributes, own_tid};
use windfall_os::shared::{Shared, reserve};

pub(crate) use entry::give;

/// Most threads that can be noted at a time.
const MOST: usize = 32_768;
/// First word of a log of this layout; another layout has another number or another size.
const MAGIC: u64 = 0x5746_4c4f_4700_0004;

windfall_os::atomics! {
    /// Memory that the supervisor shares with its guardian.
    // Fields: all that the guardian has to know, in memory that both processes share; one struct is its layout.
    pub(crate) struct Table {
        magic: AtomicU64,
        /// The process of the run.
        supervisor: AtomicI32,
        /// When that process began, in clock ticks since boot.
        began: AtomicU64,
        /// The process of the guardian.
        pub(crate) guardian: AtomicI32,
        /// The processor of the event loop.
        pub(crate) events_cpu: AtomicU32,
        /// The thread of the event loop.
        pub(crate) events_tid: AtomicI32,
        /// Number of heartbeats.
        pub(crate) heartbeat: AtomicU64,
        /// Whether the guardian is to expect the next heartbeat soon: 1 while threads are supervised.
        pub(crate) urgent: AtomicU32,
        /// Whether everything was undone in good order (1).
        pub(crate) done: AtomicU32,
        /// Whether the throttle of real-time threads was changed, and its former runtime and period (us).
        throttled: AtomicU32,
        runtime: AtomicI64,
        period: AtomicI64,
        used: AtomicU32,
        entries: [Entry; MOST],
        limits: limits::Limits,
        /// The log of the claim of processors.
        claim: Log,
    }
}

const _: () =
    assert!(size_of::<Table>() as u64 <= supervision::SPACE, "more than `doctor` looks for");

/// The restore log of one run.
pub(crate) struct RestoreLog {
    table: Shared<Table>,
    /// Entries that may be used again.
    free: Mutex<Vec<usize>>,
}

/// A thread's former class, priority and affinity.
pub(crate) type Former = (Attributes, Affinity);

impl RestoreLog {
    /// Creates the log of a new run. To be called under the machine's lock, when no earlier log is left.
    pub(crate) fn create() -> Result<RestoreLog, LinuxError> {
        let path = supervision::restore_log();
        let trouble = |e: std::io::Error| {
            LinuxError::of(
                format!("cannot make the restore log {}", path.display()),
                &e,
                &format!("free {} MB there", supervision::SPACE >> 20),
            )
        };
        let file = File::options().create_new(true).read(true).write(true).open(&path);
        let file = file.map_err(trouble)?;
        let made = reserve(file.as_fd(), size_of::<Table>())
            .and_then(|()| Shared::<Table>::of(file.as_fd()));
        let table = made.inspect_err(|_| drop(fs::remove_file(&path))).map_err(trouble)?;
        let supervisor = std::process::id().cast_signed();
        table.supervisor.store(supervisor, Ordering::Relaxed);
        let began = procfs::stat(supervisor).map_or(0, |stat| stat.start);
        table.began.store(began, Ordering::Relaxed);
        table.magic.store(MAGIC, Ordering::Release);
        Ok(RestoreLog { table, free: Mutex::new(Vec::with_capacity(1024)) })
    }

    /// Opens the log of a run that died together with its guardian, if there is one. To be called under the machine's lock.
    pub(crate) fn left() -> Result<Option<RestoreLog>, LinuxError> {
        let path = supervision::restore_log();
        let file = match File::options().read(true).write(true).open(&path) {
            Ok(file) => file,
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(e) => {
                return Err(LinuxError::of(
                    format!("cannot read {}", path.display()),
                    &e,
                    "run as root",
                ));
            }
        };
        let unknown = || {
            let what = format!("cannot read the restore log {}", path.display());
            let why = "a run of another version of Windfall has left it";
            LinuxError::new(
                what,
                why,
                "`windfall restore` of that version, or remove it after a look at `ps -eLo tid,cls,rtprio,comm`",
            )
        };
        let size = file.metadata().map_or(0, |file| file.len());
        if size == 0 {
            return Self::nothing_was_changed(); // the run died while it created the log
        }
        if size != size_of::<Table>() as u64 {
            return Err(unknown());
        }
        let table = Shared::<Table>::of(file.as_fd())
            .map_err(|e| LinuxError::of("cannot map the restore log", &e, "free some memory"))?;
        match table.magic.load(Ordering::Acquire) {
            MAGIC => Ok(Some(RestoreLog { table, free: Mutex::default() })),
            0 => Self::nothing_was_changed(),
            _ => Err(unknown()),
        }
    }

    fn nothing_was_changed() -> Result<Option<RestoreLog>, LinuxError> {
        remove();
        Ok(None)
    }

    /// The process of the run.
    pub(crate) fn supervisor(&self) -> i32 {
        self.table.supervisor.load(Ordering::Relaxed)
    }

    /// Whether the run has died without undoing its changes, and no guardian is left.
    pub(crate) fn is_orphaned(&self) -> bool {
        let began = self.table.began.load(Ordering::Relaxed);
        let lives = |pid: i32| procfs::stat(pid).filter(|stat| !stat.has_ended());
        let run = lives(self.supervisor()).is_some_and(|stat| stat.start == began);
        let guardian = lives(self.table.guardian.load(Ordering::Acquire));
        !run && guardian.is_none_or(|stat| stat.comm != supervision::GUARDIAN)
    }

    /// Number of threads that are noted as changed.
    pub(crate) fn noted(&self) -> usize {
        self.entries().filter(|entry| entry.state.load(Ordering::Acquire) == 1).count()
    }

    /// Notes that everything was undone, and removes the file.
    pub(crate) fn close(&self) {
        self.table.done.store(1, Ordering::Release);
        remove();
    }

    pub(crate) fn table(&self) -> &Table {
        &self.table
    }

    /// The log of the claim of processors.
    pub(crate) fn claim(&self) -> &Log {
        &self.table.claim
    }

    /// Sends a heartbeat.
    pub(crate) fn beat(&self) {
        self.table.heartbeat.fetch_add(1, Ordering::Release);
    }

    /// Sets whether the guardian expects the next heartbeat soon: true while threads are supervised, false while much is set up or undone.
    pub(crate) fn expect_beats(&self, soon: bool) {
        self.table.urgent.store(u32::from(soon), Ordering::Release);
        self.beat();
    }

    /// Notes and lifts a process's limit on real-time processor time, if it has one. The error says why that is impossible.
    pub(crate) fn lift_limit(&self, pid: i32, parent: i32) -> Result<(), String> {
        self.table.limits.lift(pid, parent)
    }

    /// Has the guardian expect heartbeats soon, until the returned value is dropped.
    pub(crate) fn expect_beats_while_it_lives(&self) -> Expected<'_> {
        self.expect_beats(true);
        Expected(self)
    }

    /// Notes what a thread is, before it is changed. Returns that.
    pub(crate) fn note(&self, tid: i32, pid: i32, stat: &Stat) -> Result<Former, LinuxError> {
        let trouble = |e: &std::io::Error| {
            LinuxError::of(format!("cannot read the class of thread {tid}"), e, "run as root")
        };
        let attributes = Attributes::of(tid).map_err(|e| trouble(&e))?;
        let affinity = Affinity::of(tid).map_err(|e| trouble(&e))?;
        self.note_as(tid, pid, stat, (attributes, affinity)).map(|()| (attributes, affinity))
    }

    /// Notes what to restore of a thread whose own settings are inherited from us, and so are nothing to return to.
    pub(crate) fn note_as(
        &self,
        tid: i32,
        pid: i32,
        stat: &Stat,
        former: Former,
    ) -> Result<(), LinuxError> {
        let again = self.free().pop();
        let at = again.unwrap_or_else(|| self.table.used.fetch_add(1, Ordering::Relaxed) as usize);
        let Some(entry) = self.table.entries.get(at) else {
            self.table.used.fetch_sub(1, Ordering::Relaxed);
            let why = format!("{MOST} threads are supervised");
            return Err(LinuxError::new(format!("cannot take thread {tid}"), why, "take fewer"));
        };
        entry.note((tid, pid), stat, &former);
        Ok(())
    }

    /// Frees the entry of a thread that has ended or was restored.
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

    /// Notes the kernel's throttle of real-time threads, and sets or lifts it.
    pub(crate) fn throttle(&self, runtime: i64, period: i64) -> Result<(), LinuxError> {
        let table = &self.table;
        let (runtime_before, period_before) = throttle::read()?;
        let lifted = runtime == -1 && runtime_before == -1;
        if lifted || (runtime_before, period_before) == (runtime, period) {
            return Ok(());
        }
        table.runtime.store(runtime_before, Ordering::Relaxed);
        table.period.store(period_before, Ordering::Relaxed);
        table.throttled.store(1, Ordering::Release);
        throttle::set(runtime, period).map_err(|e| {
            let help = format!(
                "only the user root may, whatever capabilities others have: run as root, or write {runtime} into it as root before"
            );
            LinuxError::new(format!("cannot write {RUNTIME}"), e.to_string(), help)
        })
    }

    /// Undoes everything. Goes on after a failure, and returns all that could not be undone.
    pub(crate) fn restore(&self) -> Vec<String> {
        let mut trouble = self.restore_others();
        self.entries().for_each(|entry| entry.restore(&mut trouble));
        trouble
    }

    /// Undoes everything except the calling thread's own change: it must keep its priority, or hundreds of computing threads would
    /// delay the rest of this.
    pub(crate) fn restore_others(&self) -> Vec<String> {
        let mut trouble = Vec::new();
        let caller = own_tid();
        // Twice: during the first pass a thread may be made that inherits a priority of ours.
        for _ in 0..2 {
            let others = self.entries().filter(|entry| entry.tid.load(Ordering::Relaxed) != caller);
            let others: Vec<&Entry> = others.filter(|entry| entry.is_noted()).collect();
            others.iter().for_each(|entry| entry.release());
            patient::each(&others, &|entry, trouble| entry.restore(trouble), &mut trouble, &|| {
                self.beat()
            });
            self.beat();
            unlogged::restore(self, &mut trouble);
            self.beat();
        }
        self.table.limits.restore(&mut trouble);
        if self.table.throttled.swap(0, Ordering::AcqRel) == 1 {
            let runtime = self.table.runtime.load(Ordering::Relaxed);
            if let Err(e) = throttle::set(runtime, self.table.period.load(Ordering::Relaxed)) {
                trouble.push(format!("{RUNTIME}: {e}; write {runtime} into it"));
            }
        }
        // Checking every thread of a large machine takes long.
        self.expect_beats(false);
        claim::give_back(self.claim(), &mut trouble, &|| self.beat());
        trouble
    }

    /// Undoes the changes of a run that has died. Returns what could not be undone, and the supervised processes that go on.
    pub(crate) fn restore_after(&self) -> (Vec<String>, BTreeSet<i32>) {
        let noted: Vec<&Entry> = self.entries().filter(|entry| entry.is_noted()).collect();
        let mut trouble = self.restore();
        trouble.extend(freezer::thaw_all(self.supervisor(), &|| {}));
        // Who lives is asked last: before all have their classes back, a look at a thread may wait.
        let live = noted.into_iter().filter(|entry| entry.lives());
        let pids = live.map(|entry| entry.pid.load(Ordering::Relaxed));
        (trouble, pids.filter(|pid| *pid != self.supervisor()).collect())
    }
}

fn remove() {
    let _ = fs::remove_file(supervision::restore_log()); // fails if there is none
}

/// While this value lives, the guardian expects heartbeats soon.
pub(crate) struct Expected<'j>(&'j RestoreLog);

impl Drop for Expected<'_> {
    fn drop(&mut self) {
        self.0.expect_beats(false);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc::channel;
    use windfall_skips::{Needs, skip};

    #[test]
    fn law_a_class_is_given_back_to_the_thread_that_was_noted_and_to_nobody_else() {
        let path = std::env::temp_dir().join(format!("windfall-log-{}", std::process::id()));
        let options = File::options().create_new(true).read(true).write(true).open(&path);
        let file = options.expect("there is room");
        fs::remove_file(&path).expect("it is ours");
        reserve(file.as_fd(), size_of::<Table>()).expect("there is room");
        let table = Shared::<Table>::of(file.as_fd()).expect("there is room");
        let restore_log = RestoreLog { table, free: Mutex::default() };
        let (told, tid) = channel();
        let (over, wait) = channel::<()>();
        let sleeper = std::thread::spawn(move || {
            told.send(own_tid()).expect("somebody listens");
            let _ = wait.recv(); // until the other end is dropped
        });
        let tid = tid.recv().expect("it tells");
        let pid = std::process::id().cast_signed();
        let stat = procfs::stat(tid).expect("it lives");
        restore_log.note(tid, pid, &stat).expect("there is room");
        let class = || Attributes::of(tid).expect("it lives").policy;
        if Attributes::fifo(1).give(tid).is_err() {
            return skip(Needs::Real, "this user may not make a thread real-time");
        }
        let entry = restore_log.entries().next().expect("it was noted");
        let known = entry.identity.swap(1, Ordering::Relaxed);
        entry.release();
        assert_eq!(class(), libc::SCHED_FIFO.cast_unsigned(), "its number was another's");
        entry.identity.store(known, Ordering::Relaxed);
        entry.release();
        assert_eq!(class() == libc::SCHED_OTHER.cast_unsigned(), known != 0);
        assert!(entry.is_noted(), "its affinity is still to be given back");
        drop(over);
        sleeper.join().expect("it does not panic");
    }
}
