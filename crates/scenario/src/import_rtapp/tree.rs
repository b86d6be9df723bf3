//! The schedulers of each island, and the parent of each thread.

use super::Losses;
use super::islands::Islands;
use super::reserved::{self, Slot};
use crate::Guarantee;
use crate::model::{Requirements, Scheduler};
use crate::names::Names;
use crate::rtapp::{Converted, ConvertedThread};
use crate::rtapp::{Policy, Reservation, Scheduling};
use std::collections::{BTreeMap, BTreeSet};
use windfall_schedulers::catalogue::Kind;
use windfall_schedulers::kinds;
use windfall_schedulers::parameters::{ParameterValue, TIME_SLICE};
use windfall_schedulers::reservation::Limit;
use windfall_schedulers::time_sharing::RoundRobin;
use windfall_time::Span;

/// Turns of SCHED_RR (`RR_TIMESLICE`).
const TURN: Span = Span::from_millis(100);
/// The real-time priority of a thread that names none.
const REAL_TIME: i32 = 10;

/// The classes, the strongest first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Class {
    Deadline,
    RealTime,
    Fair,
    Idle,
}

impl Class {
    fn of(scheduling: &Scheduling) -> Class {
        match scheduling.policy {
            Some(Policy::Deadline) => Class::Deadline,
            Some(Policy::Fifo | Policy::RoundRobin) => Class::RealTime,
            Some(Policy::Idle) => Class::Idle,
            _ => Class::Fair,
        }
    }

    /// Name, kind, and priority below the root.
    const fn scheduler(self) -> (&'static str, &'static Kind, i32) {
        match self {
            Class::Deadline => ("deadline", kinds::CBS, 4),
            Class::RealTime => ("realtime", kinds::FIXED_PRIORITY, 3),
            Class::Fair => ("fair", kinds::LINUX_EEVDF, 2),
            Class::Idle => ("idle", kinds::LINUX_EEVDF, 1),
        }
    }
}

/// The schedulers, and their state while threads are placed.
pub(super) struct Tree<'a> {
    pub(super) schedulers: Vec<Scheduler>,
    threads: &'a [ConvertedThread],
    islands: &'a Islands,
    /// The classes of each island.
    classes: Vec<BTreeSet<Class>>,
    /// By island and class, but for deadlines.
    by_class: BTreeMap<(usize, Class), String>,
    /// By place; threads by number.
    servers: BTreeMap<Slot, String>,
    slots: BTreeMap<usize, Slot>,
    /// Round-robin schedulers, by island and priority.
    turns: BTreeMap<(usize, i32), String>,
    /// Control groups, by island and class.
    groups: BTreeMap<(usize, Class, String), String>,
    /// By island: how many threads there are for each of its processors, were each divided evenly
    /// among those that it may use; in millionths.
    crowd: Vec<u64>,
}

