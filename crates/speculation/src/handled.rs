//! In which order events were handled, so that the first that is done and not certain is at hand.

use crate::event::Node;
use crate::pool::{NOWHERE, Place, Pool};

/// Events that are done, in sorted runs: they are handled in order but for what comes late. Each is in one, and leaves it when it is undone or certain. In a run, `child` is the one before, and `side` the one after.
#[derive(Debug)]
pub(crate) struct Handled {
    runs: Vec<Run>,
}

/// With more of them it takes longer to find the first than to find a place in the last.
const MOST: usize = 16;

/// The first and the last, or twice nowhere.
#[derive(Clone, Copy, Debug)]
struct Run {
    first: Place,
    last: Place,
}

impl Handled {
    pub(crate) fn new() -> Self {
        Handled { runs: Vec::with_capacity(MOST) }
    }

    /// The event at this place is done from now on.
    #[inline]
    pub(crate) fn push<E>(&mut self, pool: &mut Pool<Node<E>>, place: Place) {
        let key = pool[place].key;
        for run in &mut self.runs {
            if run.last == NOWHERE || pool[run.last].key < key {
                return run.insert(pool, place, run.last);
            }
        }
        if self.runs.len() < MOST {
            self.runs.push(Run { first: NOWHERE, last: NOWHERE });
        }
        if let Some(run) = self.runs.last_mut() {
            let mut after = run.last;
            while after != NOWHERE && pool[after].key > key {
                after = pool[after].child;
            }
            run.insert(pool, place, after);
        }
    }

    /// The event at this place, which is done, is so no longer.
    #[inline]
    pub(crate) fn remove<E>(&mut self, pool: &mut Pool<Node<E>>, place: Place) {
        let Node { child: before, side: after, .. } = pool[place];
        if before != NOWHERE {
            pool[before].side = after;
        }
        if after != NOWHERE {
            pool[after].child = before;
        }
        if before != NOWHERE && after != NOWHERE {
            return;
        }
        let mine = self.runs.iter_mut().find(|run| run.first == place || run.last == place);
        if let Some(run) = mine {
            if run.first == place {
                run.first = after;
            }
            if run.last == place {
                run.last = before;
            }
        }
        while self.runs.pop_if(|run| run.first == NOWHERE).is_some() {}
    }

    /// The first that is done.
    #[inline]
    pub(crate) fn first<E>(&self, pool: &Pool<Node<E>>) -> Option<Place> {
        let firsts = self.runs.iter().map(|run| run.first).filter(|first| *first != NOWHERE);
        firsts.min_by_key(|first| pool[*first].key)
    }
}

impl Run {
    /// Puts an event after another, or to the beginning.
    #[inline]
    fn insert<E>(&mut self, pool: &mut Pool<Node<E>>, place: Place, after: Place) {
        let next = match after {
            NOWHERE => core::mem::replace(&mut self.first, place),
            after => core::mem::replace(&mut pool[after].side, place),
        };
        let node = &mut pool[place];
        (node.child, node.side) = (after, next);
        match next {
            NOWHERE => self.last = place,
            next => pool[next].child = place,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Key, ProcessNumber};
    use proptest::prelude::*;
    use windfall_time::Instant;

    proptest! {
        #[test]
        fn law_the_first_that_is_done_is_at_hand(
            steps in prop::collection::vec((0_u8..3, 0_u64..1_000), 0..400),
            falling in any::<bool>(),
        ) {
            let (mut pool, mut handled) = (Pool::new(), Handled::new());
            let mut done: Vec<(Key, Place)> = Vec::new();
            for (number, (step, at)) in (0..).zip(steps) {
                if step == 0 && !done.is_empty() {
                    let at = usize::try_from(at).unwrap() % done.len();
                    handled.remove(&mut pool, done.remove(at).1);
                } else {
                    // Each before all others makes a run of its own, until there are too many.
                    let at = Instant::from_nanos(if falling { 1_000 - number } else { at });
                    let none = ProcessNumber(0);
                    let key = Key { at, to: none, from: none, number };
                    let place = pool.put(Node::new(key, ()));
                    handled.push(&mut pool, place);
                    done.push((key, place));
                    done.sort_unstable();
                }
                prop_assert_eq!(handled.first(&pool), done.first().map(|(_, place)| *place));
                prop_assert!(handled.runs.len() <= MOST);
            }
        }
    }
}
