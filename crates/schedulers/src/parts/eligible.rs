//! Ready children by virtual deadline, for the query that EEVDF makes at each decision: the first one that has
//! started by a given virtual time.
//!
//! A treap in order of deadlines, in which each node knows the least start below it (Stoica and Abdel-Wahab 1995
//! keep the same in another balanced tree; so does Linux). All operations are O(log n), expected over treap
//! priorities that are computed from slots, and so the same in each run. Nothing allocates after
//! [`Eligible::reserve`] has made room.

use alloc::vec::Vec;

const NONE: u32 = u32::MAX;

#[derive(Clone, Copy)]
struct Node {
    deadline: i128,
    start: i128,
    /// The least start in this subtree.
    least: i128,
    left: u32,
    right: u32,
    present: bool,
}

const ABSENT: Node =
    Node { deadline: 0, start: 0, least: 0, left: NONE, right: NONE, present: false };

#[derive(Clone)]
pub(crate) struct Eligible {
    /// By slot.
    nodes: Vec<Node>,
    root: u32,
}

impl Eligible {
    pub(crate) const fn new() -> Eligible {
        Eligible { nodes: Vec::new(), root: NONE }
    }

    /// Makes room for slots `0..slots`; allocates.
    pub(crate) fn reserve(&mut self, slots: usize) {
        if self.nodes.len() < slots {
            self.nodes.resize(slots, ABSENT);
        }
    }

    pub(crate) fn contains(&self, slot: u32) -> bool {
        self.nodes.get(slot as usize).is_some_and(|node| node.present)
    }

    /// Inserts `slot`, which must not be a member.
    pub(crate) fn insert(&mut self, slot: u32, deadline: i128, start: i128) {
        self.nodes[slot as usize] = Node { deadline, start, least: start, present: true, ..ABSENT };
        let (before, after) = self.split(self.root, (deadline, slot));
        let before = self.merge(before, slot);
        self.root = self.merge(before, after);
    }

    /// Removes `slot` if it is a member.
    pub(crate) fn remove(&mut self, slot: u32) {
        if self.contains(slot) {
            let key = (self.nodes[slot as usize].deadline, slot);
            self.root = self.without(self.root, key);
            self.nodes[slot as usize] = ABSENT;
        }
    }

    /// The deadline of `slot`; `None` if it is not a member.
    pub(crate) fn deadline(&self, slot: u32) -> Option<i128> {
        self.nodes.get(slot as usize).filter(|node| node.present).map(|node| node.deadline)
    }

    /// The member of earliest deadline among those for whose start `started` is true. `started` must be true up to
    /// some start and false beyond it.
    pub(crate) fn first(&self, started: impl Fn(i128) -> bool) -> Option<u32> {
        let mut at = self.root;
        loop {
            let node = self.nodes.get(at as usize)?;
            let below =
                |child: u32| self.nodes.get(child as usize).is_some_and(|node| started(node.least));
            if below(node.left) {
                at = node.left;
            } else if started(node.start) {
                return Some(at);
            } else if below(node.right) {
                at = node.right;
            } else {
                return None;
            }
        }
    }

    /// The member of least start, and among equal starts the one of earliest deadline.
    pub(crate) fn least(&self) -> Option<(i128, u32)> {
        let least = self.nodes.get(self.root as usize)?.least;
        self.first(|start| start <= least).map(|slot| (least, slot))
    }

    fn update(&mut self, at: u32) {
        let Node { start, left, right, .. } = self.nodes[at as usize];
        let least = |child: u32| self.nodes.get(child as usize).map(|node| node.least);
        let below = least(left).into_iter().chain(least(right)).min();
        self.nodes[at as usize].least = below.map_or(start, |below| below.min(start));
    }

    /// Splits a subtree into the nodes before `key` and those after it.
    fn split(&mut self, at: u32, key: (i128, u32)) -> (u32, u32) {
        let Some(node) = self.nodes.get(at as usize).copied() else {
            return (NONE, NONE);
        };
        if (node.deadline, at) < key {
            let (before, after) = self.split(node.right, key);
            self.nodes[at as usize].right = before;
            self.update(at);
            (at, after)
        } else {
            let (before, after) = self.split(node.left, key);
            self.nodes[at as usize].left = after;
            self.update(at);
            (before, at)
        }
    }

    /// Joins two subtrees; all of `before` come before all of `after`.
    fn merge(&mut self, before: u32, after: u32) -> u32 {
        if before == NONE {
            return after;
        }
        if after == NONE {
            return before;
        }
        if mixed(before) > mixed(after) {
            let right = self.nodes[before as usize].right;
            self.nodes[before as usize].right = self.merge(right, after);
            self.update(before);
            before
        } else {
            let left = self.nodes[after as usize].left;
            self.nodes[after as usize].left = self.merge(before, left);
            self.update(after);
            after
        }
    }

    /// Removes the node with this key from the subtree `at`.
    fn without(&mut self, at: u32, key: (i128, u32)) -> u32 {
        let Some(node) = self.nodes.get(at as usize).copied() else {
            return NONE;
        };
        if at == key.1 {
            return self.merge(node.left, node.right);
        }
        if (node.deadline, at) < key {
            self.nodes[at as usize].right = self.without(node.right, key);
        } else {
            self.nodes[at as usize].left = self.without(node.left, key);
        }
        self.update(at);
        at
    }
}

/// A slot's priority in the treap: all bits of the slot mixed (the finaliser of splitmix64). Different slots have
/// different priorities.
const fn mixed(slot: u32) -> u64 {
    let mut z = (slot as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Compares with the slow definition: a search of all members.
        #[test]
        fn law_the_first_eligible_is_the_one_that_a_look_at_all_finds(
            steps in prop::collection::vec((0_u32..40, 0_i128..30, 0_i128..30, any::<bool>()), 0..200),
        ) {
            let mut tree = Eligible::new();
            tree.reserve(40);
            let mut all: Vec<(i128, u32, i128)> = Vec::new();
            for (slot, deadline, start, enters) in steps {
                all.retain(|(_, other, _)| *other != slot);
                tree.remove(slot);
                if enters {
                    all.push((deadline, slot, start));
                    tree.insert(slot, deadline, start);
                }
                prop_assert_eq!(tree.contains(slot), enters);
                for now in -1..31 {
                    let expected = all.iter().filter(|(_, _, start)| *start <= now).min();
                    let found = tree.first(|start| start <= now);
                    prop_assert_eq!(found, expected.map(|(_, slot, _)| *slot));
                }
                let least = all.iter().map(|(deadline, slot, start)| (*start, *deadline, *slot)).min();
                prop_assert_eq!(tree.least(), least.map(|(start, _, slot)| (start, slot)));
            }
        }

        #[test]
        fn law_the_tree_stays_flat(slots in 1_u32..2000) {
            let mut tree = Eligible::new();
            tree.reserve(slots as usize);
            for slot in 0..slots {
                tree.insert(slot, i128::from(slot), 0);
            }
            let mut deepest = 0;
            let mut open = Vec::from([(tree.root, 1)]);
            while let Some((at, depth)) = open.pop() {
                if let Some(node) = tree.nodes.get(at as usize) {
                    deepest = deepest.max(depth);
                    open.extend([(node.left, depth + 1), (node.right, depth + 1)]);
                }
            }
            prop_assert!(deepest <= 4 * (slots.ilog2() + 2), "{deepest} levels of {slots}");
        }
    }
}
