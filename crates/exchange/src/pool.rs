//! Places for objects of one kind: they never move, and those that are free are found without a lock.
//!
//! A stack of free places (Treiber), whose head counts up with each change, so that a place which was taken and
//! came back in between is not taken for one that never left.

use crate::atomic::{AtomicU32, AtomicU64, Ordering};
use core::fmt;
use std::sync::OnceLock;

/// The end of a list of places.
pub(crate) const NIL: u32 = u32::MAX;

/// So many places lie in the first chunk; each further one holds as many as all before it.
const FIRST: u32 = if cfg!(loom) { 2 } else { 64 };
const CHUNKS: usize = 26;

/// A value that can be kept in a pool.
pub(crate) trait Placed: Default {
    /// The link of whatever list it is in. It is in one at most, that of the free ones included.
    fn link(&self) -> &AtomicU32;
}

/// Places for so many.
pub(crate) struct Pool<T> {
    chunks: [OnceLock<Box<[T]>>; CHUNKS],
    /// The first free place (low half), and how often that has changed.
    free: AtomicU64,
    /// So many places have ever been taken.
    used: AtomicU32,
    most: u32,
}

impl<T: Placed> Pool<T> {
    pub(crate) fn new(most: u32) -> Pool<T> {
        let pool = Pool {
            chunks: [const { OnceLock::new() }; CHUNKS],
            free: AtomicU64::new(u64::from(NIL)),
            used: AtomicU32::new(0),
            most: most.min(1 << 30),
        };
        if cfg!(loom) {
            (0..most).for_each(|index| pool.chunk_of(index)); // the model does not know how `OnceLock` orders things
        }
        pool
    }

    /// The same, with all places at once: nobody ever waits for more.
    pub(crate) fn laid_out(most: u32) -> Pool<T> {
        let pool = Pool::new(most);
        (0..pool.most).for_each(|index| pool.chunk_of(index));
        pool
    }

    /// The object at a place, if anybody ever had that.
    #[inline]
    pub(crate) fn get(&self, index: u32) -> Option<&T> {
        let from_first = index.checked_add(FIRST)?;
        let chunk = from_first.ilog2() - FIRST.ilog2();
        self.chunks.get(chunk as usize)?.get()?.get((from_first - (FIRST << chunk)) as usize)
    }

    /// The object at a place that the pool has given.
    ///
    /// # Panics
    /// When it never did, which would be a defect of this crate.
    #[inline]
    pub(crate) fn at(&self, index: u32) -> &T {
        let Some(object) = self.get(index) else { panic!("there is no place {index}") };
        object
    }

    /// A place that is free; `None` when there is none.
    pub(crate) fn take(&self) -> Option<u32> {
        let mut head = self.free.load(Ordering::Acquire);
        while low(head) != NIL {
            let next = self.at(low(head)).link().load(Ordering::Relaxed);
            let new = counted_up(head, next);
            match self.free.compare_exchange_weak(head, new, Ordering::Acquire, Ordering::Acquire) {
                Ok(_) => return Some(low(head)),
                Err(other) => head = other,
            }
        }
        let more = |used| (used < self.most).then(|| used + 1);
        let index = self.used.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more).ok()?;
        self.chunk_of(index);
        Some(index)
    }

    /// Gives a place back.
    pub(crate) fn give(&self, index: u32) {
        let link = self.at(index).link();
        let mut head = self.free.load(Ordering::Relaxed);
        loop {
            link.store(low(head), Ordering::Relaxed);
            let new = counted_up(head, index);
            match self.free.compare_exchange_weak(head, new, Ordering::Release, Ordering::Relaxed) {
                Ok(_) => return,
                Err(other) => head = other,
            }
        }
    }

    /// All that ever had a place.
    pub(crate) fn all(&self) -> impl Iterator<Item = &T> {
        (0..self.used.load(Ordering::Relaxed)).filter_map(|index| self.get(index))
    }

    /// Lays out the chunk of a place.
    fn chunk_of(&self, index: u32) {
        let chunk = (index + FIRST).ilog2() - FIRST.ilog2();
        if let Some(place) = self.chunks.get(chunk as usize) {
            place.get_or_init(|| (0..FIRST << chunk).map(|_| T::default()).collect());
        }
    }
}

impl<T> fmt::Debug for Pool<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pool").field("most", &self.most).finish_non_exhaustive()
    }
}

/// The low half of a word.
#[inline]
pub(crate) const fn low(word: u64) -> u32 {
    (word & 0xffff_ffff) as u32
}

/// The high half of a word.
#[inline]
pub(crate) const fn high(word: u64) -> u32 {
    (word >> 32) as u32
}

/// A word of two halves.
#[inline]
pub(crate) const fn word(high: u32, low: u32) -> u64 {
    (high as u64) << 32 | low as u64
}

/// Another low half; the high one counts up.
#[inline]
pub(crate) const fn counted_up(old: u64, low: u32) -> u64 {
    word(high(old).wrapping_add(1), low)
}
