//! A B+-tree in an arena: queries and updates in O(log n), collection in O(1) amortised.
//!
//! The equivalent of updating later slots (section 2.2) is done once a level: an inner node keeps the work before each child, and the least laxity of each
//! child relative to the node's own beginning. So a query is a search and the least of a column's end, an admission adds to the ends of two
//! columns, at each level, and nothing is pushed down. A slot's end is `base` plus the work before it; slots that were collected count in that work
//! until their leaf is dropped, so that collection changes no other slot. An early end changes `base` only.
//!
//! A deadline behind all others needs no search, only the work of all slots; so tasks that follow each other, as in speculation, cost what
//! the paper's best guess costs (section 2.6).
//!
//! `leaf.rs` and `inner.rs` have the nodes, `grow.rs` splits them, `shrink.rs` drops and merges them.

mod arena;
mod grow;
mod inner;
mod leaf;
mod numbers;
mod shrink;

use crate::{Key, Structure, Supplied};
use alloc::collections::TryReserveError;
use arena::Arena;
use leaf::Leaf;
use numbers::FAR;
use windfall_time::{Instant, Span};

/// More levels than a tree can have: each root had two children at least when it came, and nodes are numbered by 32 bits.
const LEVELS: usize = 33;

/// Slots a leaf: wide where a vector instruction compares four deadlines, else narrow.
const LEAF: usize = if cfg!(target_feature = "avx2") { 48 } else { 32 };
/// Children a node.
const INNER: usize = 32;

/// The tree with nodes as wide as suits the processor that it is compiled for.
pub type BPlusTree = Tree<LEAF, INNER>;

/// A B+-tree of slots, with `L` slots a leaf and `I` children an inner node, each at least 4.
#[derive(Clone, Debug)]
pub struct Tree<const L: usize, const I: usize> {
    nodes: Arena<L, I>,
    root: u32,
    /// Levels of inner nodes.
    height: usize,
    /// The leaf of the first slot, and the work before it.
    first: u32,
    before_first: i64,
    /// No slot has a later deadline.
    last: i64,
    /// The work of all slots.
    work: i64,
    base: i64,
    now: i64,
    len: usize,
}

/// The way from the root to a leaf: at each level, from 1, the node, which of its children, and the least of the children behind it.
struct Path {
    nodes: [u32; LEVELS],
    children: [usize; LEVELS],
    behind: [i64; LEVELS],
}

impl Path {
    #[inline]
    fn new() -> Path {
        Path { nodes: [0; LEVELS], children: [0; LEVELS], behind: [0; LEVELS] }
    }
}

/// Where a deadline belongs.
struct Place {
    leaf: u32,
    place: usize,
    /// The work of the leaf's slots before the place.
    sum: i64,
    /// The least laxity of the leaf's slots behind the place, relative to the leaf.
    behind: i64,
    room: i64,
}

impl<const L: usize, const I: usize> Tree<L, I> {
    /// Nodes must be wide enough to be split.
    const WIDE: () = assert!(L >= 4 && I >= 4, "a node has at least 4 places");

    /// Takes memory for so many slots now, in nodes that are a quarter full in the mean. More is taken only when slots are withdrawn so that less of the nodes is in use, and never more than a leaf for each slot.
    pub(crate) fn reserve(&mut self, slots: usize) -> Result<(), TryReserveError> {
        let leaves = slots.div_ceil(L / 4).saturating_add(2);
        self.nodes.reserve(leaves, leaves.div_ceil(I / 4).saturating_add(LEVELS))
    }

    #[inline]
    fn descend(&self, deadline: i64, mut visit: impl FnMut(usize, u32, usize, i64)) -> Place {
        let (mut node, mut before, mut least) = (self.root, 0_i64, FAR);
        for level in (1..=self.height).rev() {
            let inner = self.nodes.inner(node);
            let (child, behind) = inner.route_and_least(deadline);
            visit(level, node, child, behind);
            least = least.min(behind.wrapping_sub(before));
            before = before.wrapping_add(inner.before[child]);
            node = inner.children[child];
        }
        let leaf = self.nodes.leaf(node);
        let (place, behind) = leaf.up_to_and_least(deadline);
        let sum = if place > leaf.start() {
            leaf.sum(place - 1)
        } else if node == self.first {
            self.now - self.base - before
        } else {
            0
        };
        let least = least.min(behind.wrapping_sub(before)).wrapping_sub(self.base);
        let room = least.min(deadline - (self.base + before + sum)).max(0);
        Place { leaf: node, place, sum, behind, room }
    }

