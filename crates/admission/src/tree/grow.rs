//! Makes a place in a full leaf.

use super::inner::Inner;
use super::{Path, Place, Tree};

impl<const L: usize, const I: usize> Tree<L, I> {
    /// Brings a place in a full leaf nearer: the leaf is split, or the uppermost full node above it if its parent is full, too.
    #[cold]
    pub(super) fn make_place(&mut self, path: &Path, found: &Place) {
        let leaf = self.nodes.leaf_mut(found.leaf);
        let collected = leaf.start();
        leaf.compact();
        if collected >= L / 4 || self.share(path) {
            return;
        }
        let full = |level: &usize| self.nodes.inner(path.nodes[*level]).len() == I;
        let level = (1..=self.height).take_while(full).count();
        // Slots that come in order of deadline leave full nodes behind.
        let is_last =
            |level: usize| path.children[level] + 1 == self.nodes.inner(path.nodes[level]).len();
        let appends = found.place == L && (1..=self.height).all(is_last);
        let (parent, child) = if level == self.height {
            // The first child's least is never read by a query about later slots.
            let root = self.nodes.add_inner(Inner::new(self.root, i64::MIN / 2));
            (self.root, self.height) = (root, self.height + 1);
            (root, 0)
        } else {
            (path.nodes[level + 1], path.children[level + 1])
        };
        if level == 0 {
            self.split_leaf(found.leaf, parent, child, appends);
        } else {
            self.split_inner(path.nodes[level], parent, child, appends);
        }
    }

    /// Lets a neighbour have slots of a full leaf, if that is at most three quarters full: so leaves are fuller, and memory a slot less.
    fn share(&mut self, path: &Path) -> bool {
        if self.height == 0 {
            return false;
        }
        let (parent, child) = (path.nodes[1], path.children[1]);
        let inner = self.nodes.inner(parent);
        let live = |child: usize| self.nodes.leaf(inner.children[child]).live();
        let most = (L * 7 / 8).min(live(child) - 2);
        let has_room = |child: usize| live(child) <= most;
        if child + 1 < inner.len() && has_room(child + 1) {
            self.even_out(parent, child);
        } else if child > 0 && has_room(child - 1) {
            self.even_out(parent, child - 1);
        } else {
            return false;
        }
        true
    }

    /// Lets a leaf and the next have equally many slots.
    fn even_out(&mut self, parent: u32, child: usize) {
        let inner = self.nodes.inner(parent);
        let (left, right) = (inner.children[child], inner.children[child + 1]);
        let between = inner.before[child + 1] - inner.before[child];
        let [left, right] = self.nodes.two_leaves(left, right);
        left.compact();
        right.compact();
        let half = (left.live() + right.live()) / 2;
        if half == left.live() {
            return;
        }
        let work = if left.live() > half {
            let (mut tail, work) = left.split(half);
            tail.append(right, between - work);
            *right = tail;
            work
        } else {
            let (tail, work) = right.split(half - left.live());
            left.append(right, between);
            *right = tail;
            between + work
        };
        let (left_least, right_least, pair) =
            (left.least_from(0), right.least_from(0), right.separator());
        let inner = self.nodes.inner_mut(parent);
        let before = inner.before[child];
        inner.least[child] = left_least - before;
        inner.before[child + 1] = before + work;
        inner.least[child + 1] = right_least - (before + work);
        (inner.deadlines[child + 1], inner.numbers[child + 1]) = pair;
    }

    fn split_leaf(&mut self, node: u32, parent: u32, child: usize, appends: bool) {
        let has_next = child + 1 < self.nodes.inner(parent).len();
        let leaf = self.nodes.leaf_mut(node);
        // Two full neighbours become three of two thirds each.
        let middle = match (appends, has_next, child) {
            (true, ..) => leaf.end() - 1,
            (_, true, _) => leaf.end() * 2 / 3,
            (_, _, 0) => leaf.end() / 2,
            _ => leaf.end() / 3,
        };
        let (right, work) = leaf.split(middle);
        let (left_least, right_least, pair) =
            (leaf.least_from(0), right.least_from(0), right.separator());
        let right = self.nodes.add_leaf(right);
        let inner = self.nodes.inner_mut(parent);
        let before = inner.before[child];
        inner.least[child] = left_least - before;
        let before = before + work;
        inner.insert_child(child + 1, pair, before, right_least - before, right);
        if has_next {
            self.even_out(parent, child + 1);
        } else if child > 0 && !appends {
            self.even_out(parent, child - 1);
        }
    }

    fn split_inner(&mut self, node: u32, parent: u32, child: usize, appends: bool) {
        let inner = self.nodes.inner_mut(node);
        let middle = if appends { inner.len() - 1 } else { inner.len() / 2 };
        let (right, pair, work) = inner.split(middle);
        let (left_least, right_least) = (inner.least_from(0), right.least_from(0));
        let right = self.nodes.add_inner(right);
        let parent = self.nodes.inner_mut(parent);
        let before = parent.before[child];
        parent.least[child] = left_least.wrapping_sub(before);
        let before = before + work;
        parent.insert_child(child + 1, pair, before, right_least - before, right);
    }
}
