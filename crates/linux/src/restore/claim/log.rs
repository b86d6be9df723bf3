//! The log of what a claim has changed, in memory that the guardian shares.
//!
//! One thread at a time writes: first the one that claims, then the keeper. An entry is complete before its state says so, and the
//! change that it describes is made after that.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicI32, AtomicU32, AtomicU64, Ordering};
use windfall_observe::occupancy::Setting;
use windfall_observe::procfs;
use windfall_os::sched::Affinity;

/// Most different affinities, threads and settings that can be noted.
const MASKS: usize = 256;
const THREADS: usize = 32_768;
const SETTINGS: usize = 4_096;

/// The states of an entry; zeroed memory is unused.
const UNUSED: u32 = 0;
const MOVED: u32 = 1;
const KEPT: u32 = 2;
const GONE: u32 = 3;

type Words = [AtomicU64; 16];

windfall_os::atomics! {
    struct Thread {
        state: AtomicU32,
        tid: AtomicI32,
        start: AtomicU64,
        /// Index of the mask that it had, if it was moved.
        mask: AtomicU32,
    }

    struct Changed {
        state: AtomicU32,
        kind: AtomicU32,
        number: AtomicU32,
        former: Words,
    }

    /// The log of one claim.
    pub(crate) struct Log {
        begun: AtomicU32,
        claimed: Words,
        masks_used: AtomicU32,
        masks: [Words; MASKS],
        threads_used: AtomicU32,
        threads: [Thread; THREADS],
        settings_used: AtomicU32,
        settings: [Changed; SETTINGS],
    }
}

/// The note on a thread that existed before the claim, or was moved since.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Fate {
    /// It had this affinity; now it has the same without the claimed processors.
    Moved(Affinity),
    /// It had, before the claim, the very affinity that moved threads now have.
    Kept,
}

/// The log has no room for one more entry.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct FullError;

fn store(words: &Words, set: &Affinity) {
    words.iter().zip(set.words()).for_each(|(word, value)| word.store(value, Ordering::Relaxed));
}

fn load(words: &Words) -> Affinity {
    Affinity::from_words(std::array::from_fn(|n| words[n].load(Ordering::Relaxed)))
}

fn used(count: &AtomicU32, most: usize) -> usize {
    (count.load(Ordering::Acquire) as usize).min(most)
}

impl Log {
    /// Begins a claim of these processors. From here on there may be something to undo.
    pub(crate) fn begin(&self, claimed: &Affinity) {
        store(&self.claimed, claimed);
        self.begun.store(1, Ordering::Release);
    }

    /// Notes that everything has been undone.
    pub(crate) fn end(&self) {
        self.begun.store(0, Ordering::Release);
    }

    /// The claimed processors, while a claim lasts.
    pub(crate) fn claimed(&self) -> Option<Affinity> {
        (self.begun.load(Ordering::Acquire) == 1).then(|| load(&self.claimed))
    }

    /// Notes a thread that began at `start`. Returns the index of its entry.
    pub(crate) fn note(&self, tid: i32, start: u64, fate: Fate) -> Result<usize, FullError> {
        let (state, mask) = match fate {
            Fate::Moved(former) => (MOVED, self.number_of(&former)?),
            Fate::Kept => (KEPT, 0),
        };
        let at = self.vacant()?;
        let entry = &self.threads[at];
        entry.state.store(GONE, Ordering::Release); // until it is complete
        entry.tid.store(tid, Ordering::Relaxed);
        entry.start.store(start, Ordering::Relaxed);
        entry.mask.store(mask, Ordering::Relaxed);
        entry.state.store(state, Ordering::Release);
        Ok(at)
    }

    /// Removes the entry of a thread that could not be moved.
    pub(crate) fn strike_out(&self, at: usize) {
        self.threads[at].state.store(GONE, Ordering::Release);
    }