    /// No more than fits before a deadline, found without its leaf, as if all slots of the leaf were before it: those that are behind it end by then, and so have more
    /// laxity. `None` in the last leaf, since no node says how much work it has.
    #[inline]
    fn above_leaves(&self, deadline: i64) -> Option<i64> {
        let (mut node, mut before, mut least, mut end) = (self.root, 0_i64, FAR, None);
        for _ in 0..self.height {
            let inner = self.nodes.inner(node);
            let (child, behind) = inner.route_and_least(deadline);
            least = least.min(behind.wrapping_sub(before));
            if child + 1 < inner.len() {
                end = Some(before.wrapping_add(inner.before[child + 1]));
            }
            before = before.wrapping_add(inner.before[child]);
            node = inner.children[child];
        }
        Some(least.wrapping_sub(self.base).min(deadline - (self.base + end?)).max(0))
    }

    /// Puts a slot into a leaf that has a place for it.
    #[inline]
    fn put(&mut self, path: &Path, found: &Place, work: i64, deadline: i64, number: u32) {
        let laxity = deadline - found.sum - work;
        self.nodes.leaf_mut(found.leaf).insert(found.place, deadline, laxity, number, work);
        let mut least = laxity.min(found.behind.wrapping_sub(work));
        for level in 1..=self.height {
            let (inner, child) = (self.nodes.inner_mut(path.nodes[level]), path.children[level]);
            inner.put(child, work);
            least = least.wrapping_sub(inner.before[child]);
            inner.least[child] = inner.least[child].min(least);
            least = least.min(path.behind[level].wrapping_sub(work));
        }
        self.count(work, deadline);
    }

    /// The most work that fits behind all slots.
    #[inline]
    fn room_behind(&self, deadline: i64) -> i64 {
        (deadline - (self.base + self.work)).max(0)
    }

    /// Puts a slot behind all others, if their last leaf has a place for it.
    #[inline]
    fn append(&mut self, work: i64, deadline: i64, number: u32) -> bool {
        let mut node = self.root;
        for _ in 0..self.height {
            let inner = self.nodes.inner(node);
            node = inner.children[inner.len() - 1];
        }
        if self.nodes.leaf(node).end() == L {
            return false;
        }
        let (mut node, mut laxity) = (self.root, deadline - self.work - work);
        for _ in 0..self.height {
            let inner = self.nodes.inner_mut(node);
            let child = inner.len() - 1;
            inner.least[child] = inner.least[child].min(laxity);
            laxity = laxity.wrapping_add(inner.before[child]);
            node = inner.children[child];
        }
        self.nodes.leaf_mut(node).push(deadline, laxity, number);
        self.count(work, deadline);
        true
    }

    /// A slot was put.
    #[inline]
    fn count(&mut self, work: i64, deadline: i64) {
        (self.last, self.work) = (self.last.max(deadline), self.work + work);
        self.len += 1;
    }

    /// When the first slot ends; there must be one.
    #[inline]
    fn first_end(&self) -> i64 {
        let leaf = self.nodes.leaf(self.first);
        self.base + self.before_first + leaf.sum(leaf.start())
    }

    /// Collects the slots whose work is used up.
    #[inline]
    fn collect_ended(&mut self) -> usize {
        let before = self.len;
        while self.len > 0 && self.first_end() <= self.now {
            self.collect();
        }
        if self.len == 0 {
            self.base = self.now;
        }
        before - self.len
    }

    /// Below a node whose slots' ends count from `end`: the leaf and place of the first slot with a negative laxity. Only on the way to
    /// the first leaf may a column say so in vain.
    fn first_late(&self, node: u32, level: usize, end: i64) -> Option<(u32, usize)> {
        if level == 0 {
            let leaf = self.nodes.leaf(node);
            let mut live = leaf.start()..leaf.end();
            return Some((node, live.find(|place| leaf.laxities[*place] < end)?));
        }
        let inner = self.nodes.inner(node);
        let late = (0..inner.len()).filter(|child| inner.least[*child] < end);
        late.into_iter().find_map(|child| {
            self.first_late(inner.children[child], level - 1, end + inner.before[child])
        })
    }

    /// The way to a slot, and its place in its leaf.
    fn find(&self, key: Key, path: &mut Path) -> Option<(u32, usize)> {
        let (mut node, deadline) = (self.root, key.deadline.as_nanos().cast_signed());
        for level in (1..=self.height).rev() {
            let inner = self.nodes.inner(node);
            let child = inner.route_to(deadline, key.number);
            (path.nodes[level], path.children[level]) = (node, child);
            node = inner.children[child];
        }
        Some((node, self.nodes.leaf(node).find(deadline, key.number)?))
    }
}

impl<const L: usize, const I: usize> Structure for Tree<L, I> {
    const NAME: &'static str = "B+-tree";

    fn new(now: Instant) -> Self {
        let () = Self::WIDE;
        let now = now.as_nanos().cast_signed();
        let mut nodes = Arena::new();
        let root = nodes.add_leaf(Leaf::new());
        let (first, last) = (root, i64::MIN);
        Tree {
            nodes,
            root,
            height: 0,
            first,
            before_first: 0,
            last,
            work: 0,
            base: now,
            now,
            len: 0,
        }
    }

