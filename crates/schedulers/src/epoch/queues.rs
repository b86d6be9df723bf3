//! The eight queues of the epoch scheduler: four normal ones and, ranked below them, four low ones (Chrysalis 2.2).
//!
//! A queue is a ring through its children and an end piece of its own. So a child is removed without knowing its
//! queue, and a whole queue is appended to another at once. Every operation takes constant time; only `register`
//! allocates.

use alloc::vec;
use alloc::vec::Vec;
use windfall_hierarchy::ChildVp;

/// Number of priorities, 0 to 3; each has a normal queue and a low one.
pub(crate) const PRIORITIES: u8 = 4;

/// Number of queues. A queue's rank is the number of its end piece; rank 0 is served first.
const QUEUES: u32 = 2 * PRIORITIES as u32;

/// The rank of a priority's normal or low queue. Smaller ranks are served first.
pub(crate) const fn rank(priority: u8, low: bool) -> u8 {
    let below = PRIORITIES - 1 - priority;
    if low { PRIORITIES + below } else { below }
}

/// Whether a rank is that of a low queue.
pub(crate) const fn is_low(rank: u8) -> bool {
    rank >= PRIORITIES
}

/// An element of a ring. A child that is in no queue is a ring of its own.
#[derive(Clone, Copy)]
struct Piece {
    before: u32,
    after: u32,
}

/// The order in which children wait for the processor. The running child keeps its place.
#[derive(Clone)]
pub(crate) struct Queues {
    /// The end pieces, then one piece for each child.
    pieces: Vec<Piece>,
}

const fn place(child: ChildVp) -> u32 {
    child.0 + QUEUES
}

impl Queues {
    pub(crate) fn new() -> Queues {
        let mut pieces = vec![Piece { before: 0, after: 0 }; QUEUES as usize];
        (0..).zip(&mut pieces).for_each(|(at, piece)| *piece = Piece { before: at, after: at });
        Queues { pieces }
    }

    /// Makes room for a child, which is in no queue yet.
    pub(crate) fn register(&mut self, child: ChildVp) {
        while self.pieces.len() <= place(child) as usize {
            let at = u32::try_from(self.pieces.len()).expect("children are numbered by 32 bits");
            self.pieces.push(Piece { before: at, after: at });
        }
    }

    fn after(&self, at: u32) -> u32 {
        self.pieces[at as usize].after
    }

    fn join(&mut self, before: u32, after: u32) {
        self.pieces[before as usize].after = after;
        self.pieces[after as usize].before = before;
    }

    /// Whether a child is in a queue.
    pub(crate) fn contains(&self, child: ChildVp) -> bool {
        self.after(place(child)) != place(child)
    }

    /// Appends a child that is in no queue to the queue of `rank`.
    pub(crate) fn push(&mut self, child: ChildVp, rank: u8) {
        let (at, end) = (place(child), u32::from(rank));
        let last = self.pieces[end as usize].before;
        self.join(last, at);
        self.join(at, end);
    }

    /// Takes a child out of its queue, if it is in one.
    pub(crate) fn remove(&mut self, child: ChildVp) {
        let at = place(child);
        let Piece { before, after } = self.pieces[at as usize];
        self.join(before, after);
        self.join(at, at);
    }

    /// The first child of the first queue that is not empty.
    pub(crate) fn first(&self) -> Option<ChildVp> {
        let heads = (0..QUEUES).map(|end| (end, self.after(end)));
        heads
            .into_iter()
            .find(|(end, first)| first != end)
            .map(|(_, first)| ChildVp(first - QUEUES))
    }

    /// All children of a queue, in order.
    pub(crate) fn of_rank(&self, rank: u8) -> impl Iterator<Item = ChildVp> + '_ {
        let first = self.after(rank.into());
        let all = core::iter::successors(Some(first), |at| Some(self.after(*at)));
        all.take_while(|at| *at >= QUEUES).map(|at| ChildVp(at - QUEUES))
    }

    /// All queued children, in order.
    pub(crate) fn all(&self) -> impl Iterator<Item = ChildVp> + '_ {
        (0..2 * PRIORITIES).flat_map(|rank| self.of_rank(rank))
    }

    /// Appends each low queue to its priority's normal queue, in order.
    pub(crate) fn raise_all(&mut self) {
        for priority in 0..PRIORITIES {
            let (low, normal) = (u32::from(rank(priority, true)), u32::from(rank(priority, false)));
            let Piece { before: last, after: first } = self.pieces[low as usize];
            if first == low {
                continue;
            }
            let end = self.pieces[normal as usize].before;
            self.join(end, first);
            self.join(last, normal);
            self.join(low, low);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(queues: &Queues) -> Vec<u32> {
        queues.all().map(|child| child.0).collect()
    }

    fn queues(places: &[(u32, u8)]) -> Queues {
        let mut queues = Queues::new();
        (0..10).for_each(|child| queues.register(ChildVp(child)));
        places.iter().for_each(|(child, rank)| queues.push(ChildVp(*child), *rank));
        queues
    }

    #[test]
    fn paper_low_is_four_notches_below_normal() {
        let ranks: Vec<u8> = (0..4).rev().map(|priority| rank(priority, false)).collect();
        let low: Vec<u8> = (0..4).rev().map(|priority| rank(priority, true)).collect();
        assert_eq!((ranks, low), (vec![0, 1, 2, 3], vec![4, 5, 6, 7]));
    }

    #[test]
    fn law_the_first_is_of_the_first_queue_and_came_first() {
        let mut queues = queues(&[(1, 3), (2, 3), (3, 0), (4, 7)]);
        assert_eq!(order(&queues), [3, 1, 2, 4]);
        assert_eq!(queues.first(), Some(ChildVp(3)));
        for child in [1, 3, 4, 2] {
            assert!(queues.contains(ChildVp(child)));
            queues.remove(ChildVp(child));
            assert!(!queues.contains(ChildVp(child)));
        }
        assert_eq!(queues.first(), None);
        queues.remove(ChildVp(2));
        assert_eq!(order(&queues), []);
    }

    #[test]
    fn law_whoever_is_raised_comes_after_those_that_were_there() {
        let places =
            [(1, rank(2, true)), (2, rank(2, false)), (3, rank(2, true)), (4, rank(0, true))];
        let mut queues = queues(&places);
        queues.raise_all();
        assert_eq!(order(&queues), [2, 1, 3, 4]);
        assert_eq!(queues.of_rank(rank(2, false)).count(), 3);
        queues.remove(ChildVp(1));
        queues.push(ChildVp(1), rank(2, true));
        assert_eq!(order(&queues), [2, 3, 4, 1]);
    }
}
