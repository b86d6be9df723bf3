//! The /proc worker: a thread that finds out what only /proc and control groups can tell, without the lock.
//!
//! To read a thread's line there takes as long as whoever reads the same, of whatever class, lets us wait.
//! Hundreds of milliseconds were seen, for which no decision may wait. So the supervisor leaves
//! work items, and the /proc worker brings back what it has found; events that came meanwhile are younger, and
//! are believed instead.

use crate::carrier::wakes::Wakes;
use crate::supervise::linux::Linux;
use crate::supervise::locked::Locked;
use crate::supervise::supervisor::Supervisor;
use crate::threads::adopt::PendingThread;
use crate::threads::body::Kind;
use crate::threads::facts::Facts;
use crate::threads::starts::Heard;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;
use windfall_observe::fifo_priorities;
use windfall_observe::procfs;
use windfall_observe::routines::Routines;
use windfall_os::clock;
use windfall_os::freezer::Freezer;
use windfall_os::futex::Gate;
use windfall_os::lock::Lock;
use windfall_os::sched::set_fifo;

/// Something to be found out or done.
pub(crate) enum WorkItem {
    /// The program of an entry is to begin.
    Begin(usize),
    /// A thread of a program was made, or has become another; what is known of it.
    Meet(i32, Box<PendingThread>),
    /// A member has another name or file, on which it depends to whom it belongs.
    Name(i32),
    /// What a member does is not known.
    Look(u32),
    /// Events were lost: nobody's state is known, nor whether there are others.
    LookAtAll,
    /// A member is to have a group that freezes it.
    Group(u32),
    /// A process was made that has no thread yet.
    Make(u32),
}

/// What is left for the /proc worker.
#[derive(Clone)]
pub(crate) struct WorkQueue {
    /// Under a lock of its own, so that the /proc worker need not interrupt the event loop for each.
    items: Arc<Lock<WorkItems>>,
    /// Open when there is something on it.
    pub(crate) gate: Arc<Gate>,
}

#[derive(Default)]
struct WorkItems {
    queue: VecDeque<WorkItem>,
    over: bool,
}

impl Default for WorkQueue {
    fn default() -> WorkQueue {
        WorkQueue { items: Arc::new(Lock::new(WorkItems::default())), gate: Arc::default() }
    }
}

impl WorkQueue {
    /// From here on there is nothing more to do.
    pub(crate) fn close(&self) {
        self.items.lock().over = true;
    }

    /// Leaves a work item.
    pub(crate) fn send(&self, item: WorkItem, wakes: &mut Wakes) {
        let mut items = self.items.lock();
        let queue = &mut items.queue;
        let again = matches!(item, WorkItem::LookAtAll)
            && queue.iter().any(|item| matches!(item, WorkItem::LookAtAll));
        if again {
            return;
        }
        // What is to begin does not wait behind the threads of what has begun.
        match item {
            WorkItem::Begin(_) => queue.push_front(item),
            _ => queue.push_back(item),
        }
        drop(items);
        wakes.open(&self.gate);
    }
}

impl Linux {
    /// Leaves a work item.
    pub(crate) fn send(&mut self, item: WorkItem) {
        self.external.work.send(item, &mut self.step.wakes);
    }

    /// What was heard of where a thread starts.
    fn start_of(&self, tid: i32) -> Option<Heard> {
        let number = self.threads.tids.get(&tid)?;
        Some(self.threads.bodies[*number as usize].start)
    }

    /// The processes of all threads, and what their children are.
    fn processes(&self) -> BTreeMap<i32, PendingThread> {
        let live = self.threads.tids.values().map(|number| &self.threads.bodies[*number as usize]);
        let pending = live.filter_map(|body| match body.kind {
            Kind::External { pid, program } => {
                Some((pid, PendingThread { program, start: Heard::LOST, former: body.former }))
            }
            Kind::InProcess(_) => None,
        });
        pending.collect()
    }
}

impl Supervisor {
    /// What a thread does, as its line in /proc had it after `looked`.
    fn learn_state(
        &mut self,
        number: u32,
        tid: i32,
        looked: windfall_time::Instant,
        state: Option<char>,
    ) {
        self.host.hear();
        let lives = self.host.threads.list[number as usize].id().is_some();
        let machine = &mut self.host.machine;
        let looked = machine.clock.since_epoch(looked);
        let news = machine.heard(number).is_some_and(|heard| heard <= looked);
        if machine.body(number).tid != tid || !lives || !news {
            return;
        }
        machine.body(number).heard = looked;
        machine.clock.set_event(Some(looked));
        match state {
            None | Some('Z' | 'X') => self.host.ends(number),
            Some('R') => {
                self.host.machine.carrier.woken(number);
                self.host.wakes(number, None);
            }
            Some(_) => self.host.waits(number),
        }
        self.host.machine.clock.set_event(None);
    }
}

impl Locked {
    /// The life of the /proc worker, which no supervised thread delays.
    pub(crate) fn serve_procfs(&self, gate: &Gate) {
        self.step_apart("procfs");
        let _ = set_fifo(0, fifo_priorities::PROCFS_WORKER);
        let freezer = Freezer::new(std::process::id().cast_signed());
        let mut routines = Routines::default();
        let items = self.call(|s| s.host.machine.external.work.items.clone());
        loop {
            let mut left = items.lock();
            let (next, over) = (left.queue.pop_front(), left.over);
            drop(left);
            match next {
                _ if over => return,
                Some(item) => self.run(item, &freezer, &mut routines),
                None => gate.pass(),
            }
        }
    }

