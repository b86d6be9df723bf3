//! Adopts external threads: those of the scenario's programs, and all threads that they make later, across fork and exec.
//!
//! Each thread goes to the first entry of the scenario that accepts its name and its file (decision 0007); a thread that no entry
//! accepts stays with the kernel. The fork's tracepoint reports late threads; they inherit our priority, so they are held until the
//! hierarchy knows them.

use crate::carrier::Member;
use crate::restore::log::Former;
use crate::supervise::linux::Linux;
use crate::supervise::supervisor::Supervisor;
use crate::supervise::work::WorkItem;
use crate::threads::body::{Body, Kind};
use crate::threads::facts::Facts;
use crate::threads::heard::{Heard, Start};
use crate::threads::programs::PendingThread;
use crate::threads::starts;
use std::collections::BTreeSet;
use windfall_os::process;
use windfall_scenario::PlannedThread;
use windfall_time::Instant;

/// Takes the thread with these facts, if it has not ended and an entry accepts it. The caller has its state read afterwards.
pub(crate) fn take(
    supervisor: &mut Supervisor,
    tid: i32,
    facts: Option<&Facts>,
    pending: PendingThread,
) -> Option<u32> {
    supervisor.host.hear(); // earlier events do not count for it
    let machine = &mut supervisor.host.machine;
    if machine.threads.tids.contains_key(&tid) {
        machine.send(WorkItem::Name(tid)); // its name may have changed while it was taken, or while events were lost
        return None;
    }
    let programs = &mut machine.external.programs;
    let Some(facts) = facts.filter(|facts| !facts.stat.has_ended()) else {
        programs.ended_unmet(tid, pending);
        return None;
    };
    programs.pending.insert(tid, pending); // removed again when it is taken
    if let Err(why) = machine.rings.follow(tid) {
        supervisor.say_once(format!("threads that the run's programs make may be missed: {why}"));
    }
    let comm = &facts.stat.comm;
    let Some(entry) =
        starts::claimed_by(supervisor, pending.program, comm, facts.exe(), &facts.start)
    else {
        give_back(&mut supervisor.host.machine, tid, pending);
        return None;
    };
    let former = note(supervisor, tid, facts, pending)?;
    let cpu = pin(supervisor, tid, entry, facts, pending)?;
    let number = supervisor.host.adopt(next_of(supervisor, entry), entry_number(entry));
    let machine = &mut supervisor.host.machine;
    machine.carrier.join(number, Member::External { tid, cpu });
    let kind = Kind::External { pid: facts.pid, program: pending.program };
    *machine.body(number) = Body {
        heard: machine.clock.time(),
        former: Some(former),
        start: pending.start,
        ..Body::new(kind, tid)
    };
    machine.threads.tids.insert(tid, number);
    machine.external.programs.pending.remove(&tid);
    supervisor.host.admit(number).then_some(number)
}

/// Notes what a thread is in the restore log, before it is taken. Returns that.
fn note(
    supervisor: &mut Supervisor,
    tid: i32,
    facts: &Facts,
    pending: PendingThread,
) -> Option<Former> {
    let machine = &mut supervisor.host.machine;
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
            supervisor.host.log.refused.push((machine.clock.time(), fault.to_string()));
            give_back(machine, tid, pending);
            None
        }
    }
}

/// Makes a thread supervised. Returns the processor that it is bound to.
fn pin(
    supervisor: &mut Supervisor,
    tid: i32,
    entry: usize,
    facts: &Facts,
    pending: PendingThread,
) -> Option<usize> {
    let machine = &mut supervisor.host.machine;
    let counts = &mut machine.external.programs.counts;
    let count = counts.get(&entry).map_or(1, |count| count + 1);
    let cpu = count % machine.cpus.len();
    match machine.carrier.take(tid, cpu) {
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
            supervisor.host.log.refused.push((machine.clock.time(), why));
            None
        }
    }
}

/// The plan of the latest thread that was counted for an entry, with that thread's name.
fn next_of(supervisor: &Supervisor, entry: usize) -> PlannedThread {
    let count = supervisor.host.machine.external.programs.counts.get(&entry).copied().unwrap_or(0);
    let mut planned = supervisor.host.threads.list[entry].planned().clone();
    planned.name = format!("{}-{count}", planned.name);
    planned
}

