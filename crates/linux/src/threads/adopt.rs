//! Threads that know nothing of us: those of the scenario's programs, and whatever threads they make
//! later, across fork and exec.
//!
//! Each thread goes to the first entry of the scenario that accepts its name and its file (decision
//! 0007); one that nobody accepts stays with the kernel. Late threads are heard of by the fork's tracepoint; they
//! inherit our priority, so they wait until the hierarchy knows them.

use crate::carrier::classes;
use crate::restore::log::Former;
use crate::supervise::linux::Linux;
use crate::supervise::procfs_worker::WorkItem;
use crate::supervise::supervisor::Supervisor;
use crate::threads::body::{Body, Kind};
use crate::threads::child::Child;
use crate::threads::facts::Facts;
use crate::threads::starts::{Heard, Start};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use windfall_observe::fifo_priorities;
use windfall_os::process;
use windfall_scenario::PlannedThread;
use windfall_scenario::model::ExternalProgram;
use windfall_time::Instant;

/// A program that a real machine runs.
pub(crate) struct Program {
    /// Which one.
    pub(crate) what: ExternalProgram,
    /// The entries that are asked for its threads, in order.
    pub(crate) claims: Vec<usize>,
}

/// All programs of a run, and what belongs to which.
#[derive(Default)]
pub(crate) struct Programs {
    /// By the number of their entry.
    pub(crate) by_entry: BTreeMap<usize, Program>,
    /// Threads of programs that are not supervised: nobody accepts them, or they have not been looked at.
    pending: BTreeMap<i32, PendingThread>,
    /// How many are about to begin.
    pub(crate) beginning: usize,
    /// Those that we start, by the number of their entry.
    pub(crate) children: BTreeMap<usize, Child>,
    /// How many threads each entry has got.
    counts: BTreeMap<usize, usize>,
    /// How many threads of each program had ended before they were met, by the number of its entry.
    unmet: BTreeMap<usize, usize>,
    /// Threads that have ended and are kept for the outcome, the oldest first.
    ended: VecDeque<u32>,
    /// Where the next thread that a thread makes will start.
    pub(crate) starting: BTreeMap<i32, u64>,
    /// Why nobody hears where threads start, though an entry asks.
    pub(crate) no_starts: Option<String>,
}

/// A thread of a program that is not supervised: the program's entry, where it starts, and what it is to be afterwards,
/// when it has inherited something of ours.
#[derive(Clone, Copy)]
pub(crate) struct PendingThread {
    pub(crate) program: usize,
    pub(crate) start: Heard,
    pub(crate) former: Option<Former>,
}

impl Programs {
    /// Whether a thread that is not supervised is of a program.
    pub(crate) fn knows(&self, tid: i32) -> bool {
        self.pending.contains_key(&tid)
    }

    /// A thread of a program that is not supervised.
    pub(crate) fn pending(&self, tid: i32) -> Option<PendingThread> {
        self.pending.get(&tid).copied()
    }

    /// The oldest of the threads that have ended, if more are kept than need be.
    fn oldest_ended(&mut self) -> Option<u32> {
        if self.ended.len() > KEPT { self.ended.pop_front() } else { None }
    }

    /// A thread has ended before it could be taken.
    fn ended_unmet(&mut self, tid: i32, pending: PendingThread) {
        self.forget(tid);
        self.pending.insert(tid, PendingThread { former: None, ..pending });
    }

    /// A thread's number is free. If it was a pending thread with something of ours, that thread has run before it was met.
    fn forget(&mut self, tid: i32) {
        self.starting.remove(&tid);
        if let Some(PendingThread { program, former: Some(_), .. }) = self.pending.remove(&tid) {
            *self.unmet.entry(program).or_default() += 1;
        }
    }
}

/// So many ended threads are kept one by one.
const KEPT: usize = 1_024;

impl Supervisor {
    /// Takes a thread of which these are the facts, if it has not ended and an entry accepts it. What it
    /// does is to be found out then.
    pub(crate) fn take(
        &mut self,
        tid: i32,
        facts: Option<&Facts>,
        pending: PendingThread,
    ) -> Option<u32> {
        self.host.hear(); // what it did before that is not its own
        let machine = &mut self.host.machine;
        if machine.threads.tids.contains_key(&tid) {
            machine.send(WorkItem::Name(tid)); // it may have got another name while it was met, or while events were lost
            return None;
        }
        let programs = &mut machine.external.programs;
        let Some(facts) = facts.filter(|facts| !facts.stat.has_ended()) else {
            programs.ended_unmet(tid, pending);
            return None;
        };
        programs.pending.insert(tid, pending); // unless it is taken
        if let Err(why) = machine.rings.follow(tid) {
            self.say_once(format!("what the run's programs make may be missed: {why}"));
        }
        let comm = &facts.stat.comm;
        let Some(entry) = self.claimed_by(pending.program, comm, facts.exe(), &facts.start) else {
            self.host.machine.give_back(tid, pending);
            return None;
        };
        let former = self.note(tid, facts, pending)?;
        let cpu = self.pin(tid, entry, facts, pending)?;
        let number = self.host.adopt(self.next_of(entry), entry_number(entry));
        let machine = &mut self.host.machine;
        let kind = Kind::External { pid: facts.pid, program: pending.program };
        *machine.body(number) = Body {
            place: Some(cpu),
            fifo_priority: fifo_priorities::HELD,
            heard: machine.clock.time(),
            former: Some(former),
            start: pending.start,
            ..Body::new(kind, tid)
        };
        machine.threads.tids.insert(tid, number);
        machine.external.programs.pending.remove(&tid);
        self.host.admit(number).then_some(number)
    }

