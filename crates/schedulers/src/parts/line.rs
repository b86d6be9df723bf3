//! A queue of children: the one that went to its end first is first.

use alloc::vec::Vec;
use windfall_hierarchy::ChildVp;

#[derive(Clone, Default)]
pub(crate) struct Line {
    /// By child: a number drawn when it last went to the end.
    places: Vec<u64>,
    drawn: u64,
}

impl Line {
    /// Makes room for a child.
    pub(crate) fn register(&mut self, child: ChildVp) {
        self.places.resize(self.places.len().max(child.index() + 1), 0);
    }

    /// Moves a child to the end.
    pub(crate) fn queue(&mut self, child: ChildVp) {
        self.drawn += 1;
        self.places[child.index()] = self.drawn;
    }

    /// The child's place: the smallest number is first.
    pub(crate) fn place(&self, child: ChildVp) -> u64 {
        self.places[child.index()]
    }
}