/// A thread has made another: holds the child, and queues it for the /proc worker.
pub(crate) fn forked(linux: &mut Linux, parent: i32, child: i32) {
    let start =
        linux.external.programs.starting.remove(&parent).map_or(Heard::OTHERWISE, Heard::At);
    let known = linux.threads.tids.get(&parent);
    let body = known.map(|number| &linux.threads.bodies[*number as usize]);
    let pending = match body.map(|body| (&body.kind, body.former)) {
        Some((Kind::External { program, .. }, former)) => {
            Some(PendingThread { program: *program, start, former })
        }
        Some((Kind::InProcess(_), _)) => None,
        None => {
            linux.external.programs.pending(parent).map(|parent| PendingThread { start, ..parent })
        }
    };
    match pending {
        Some(pending) => {
            linux.external.programs.forget(child); // its number was free until now
            linux.external.programs.pending.insert(child, pending);
            if pending.former.is_some() {
                linux.carrier.hold(child);
            }
            linux.send(WorkItem::Meet(child, Box::new(pending)));
        }
        None => linux.external.programs.forget(child), // its number belongs to another program now
    }
}

/// A thread has another name, or its process another file: it may belong to another entry.
///
/// The /proc worker reads the name even if the event has it, so that the name read last is the current one.
pub(crate) fn renamed(linux: &mut Linux, tid: i32) {
    if linux.threads.tids.contains_key(&tid) {
        linux.send(WorkItem::Name(tid));
    } else if let Some(pending) = linux.external.programs.pending(tid) {
        linux.send(WorkItem::Meet(tid, Box::new(pending)));
    }
}

/// Restores a thread's former settings, if it has any of ours.
pub(crate) fn give_back(linux: &mut Linux, tid: i32, pending: PendingThread) {
    if let Some(former) = &pending.former {
        let (mut trouble, now) = (Vec::new(), linux.clock.time());
        linux.carrier.give_back(tid, former, &mut trouble);
        linux.log.remarks.extend(trouble.into_iter().map(|why| (now, why)));
    }
    linux.external.programs.pending.insert(tid, PendingThread { former: None, ..pending });
}

/// Forgets the next pending thread from number `from` on, if it has ended. Returns the number after it.
pub(crate) fn forget_pending(linux: &mut Linux, from: i32) -> i32 {
    let Some((tid, _)) = linux.external.programs.pending.range(from..).next() else { return 0 };
    let tid = *tid;
    let mut children = linux.external.programs.children.values_mut();
    let ended = match children.find(|child| child.pid() == tid && child.is_not_reaped()) {
        Some(child) => child.has_ended(), // which keeps how
        // An orphaned descendant of a command that we have started is our child, and must be reaped.
        None => process::reap_if_ended_child(tid),
    };
    if ended || !process::exists(tid) {
        linux.external.programs.forget(tid);
    }
    tid + 1
}

/// A supervised thread has ended. The latest ones are kept for the outcome.
pub(crate) fn has_ended(linux: &mut Linux, number: u32) {
    let Body { tid, start, ref kind, .. } = linux.threads.bodies[number as usize];
    linux.threads.tids.remove(&tid);
    let Kind::External { program, .. } = *kind else { return };
    let programs = &mut linux.external.programs;
    programs.pending.insert(tid, PendingThread { program, start, former: None }); // until the kernel reuses its number
    programs.starting.remove(&tid);
    programs.ended.push_back(number);
    linux.restore_log.forget(tid);
}

/// Moves a thread to the entry that accepts this name, file and start, if that is another than before.
pub(crate) fn belongs(
    supervisor: &mut Supervisor,
    tid: i32,
    comm: &str,
    exe: Option<&str>,
    start: &Start,
) {
    let Some(number) = supervisor.host.machine.threads.tids.get(&tid).copied() else { return };
    let Kind::External { program, .. } = supervisor.host.machine.body(number).kind else { return };
    let thread = &supervisor.host.threads.list[number as usize];
    let (Some(_), Some(entry)) = (thread.id(), thread.entry()) else { return };
    match starts::claimed_by(supervisor, program, comm, exe, start) {
        Some(other) if other != entry as usize => {
            let planned = supervisor.host.threads.list[other].planned().clone();
            if supervisor.host.move_thread(number, planned.parent, &planned.messages).is_ok() {
                *supervisor.host.machine.external.programs.counts.entry(other).or_default() += 1;
                let name = next_of(supervisor, other).name;
                supervisor.host.rename(number, entry_number(other), name, planned.promised);
            }
        }
        Some(_) => {}
        None => leave_to_kernel(supervisor, number),
    }
}

