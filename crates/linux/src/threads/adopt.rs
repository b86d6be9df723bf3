//! Threads that know nothing of us: those of the scenario's programs, and whatever threads they make
//! later, across fork and exec.
//!
//! Each thread goes to the first entry of the scenario that accepts its name and its file (decision
//! 0007); one that nobody accepts stays with the kernel. Late threads are heard of by the fork's tracepoint; they
//! inherit our priority, so they wait until the hierarchy knows them.

use crate::carrier::classes;
use crate::restore::log::Former;
use crate::supervise::procfs_worker::WorkItem;
use crate::supervise::supervisor::Supervisor;
use crate::threads::child::Child;
use crate::threads::facts::Facts;
use crate::threads::member::{Kind, Member, ThreadSpec};
use crate::threads::starts::{Heard, Start};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use windfall_observe::fifo_priorities;
use windfall_os::process;
use windfall_scenario::model::ExternalProgram;
use windfall_scenario::outcome::{EARLIER, ThreadOutcome};
use windfall_time::{Instant, Span};

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
        let at = self.time();
        self.listen(); // what it did before that is not its own
        if self.threads.tids.contains_key(&tid) {
            self.send(WorkItem::Name(tid)); // it may have got another name while it was met, or while events were lost
            return None;
        }
        let PendingThread { program, start, former } = pending;
        let Some(facts) = facts.filter(|facts| !facts.stat.has_ended()) else {
            self.external.programs.ended_unmet(tid, pending);
            return None;
        };
        self.external.programs.pending.insert(tid, pending); // unless it is taken
        if let Err(why) = self.rings.follow(tid) {
            self.tell_once(format!("what the run's programs make may be missed: {why}"));
        }
        let (stat, pid) = (&facts.stat, facts.pid);
        let Some(spec) = self.claimed_by(program, &stat.comm, facts.exe(), &facts.start) else {
            self.give_back(tid, pending);
            return None;
        };
        let noted = match former {
            Some(former) => self.restore_log.note_as(tid, pid, stat, former).map(|()| former),
            None => self.restore_log.note(tid, pid, stat),
        };
        let former = match noted {
            Ok(former) => former,
            Err(_) if !process::exists(tid) => {
                self.external.programs.ended_unmet(tid, pending);
                return None;
            }
            Err(fault) => {
                self.log.refused.push((at, fault.to_string()));
                self.give_back(tid, pending);
                return None;
            }
        };
        let count = self.external.programs.counts.get(&spec).map_or(1, |count| count + 1);
        let ThreadSpec { name, promised, .. } = &self.threads.specs[spec];
        let name = format!("{name}-{count}");
        let mut member =
            Member::new(Kind::External { pid, program, spec }, tid, &name, promised.as_deref());
        let cpu = count % self.cpus.len();
        match classes::take(tid, self.cpus[cpu].number) {
            Ok(()) => {}
            Err(error) if error.raw_os_error() == Some(libc::ESRCH) => {
                self.external.programs.ended_unmet(tid, pending);
                return None;
            }
            Err(error) => {
                self.log.refused.push((at, format!("thread {tid} ({}): {error}", stat.comm)));
                return None;
            }
        }
        self.external.programs.counts.insert(spec, count);
        member.place = Some(cpu);
        member.fifo_priority = fifo_priorities::HELD;
        member.heard = at;
        member.former = Some(former);
        member.start = start;
        let number = match self.threads.vacant.pop() {
            Some(number) => {
                self.threads.members[number as usize] = member;
                number
            }
            None => {
                self.threads.members.push(member);
                u32::try_from(self.threads.members.len() - 1)
                    .expect("threads are numbered by 32 bits")
            }
        };
        self.books.judging.joins(number, &self.threads.specs[spec].name, &name);
        self.threads.tids.insert(tid, number);
        self.external.programs.pending.remove(&tid);
        let spec = self.threads.specs[spec].clone();
        self.admit(number, &spec).then_some(number)
    }

    /// A thread has made another.
    pub(crate) fn forked(&mut self, parent: i32, child: i32) {
        let start =
            self.external.programs.starting.remove(&parent).map_or(Heard::OTHERWISE, Heard::At);
        let member =
            self.threads.tids.get(&parent).map(|number| &self.threads.members[*number as usize]);
        let pending = match member.map(|member| (&member.kind, member.former)) {
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

    /// A thread has this name, this file and this start: perhaps it belongs to another entry.
    pub(crate) fn belongs(&mut self, tid: i32, comm: &str, exe: Option<&str>, start: &Start) {
        let Some(number) = self.threads.tids.get(&tid).copied() else { return };
        let at = self.time();
        let member = &self.threads.members[number as usize];
        let Kind::External { pid, program, spec } = member.kind else { return };
        let Some(id) = member.id else { return };
        match self.claimed_by(program, comm, exe, start) {
            Some(other) if other != spec => {
                let ThreadSpec { name, promised, parent, messages, .. } =
                    self.threads.specs[other].clone();
                let moved = self
                    .notify(at, |hierarchy, now| hierarchy.move_thread(now, id, parent, &messages));
                if moved.is_some() {
                    let count = self.external.programs.counts.entry(other).or_default();
                    *count += 1;
                    let count = *count;
                    let member = &mut self.threads.members[number as usize];
                    member.kind = Kind::External { pid, program, spec: other };
                    member.outcome.name = format!("{name}-{count}");
                    member.outcome.promised = promised;
                    member.tells = true;
                    let (own, ready) = (member.outcome.name.clone(), member.ready);
                    self.books.judging.joins(number, &name, &own);
                    if ready {
                        self.books.judging.wakes(number, at);
                    }
                    self.trace_thread(number, at);
                }
            }
            Some(_) => {}
            None => self.leave_to_kernel(number, at),
        }
    }

    /// The kernel would kill a member for its real-time processor time.
    pub(crate) fn has_limit(&mut self, number: u32, tid: i32, why: &str) {
        let at = self.time();
        if self.threads.tids.get(&tid) == Some(&number) {
            let name = &self.threads.members[number as usize].outcome.name;
            let why = format!(
                "`{name}` would be killed for its real-time processor time (RLIMIT_RTTIME), and stays with the kernel: {why}"
            );
            self.log.refused.push((at, why));
            self.leave_to_kernel(number, at);
        }
    }

    /// A thread is supervised no longer.
    fn leave_to_kernel(&mut self, number: u32, at: Instant) {
        let Member { tid, former, start, ref kind, .. } = self.threads.members[number as usize];
        let Kind::External { program, .. } = *kind else { return };
        self.thaw(number);
        self.becomes_gone(number, at);
        self.give_back(tid, PendingThread { program, start, former });
    }

    /// Gives a thread back what it was, if it had anything of ours.
    fn give_back(&mut self, tid: i32, pending: PendingThread) {
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

    /// Says how many threads of each program had ended before they were met.
    pub(crate) fn tell_who_was_not_met(&mut self, now: Instant) {
        let known = self.external.programs.pending.keys().copied();
        for tid in known.filter(|tid| !process::exists(*tid)).collect::<Vec<_>>() {
            self.external.programs.forget(tid);
        }
        for (program, count) in &self.external.programs.unmet {
            let name = &self.threads.specs[*program].name;
            let text = format!(
                "threads of `{name}` that had ended before they were met: {count}; what they ran shows as stolen or idle time"
            );
            self.log.remarks.push((now, text));
        }
    }

    /// Says which entries chose among a program's threads and got none.
    pub(crate) fn tell_who_got_nobody(&mut self, now: Instant) {
        let got = |entry: &usize| {
            self.external.programs.counts.get(entry).is_some_and(|count| *count > 0)
        };
        for (program, what) in &self.external.programs.by_entry {
            for entry in what.claims.iter().filter(|entry| *entry != program && !got(entry)) {
                let (name, program) =
                    (&self.threads.specs[*entry].name, &self.threads.specs[*program].name);
                let text = format!(
                    "`{name}` got no thread: none of `{program}` is what its `match` asks for"
                );
                self.log.remarks.push((now, text));
            }
        }
    }

    /// The numbers of all processes and threads that programs which we have started are known to have made.
    pub(crate) fn offspring(&self) -> BTreeSet<i32> {
        let ours = |program: &usize| self.external.programs.children.contains_key(program);
        let members = self.threads.members.iter().filter_map(|member| match member.kind {
            Kind::External { pid, program, .. } if ours(&program) => Some(pid),
            _ => None,
        });
        let pending = self.external.programs.pending.iter();
        let pending = pending.filter(|(_, pending)| ours(&pending.program));
        members.chain(pending.map(|(tid, _)| *tid)).collect()
    }

    /// A thread of a program has ended. The last ones are kept as they were; what older ones got is
    /// added up in their entry, so that memory does not grow with the length of a run.
    pub(crate) fn ended(&mut self, number: u32) {
        let member = &self.threads.members[number as usize];
        let Kind::External { program, .. } = member.kind else { return };
        let pending = PendingThread { program, start: member.start, former: None };
        self.external.programs.pending.insert(member.tid, pending); // until its number is free
        self.restore_log.forget(member.tid);
        self.external.programs.starting.remove(&member.tid);
        let ended = &mut self.external.programs.ended;
        ended.push_back(number);
        if ended.len() <= KEPT {
            return;
        }
        let Some(oldest) = ended.pop_front() else { return };
        let member = &mut self.threads.members[oldest as usize];
        let Kind::External { spec, .. } = member.kind else { return };
        let outcome = std::mem::take(&mut member.outcome);
        self.threads.members[spec].outcome.add(&outcome);
        self.threads.vacant.push(oldest);
    }

    /// What a member got, if it is a thread, or what the threads of a program got that ended long ago.
    pub(crate) fn outcome_of(&self, number: usize) -> Option<ThreadOutcome> {
        let member = &self.threads.members[number];
        let mut outcome = member.outcome.clone();
        if member.is_external() && number < self.threads.specs.len() {
            outcome.name.push_str(EARLIER);
            return (outcome.received + outcome.runnable > Span::ZERO).then_some(outcome);
        }
        (!outcome.name.is_empty()).then_some(outcome) // else its place is vacant
    }
}
