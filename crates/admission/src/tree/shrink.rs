//! Slots leave: the first by collection, any by withdrawal; nodes that are empty are dropped, and small neighbours merged.

use super::leaf::Leaf;
use super::numbers::{add, sub};
use super::{Path, Tree};

/// How much work of slots that are gone may count before it is taken out of all sums: 2^60 ns, half of the horizon.
const MOST_GONE: i64 = 1 << 60;

impl<const L: usize, const I: usize> Tree<L, I> {
    /// The first slot is gone. Its work still counts in the sums of its leaf, and of all that follows.
    #[inline]
    pub(super) fn collect(&mut self) {
        let leaf = self.nodes.leaf_mut(self.first);
        let start = leaf.start();
        leaf.deadlines[start] = i64::MIN;
        leaf.start += 1;
        let is_empty = leaf.start == leaf.end;
        self.len -= 1;
        if is_empty {
            self.drop_first();
        }
    }

    /// The first slot is gone, and what was left of its work was taken from the base.
    pub(super) fn drop_head(&mut self) {
        self.collect();
        self.limit_gone();
    }

    /// Takes the work of slots that are gone out of all sums if it has become much.
    #[inline]
    pub(super) fn limit_gone(&mut self) {
        if self.now - self.base > MOST_GONE {
            self.forget_gone();
        }
    }

    /// No slots are left.
    fn reset(&mut self) {
        self.nodes.clear();
        self.root = self.nodes.add_leaf(Leaf::new());
        (self.first, self.before_first, self.base, self.height) = (self.root, 0, self.now, 0);
        (self.last, self.work) = (i64::MIN, 0);
    }

    /// The first leaf is empty.
    #[cold]
    fn drop_first(&mut self) {
        if self.len == 0 {
            return self.reset();
        }
        let mut path = Path::new();
        let mut node = self.root;
        for level in (1..=self.height).rev() {
            path.nodes[level] = node;
            node = self.nodes.inner(node).children[0];
        }
        self.nodes.free_leaf(node);
        for level in 1..=self.height {
            let inner = self.nodes.inner_mut(path.nodes[level]);
            inner.remove_child(0);
            if inner.len > 0 {
                break;
            }
            self.nodes.free_inner(path.nodes[level]);
        }
        self.lower_root();
        self.find_first();
    }

    /// A root with one child is none.
    fn lower_root(&mut self) {
        while self.height > 0 && self.nodes.inner(self.root).len == 1 {
            let old = self.root;
            let inner = self.nodes.inner(old);
            self.base += inner.before[0];
            self.work -= inner.before[0];
            (self.root, self.height) = (inner.children[0], self.height - 1);
            self.nodes.free_inner(old);
        }
    }

    fn find_first(&mut self) {
        (self.first, self.before_first) = (self.root, 0);
        for _ in 0..self.height {
            let inner = self.nodes.inner(self.first);
            self.before_first += inner.before[0];
            self.first = inner.children[0];
        }
    }

    /// Takes the work of slots that are gone out of all sums, which happens once in 2^60 ns of it.
    #[cold]
    fn forget_gone(&mut self) {
        let gone = self.now - self.base;
        let (mut node, mut before) = (self.root, 0);
        for _ in 0..self.height {
            let inner = self.nodes.inner_mut(node);
            let (end, by) = (inner.len(), gone - before);
            before += inner.before[0];
            inner.before[0] = 0;
            sub(&mut inner.before[1..end], by);
            add(&mut inner.least[..end], by);
            node = inner.children[0];
        }
        let leaf = self.nodes.leaf_mut(node);
        let live = leaf.start()..leaf.end();
        add(&mut leaf.laxities[live], gone - before);
        (self.base, self.before_first) = (self.now, 0);
        self.work -= gone;
    }

    /// Takes out a slot that is not the first. Returns its work.
    pub(super) fn take(&mut self, path: &Path, node: u32, place: usize) -> i64 {
        let leaf = self.nodes.leaf_mut(node);
        let work = leaf.sum(place) - if place > leaf.start() { leaf.sum(place - 1) } else { 0 };
        leaf.remove(place, work);
        let mut is_empty = leaf.start == leaf.end;
        let (mut least, mut below) = (leaf.least_from(leaf.start()), node);
        for level in 1..=self.height {
            if is_empty && level == 1 {
                self.nodes.free_leaf(below);
            } else if is_empty {
                self.nodes.free_inner(below);
            }
            below = path.nodes[level];
            let (inner, child) = (self.nodes.inner_mut(below), path.children[level]);
            inner.put(child, -work);
            if is_empty {
                inner.remove_child(child);
                is_empty = inner.len == 0;
            } else {
                inner.least[child] = least.wrapping_sub(inner.before[child]);
                self.merge(level, below, child);
            }
            least = self.nodes.inner(below).least_from(0);
        }
        self.len -= 1;
        self.work -= work;
        self.lower_root();
        self.find_first();
        work
    }

    /// Merges a child that has become small with a neighbour, if both are three quarters of a node at most.
    fn merge(&mut self, level: usize, parent: u32, child: usize) {
        let inner = self.nodes.inner(parent);
        let size = |child: usize| match level {
            1 => self.nodes.leaf(inner.children[child]).live(),
            _ => self.nodes.inner(inner.children[child]).len(),
        };
        let (quarter, most) = if level == 1 { (L / 4, L * 3 / 4) } else { (I / 4, I * 3 / 4) };
        if size(child) > quarter || inner.len() < 2 {
            return;
        }
        let left = if child + 1 < inner.len() { child } else { child - 1 };
        if size(left) + size(left + 1) > most {
            return;
        }
        let work = inner.before[left + 1] - inner.before[left];
        let pair = (inner.deadlines[left + 1], inner.numbers[left + 1]);
        let (into, from) = (inner.children[left], inner.children[left + 1]);
        if level == 1 {
            self.nodes.append_leaf(into, from, work);
        } else {
            self.nodes.append_inner(into, from, pair, work);
        }
        let inner = self.nodes.inner_mut(parent);
        inner.least[left] = inner.least[left].min(inner.least[left + 1]);
        inner.remove_child(left + 1);
    }
}