    /// Writes down what a thread is before it is taken; that.
    fn note(&mut self, tid: i32, facts: &Facts, pending: PendingThread) -> Option<Former> {
        let machine = &mut self.host.machine;
        let noted = match pending.former {
            Some(former) => {
                machine.restore_log.note_as(tid, facts.pid, &facts.stat, former).map(|()| former)
            }
            None => machine.restore_log.note(tid, facts.pid, &facts.stat),
        };
        match noted {
            Ok(former) => Some(former),
            Err(_) if !process::exists(tid) => {
                machine.external.programs.ended_unmet(tid, pending);
                None
            }
            Err(fault) => {
                self.host.log.refused.push((machine.clock.time(), fault.to_string()));
                machine.give_back(tid, pending);
                None
            }
        }
    }

    /// Makes a thread one that is supervised; on which processor.
    fn pin(
        &mut self,
        tid: i32,
        entry: usize,
        facts: &Facts,
        pending: PendingThread,
    ) -> Option<usize> {
        let machine = &mut self.host.machine;
        let counts = &mut machine.external.programs.counts;
        let count = counts.get(&entry).map_or(1, |count| count + 1);
        let cpu = count % machine.cpus.len();
        match classes::take(tid, machine.cpus[cpu].number) {
            Ok(()) => {
                counts.insert(entry, count);
                Some(cpu)
            }
            Err(error) if error.raw_os_error() == Some(libc::ESRCH) => {
                machine.external.programs.ended_unmet(tid, pending);
                None
            }
            Err(error) => {
                let why = format!("thread {tid} ({}): {error}", facts.stat.comm);
                self.host.log.refused.push((machine.clock.time(), why));
                None
            }
        }
    }

    /// What the last thread of an entry that was counted asks for.
    fn next_of(&self, entry: usize) -> PlannedThread {
        let count = self.host.machine.external.programs.counts.get(&entry).copied().unwrap_or(0);
        let mut planned = self.host.threads.list[entry].planned().clone();
        planned.name = format!("{}-{count}", planned.name);
        planned
    }
}

impl Linux {
    /// A thread has made another.
    pub(crate) fn forked(&mut self, parent: i32, child: i32) {
        let start =
            self.external.programs.starting.remove(&parent).map_or(Heard::OTHERWISE, Heard::At);
        let known = self.threads.tids.get(&parent);
        let body = known.map(|number| &self.threads.bodies[*number as usize]);
        let pending = match body.map(|body| (&body.kind, body.former)) {
            Some((Kind::External { program, .. }, former)) => {
                Some(PendingThread { program: *program, start, former })
            }
            Some((Kind::InProcess(_), _)) => None,
            None => self
                .external
                .programs
                .pending(parent)
                .map(|parent| PendingThread { start, ..parent }),
        };
        match pending {
            Some(pending) => {
                self.external.programs.forget(child); // its number was free
                self.external.programs.pending.insert(child, pending);
                if pending.former.is_some() {
                    classes::hold(child);
                }
                self.send(WorkItem::Meet(child, Box::new(pending)));
            }
            None => self.external.programs.forget(child), // its number is somebody else's
        }
    }

    /// A thread has another name, or its process another file: it may belong elsewhere.
    ///
    /// The /proc worker finds out its name even where it was told: so the last one that is found is the one it has.
    pub(crate) fn renamed(&mut self, tid: i32) {
        if self.threads.tids.contains_key(&tid) {
            self.send(WorkItem::Name(tid));
        } else if let Some(pending) = self.external.programs.pending(tid) {
            self.send(WorkItem::Meet(tid, Box::new(pending)));
        }
    }

    /// Gives a thread back what it was, if it had anything of ours.
    pub(crate) fn give_back(&mut self, tid: i32, pending: PendingThread) {
        if let Some(former) = &pending.former {
            classes::give_back(tid, former);
        }
        self.external.programs.pending.insert(tid, PendingThread { former: None, ..pending });
    }

    /// Forgets the next pending thread from a number on, if it has ended; the number after it.
    pub(crate) fn forget_pending(&mut self, from: i32) -> i32 {
        let Some((tid, _)) = self.external.programs.pending.range(from..).next() else { return 0 };
        let tid = *tid;
        // An orphan of a program that we have started is a child of ours.
        if process::reap_if_ended_child(tid) || !process::exists(tid) {
            self.external.programs.forget(tid);
        }
        tid + 1
    }

