//! Threads that know nothing of us: those of the scenario's programs, and whatever threads they make
//! later, across fork and exec.
//!
//! Each thread goes to the first entry of the scenario that accepts its name and its file (decision
//! 0007); one that nobody accepts stays with the kernel. Late threads are heard of by the fork's tracepoint; they
//! inherit our rung, so they wait until the hierarchy knows them.

use crate::child::Child;
use crate::chores::Chore;
use crate::journal::Former;
use crate::member::{Kind, Member, Wish};
use crate::proc;
use crate::rungs;
use crate::supervisor::Supervisor;
use crate::sys::process;
use crate::sys::sched::{Affinity, Attributes};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
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
    strangers: BTreeMap<i32, Stranger>,
    /// Those that we start, by the number of their entry.
    pub(crate) children: BTreeMap<usize, Child>,
    /// How many threads each entry has got.
    counts: BTreeMap<usize, usize>,
    /// Threads that have ended and are kept for the outcome, the oldest first.
    ended: VecDeque<u32>,
}

/// A thread of a program that is not supervised: the program's entry, and what it is to be afterwards, when it
/// has inherited something of ours.
#[derive(Clone, Copy)]
pub(crate) struct Stranger {
    pub(crate) program: usize,
    pub(crate) former: Option<Former>,
}

/// So many ended threads are kept one by one.
const KEPT: usize = 1_024;

impl Supervisor {
    /// Takes all threads of a process; how many it has.
    pub(crate) fn take_process(&mut self, pid: i32, entry: usize) -> usize {
        if let Some(limit) = process::limit_of_real_time(pid) {
            let name = &self.wishes[entry].name;
            let why = format!(
                "process {pid} of `{name}` would be killed after {limit} us on a processor; lift its \
                 limit (`prlimit --pid {pid} --rttime=unlimited`)"
            );
            let now = self.time();
            self.refused.push((now, why));
            return 0;
        }
        let mut seen = BTreeSet::new();
        loop {
            let fresh: Vec<i32> =
                proc::threads(pid).into_iter().filter(|tid| seen.insert(*tid)).collect();
            if fresh.is_empty() {
                return seen.len();
            }
            for tid in fresh {
                let now = self.time();
                self.take(tid, pid, Stranger { program: entry, former: None }, now);
            }
        }
    }

    /// Takes a thread, if an entry accepts it. Words about it from before `at` are not believed.
    pub(crate) fn take(&mut self, tid: i32, pid: i32, stranger: Stranger, at: Instant) {
        if self.tids.contains_key(&tid) {
            return;
        }
        let Stranger { program, former } = stranger;
        self.programs.strangers.insert(tid, stranger); // unless it is taken
        let stat = proc::stat(tid).filter(|stat| !matches!(stat.state, 'Z' | 'X'));
        let Some(stat) = stat else { return };
        let Some(wish) = self.claimed_by(program, &stat.comm, pid) else {
            return self.give_back(tid, stranger);
        };
        let noted = match former {
            Some(former) => self.journal.note_as(tid, stat.start, former).map(|()| former),
            None => self.journal.note(tid),
        };
        let former = match noted {
            Ok(former) => former,
            Err(fault) => {
                self.refused.push((at, fault.to_string()));
                return self.give_back(tid, stranger);
            }
        };
        let count = self.programs.counts.entry(wish).or_default();
        *count += 1;
        let Wish { name, promised, .. } = &self.wishes[wish];
        let name = format!("{name}-{count}");
        let mut member =
            Member::new(Kind::Foreign { pid, program, wish }, tid, &name, promised.as_deref());
        let cpu = *count % self.cpus.len();
        let placed = Affinity::one(self.cpus[cpu].number).give(tid);
        match placed.and_then(|()| Attributes::fifo(rungs::HELD).give(tid)) {
            Ok(()) => {}
            Err(error) if error.raw_os_error() == Some(libc::ESRCH) => return,
            Err(error) => {
                self.refused.push((at, format!("thread {tid} ({}): {error}", stat.comm)));
                return;
            }
        }
        member.place = Some(cpu);
        member.rung = rungs::HELD;
        member.heard = at;
        member.former = Some(former);
        let number = match self.vacant.pop() {
            Some(number) => {
                self.members[number as usize] = member;
                number
            }
            None => {
                self.members.push(member);
                u32::try_from(self.members.len() - 1).unwrap_or(u32::MAX)
            }
        };
        self.judging.joins(number, &self.wishes[wish].name, &name);
        self.tids.insert(tid, number);
        self.programs.strangers.remove(&tid);
        let wish = self.wishes[wish].clone();
        if self.admit(number, &wish) && stat.state == 'R' {
            self.becomes_ready(number, at, None);
        }
    }