    /// An unused entry, or that of a thread that has ended.
    fn vacant(&self) -> Result<usize, FullError> {
        let next = used(&self.threads_used, THREADS);
        if next < THREADS {
            self.threads_used.fetch_add(1, Ordering::AcqRel);
            return Ok(next);
        }
        let ended = |entry: &Thread| {
            let start = entry.start.load(Ordering::Relaxed);
            let stat = procfs::stat(entry.tid.load(Ordering::Relaxed));
            stat.is_none_or(|stat| stat.start != start)
        };
        let free = |entry: &Thread| entry.state.load(Ordering::Acquire) == GONE || ended(entry);
        self.threads.iter().position(free).ok_or(FullError)
    }

    /// The index of a mask, which is added if it is new.
    fn number_of(&self, mask: &Affinity) -> Result<u32, FullError> {
        let count = used(&self.masks_used, MASKS);
        let known = self.masks[..count].iter().position(|words| load(words) == *mask);
        let at = known.unwrap_or(count);
        if known.is_none() {
            store(self.masks.get(at).ok_or(FullError)?, mask);
            self.masks_used.fetch_add(1, Ordering::AcqRel);
        }
        u32::try_from(at).map_err(|_| FullError)
    }

    /// The affinities that threads were moved from, the largest first.
    pub(crate) fn former_masks(&self) -> Vec<Affinity> {
        let count = used(&self.masks_used, MASKS);
        let mut masks: Vec<Affinity> = self.masks[..count].iter().map(load).collect();
        masks.sort_by_key(|mask| std::cmp::Reverse(mask.count()));
        masks
    }

    /// The noted threads, each with the time at which it began.
    pub(crate) fn threads(&self) -> BTreeMap<i32, (u64, Fate)> {
        let count = used(&self.threads_used, THREADS);
        let mut threads = BTreeMap::new();
        for entry in &self.threads[..count] {
            let fate = match entry.state.load(Ordering::Acquire) {
                MOVED => match self.masks.get(entry.mask.load(Ordering::Relaxed) as usize) {
                    Some(words) => Fate::Moved(load(words)),
                    None => continue,
                },
                KEPT => Fate::Kept,
                _ => continue,
            };
            let (tid, start) =
                (entry.tid.load(Ordering::Relaxed), entry.start.load(Ordering::Relaxed));
            threads.insert(tid, (start, fate));
        }
        threads
    }

    /// Notes a setting of the kernel before it is changed. Returns the index of its entry.
    pub(crate) fn note_setting(
        &self,
        setting: Setting,
        former: &Affinity,
    ) -> Result<usize, FullError> {
        let at = used(&self.settings_used, SETTINGS);
        let entry = self.settings.get(at).ok_or(FullError)?;
        let (kind, number) = setting.words();
        entry.kind.store(kind, Ordering::Relaxed);
        entry.number.store(number, Ordering::Relaxed);
        store(&entry.former, former);
        entry.state.store(MOVED, Ordering::Release);
        self.settings_used.fetch_add(1, Ordering::AcqRel);
        Ok(at)
    }

    /// Removes the entry of a setting that was undone, or could not be changed.
    pub(crate) fn strike_out_setting(&self, at: usize) {
        self.settings[at].state.store(GONE, Ordering::Release);
    }

    /// The noted settings: index of the entry, setting, former value.
    pub(crate) fn settings(&self) -> Vec<(usize, Setting, Affinity)> {
        let count = used(&self.settings_used, SETTINGS);
        let entries = self.settings[..count].iter().enumerate();
        let noted = entries
            .filter(|(_, entry)| !matches!(entry.state.load(Ordering::Acquire), UNUSED | GONE));
        let read = noted.filter_map(|(at, entry)| {
            let words = (entry.kind.load(Ordering::Relaxed), entry.number.load(Ordering::Relaxed));
            Some((at, Setting::from_words(words)?, load(&entry.former)))
        });
        read.collect()
    }
}
