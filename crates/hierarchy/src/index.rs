//! Tables and their indices. Each table has an index type of its own, so that an index cannot be used in another
//! table.
//!
//! [`Table`] is a vector that only its own index type opens. A missing entry is an `Option`; no number stands for
//! "none".

use crate::id::{ChildVp, OwnVp, Processor};
use alloc::vec::Vec;
use core::marker::PhantomData;
use core::ops::{Index, IndexMut};

/// An index into one type of table.
pub(crate) trait TableIndex: Copy {
    /// The index of the entry at a position.
    fn at(position: usize) -> Self;

    /// The position of this index's entry.
    fn position(self) -> usize;
}

/// Defines index types of 32 bits.
macro_rules! indices {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub(crate) struct $name(pub(crate) u32);

        impl TableIndex for $name {
            fn at(position: usize) -> $name {
                $name(index_of(position))
            }

            #[inline]
            fn position(self) -> usize {
                self.0 as usize
            }
        }
    )*};
}

indices! {
    /// A scheduler instance.
    NodeIndex;
    /// A virtual processor.
    VpIndex;
    /// A thread.
    LeafIndex;
    /// A timer of any instance.
    TimerIndex;
}

impl TableIndex for ChildVp {
    fn at(position: usize) -> ChildVp {
        ChildVp(index_of(position))
    }

    #[inline]
    fn position(self) -> usize {
        self.index()
    }
}

impl TableIndex for OwnVp {
    fn at(position: usize) -> OwnVp {
        OwnVp(u16::try_from(position).expect("own VPs are numbered by 16 bits"))
    }

    #[inline]
    fn position(self) -> usize {
        self.index()
    }
}

impl TableIndex for Processor {
    fn at(position: usize) -> Processor {
        Processor::at(position)
    }

    #[inline]
    fn position(self) -> usize {
        self.index()
    }
}

/// A position as the 32 bits of an index.
///
/// # Panics
/// Past 2^32 - 1 entries, which no machine's memory holds.
fn index_of(position: usize) -> u32 {
    u32::try_from(position).unwrap_or_else(|_| panic!("more than 2^32 entries in a table"))
}

/// Entries by index, in the order in which they were added.
#[derive(Clone)]
pub(crate) struct Table<I, T> {
    entries: Vec<T>,
    index: PhantomData<fn(I)>,
}

impl<I: TableIndex, T> Table<I, T> {
    pub(crate) const fn new() -> Table<I, T> {
        Table { entries: Vec::new(), index: PhantomData }
    }

    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    /// Adds an entry at the end.
    pub(crate) fn push(&mut self, entry: T) -> I {
        let index = I::at(self.entries.len());
        self.entries.push(entry);
        index
    }

    /// Removes and returns the last entry.
    pub(crate) fn pop(&mut self) -> Option<T> {
        self.entries.pop()
    }

    #[inline]
    pub(crate) fn get(&self, index: I) -> Option<&T> {
        self.entries.get(index.position())
    }

    #[inline]
    pub(crate) fn get_mut(&mut self, index: I) -> Option<&mut T> {
        self.entries.get_mut(index.position())
    }

    /// All entries in order.
    pub(crate) fn values(&self) -> core::slice::Iter<'_, T> {
        self.entries.iter()
    }

    /// All entries in order, with their indices.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (I, &T)> {
        self.entries.iter().enumerate().map(|(position, entry)| (I::at(position), entry))
    }

    /// All indices in order. Entries that are added during the iteration are not included.
    pub(crate) fn indices(&self) -> impl Iterator<Item = I> + use<I, T> {
        (0..self.entries.len()).map(I::at)
    }

    /// The index of the first entry for which `is_wanted` is true.
    pub(crate) fn position(&self, is_wanted: impl FnMut(&T) -> bool) -> Option<I> {
        self.entries.iter().position(is_wanted).map(I::at)
    }
}

impl<I, T> FromIterator<T> for Table<I, T> {
    fn from_iter<E: IntoIterator<Item = T>>(entries: E) -> Table<I, T> {
        Table { entries: entries.into_iter().collect(), index: PhantomData }
    }
}

impl<I: TableIndex, T> Index<I> for Table<I, T> {
    type Output = T;

    #[inline]
    fn index(&self, index: I) -> &T {
        &self.entries[index.position()]
    }
}

impl<I: TableIndex, T> IndexMut<I> for Table<I, T> {
    #[inline]
    fn index_mut(&mut self, index: I) -> &mut T {
        &mut self.entries[index.position()]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_is_found_by_the_index_that_adding_it_gave() {
        let mut table: Table<VpIndex, char> = Table::new();
        let (a, b) = (table.push('a'), table.push('b'));
        assert_eq!((table[a], table[b], table.len()), ('a', 'b', 2));
        assert_eq!(table.position(|entry| *entry == 'b'), Some(b));
        assert_eq!(table.get(VpIndex(2)), None);
        table[a] = 'c';
        assert!(table.iter().eq([(a, &'c'), (b, &'b')]));
        assert!(table.indices().eq([a, b]));
        assert_eq!((table.pop(), table.pop(), table.pop()), (Some('b'), Some('c'), None));
    }
}