/// Stops supervising a thread that the kernel would kill for its real-time processor time.
pub(crate) fn has_limit(supervisor: &mut Supervisor, number: u32, tid: i32, why: &str) {
    let at = supervisor.time();
    if supervisor.host.machine.threads.tids.get(&tid) == Some(&number) {
        let name = &supervisor.host.threads.list[number as usize].outcome.name;
        let why = format!(
            "`{name}` is not supervised, since the kernel would kill it for its real-time processor time (RLIMIT_RTTIME): {why}"
        );
        supervisor.host.log.refused.push((at, why));
        leave_to_kernel(supervisor, number);
    }
}

/// Stops supervising a thread.
fn leave_to_kernel(supervisor: &mut Supervisor, number: u32) {
    let Body { tid, former, start, ref kind, .. } = *supervisor.host.machine.body(number);
    let Kind::External { program, .. } = *kind else { return };
    let now = supervisor.time();
    supervisor.host.machine.carrier.release(number, now);
    supervisor.host.ends(number);
    give_back(&mut supervisor.host.machine, tid, PendingThread { program, start, former });
}

/// Forgets all but the latest threads that have ended. Their times are added up in their entry, so that memory does not grow with
/// the length of a run.
pub(crate) fn forget_old_threads(supervisor: &mut Supervisor) {
    while let Some(oldest) = supervisor.host.machine.external.programs.oldest_ended() {
        supervisor.host.forget(oldest);
    }
}

/// Reports for each program how many threads had ended before they could be taken.
pub(crate) fn report_threads_that_ended_before(supervisor: &mut Supervisor, now: Instant) {
    let known = supervisor.host.machine.external.programs.pending.keys().copied();
    for tid in known.filter(|tid| !process::exists(*tid)).collect::<Vec<_>>() {
        supervisor.host.machine.external.programs.forget(tid);
    }
    let mut remarks = Vec::new();
    for (program, count) in &supervisor.host.machine.external.programs.unmet {
        let name = &supervisor.host.threads.list[*program].outcome.name;
        let text = format!(
            "threads of `{name}` that ended before they could be supervised: {count}; their time counts as stolen or idle"
        );
        remarks.push((now, text));
    }
    supervisor.host.machine.log.remarks.extend(remarks);
}

/// Reports entries that select threads of a program and got none.
pub(crate) fn report_entries_without_threads(supervisor: &mut Supervisor, now: Instant) {
    let mut remarks = Vec::new();
    let programs = &supervisor.host.machine.external.programs;
    let got = |entry: &usize| programs.counts.get(entry).is_some_and(|count| *count > 0);
    for (program, what) in &programs.by_entry {
        for entry in what.claims.iter().filter(|entry| *entry != program && !got(entry)) {
            let (name, program) = (
                &supervisor.host.threads.list[*entry].outcome.name,
                &supervisor.host.threads.list[*program].outcome.name,
            );
            let text = format!("`{name}` got no thread: no thread of `{program}` fits its `match`");
            remarks.push((now, text));
        }
    }
    supervisor.host.machine.log.remarks.extend(remarks);
}

/// The ids of all known processes and threads that descend from programs which we have started.
pub(crate) fn offspring(supervisor: &Supervisor) -> BTreeSet<i32> {
    let programs = &supervisor.host.machine.external.programs;
    let ours = |program: &usize| programs.children.contains_key(program);
    let bodies = supervisor.host.machine.threads.bodies.iter().filter_map(|body| match body.kind {
        Kind::External { pid, program } if ours(&program) => Some(pid),
        _ => None,
    });
    let pending = programs.pending.iter();
    let pending = pending.filter(|(_, pending)| ours(&pending.program));
    bodies.chain(pending.map(|(tid, _)| *tid)).collect()
}

/// The host's number of an entry.
fn entry_number(entry: usize) -> u32 {
    u32::try_from(entry).expect("threads are numbered by 32 bits")
}