impl<'a> Tree<'a> {
    /// All schedulers but limits and joins, which are those of one thread.
    pub(super) fn of(
        converted: &'a Converted,
        islands: &'a Islands,
        names: &mut Names,
        losses: &mut Losses,
    ) -> Tree<'a> {
        let threads = converted.threads.as_slice();
        let class = |thread: &ConvertedThread| Class::of(&thread.scheduling);
        let reserved = (0..threads.len()).filter(|n| class(&threads[*n]) == Class::Deadline);
        let slots = reserved::divide(threads, &reserved.collect::<Vec<_>>(), islands, losses);
        let mut classes = vec![BTreeSet::new(); islands.list.len()];
        let mut crowd = vec![0; islands.list.len()];
        for (number, thread) in threads.iter().enumerate() {
            match slots.get(&number) {
                Some((island, _)) => _ = classes[*island].insert(Class::Deadline),
                None => islands.of_thread[number].iter().for_each(|island| {
                    classes[*island].insert(class(thread));
                }),
            }
            let own = &islands.of_thread[number];
            let cpus: usize = own.iter().map(|island| islands.list[*island].len()).sum();
            let part = 1_000_000 / cpus.max(1) as u64;
            own.iter().for_each(|island| crowd[*island] += part);
        }
        let mut tree = Tree {
            schedulers: Vec::new(),
            threads,
            islands,
            classes,
            by_class: BTreeMap::new(),
            servers: BTreeMap::new(),
            slots,
            turns: BTreeMap::new(),
            groups: BTreeMap::new(),
            crowd,
        };
        for island in 0..islands.list.len() {
            tree.island(island, names);
        }
        tree.turns(names, losses);
        tree.groups(names, losses);
        tree.report_losses(losses);
        tree
    }

    /// The root of an island, if it needs one, and its classes.
    fn island(&mut self, island: usize, names: &mut Names) {
        let (suffix, cpus) = (self.islands.suffix(island), self.islands.list[island].len());
        let classes = self.classes[island].clone();
        let root = (classes.len() > 1).then(|| names.fresh(&format!("root{suffix}")));
        if let Some(root) = &root {
            self.schedulers.push(Scheduler::root(root, kinds::FIXED_PRIORITY).processors(cpus));
        }
        for class in classes {
            let (name, kind, priority) = class.scheduler();
            let name = format!("{name}{suffix}");
            let below = |name: &str, owns: usize| {
                match &root {
                    Some(root) => {
                        Scheduler::below(name, kind, root, Requirements::priority(priority))
                    }
                    None => Scheduler::root(name, kind),
                }
                .processors(owns)
            };
            if class == Class::Deadline {
                let slots: BTreeSet<Slot> =
                    self.slots.values().filter(|slot| slot.0 == island).copied().collect();
                let several = slots.len() > 1;
                for (number, slot) in (1..).zip(slots) {
                    let name = if several { format!("{name}-{number}") } else { name.clone() };
                    let name = names.fresh(&name);
                    self.schedulers.push(below(&name, 1));
                    self.servers.insert(slot, name);
                }
            } else {
                let name = names.fresh(&name);
                self.schedulers.push(below(&name, cpus));
                self.by_class.insert((island, class), name);
            }
        }
    }

    /// Threads of SCHED_RR that share a priority take turns.
    fn turns(&mut self, names: &mut Names, losses: &mut Losses) {
        let mut alike: BTreeMap<(usize, i32), Vec<usize>> = BTreeMap::new();
        for (number, thread) in self.threads.iter().enumerate() {
            if Class::of(&thread.scheduling) == Class::RealTime {
                let priority = thread.scheduling.priority.unwrap_or(REAL_TIME);
                for island in self.islands.of_thread[number].iter() {
                    alike.entry((*island, priority)).or_default().push(number);
                }
            }
        }
        for ((island, priority), members) in alike {
            let turns = |n: &usize| self.threads[*n].scheduling.policy == Some(Policy::RoundRobin);
            let (turning, staying): (Vec<usize>, Vec<usize>) = members.into_iter().partition(turns);
            if turning.is_empty() || turning.len() + staying.len() < 2 {
                continue;
            }
            if !staying.is_empty() {
                for thread in turning.into_iter().map(|number| &self.threads[number]) {
                    let text = "others of its priority are SCHED_FIFO: it takes no turns, either";
                    losses.report(thread, "policy", false, text.to_owned());
                }
                continue;
            }
            let suffix = self.islands.suffix(island);
            let name = names.fresh(&format!("turns-{priority}{suffix}"));
            let parent = &self.by_class[&(island, Class::RealTime)];
            let owns = self.islands.list[island].len().min(turning.len());
            let turns = RoundRobin::default().quantum(TURN);
            let requires = Requirements::priority(priority);
            let scheduler = Scheduler::below(&name, turns, parent, requires);
            self.schedulers.push(scheduler.processors(owns));
            self.turns.insert((island, priority), name);
        }
    }

    /// A scheduler for each control group and island, below that of the group around it.
    fn groups(&mut self, names: &mut Names, losses: &mut Losses) {
        let (threads, islands) = (self.threads, self.islands);
        for (number, thread) in threads.iter().enumerate() {
            let class = Class::of(&thread.scheduling);
            let Some(path) = &thread.scheduling.taskgroup else { continue };
            for island in islands.of_thread[number].iter() {
                let cpus = islands.list[*island].len();
                let mut parent = self.by_class[&(*island, class)].clone();
                for part in parts(path) {
                    let key = (*island, class, part.to_owned());
                    if let Some(name) = self.groups.get(&key) {
                        parent.clone_from(name);
                        continue;
                    }
                    let name = names.fresh(&format!("group{part}{}", islands.suffix(*island)));
                    let group = Scheduler::below(
                        &name,
                        kinds::LINUX_EEVDF,
                        &parent,
                        Requirements::default(),
                    );
                    self.schedulers.push(group.processors(cpus));
                    self.groups.insert(key, name.clone());
                    parent = name;
                }
                if cpus > 1 && parts(path).next().is_some() {
                    let text = "Linux divides the weight of a group among the processors; here the \
                                group has it on each";
                    losses.report(thread, "taskgroup", false, text.to_owned());
                }
            }
        }
    }

    /// Further requirements of policies, beyond classes, priorities and groups.
    fn report_losses(&self, losses: &mut Losses) {
        for (number, thread) in self.threads.iter().enumerate() {
            let own = &thread.scheduling;
            let islands = &self.islands.of_thread[number];
            let beside = |class: Class| islands.iter().any(|i| self.classes[*i].contains(&class));
            match own.policy {
                Some(Policy::Idle) if beside(Class::Fair) => {
                    let text = "it gets nothing while threads of SCHED_OTHER are ready; Linux gives \
                                it 3 parts beside the 1024 of one at nice 0";
                    losses.report(thread, "policy", false, text.to_owned());
                }
                Some(Policy::Batch) => {
                    let text = "when it wakes it may preempt as SCHED_OTHER does";
                    losses.report(thread, "policy", false, text.to_owned());
                }
                _ => {}
            }
            if let Some(slice) = slice(own)
                && Some(slice) != own.dl_runtime
            {
                let text = format!("Linux keeps slices between 0.1ms and 100ms: {slice}");
                losses.report(thread, "dl-runtime", false, text);
            }
            if islands.len() > 1 && !self.slots.contains_key(&number) {
                let text = "the schedulers of several groups of processors serve it, whichever has \
                            time; Linux would balance";
                losses.report(thread, "cpus", false, text.to_owned());
            }
        }
    }

    /// The parent of a thread and its parameters there; creates the limits and joins that it needs.
    pub(super) fn place(
        &mut self,
        number: usize,
        name: &str,
        names: &mut Names,
    ) -> (String, Requirements) {
        let scheduling = &self.threads[number].scheduling;
        if let Some(slot) = self.slots.get(&number)
            && let Some(whole) = scheduling.reservation()
        {
            let server = self.servers[slot].clone();
            return self.reserve(&server, whole, name, names);
        }
        let mut islands = self.islands.of_thread[number].to_vec();
        // A join prefers its last parent.
        islands.sort_by_key(|island| (std::cmp::Reverse(self.crowd[*island]), *island));
        let (first, others) = islands.split_first().unwrap_or((&0, &[]));
        let place = self.below(*first, scheduling);
        if others.is_empty() {
            return place;
        }
        let join = names.fresh(&format!("{name}-anywhere"));
        let mut scheduler = Scheduler::below(&join, kinds::JOIN, &place.0, place.1);
        for island in others {
            let (parent, asks) = self.below(*island, scheduling);
            scheduler = scheduler.and_below(&parent, asks);
        }
        self.schedulers.push(scheduler);
        (join, Requirements::default())
    }

    /// The parent of a thread without a reservation in an island.
    fn below(&self, island: usize, scheduling: &Scheduling) -> (String, Requirements) {
        let class = Class::of(scheduling);
        let priority = scheduling.priority;
        if class == Class::RealTime {
            let priority = priority.unwrap_or(REAL_TIME);
            return match self.turns.get(&(island, priority)) {
                Some(turns) => (turns.clone(), Requirements::default()),
                None => (self.by_class[&(island, class)].clone(), Requirements::priority(priority)),
            };
        }
        let innermost = scheduling.taskgroup.as_deref().and_then(|path| parts(path).last());
        let group = innermost
            .and_then(|path| self.groups.get(&(island, class, path.to_owned())))
            .unwrap_or_else(|| &self.by_class[&(island, class)]);
        let priority = priority.filter(|nice| *nice != 0 && class == Class::Fair).map(|nice| -nice);
        let mut asks = priority.map(Requirements::priority).unwrap_or_default();
        asks.set(&TIME_SLICE, slice(scheduling).map(ParameterValue::Span));
        (group.clone(), asks)
    }

    /// A reservation; with a deadline before the period's end one within that, below a limit to what
    /// a period may have.
    fn reserve(
        &mut self,
        server: &str,
        whole: Reservation,
        name: &str,
        names: &mut Names,
    ) -> (String, Requirements) {
        let Reservation { runtime, period, deadline } = whole;
        let asks = Requirements::guarantee(Guarantee::BasicHard(runtime.into(), deadline.into()));
        if deadline == period {
            return (server.to_owned(), asks);
        }
        let limit = names.fresh(&format!("{name}-limit"));
        let cap = Limit::default().amount(Some(runtime)).period(Some(period));
        self.schedulers.push(Scheduler::below(&limit, cap, server, asks));
        (limit, Requirements::default())
    }
}

/// The thread's own slice, as the kernel interprets it (`__setparam_fair`).
fn slice(scheduling: &Scheduling) -> Option<Span> {
    let (least, most) = (Span::from_nanos(100_000), Span::from_millis(100));
    let fair = matches!(scheduling.policy, Some(Policy::Other | Policy::Batch));
    let requested = scheduling.dl_runtime.filter(|slice| fair && !slice.is_zero());
    requested.map(|slice| slice.clamp(least, most))
}

/// The group of a path and all around it, the outermost first: `/a` and `/a/b` of `/a/b`.
fn parts(path: &str) -> impl Iterator<Item = &str> {
    let ends = path.match_indices('/').map(|(at, _)| at).skip(1).chain([path.len()]);
    ends.map(|end| &path[..end]).filter(|part| part.len() > 1 && !part.ends_with('/'))
}