    /// A supervised thread has ended: the last ones are kept as they were.
    pub(crate) fn has_ended(&mut self, number: u32) {
        let Body { tid, start, ref kind, .. } = self.threads.bodies[number as usize];
        self.threads.tids.remove(&tid);
        let Kind::External { program, .. } = *kind else { return };
        let programs = &mut self.external.programs;
        programs.pending.insert(tid, PendingThread { program, start, former: None }); // until its number is free
        programs.starting.remove(&tid);
        programs.ended.push_back(number);
        self.restore_log.forget(tid);
    }
}

impl Supervisor {
    /// A thread has this name, this file and this start: perhaps it belongs to another entry.
    pub(crate) fn belongs(&mut self, tid: i32, comm: &str, exe: Option<&str>, start: &Start) {
        let Some(number) = self.host.machine.threads.tids.get(&tid).copied() else { return };
        let Kind::External { program, .. } = self.host.machine.body(number).kind else { return };
        let thread = &self.host.threads.list[number as usize];
        let (Some(_), Some(entry)) = (thread.id(), thread.entry()) else { return };
        match self.claimed_by(program, comm, exe, start) {
            Some(other) if other != entry as usize => {
                let planned = self.host.threads.list[other].planned().clone();
                if self.host.move_thread(number, planned.parent, &planned.messages) {
                    *self.host.machine.external.programs.counts.entry(other).or_default() += 1;
                    let name = self.next_of(other).name;
                    self.host.rename(number, entry_number(other), name, planned.promised);
                }
            }
            Some(_) => {}
            None => self.leave_to_kernel(number),
        }
    }

    /// The kernel would kill a thread for its real-time processor time.
    pub(crate) fn has_limit(&mut self, number: u32, tid: i32, why: &str) {
        let at = self.time();
        if self.host.machine.threads.tids.get(&tid) == Some(&number) {
            let name = &self.host.threads.list[number as usize].outcome.name;
            let why = format!(
                "`{name}` would be killed for its real-time processor time (RLIMIT_RTTIME), and stays with the kernel: {why}"
            );
            self.host.log.refused.push((at, why));
            self.leave_to_kernel(number);
        }
    }

    /// A thread is supervised no longer.
    fn leave_to_kernel(&mut self, number: u32) {
        let Body { tid, former, start, ref kind, .. } = *self.host.machine.body(number);
        let Kind::External { program, .. } = *kind else { return };
        self.host.machine.thaw(number);
        self.host.ends(number);
        self.host.machine.give_back(tid, PendingThread { program, start, former });
    }

    /// Forgets the threads that have ended, but for the last ones: what they got is added up in their entry, so that memory
    /// does not grow with the length of a run.
    pub(crate) fn forget_old_threads(&mut self) {
        while let Some(oldest) = self.host.machine.external.programs.oldest_ended() {
            self.host.forget(oldest);
        }
    }

    /// Says how many threads of each program had ended before they were met.
    pub(crate) fn tell_who_was_not_met(&mut self, now: Instant) {
        let known = self.host.machine.external.programs.pending.keys().copied();
        for tid in known.filter(|tid| !process::exists(*tid)).collect::<Vec<_>>() {
            self.host.machine.external.programs.forget(tid);
        }
        let mut remarks = Vec::new();
        for (program, count) in &self.host.machine.external.programs.unmet {
            let name = &self.host.threads.list[*program].outcome.name;
            let text = format!(
                "threads of `{name}` that had ended before they were met: {count}; what they ran shows as stolen or idle time"
            );
            remarks.push((now, text));
        }
        self.host.machine.log.remarks.extend(remarks);
    }

    /// Says which entries chose among a program's threads and got none.
    pub(crate) fn tell_who_got_nobody(&mut self, now: Instant) {
        let mut remarks = Vec::new();
        let programs = &self.host.machine.external.programs;
        let got = |entry: &usize| programs.counts.get(entry).is_some_and(|count| *count > 0);
        for (program, what) in &programs.by_entry {
            for entry in what.claims.iter().filter(|entry| *entry != program && !got(entry)) {
                let (name, program) = (
                    &self.host.threads.list[*entry].outcome.name,
                    &self.host.threads.list[*program].outcome.name,
                );
                let text = format!(
                    "`{name}` got no thread: none of `{program}` is what its `match` asks for"
                );
                remarks.push((now, text));
            }
        }
        self.host.machine.log.remarks.extend(remarks);
    }

    /// The numbers of all processes and threads that programs which we have started are known to have made.
    pub(crate) fn offspring(&self) -> BTreeSet<i32> {
        let programs = &self.host.machine.external.programs;
        let ours = |program: &usize| programs.children.contains_key(program);
        let bodies = self.host.machine.threads.bodies.iter().filter_map(|body| match body.kind {
            Kind::External { pid, program } if ours(&program) => Some(pid),
            _ => None,
        });
        let pending = programs.pending.iter();
        let pending = pending.filter(|(_, pending)| ours(&pending.program));
        bodies.chain(pending.map(|(tid, _)| *tid)).collect()
    }
}

/// The host's number of an entry.
fn entry_number(entry: usize) -> u32 {
    u32::try_from(entry).expect("threads are numbered by 32 bits")
}
