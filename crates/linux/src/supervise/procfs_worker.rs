//! The /proc worker: a thread that reads /proc and control groups, without the lock.
//!
//! Reading a thread's entry there waits for every other reader of it, of whatever class. Hundreds of milliseconds were seen,
//! and no decision may wait so long. So the supervisor queues work items, and the /proc worker returns results. Events that
//! arrived in the meantime are younger and take precedence.

use crate::carrier::audit;
use crate::supervise::linux::Linux;
use crate::supervise::locked::Locked;
use crate::supervise::settle::settle;
use crate::supervise::supervisor::Supervisor;
use crate::supervise::work::WorkItem;
use crate::threads::adopt;
use crate::threads::begin;
use crate::threads::body::Kind;
use crate::threads::facts::Facts;
use crate::threads::heard::Heard;
use crate::threads::programs::PendingThread;
use crate::threads::spawn;
use std::collections::{BTreeMap, BTreeSet};
use windfall_observe::fifo_priorities;
use windfall_observe::procfs;
use windfall_observe::routines::Routines;
use windfall_os::clock;
use windfall_os::freezer::Freezer;
use windfall_os::futex::Gate;
use windfall_os::sched::set_fifo;

/// Returns what is known about where a thread starts.
fn start_of(linux: &Linux, tid: i32) -> Option<Heard> {
    let number = linux.threads.tids.get(&tid)?;
    Some(linux.threads.bodies[*number as usize].start)
}

/// The processes of all supervised threads, and the entry that children of each belong to.
fn processes(linux: &Linux) -> BTreeMap<i32, PendingThread> {
    let live = linux.threads.tids.values().map(|number| &linux.threads.bodies[*number as usize]);
    let pending = live.filter_map(|body| match body.kind {
        Kind::External { pid, program } => {
            Some((pid, PendingThread { program, start: Heard::LOST, former: body.former }))
        }
        Kind::InProcess(_) => None,
    });
    pending.collect()
}

/// Applies a thread's state as /proc showed it at or after `looked`.
fn learn_state(
    supervisor: &mut Supervisor,
    number: u32,
    tid: i32,
    looked: windfall_time::Instant,
    state: Option<char>,
) {
    supervisor.host.hear();
    let lives = supervisor.host.threads.list[number as usize].id().is_some();
    let machine = &mut supervisor.host.machine;
    let looked = machine.clock.since_epoch(looked);
    let is_new = machine.heard(number).is_some_and(|heard| heard <= looked);
    if machine.body(number).tid != tid || !lives || !is_new {
        return;
    }
    machine.body(number).heard = looked;
    machine.clock.set_event(Some(looked));
    match state {
        None | Some('Z' | 'X') => supervisor.host.ends(number),
        Some('R') => {
            supervisor.host.machine.carrier.woken(number);
            supervisor.host.wakes(number, None);
        }
        Some(_) => supervisor.host.waits(number),
    }
    supervisor.host.machine.clock.set_event(None);
}

/// Body of the /proc worker's thread. No supervised thread delays it.
pub(crate) fn serve_procfs(locked: &Locked, gate: &Gate) {
    locked.step_apart("procfs");
    let _ = set_fifo(0, fifo_priorities::PROCFS_WORKER);
    let freezer = Freezer::new(std::process::id().cast_signed());
    let mut routines = Routines::default();
    let items = locked.call(|s| s.host.machine.external.work.items.clone());
    loop {
        let mut left = items.lock();
        let (next, over) = (left.queue.pop_front(), left.over);
        drop(left);
        match next {
            _ if over => return,
            Some(item) => run(locked, item, &freezer, &mut routines),
            None => gate.pass(),
        }
    }
}

/// Queues a result for the event loop, unless the run is over.
fn bring(locked: &Locked, act: impl FnOnce(&mut Supervisor) + Send + 'static) {
    locked.leave(|s| {
        if !s.is_over() {
            act(s);
        }
    });
}

fn run(locked: &Locked, item: WorkItem, freezer: &Freezer, routines: &mut Routines) {
    match item {
        WorkItem::Begin(entry) => begin(locked, entry, routines),
        WorkItem::Meet(tid, pending) => {
            meet(locked, tid, *pending, routines);
            part(locked, tid, freezer);
        }
        WorkItem::Name(tid) => name(locked, tid, routines),
        WorkItem::Look(number) => look(locked, number),
        WorkItem::LookAtAll => look_at_all(locked, routines),
        WorkItem::Make(number) => spawn::make(locked, number),
        WorkItem::Group(number) => {
            let who = locked.call(move |s| {
                let body = s.host.machine.body(number);
                body.is_external().then(|| (body.pid(), body.tid))
            });
            if let Some((pid, tid)) = who {
                let group = freezer.group(pid, tid);
                bring(locked, move |s| audit::has_group(s, number, tid, group));
            }
        }
    }
}

