//! A set of own VPs: one bit each, with a count.

use alloc::vec;
use alloc::vec::Vec;
use windfall_hierarchy::OwnVp;

#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct OwnSet {
    words: Vec<u64>,
    len: usize,
}

impl OwnSet {
    /// The empty set, with room for `0..owns`.
    pub(crate) fn empty(owns: u16) -> OwnSet {
        OwnSet { words: vec![0; usize::from(owns).div_ceil(64)], len: 0 }
    }

    /// The set of all of `0..owns`.
    pub(crate) fn full(owns: u16) -> OwnSet {
        let mut set = OwnSet::empty(owns);
        for own in 0..owns {
            set.insert(OwnVp(own));
        }
        set
    }

    /// Makes room for `0..owns`.
    pub(crate) fn grow(&mut self, owns: u16) {
        self.words.resize(usize::from(owns).div_ceil(64), 0);
    }

    pub(crate) const fn is_empty(&self) -> bool {
        self.len == 0
    }

    pub(crate) fn contains(&self, own: OwnVp) -> bool {
        self.words.get(own.index() / 64).is_some_and(|word| word & bit(own) != 0)
    }

    #[inline]
    pub(crate) fn insert(&mut self, own: OwnVp) {
        let word = &mut self.words[own.index() / 64];
        self.len += usize::from(*word & bit(own) == 0);
        *word |= bit(own);
    }

    #[inline]
    pub(crate) fn remove(&mut self, own: OwnVp) {
        let word = &mut self.words[own.index() / 64];
        self.len -= usize::from(*word & bit(own) != 0);
        *word &= !bit(own);
    }

    /// Removes and returns `wanted` if it is a member, else the lowest member.
    pub(crate) fn take_preferring(&mut self, wanted: OwnVp) -> Option<OwnVp> {
        let own = if self.contains(wanted) { wanted } else { self.lowest()? };
        self.remove(own);
        Some(own)
    }

    /// Removes and returns a member that is in another set, too: `wanted` if it is, else the lowest.
    pub(crate) fn take_common(&mut self, other: &OwnSet, wanted: Option<OwnVp>) -> Option<OwnVp> {
        let wanted = wanted.filter(|own| self.contains(*own) && other.contains(*own));
        let mut words = self.words.iter().zip(&other.words).map(|(one, other)| one & other);
        let lowest = || {
            let at = words.clone().position(|word| word != 0)?;
            Some(number(at, words.nth(at)?.trailing_zeros()))
        };
        let own = wanted.or_else(lowest)?;
        self.remove(own);
        Some(own)
    }

    /// Removes and returns the lowest member.
    #[inline]
    pub(crate) fn take_first(&mut self) -> Option<OwnVp> {
        if self.is_empty() {
            return None;
        }
        let own = self.lowest()?;
        self.remove(own);
        Some(own)
    }

    fn lowest(&self) -> Option<OwnVp> {
        let at = self.words.iter().position(|word| *word != 0)?;
        Some(number(at, self.words[at].trailing_zeros()))
    }
}

const fn bit(own: OwnVp) -> u64 {
    1 << (own.0 % 64)
}

#[expect(clippy::cast_possible_truncation, reason = "own VPs are numbered in 16 bits")]
const fn number(word: usize, bit: u32) -> OwnVp {
    OwnVp((word * 64) as u16 + bit as u16)
}
