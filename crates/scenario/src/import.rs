//! A scenario from a recording: its threads, its interrupts, and a hierarchy for them.
//!
//! Threads of one name without a reservation share an entry with `count`. Each thread that looks
//! periodic has an entry of its own; with [`Reserving::Periodic`] it has a reservation of its need, below a join that
//! also gives it time that no other thread uses (figure 10.6, on the right).

use crate::Guarantee;
use crate::model::{
    Interrupts, Machine, Parent, Pattern, Requirements, Run, Scenario, Scheduler, Thread,
};
use crate::names::Names;
use crate::recording::Recording;
use std::collections::{BTreeMap, BTreeSet};
use windfall_programs::learn::{self, Options, Proposal};
use windfall_schedulers::catalogue::Kind;
use windfall_schedulers::kinds;
use windfall_time::Span;
use windfall_trace::{Cpu, OverheadKind};

/// Whether proposals become reservations.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub enum Reserving {
    /// All threads share time.
    #[default]
    Nobody,
    /// Threads that look periodic get a reservation of their need.
    Periodic,
}

/// The result of an import.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Imported {
    /// The scenario.
    pub scenario: Scenario,
    /// The findings about each thread, and the proposal for it.
    pub proposal: Proposal,
}

/// The name of the scheduler for all threads.
const SHARING: &str = "ts";
/// The root, if there are reservations.
const ROOT: &str = "root";

/// Makes a scenario from a recording. `file` is the recording's path relative to
/// its own folder; `sharing` schedules all threads without a reservation, and is in the scenario's catalogue.
#[must_use]
pub fn import(
    recording: &Recording,
    file: &str,
    reserving: Reserving,
    sharing: &'static Kind,
) -> Imported {
    let learned = &recording.learned;
    let proposal = Proposal::new(learned, Options::default());
    let processors = learned.processors.max(1);
    let mut scenario = Scenario {
        question: Some(question(reserving).to_owned()),
        machine: Machine::ideal(processors),
        interrupts: interrupts(recording, file),
        default: Some(SHARING.to_owned()),
        ..Scenario::new(learned.length.max(Span::from_nanos(1)))
    };
    scenario.know(sharing);
    let rez: Vec<String> = (0..processors).map(|number| format!("rez{number}")).collect();
    let taken: Vec<&str> =
        [SHARING, ROOT].into_iter().chain(rez.iter().map(String::as_str)).collect();
    let mut names = Names::except(&taken);
    let mut reserved: BTreeSet<usize> = BTreeSet::new();
    let sharing = Scheduler::root(SHARING, sharing).processors(usize::from(processors));
    match reserving {
        Reserving::Nobody => scenario.schedulers.push(sharing),
        Reserving::Periodic => {
            let root =
                Scheduler::root(ROOT, kinds::FIXED_PRIORITY).processors(usize::from(processors));
            scenario.schedulers.push(root);
            let mut sharing = sharing;
            for own in &mut sharing.owns {
                (own.parent, own.requires) =
                    (Parent::Scheduler(ROOT.to_owned()), Requirements::priority(1));
            }
            reserved = reserve(&mut scenario, &proposal, file, recording, &mut names);
            scenario.schedulers.insert(1, sharing);
        }
    }
    let rest = (0..learned.threads.len()).filter(|index| !reserved.contains(index));
    scenario.threads.extend(share(rest, recording, file, &mut names));
    Imported { scenario, proposal }
}

const fn question(reserving: Reserving) -> &'static str {
    match reserving {
        Reserving::Nobody => "what does each recorded thread get when all share time?",
        Reserving::Periodic => {
            "what does each recorded thread get when the periodic ones are reserved their need?"
        }
    }
}

/// A reservation scheduler for each processor's worth of reservations, a join for each thread.
fn reserve(
    scenario: &mut Scenario,
    proposal: &Proposal,
    file: &str,
    recording: &Recording,
    names: &mut Names,
) -> BTreeSet<usize> {
    let mut reserved = BTreeSet::new();
    for row in &proposal.rows {
        let learn::Parent::Reservation { amount, period, processor, .. } = row.parent else {
            continue;
        };
        let rez = format!("rez{processor}");
        if scenario.schedulers.iter().all(|other| other.name != rez) {
            let requires = Requirements::priority(2);
            scenario.schedulers.push(Scheduler::below(&rez, kinds::REZ, ROOT, requires));
        }
        let name = names.fresh(&alone(row.thread, recording));
        let join = names.fresh(&format!("{name}-join"));
        let requires = Requirements::reserve(amount, period);
        scenario.schedulers.push(
            Scheduler::below(&join, kinds::JOIN, SHARING, Requirements::default())
                .and_below(&rez, requires),
        );
        let guarantee = Requirements::guarantee(Guarantee::BasicSoft(amount.into(), period.into()));
        let run = Run::Recorded { file: file.to_owned(), thread: recording.reference(row.thread) };
        scenario.threads.push(Thread::new(&name, &join, guarantee, run));
        reserved.insert(row.thread);
    }
    reserved
}

/// The name of an entry for one thread: with its place among the threads of that name, as a
/// `count` would number it.
fn alone(index: usize, recording: &Recording) -> String {
    let name = &recording.learned.threads[index].name;
    let alike = recording.find(name);
    match alike.iter().position(|other| *other == index) {
        Some(place) if alike.len() > 1 => format!("{name}-{}", place + 1),
        _ => name.clone(),
    }
}

/// Entries for threads that share time: one for each name, in order of processor time.
fn share(
    threads: impl Iterator<Item = usize>,
    recording: &Recording,
    file: &str,
    names: &mut Names,
) -> Vec<Thread> {
    let learned = &recording.learned;
    let mut named: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for index in threads {
        named.entry(&learned.threads[index].name).or_default().push(index);
    }
    let work = |group: &[usize]| {
        let works = group.iter().map(|index| learned.threads[*index].work());
        works.fold(Span::ZERO, Span::saturating_add)
    };
    let mut groups: Vec<(&str, Vec<usize>)> = named.into_iter().collect();
    groups.sort_by_key(|(_, group)| std::cmp::Reverse(work(group)));
    let mut entries = Vec::new();
    let mut entry = |name: &str, reference: String, count: usize, names: &mut Names| {
        let run = Run::Recorded { file: file.to_owned(), thread: reference };
        let key = if count > 1 { names.fresh_for_several(name) } else { names.fresh(name) };
        let mut thread = Thread::new(&key, SHARING, Requirements::default(), run);
        thread.count = (count > 1)
            .then(|| u32::try_from(count).expect("a recording has at most 100,000 threads"));
        entries.push(thread);
    };
    for (name, group) in groups {
        if recording.find(name) == group {
            entry(name, name.to_owned(), group.len(), names);
        } else {
            // The name refers to other threads, too: name each by its number.
            for index in group {
                entry(&alone(index, recording), recording.reference(index), 1, names);
            }
        }
    }
    entries
}

/// The recording's interrupts, where it has any.
fn interrupts(recording: &Recording, file: &str) -> Vec<Interrupts> {
    let learned = &recording.learned;
    let any = (0..learned.processors).any(|cpu| !learned.stolen(Cpu(cpu)).is_zero());
    let source = Interrupts {
        kind: OverheadKind::Interrupt,
        number: 0,
        processors: Vec::new(),
        pattern: Pattern::Recorded(file.to_owned()),
        device: None,
        datum: None,
    };
    if any { vec![source] } else { Vec::new() }
}
