//! The events that wait for a process: a pairing heap (Fredman and others 1986) whose nodes are events in the pool of a part.
//!
//! It takes O(1) to add one, which undoing does often, and O(log n) on average to take the first. Invariant: `side` is the one before among the children of a parent, or for the first of them the parent; for the root, nowhere.

use crate::Key;
use crate::event::Node;
use crate::pool::{NOWHERE, Place, Pool};

/// The place of the first; nowhere if none waits.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Waiting(Place);

impl Waiting {
    pub(crate) const NONE: Waiting = Waiting(NOWHERE);

    /// The place of the first.
    #[inline]
    pub(crate) const fn first(self) -> Option<Place> {
        if self.0 == NOWHERE { None } else { Some(self.0) }
    }

    /// The event at this place waits from now on.
    #[inline]
    pub(crate) fn push<E>(&mut self, pool: &mut Pool<Node<E>>, place: Place) {
        let node = &mut pool[place];
        (node.child, node.side, node.next) = (NOWHERE, NOWHERE, NOWHERE);
        self.0 = meld(pool, self.0, place);
    }

    /// The first waits no longer.
    #[inline]
    pub(crate) fn pop<E>(&mut self, pool: &mut Pool<Node<E>>) -> Option<Place> {
        let first = self.first()?;
        self.0 = meld_children(pool, first);
        Some(first)
    }

    /// The event at this place, which waits, waits no longer.
    pub(crate) fn remove<E>(&mut self, pool: &mut Pool<Node<E>>, place: Place) {
        let below = meld_children(pool, place);
        let Node { side, next, .. } = pool[place];
        if side == NOWHERE {
            self.0 = below;
            return;
        }
        if pool[side].child == place {
            pool[side].child = next;
        } else {
            pool[side].next = next;
        }
        if next != NOWHERE {
            pool[next].side = side;
        }
        self.0 = meld(pool, self.0, below);
    }

    /// Where the event of this key waits. It looks at those that are not later.
    pub(crate) fn find<E>(self, pool: &Pool<Node<E>>, key: Key) -> Option<Place> {
        let mut at = self.first()?;
        loop {
            let node = &pool[at];
            if node.key == key {
                return Some(at);
            }
            let mut next = if node.key < key { node.child } else { NOWHERE };
            // Up to the first that has another after it.
            while next == NOWHERE {
                next = pool[at].next;
                if next == NOWHERE {
                    at = parent(pool, at)?;
                }
            }
            at = next;
        }
    }
}

/// Its parent.
fn parent<E>(pool: &Pool<Node<E>>, mut at: Place) -> Option<Place> {
    loop {
        let side = pool[at].side;
        if side == NOWHERE {
            return None;
        }
        if pool[side].child == at {
            return Some(side);
        }
        at = side;
    }
}

/// One of two roots becomes the first child of the other, which is first.
#[inline]
fn meld<E>(pool: &mut Pool<Node<E>>, one: Place, other: Place) -> Place {
    if one == NOWHERE {
        return other;
    }
    if other == NOWHERE {
        return one;
    }
    let is_first = pool[one].key.is_before(&pool[other].key);
    let (first, second) = if is_first { (one, other) } else { (other, one) };
    let child = core::mem::replace(&mut pool[first].child, second);
    if child != NOWHERE {
        pool[child].side = second;
    }
    let node = &mut pool[second];
    (node.side, node.next) = (first, child);
    first
}

/// The children of one become one root: by pairs, and then all of these from the last on.
#[inline]
fn meld_children<E>(pool: &mut Pool<Node<E>>, of: Place) -> Place {
    let mut rest = core::mem::replace(&mut pool[of].child, NOWHERE);
    if rest == NOWHERE {
        return NOWHERE;
    }
    let mut pairs = NOWHERE;
    while rest != NOWHERE {
        let one = rest;
        let other = core::mem::replace(&mut pool[one].next, NOWHERE);
        rest = NOWHERE;
        if other != NOWHERE {
            rest = core::mem::replace(&mut pool[other].next, NOWHERE);
        }
        let pair = meld(pool, one, other);
        pool[pair].next = pairs;
        pairs = pair;
    }
    let mut root = NOWHERE;
    while pairs != NOWHERE {
        let next = core::mem::replace(&mut pool[pairs].next, NOWHERE);
        root = meld(pool, root, pairs);
        pairs = next;
    }
    if root != NOWHERE {
        pool[root].side = NOWHERE;
    }
    root
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ProcessNumber;
    use proptest::prelude::*;
    use windfall_time::Instant;

    proptest! {
        #[test]
        fn law_events_wait_in_order(steps in prop::collection::vec((0_u8..5, 0_u64..50, 0_u32..3), 0..300)) {
            let (mut pool, mut waiting) = (Pool::new(), Waiting::NONE);
            let mut sorted: Vec<Key> = Vec::new();
            for (number, (step, at, of)) in (0..).zip(steps) {
                let key = Key { at: Instant::from_nanos(at), to: ProcessNumber(of), from: ProcessNumber(0), number };
                match step {
                    0 => {
                        let first = waiting.pop(&mut pool).map(|place| pool.take(place).key);
                        let expected = (!sorted.is_empty()).then(|| sorted.remove(0));
                        prop_assert_eq!(first, expected);
                    }
                    1 if !sorted.is_empty() => {
                        let one = sorted.remove(usize::try_from(at).unwrap() % sorted.len());
                        let place = waiting.find(&pool, one).unwrap();
                        waiting.remove(&mut pool, place);
                        prop_assert_eq!(pool.take(place).key, one);
                        prop_assert_eq!(waiting.find(&pool, one), None);
                    }
                    _ => {
                        let place = pool.put(Node::new(key, number));
                        waiting.push(&mut pool, place);
                        sorted.push(key);
                        sorted.sort_unstable();
                    }
                }
                prop_assert_eq!(waiting.first().map(|first| pool[first].key), sorted.first().copied());
                prop_assert!(sorted.iter().all(|key| waiting.find(&pool, *key).is_some_and(|place| pool[place].key == *key)));
            }
        }
    }
}
