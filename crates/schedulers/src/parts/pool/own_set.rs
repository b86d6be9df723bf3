//! A set of own VPs: one bit each. The first 64 are at hand, so an instance that has no more of them looks nowhere else.

use alloc::vec;
use alloc::vec::Vec;
use windfall_hierarchy::OwnVp;

#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct OwnSet {
    first: u64,
    /// The other words, and how many members they have.
    more: Vec<u64>,
    beyond: usize,
}

impl OwnSet {
    /// The empty set, with room for `0..owns`.
    pub(crate) fn empty(owns: u16) -> OwnSet {
        OwnSet { first: 0, more: vec![0; words_beyond(owns)], beyond: 0 }
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
        self.more.resize(words_beyond(owns), 0);
    }

    pub(crate) const fn is_empty(&self) -> bool {
        self.first == 0 && self.beyond == 0
    }

    pub(crate) fn contains(&self, own: OwnVp) -> bool {
        let word = match own.index() / 64 {
            0 => self.first,
            word => self.more.get(word - 1).copied().unwrap_or(0),
        };
        word & bit(own) != 0
    }

    #[inline]
    pub(crate) fn insert(&mut self, own: OwnVp) {
        if own.0 < 64 {
            self.first |= bit(own);
        } else {
            self.set_beyond(own, true);
        }
    }

    #[inline]
    pub(crate) fn remove(&mut self, own: OwnVp) {
        if own.0 < 64 {
            self.first &= !bit(own);
        } else {
            self.set_beyond(own, false);
        }
    }

    #[cold]
    fn set_beyond(&mut self, own: OwnVp, member: bool) {
        let word = &mut self.more[own.index() / 64 - 1];
        if (*word & bit(own) != 0) != member {
            *word ^= bit(own);
            self.beyond = if member { self.beyond + 1 } else { self.beyond - 1 };
        }
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
        let common = self.words().zip(other.words()).map(|(one, other)| one & other);
        let own = wanted.or_else(|| lowest(common))?;
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

    #[inline]
    fn lowest(&self) -> Option<OwnVp> {
        match self.first.trailing_zeros() {
            64 => lowest(self.words()),
            bit => u16::try_from(bit).ok().map(OwnVp),
        }
    }

    fn words(&self) -> impl Iterator<Item = u64> {
        core::iter::once(self.first).chain(self.more.iter().copied())
    }
}

/// The words that `0..owns` need besides the first.
const fn words_beyond(owns: u16) -> usize {
    (owns as usize).div_ceil(64).saturating_sub(1)
}

const fn bit(own: OwnVp) -> u64 {
    1 << (own.0 % 64)
}

/// The lowest own VP whose bit is set.
fn lowest(words: impl Iterator<Item = u64>) -> Option<OwnVp> {
    let (at, word) = (0_u16..).zip(words).find(|(_, word)| *word != 0)?;
    let bit = u16::try_from(word.trailing_zeros()).ok()?;
    Some(OwnVp(at * 64 + bit))
}
