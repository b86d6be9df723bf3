//! Finds the lowest of many falling lines while x grows.
//!
//! A kinetic tournament (Basch, Guibas and Hershberger 1999): in a binary tree over slots, each node knows the
//! lowest line below it and up to which x this line stays lowest. Changing a line costs O(log n). Advancing x costs
//! O(log n) for each winner that loses to a steeper line, which happens once per pair while lines do not change.
//! Nothing allocates after [`Tournament::reserve`] has made room.

use alloc::vec::Vec;

/// The line through zero at `start` that falls by `slope`: `slope (start - x)` at x.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Line {
    /// Less than 2^64 above any x that is asked for.
    pub(crate) start: i128,
    /// From 1 to 2^56.
    pub(crate) slope: i128,
}

impl Line {
    pub(crate) const fn at(self, x: i128) -> i128 {
        self.slope.saturating_mul(self.start.saturating_sub(x))
    }
}

#[derive(Clone, Copy)]
struct Node {
    winner: Option<u32>,
    /// All winners in this subtree are right up to this x.
    until: i128,
}

const EMPTY: Node = Node { winner: None, until: i128::MAX };

#[derive(Clone, Default)]
pub(crate) struct Tournament {
    lines: Vec<Option<Line>>,
    /// Node n has the children 2 n and 2 n + 1; the leaves are the last half.
    nodes: Vec<Node>,
    x: i128,
}

impl Tournament {
    /// Makes room for slots `0..slots`; allocates.
    pub(crate) fn reserve(&mut self, slots: usize) {
        if self.lines.len() < slots {
            let room = slots.next_power_of_two();
            self.lines.resize(room, None);
            self.nodes = alloc::vec![EMPTY; 2 * room];
            for slot in 0..u32::try_from(room).expect("slots are numbered by 32 bits") {
                self.nodes[room + slot as usize].winner =
                    self.lines[slot as usize].is_some().then_some(slot);
            }
            for node in (1..room).rev() {
                self.nodes[node] = self.play(node);
            }
        }
    }

    pub(crate) fn line(&self, slot: u32) -> Option<Line> {
        self.lines.get(slot as usize).copied().flatten()
    }

    /// Inserts, changes or removes (`None`) a line.
    pub(crate) fn set(&mut self, slot: u32, line: Option<Line>) {
        if self.line(slot) == line {
            return;
        }
        self.lines[slot as usize] = line;
        let mut node = self.lines.len() + slot as usize;
        self.nodes[node].winner = line.is_some().then_some(slot);
        while node > 1 {
            node /= 2;
            self.nodes[node] = self.play(node);
        }
    }

    /// Advances to `x`, if that is further.
    pub(crate) fn move_to(&mut self, x: i128) {
        self.x = self.x.max(x);
        if self.nodes.len() > 1 {
            self.renew(1);
        }
    }

    /// The slot of the lowest line. Among equal lines, the previous lowest one, else the first.
    pub(crate) fn lowest(&self) -> Option<u32> {
        self.nodes.get(1)?.winner
    }

    fn renew(&mut self, node: usize) {
        if self.nodes[node].until < self.x {
            self.renew(2 * node);
            self.renew(2 * node + 1);
            self.nodes[node] = self.play(node);
        }
    }

    /// The winner of a node's two children, which are right, and up to which x it wins.
    fn play(&self, node: usize) -> Node {
        let (a, b) = (self.nodes[2 * node], self.nodes[2 * node + 1]);
        let until = a.until.min(b.until);
        let (Some(first), Some(second)) = (a.winner, b.winner) else {
            return Node { winner: a.winner.or(b.winner), until };
        };
        let (Some(one), Some(two)) = (self.line(first), self.line(second)) else {
            return EMPTY;
        };
        let wins = one.at(self.x) <= two.at(self.x);
        let (winner, low, high) = if wins { (first, one, two) } else { (second, two, one) };
        let steeper = high.slope - low.slope;
        let ahead = high.at(self.x).saturating_sub(low.at(self.x));
        let meets = ahead.checked_div(steeper.max(0)).map(|way| self.x.saturating_add(way));
        Node { winner: Some(winner), until: until.min(meets.unwrap_or(i128::MAX)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Compares with the slow definition: a search of all lines.
        #[test]
        fn law_the_lowest_line_is_the_one_that_a_look_at_all_finds(
            steps in prop::collection::vec((0_u32..20, 0_i128..60, 0_i128..9, 0_i128..4), 0..200),
        ) {
            let mut tournament = Tournament::default();
            let mut lines = [None; 20];
            let mut x = 0;
            for (slot, ahead, slope, way) in steps {
                tournament.reserve(slot as usize + 1);
                x += way;
                tournament.move_to(x);
                let line = (slope > 0).then_some(Line { start: x + ahead, slope });
                tournament.set(slot, line);
                lines[slot as usize] = line;
                let least = lines.iter().flatten().map(|line| line.at(x)).min();
                let found = tournament.lowest().map(|slot| lines[slot as usize].unwrap().at(x));
                prop_assert_eq!(found, least);
            }
        }
    }
}