    /// The entry that gets a thread of a program.
    fn claimed_by(&self, program: usize, comm: &str, pid: i32) -> Option<usize> {
        let claims = &self.programs.by_entry.get(&program)?.claims;
        let asks = |wish: &usize| self.wishes[*wish].threads.exe.is_some();
        let path = claims.iter().any(asks).then(|| format!("/proc/{pid}/exe"));
        let exe = path.and_then(|path| std::fs::read_link(path).ok());
        let exe = exe.as_ref().and_then(|path| path.to_str());
        claims.iter().copied().find(|wish| self.wishes[*wish].threads.accepts(comm, exe))
    }

    /// A thread has made another.
    pub(crate) fn forked(&mut self, parent: i32, child: i32) {
        let member = self.tids.get(&parent).map(|number| &self.members[*number as usize]);
        let stranger = match member.map(|member| (&member.kind, member.former)) {
            Some((Kind::Foreign { program, .. }, former)) => {
                Some(Stranger { program: *program, former })
            }
            Some((Kind::Own(_), _)) => None,
            None => self.programs.strangers.get(&parent).copied(),
        };
        match stranger {
            Some(stranger) => {
                self.programs.strangers.insert(child, stranger);
                self.chores.add(Chore::Born { tid: child, stranger });
            }
            None => drop(self.programs.strangers.remove(&child)), // its number is somebody else's
        }
    }

    /// A thread has another name, or its process another file: it may belong elsewhere.
    pub(crate) fn renamed(&mut self, tid: i32, at: Instant) {
        let Some(number) = self.tids.get(&tid).copied() else {
            let stranger = self.programs.strangers.get(&tid).copied();
            if let Some((stranger, pid)) = stranger.zip(proc::process_of(tid)) {
                self.take(tid, pid, stranger, at);
            }
            return;
        };
        let member = &self.members[number as usize];
        let Kind::Foreign { pid, program, wish } = member.kind else { return };
        let (Some(stat), Some(id)) = (proc::stat(tid), member.id) else { return };
        match self.claimed_by(program, &stat.comm, pid) {
            Some(other) if other != wish => {
                let Wish { name, promised, parent, messages, .. } = self.wishes[other].clone();
                let moved = self
                    .tell(at, |hierarchy, now| hierarchy.move_thread(now, id, parent, &messages));
                if moved.is_some() {
                    let count = self.programs.counts.entry(other).or_default();
                    *count += 1;
                    let count = *count;
                    let member = &mut self.members[number as usize];
                    member.kind = Kind::Foreign { pid, program, wish: other };
                    member.outcome.name = format!("{name}-{count}");
                    member.outcome.promised = promised;
                    member.tells = true;
                    self.trace_thread(number, at);
                }
            }
            Some(_) => {}
            None => self.leave_to_kernel(number, at),
        }
    }

    /// A thread is supervised no longer.
    fn leave_to_kernel(&mut self, number: u32, at: Instant) {
        let Member { tid, former, ref kind, .. } = self.members[number as usize];
        let Kind::Foreign { program, .. } = *kind else { return };
        self.becomes_gone(number, at);
        self.give_back(tid, Stranger { program, former });
    }

    /// Gives a thread back what it was, if it had anything of ours.
    fn give_back(&mut self, tid: i32, stranger: Stranger) {
        if let Some((attributes, affinity)) = stranger.former {
            let _ = attributes.give(tid).and_then(|()| affinity.give(tid)); // or it has ended
        }
        self.programs.strangers.insert(tid, Stranger { former: None, ..stranger });
    }

    /// Forgets the next stranger from a number on, if it has ended; the number after it.
    pub(crate) fn forget_stranger(&mut self, from: i32) -> i32 {
        let Some((tid, _)) = self.programs.strangers.range(from..).next() else { return 0 };
        let tid = *tid;
        if !process::exists(tid) {
            self.programs.strangers.remove(&tid);
        }
        tid + 1
    }

    /// A thread of a program has ended. The last ones are kept as they were; what older ones got is
    /// added up in their entry, so that memory does not grow with the length of a run.
    pub(crate) fn ended(&mut self, number: u32) {
        let member = &self.members[number as usize];
        let Kind::Foreign { wish, .. } = member.kind else { return };
        self.journal.forget(member.tid);
        let ended = &mut self.programs.ended;
        ended.push_back(number);
        if ended.len() <= KEPT {
            return;
        }
        let Some(oldest) = ended.pop_front() else { return };
        let (wish, outcome) = match &self.members[oldest as usize] {
            Member { kind: Kind::Foreign { wish, .. }, outcome, .. } => (*wish, outcome.clone()),
            Member { outcome, .. } => (wish, outcome.clone()),
        };
        self.members[wish].outcome.add(&outcome);
        self.vacant.push(oldest);
    }
}