/// Gives a thread that was made in another thread's freezer group one of its own, or it would be frozen with that one.
fn part(locked: &Locked, tid: i32, freezer: &Freezer) {
    let Some(pid) = freezer.shares(tid).then(|| procfs::process_of(tid)).flatten() else {
        return;
    };
    let group = freezer.group(pid, tid);
    bring(locked, move |s| {
        if let Some(number) = s.host.machine.threads.tids.get(&tid).copied() {
            audit::has_group(s, number, tid, group);
        }
    });
}

/// Begins a program: takes all its threads, and looks again until no new ones appear, so that none acts unseen.
fn begin(locked: &Locked, entry: usize, routines: &mut Routines) {
    let mut taken = 0;
    for pid in locked.call(move |s| begin::whereabouts(&s.host.machine, entry)).processes() {
        let mut seen = BTreeSet::new();
        loop {
            let threads = procfs::threads(pid).into_iter();
            let fresh: Vec<i32> = threads.filter(|tid| seen.insert(*tid)).collect();
            if fresh.is_empty() {
                break;
            }
            let pending = PendingThread { program: entry, start: Heard::BEFORE, former: None };
            fresh.into_iter().for_each(|tid| meet(locked, tid, pending, routines));
        }
        taken += seen.len();
    }
    bring(locked, move |s| begin::has_begun(s, entry, taken));
}

/// Has a thread taken, and reads its state.
fn meet(locked: &Locked, tid: i32, pending: PendingThread, routines: &mut Routines) {
    let facts = Facts::of(tid, pending.start, routines);
    let process = facts.as_ref().map(|facts| (facts.pid, facts.stat.ppid));
    let taken = locked.call(move |s| {
        let number = (!s.is_over()).then(|| adopt::take(s, tid, facts.as_ref(), pending));
        settle(s); // its events count from here on
        number.flatten().map(|number| (number, s.host.machine.restore_log.clone()))
    });
    if let (Some((number, restore_log)), Some((pid, parent))) = (taken, process) {
        if let Err(why) = restore_log.lift_limit(pid, parent) {
            bring(locked, move |s| adopt::has_limit(s, number, tid, &why));
        }
        look_at(locked, number, tid);
    }
}

/// Finds the entry that a member belongs to.
fn name(locked: &Locked, tid: i32, routines: &mut Routines) {
    let heard = locked.call(move |s| start_of(&s.host.machine, tid));
    if let Some(facts) = heard.and_then(|heard| Facts::of(tid, heard, routines)) {
        bring(locked, move |s| adopt::belongs(s, tid, &facts.stat.comm, facts.exe(), &facts.start));
    }
}

fn look(locked: &Locked, number: u32) {
    let tid = locked.call(move |s| s.host.machine.body(number).tid);
    look_at(locked, number, tid);
}

/// Reads the state of the member that is thread `tid`.
fn look_at(locked: &Locked, number: u32, tid: i32) {
    let looked = clock::now();
    let state = procfs::stat(tid).map(|stat| stat.state);
    bring(locked, move |s| learn_state(s, number, tid, looked, state));
}

fn look_at_all(locked: &Locked, routines: &mut Routines) {
    let numbers = locked.call(|s| {
        let machine = &s.host.machine;
        let external = |number: &u32| machine.threads.bodies[*number as usize].is_external();
        let mut live: Vec<u32> = machine.threads.tids.values().copied().filter(external).collect();
        live.sort_unstable();
        live
    });
    numbers.into_iter().for_each(|number| look(locked, number));
    let mut known = locked.call(|s| processes(&s.host.machine));
    for pid in procfs::processes() {
        let parent = || procfs::stat(pid).map(|stat| stat.ppid);
        let of = |pid: i32| known.get(&pid).copied();
        let Some(pending) = of(pid).or_else(|| of(parent()?)) else { continue };
        known.insert(pid, pending);
        let threads = procfs::threads(pid).into_iter();
        threads.for_each(|tid| {
            let known = locked.call(move |s| s.host.machine.external.programs.pending(tid));
            meet(locked, tid, known.unwrap_or(pending), routines);
        });
    }
}
