//! Which children count, and their readjusted weights: no child counts for more than it can use of one processor.

use super::State;
use crate::parts::fluid::reweighed;
use core::cmp::Reverse;
use windfall_hierarchy::ChildVp;

impl State {
    pub(super) fn uncount(&mut self, child: ChildVp) {
        if self.count.remove(child.0).is_some() {
            self.weights -= self.sharer(child).weight;
        }
    }

    /// A waiting child begins to take part.
    pub(super) fn join(&mut self, child: ChildVp) {
        let (now, sharer) = (self.now, &mut self.sharers[child.index()]);
        if sharer.weight == 0 {
            self.turn += 1;
            sharer.turn = self.turn;
            return;
        }
        sharer.start.catch_up(now);
        let weight = sharer.weight;
        self.ahead.remove(child.0);
        if !self.count.contains(child.0) {
            self.count.set(child.0, (Reverse(weight), child.0));
            self.weights += weight;
            self.readjust();
        }
    }

    /// A child, which has been charged, begins to wait.
    pub(super) fn leave(&mut self, child: ChildVp) {
        self.place(child, false);
        let sharer = self.sharer(child);
        if sharer.weight > 0 && sharer.start.at > self.now {
            self.ahead.set(child.0, (sharer.start.at, child.0));
        } else if sharer.weight > 0 {
            self.uncount(child);
            self.readjust();
        }
    }

    /// Changes a child's weight in whatever state it is, after removing it.
    pub(super) fn reweigh(&mut self, child: ChildVp, weight: i128) {
        self.place(child, false);
        self.ahead.remove(child.0);
        self.uncount(child);
        self.held.retain(|slot| *slot != child.0);
        self.sharers[child.index()].weight = weight;
        self.weigh(child.0, weight.max(1));
        self.readjust();
    }

    /// Changes the readjusted weight of a child; its surplus stays.
    pub(super) fn weigh(&mut self, slot: u32, counts: i128) {
        let (now, sharer) = (self.now, &mut self.sharers[slot as usize]);
        let before = core::mem::replace(&mut sharer.counts, counts);
        if before == counts {
            return;
        }
        sharer.start.at = now + reweighed((sharer.start.at - now).max(0), before, counts);
        if self.starts.contains(slot) {
            self.place(ChildVp(slot), true);
        } else if self.ahead.contains(slot) {
            self.ahead.set(slot, (self.sharers[slot as usize].start.at, slot));
        }
    }

    /// Reduces the weights of children that cannot use their part, since no child runs on two processors at a time.
    /// At most one fewer than there are processors.
    pub(super) fn readjust(&mut self) {
        let mut processors = i128::try_from(self.runs.len()).expect("a length has 64 bits");
        let mut rest = self.weights;
        let mut held = core::mem::take(&mut self.spare);
        held.clear();
        while let Some(((Reverse(weight), _), slot)) = self.count.peek()
            && processors > 1
            && weight * processors > rest
        {
            self.count.remove(slot);
            held.push(slot);
            (rest, processors) = (rest - weight, processors - 1);
        }
        let most = (rest / processors).max(1);
        for slot in &held {
            let weight = self.sharers[*slot as usize].weight;
            self.count.set(*slot, (Reverse(weight), *slot));
        }
        let before = core::mem::replace(&mut self.held, held);
        for slot in &before {
            if !self.held.contains(slot) {
                self.weigh(*slot, self.sharers[*slot as usize].weight.max(1));
            }
        }
        for at in 0..self.held.len() {
            self.weigh(self.held[at], most);
        }
        self.spare = before;
    }
}