    fn now(&self) -> Instant {
        Instant::from_nanos(self.now.cast_unsigned())
    }

    fn len(&self) -> usize {
        self.len
    }

    #[inline]
    fn room(&self, deadline: Instant) -> Span {
        let deadline = deadline.as_nanos().cast_signed();
        let room = if deadline >= self.last {
            self.room_behind(deadline)
        } else {
            self.descend(deadline, |_, _, _, _| ()).room
        };
        Span::from_nanos(room.cast_unsigned())
    }

    #[inline]
    fn room_at_least(&self, deadline: Instant) -> Span {
        let at_least = self.above_leaves(deadline.as_nanos().cast_signed());
        at_least.map_or_else(|| self.room(deadline), |room| Span::from_nanos(room.cast_unsigned()))
    }

    fn earliest(&self, work: Span) -> Instant {
        let work = work.as_nanos().cast_signed();
        let none = Instant::from_nanos((self.now + work).cast_unsigned());
        // A slot is tight if its column's value is less than this.
        let (mut node, mut tight) = (self.root, work + self.base);
        for _ in 0..self.height {
            let inner = self.nodes.inner(node);
            let Some(child) = inner.least[..inner.len()].iter().rposition(|least| *least < tight)
            else {
                return none;
            };
            tight = tight.wrapping_add(inner.before[child]);
            node = inner.children[child];
        }
        let leaf = self.nodes.leaf(node);
        let live = &leaf.laxities[leaf.start()..leaf.end()];
        let Some(place) = live.iter().rposition(|laxity| *laxity < tight) else { return none };
        let (deadline, laxity) = (leaf.deadlines[leaf.start() + place], live[place]);
        // Its end plus the work is its deadline plus by how much it is tight.
        Instant::from_nanos((deadline + (tight - laxity)).max(deadline).cast_unsigned())
    }

    #[inline]
    fn offer(&mut self, work: Span, key: Key) -> Result<(), Span> {
        let (work, deadline) =
            (work.as_nanos().cast_signed(), key.deadline.as_nanos().cast_signed());
        if deadline >= self.last {
            let room = self.room_behind(deadline);
            if work > room {
                return Err(Span::from_nanos(room.cast_unsigned()));
            }
            if self.append(work, deadline, key.number) {
                return Ok(());
            }
        }
        let mut path = Path::new();
        loop {
            let found = self.descend(deadline, |level, node, child, behind| {
                path.nodes[level] = node;
                path.children[level] = child;
                path.behind[level] = behind;
            });
            if work > found.room {
                return Err(Span::from_nanos(found.room.cast_unsigned()));
            }
            if self.nodes.leaf(found.leaf).end() < L {
                self.put(&path, &found, work, deadline, key.number);
                return Ok(());
            }
            self.make_place(&path, &found);
        }
    }

    fn remove(&mut self, key: Key) -> Option<Span> {
        let (head, left) = self.head()?;
        let left = if head == key {
            self.base -= left.as_nanos().cast_signed();
            self.drop_head();
            left
        } else {
            let mut path = Path::new();
            let (leaf, place) = self.find(key, &mut path)?;
            Span::from_nanos(self.take(&path, leaf, place).cast_unsigned())
        };
        Some(left)
    }

    fn contains(&self, key: Key) -> bool {
        !self.is_empty() && self.find(key, &mut Path::new()).is_some()
    }

    #[inline]
    fn head(&self) -> Option<(Key, Span)> {
        if self.len == 0 {
            return None;
        }
        let leaf = self.nodes.leaf(self.first);
        let (deadline, number) = leaf.separator();
        let deadline = Instant::from_nanos(deadline.cast_unsigned());
        let left = (self.first_end() - self.now).cast_unsigned();
        Some((Key { deadline, number }, Span::from_nanos(left)))
    }

    #[inline]
    fn advance(&mut self, to: Instant) -> usize {
        self.now = to.as_nanos().cast_signed();
        self.collect_ended()
    }

    fn bytes(&self) -> usize {
        self.nodes.bytes()
    }
}

impl<const L: usize, const I: usize> Supplied for Tree<L, I> {
    #[inline]
    fn serve(&mut self, work: Span, to: Instant) -> usize {
        let to = to.as_nanos().cast_signed();
        self.base += to - self.now - work.as_nanos().cast_signed();
        self.now = to;
        self.limit_gone();
        self.collect_ended()
    }

    fn late(&self) -> Option<Key> {
        let (leaf, place) = self.first_late(self.root, self.height, self.base)?;
        let leaf = self.nodes.leaf(leaf);
        let deadline = Instant::from_nanos(leaf.deadlines[place].cast_unsigned());
        Some(Key { deadline, number: leaf.numbers[place] })
    }
}
