//! Processors that all threads of a file may use alike, or not at all.
//!
//! Invariant: each processor is in one island, and the processors of a thread are a union of islands.

use crate::rtapp::ConvertedThread;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// The islands of a machine, and which of them each thread may use.
pub(super) struct Islands {
    /// The processors of each, in order; islands that some thread may use come first.
    pub(super) list: Vec<Vec<u16>>,
    /// By thread: numbers of islands, in order.
    pub(super) of_thread: Vec<Rc<[usize]>>,
}

impl Islands {
    /// The islands of this number of processors, which include all that threads name.
    pub(super) fn of(threads: &[ConvertedThread], processors: u16) -> Islands {
        let mut sets: Vec<BTreeSet<u16>> = Vec::new();
        let mut known: BTreeMap<Option<&Vec<u32>>, usize> = BTreeMap::new();
        let mut set_of = Vec::with_capacity(threads.len());
        for thread in threads {
            let cpus = thread.scheduling.cpus.as_ref();
            let number = *known.entry(cpus).or_insert_with(|| {
                sets.push(allowed(cpus, processors));
                sets.len() - 1
            });
            set_of.push(number);
        }
        let mut islands: BTreeMap<Vec<bool>, Vec<u16>> = BTreeMap::new();
        for cpu in 0..processors {
            let members = sets.iter().map(|set| set.contains(&cpu)).collect();
            islands.entry(members).or_default().push(cpu);
        }
        let used = |island: &Vec<u16>| sets.iter().any(|set| set.contains(&island[0]));
        let mut list: Vec<Vec<u16>> = islands.into_values().collect();
        list.sort_by_key(|island| (!used(island), island[0]));
        let inside = |set: &BTreeSet<u16>| -> Rc<[usize]> {
            let islands = list.iter().enumerate();
            islands.filter(|(_, island)| set.contains(&island[0])).map(|(n, _)| n).collect()
        };
        let of_set: Vec<Rc<[usize]>> = sets.iter().map(inside).collect();
        let of_thread = set_of.into_iter().map(|set| Rc::clone(&of_set[set])).collect();
        Islands { list, of_thread }
    }

    /// Whether some threads may use other processors than others.
    pub(super) fn several(&self) -> bool {
        self.list.len() > 1
    }

    /// The suffix of the names of its schedulers: empty if there is one island.
    pub(super) fn suffix(&self, island: usize) -> String {
        let cpus: Vec<String> = self.list[island].iter().map(u16::to_string).collect();
        match cpus.as_slice() {
            _ if !self.several() => String::new(),
            [first, .., last] if cpus.len() > 4 => format!("-cpu{first}-to-{last}"),
            all => format!("-cpu{}", all.join("-")),
        }
    }
}

/// The usable ones of this number of processors.
fn allowed(cpus: Option<&Vec<u32>>, processors: u16) -> BTreeSet<u16> {
    let all = 0..processors;
    match cpus {
        None => all.collect(),
        Some(cpus) => all.filter(|cpu| cpus.contains(&u32::from(*cpu))).collect(),
    }
}
