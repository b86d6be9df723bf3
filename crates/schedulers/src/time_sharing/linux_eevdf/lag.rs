//! The lag of a child that is added, leaves or gets another weight, and its place in virtual time.

use super::State;
use windfall_hierarchy::{ChildVp, VpState};
use windfall_time::Instant;

impl State {
    /// `place_entity`: a child joins the children that do not wait.
    pub(super) fn enter(&mut self, child: ChildVp, now: Instant) {
        let average = self.average();
        let load = self.load.weight;
        let slice = self.spec.slice;
        let task = &mut self.tasks[child.index()];
        let yields = task.waits_since == Some(now);
        let slice = task.scaled(task.slice.unwrap_or(slice));
        if task.lag < 0 && load > 0 && task.time > average {
            // It is still ahead: its virtual time and its deadline have not changed while it waited.
            task.deadline += if yields { slice } else { 0 };
        } else {
            let lag = task.lag.max(0);
            let inflated = (lag * (load + task.weight)).checked_div(load).unwrap_or(0);
            (task.time, task.rest) = (average - inflated, 0);
            task.deadline = match (yields, task.fresh) {
                (true, _) => task.deadline.max(task.time) + slice,
                (false, true) => task.time + slice / 2,
                (false, false) => task.time + slice,
            };
        }
        task.fresh = false;
        self.load.add(task);
        self.ready.insert(child.0, task.deadline, task.time);
    }

    /// `update_entity_lag`: a child begins to wait. Its lag is limited to two slices or a tick.
    pub(super) fn leave(&mut self, child: ChildVp, now: Instant) {
        let average = self.average();
        let task = &mut self.tasks[child.index()];
        let slice = task.slice.unwrap_or(self.spec.slice);
        let longest = slice.saturating_add(slice).max(self.spec.tick);
        let bound = task.scaled(longest);
        task.lag = (average - task.time).clamp(-bound, bound);
        task.waits_since = Some(now);
        self.base = average;
        self.load.remove(task);
        self.ready.remove(child.0);
    }

    /// Changes a weight. The child's lag and the rest of its slice stay the same length of time.
    pub(super) fn reweigh(&mut self, child: ChildVp, weight: i128, state: VpState) {
        let average = self.average();
        let task = &mut self.tasks[child.index()];
        let scale = |span: i128| span * task.weight / weight;
        let (left, behind) = (scale(task.deadline - task.time), scale(average - task.time));
        task.lag = scale(task.lag);
        if state == VpState::Waiting {
            task.weight = weight;
            if task.lag < 0 {
                task.time = average - behind;
            }
            return;
        }
        self.load.remove(task);
        self.ready.remove(child.0);
        (task.weight, task.rest, task.time) = (weight, 0, average - behind);
        task.deadline = task.time + left;
        self.load.add(task);
        if state == VpState::Ready {
            self.ready.insert(child.0, task.deadline, task.time);
        }
    }
}
