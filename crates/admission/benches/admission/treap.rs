//! Peer: a treap in an arena, with the least laxity of each subtree, and additions that are pushed down when a node is next passed.

use crate::{Peer, ns, span};
use windfall_admission::{Key, Structure};
use windfall_time::{Instant, Span};

const NONE: u32 = u32::MAX;

#[derive(Clone, Copy)]
struct Node {
    deadline: i64,
    laxity: i64,
    least: i64,
    /// What is still to be added below.
    pending: i64,
    number: u32,
    priority: u32,
    left: u32,
    right: u32,
}

#[derive(Clone)]
pub(crate) struct Treap {
    nodes: Vec<Node>,
    free: Vec<u32>,
    root: u32,
    len: usize,
    now: i64,
    random: u64,
}

impl Treap {
    fn at(&mut self, node: u32) -> &mut Node {
        &mut self.nodes[node as usize]
    }

    fn apply(&mut self, node: u32, by: i64) {
        if node != NONE {
            let node = self.at(node);
            node.laxity += by;
            node.least += by;
            node.pending += by;
        }
    }

    fn push_down(&mut self, node: u32) {
        let Node { pending, left, right, .. } = self.nodes[node as usize];
        if pending != 0 {
            self.apply(left, pending);
            self.apply(right, pending);
            self.at(node).pending = 0;
        }
    }

    fn least(&self, node: u32) -> i64 {
        if node == NONE { i64::MAX } else { self.nodes[node as usize].least }
    }

    fn update(&mut self, node: u32) {
        let Node { left, right, laxity, .. } = self.nodes[node as usize];
        self.at(node).least = laxity.min(self.least(left)).min(self.least(right));
    }

    /// Where slots up to this key are apart from those behind.
    fn split(&mut self, node: u32, key: (i64, u32)) -> (u32, u32) {
        if node == NONE {
            return (NONE, NONE);
        }
        self.push_down(node);
        let Node { deadline, number, left, right, .. } = self.nodes[node as usize];
        if (deadline, number) <= key {
            let (middle, behind) = self.split(right, key);
            self.at(node).right = middle;
            self.update(node);
            (node, behind)
        } else {
            let (before, middle) = self.split(left, key);
            self.at(node).left = middle;
            self.update(node);
            (before, node)
        }
    }

    fn merge(&mut self, left: u32, right: u32) -> u32 {
        if left == NONE || right == NONE {
            return left.min(right);
        }
        if self.nodes[left as usize].priority > self.nodes[right as usize].priority {
            self.push_down(left);
            let below = self.nodes[left as usize].right;
            self.at(left).right = self.merge(below, right);
            self.update(left);
            left
        } else {
            self.push_down(right);
            let below = self.nodes[right as usize].left;
            self.at(right).left = self.merge(left, below);
            self.update(right);
            right
        }
    }

    /// Puts a node in, and adds to the laxities of all behind it.
    fn insert(&mut self, node: u32, new: u32, by: i64) -> u32 {
        let Node { deadline, number, priority, .. } = self.nodes[new as usize];
        if node == NONE || priority > self.nodes[node as usize].priority {
            let (left, right) = self.split(node, (deadline, number));
            self.apply(right, by);
            (self.at(new).left, self.at(new).right) = (left, right);
            self.update(new);
            return new;
        }
        self.push_down(node);
        let here = self.nodes[node as usize];
        if (here.deadline, here.number) <= (deadline, number) {
            self.at(node).right = self.insert(here.right, new, by);
        } else {
            self.apply(here.right, by);
            self.at(node).laxity += by;
            self.at(node).left = self.insert(here.left, new, by);
        }
        self.update(node);
        node
    }

    fn add(&mut self, deadline: i64, laxity: i64, number: u32) -> u32 {
        self.random =
            self.random.wrapping_mul(0x5851_F42D_4C95_7F2D).wrapping_add(0x1405_7B7E_F767_814F);
        let priority = u32::try_from(self.random >> 33).unwrap_or(0);
        let (pending, left, right) = (0, NONE, NONE);
        let node = Node { deadline, laxity, least: laxity, pending, number, priority, left, right };
        if let Some(place) = self.free.pop() {
            self.nodes[place as usize] = node;
            return place;
        }
        self.nodes.push(node);
        u32::try_from(self.nodes.len() - 1).unwrap_or(NONE)
    }

    /// The end of all up to a deadline, and the most work that fits before it.
    fn place(&self, deadline: i64) -> (i64, i64) {
        let (mut node, mut pending, mut least, mut end) = (self.root, 0, i64::MAX, self.now);
        while node != NONE {
            let here = &self.nodes[node as usize];
            if here.deadline <= deadline {
                end = here.deadline - here.laxity - pending;
                pending += here.pending;
                node = here.right;
            } else {
                least = least.min(here.laxity + pending);
                pending += here.pending;
                if here.right != NONE {
                    least = least.min(self.least(here.right) + pending);
                }
                node = here.left;
            }
        }
        (end, least.min(deadline - end).max(0))
    }