    /// Brings back what was found.
    fn bring(&self, act: impl FnOnce(&mut Supervisor) + Send + 'static) {
        self.leave(|s| {
            if !s.is_over() {
                act(s);
            }
        });
    }

    fn run(&self, item: WorkItem, freezer: &Freezer, routines: &mut Routines) {
        match item {
            WorkItem::Begin(entry) => self.begin(entry, routines),
            WorkItem::Meet(tid, pending) => {
                self.meet(tid, *pending, routines);
                self.part(tid, freezer);
            }
            WorkItem::Name(tid) => self.name(tid, routines),
            WorkItem::Look(number) => self.look(number),
            WorkItem::LookAtAll => self.look_at_all(routines),
            WorkItem::Make(number) => self.make(number),
            WorkItem::Group(number) => {
                let who = self.call(move |s| {
                    let body = s.host.machine.body(number);
                    body.is_external().then(|| (body.pid(), body.tid))
                });
                if let Some((pid, tid)) = who {
                    let group = freezer.group(pid, tid);
                    self.bring(move |s| s.has_group(number, tid, group));
                }
            }
        }
    }

    /// A thread that was made in the group of another leaves it, supervised or not: it would be frozen with that one.
    fn part(&self, tid: i32, freezer: &Freezer) {
        let Some(pid) = freezer.shares(tid).then(|| procfs::process_of(tid)).flatten() else {
            return;
        };
        let group = freezer.group(pid, tid);
        self.bring(move |s| {
            if let Some(number) = s.host.machine.threads.tids.get(&tid).copied() {
                s.has_group(number, tid, group);
            }
        });
    }

    /// A program begins: every thread that it has is taken before it may do anything that is not seen.
    fn begin(&self, entry: usize, routines: &mut Routines) {
        let mut taken = 0;
        for pid in self.call(move |s| s.host.machine.whereabouts(entry)).processes() {
            let mut seen = BTreeSet::new();
            loop {
                let threads = procfs::threads(pid).into_iter();
                let fresh: Vec<i32> = threads.filter(|tid| seen.insert(*tid)).collect();
                if fresh.is_empty() {
                    break;
                }
                let pending = PendingThread { program: entry, start: Heard::BEFORE, former: None };
                fresh.into_iter().for_each(|tid| self.meet(tid, pending, routines));
            }
            taken += seen.len();
        }
        self.bring(move |s| s.has_begun(entry, taken));
    }

    /// Has a thread taken, and finds out what it does.
    fn meet(&self, tid: i32, pending: PendingThread, routines: &mut Routines) {
        let facts = Facts::of(tid, pending.start, routines);
        let process = facts.as_ref().map(|facts| (facts.pid, facts.stat.ppid));
        let taken = self.call(move |s| {
            let number = (!s.is_over()).then(|| s.take(tid, facts.as_ref(), pending));
            s.settle(); // it is seen from here on
            number.flatten().map(|number| (number, s.host.machine.restore_log.clone()))
        });
        if let (Some((number, journal)), Some((pid, parent))) = (taken, process) {
            if let Err(why) = journal.lift_limit(pid, parent) {
                self.bring(move |s| s.has_limit(number, tid, &why));
            }
            self.look_at(number, tid);
        }
    }

    /// Finds out to whom a member belongs.
    fn name(&self, tid: i32, routines: &mut Routines) {
        let heard = self.call(move |s| s.host.machine.start_of(tid));
        if let Some(facts) = heard.and_then(|heard| Facts::of(tid, heard, routines)) {
            self.bring(move |s| s.belongs(tid, &facts.stat.comm, facts.exe(), &facts.start));
        }
    }

    fn look(&self, number: u32) {
        let tid = self.call(move |s| s.host.machine.body(number).tid);
        self.look_at(number, tid);
    }

    /// Finds out what a member does that is this thread.
    fn look_at(&self, number: u32, tid: i32) {
        let looked = clock::now();
        let state = procfs::stat(tid).map(|stat| stat.state);
        self.bring(move |s| s.learn_state(number, tid, looked, state));
    }

    fn look_at_all(&self, routines: &mut Routines) {
        let numbers = self.call(|s| {
            let machine = &s.host.machine;
            let external = |number: &u32| machine.threads.bodies[*number as usize].is_external();
            let mut live: Vec<u32> =
                machine.threads.tids.values().copied().filter(external).collect();
            live.sort_unstable();
            live
        });
        numbers.into_iter().for_each(|number| self.look(number));
        let mut known = self.call(|s| s.host.machine.processes());
        for pid in procfs::processes() {
            let parent = || procfs::stat(pid).map(|stat| stat.ppid);
            let of = |pid: i32| known.get(&pid).copied();
            let Some(pending) = of(pid).or_else(|| of(parent()?)) else { continue };
            known.insert(pid, pending);
            let threads = procfs::threads(pid).into_iter();
            threads.for_each(|tid| {
                let known = self.call(move |s| s.host.machine.external.programs.pending(tid));
                self.meet(tid, known.unwrap_or(pending), routines);
            });
        }
    }
}