    fn pop(&mut self, node: u32) -> (u32, u32) {
        self.push_down(node);
        let Node { left, right, .. } = self.nodes[node as usize];
        if left == NONE {
            return (right, node);
        }
        let (rest, gone) = self.pop(left);
        self.at(node).left = rest;
        self.update(node);
        (node, gone)
    }

    fn first(&self) -> Option<(Key, i64)> {
        let (mut node, mut pending) = (self.root, 0);
        while node != NONE {
            let here = &self.nodes[node as usize];
            if here.left == NONE {
                let deadline = Instant::from_nanos(here.deadline.cast_unsigned());
                let key = Key { deadline, number: here.number };
                return Some((key, here.deadline - here.laxity - pending));
            }
            pending += here.pending;
            node = here.left;
        }
        None
    }
}

impl Structure for Treap {
    const NAME: &'static str = "treap";

    fn new(now: Instant) -> Self {
        let (nodes, free) = (Vec::new(), Vec::new());
        Treap { nodes, free, root: NONE, len: 0, now: ns(now), random: 1 }
    }

    fn now(&self) -> Instant {
        Instant::from_nanos(self.now.cast_unsigned())
    }

    fn len(&self) -> usize {
        self.len
    }

    fn room(&self, deadline: Instant) -> Span {
        span(self.place(ns(deadline)).1)
    }

    fn earliest(&self, work: Span) -> Instant {
        let work = work.as_nanos().cast_signed();
        let (mut node, mut pending) = (self.root, 0);
        while node != NONE && self.least(node) + pending < work {
            let here = &self.nodes[node as usize];
            let below = pending + here.pending;
            if here.right != NONE && self.least(here.right) + below < work {
                (node, pending) = (here.right, below);
            } else if here.laxity + pending < work {
                let earliest = here.deadline + work - here.laxity - pending;
                return Instant::from_nanos(earliest.cast_unsigned());
            } else {
                (node, pending) = (here.left, below);
            }
        }
        Instant::from_nanos((self.now + work).cast_unsigned())
    }

    fn offer(&mut self, work: Span, key: Key) -> Result<(), Span> {
        let (work, deadline) = (work.as_nanos().cast_signed(), ns(key.deadline));
        let (end, room) = self.place(deadline);
        if work > room {
            return Err(span(room));
        }
        let node = self.add(deadline, deadline - end - work, key.number);
        self.root = self.insert(self.root, node, -work);
        self.len += 1;
        Ok(())
    }

    fn remove(&mut self, key: Key) -> Option<Span> {
        let place = (ns(key.deadline), key.number);
        let before = place.1.checked_sub(1).map_or((place.0 - 1, u32::MAX), |less| (place.0, less));
        let (left, rest) = self.split(self.root, before);
        let (middle, right) = self.split(rest, place);
        let mut end = self.now;
        let mut last = left;
        while last != NONE {
            self.push_down(last);
            let here = self.nodes[last as usize];
            (end, last) = (here.deadline - here.laxity, here.right);
        }
        let found = (middle != NONE).then(|| self.nodes[middle as usize]);
        let work = found.map(|found| found.deadline - found.laxity - end);
        self.apply(right, work.unwrap_or(0));
        self.root = self.merge(left, right);
        self.free.extend(work.map(|_| middle));
        self.len -= usize::from(work.is_some());
        work.map(span)
    }

    fn contains(&self, key: Key) -> bool {
        self.clone().remove(key).is_some()
    }

    fn head(&self) -> Option<(Key, Span)> {
        self.first().map(|(key, end)| (key, span(end - self.now)))
    }

    fn advance(&mut self, to: Instant) -> usize {
        self.now = ns(to);
        let before = self.len;
        while self.first().is_some_and(|(_, end)| end <= self.now) {
            let (root, gone) = self.pop(self.root);
            self.root = root;
            self.free.push(gone);
            self.len -= 1;
        }
        before - self.len
    }

    fn bytes(&self) -> usize {
        self.nodes.capacity() * size_of::<Node>() + self.free.capacity() * 4
    }
}

impl Peer for Treap {
    fn restore(now: Instant, slots: &[(Key, Span)]) -> Self {
        let mut treap = Treap::new(now);
        // In the order of their numbers, as they arrived: so nodes lie as after long use.
        let mut end = ns(now);
        let each = slots.iter().map(|(key, work)| {
            end += work.as_nanos().cast_signed();
            (key.number, ns(key.deadline), ns(key.deadline) - end)
        });
        let mut each: Vec<_> = each.collect();
        each.sort_unstable();
        for (number, deadline, laxity) in each {
            let node = treap.add(deadline, laxity, number);
            treap.root = treap.insert(treap.root, node, 0);
            treap.len += 1;
        }
        treap
    }
}
