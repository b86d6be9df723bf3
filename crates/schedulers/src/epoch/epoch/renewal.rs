//! Changes with the passing of time: charging and renewing needs, ending epochs, ending and renewing slices.

use super::EpochScheduler;
use crate::epoch::accounts::Accounts;
use crate::epoch::process::Process;
use windfall_hierarchy::{ChildVp, Context, Note};
use windfall_time::Instant;

impl EpochScheduler {
    /// Charges the running child up to a moment.
    pub(super) fn charge(&mut self, to: Instant) {
        if let Some(child) = self.running {
            let time = to.saturating_since(self.since);
            self.processes[child.index()].charge(time, &mut self.epoch);
            self.since = to;
        }
    }

    /// The "Epoch Scheduler" of Chrysalis: ends the epochs that are over. Returns whether any has ended.
    pub(super) fn end_epochs(&mut self, context: &mut Context<'_>) -> bool {
        let now = context.now();
        let begun = now >= self.epoch.end;
        while let Some(ended) = self.epoch.overdue(now) {
            self.charge(self.epoch.end);
            let running = self.running.map(|child| &mut self.processes[child.index()]);
            let over = running.is_some_and(|process| process.ends_slice(&mut self.epoch));
            self.epoch.close(if self.running.is_some() { 0 } else { ended - 1 });
            self.queues.raise_all();
            if let Some(child) = self.running {
                self.renew(child, context);
                if over {
                    self.requeue(child);
                }
            }
        }
        begun
    }

    /// The epoch and the running child as they will be when the scheduler is next called at `now`.
    pub(super) fn standing(&self, now: Instant) -> (Accounts, Option<(ChildVp, Process)>) {
        let mut epoch = self.epoch;
        let running = self.running.map(|child| {
            let (mut process, mut since) = (self.processes[child.index()], self.since);
            while epoch.overdue(now).is_some() {
                process.charge(epoch.end.saturating_since(since), &mut epoch);
                since = epoch.end;
                epoch.close(0);
                process.renew(&epoch);
            }
            process.charge(now.saturating_since(since), &mut epoch);
            (child, process)
        });
        if let Some(ended) = epoch.overdue(now) {
            epoch.close(ended - 1);
        }
        (epoch, running)
    }

    /// Ends the epochs that are over, and decides anew if any has ended.
    pub(super) fn catch_up(&mut self, context: &mut Context<'_>) {
        if self.end_epochs(context) && self.running.is_some() {
            self.decide(self.running, context);
        }
    }

    /// Renews a child's need if it is from an earlier epoch.
    pub(super) fn renew(&mut self, child: ChildVp, context: &mut Context<'_>) {
        let process = &mut self.processes[child.index()];
        if process.renew(&self.epoch) && !process.declared.is_zero() {
            context.note(Some(child), Note::Replenished(process.declared));
        }
    }

    /// Renews a child's need and slice if they are from an earlier epoch. Returns whether the child keeps its
    /// place, that is, does not move to its low queue.
    pub(super) fn fit(&mut self, child: ChildVp, context: &mut Context<'_>) -> bool {
        self.renew(child, context);
        let process = &mut self.processes[child.index()];
        if process.is_allotted(&self.epoch) {
            return true;
        }
        let whole = process.slice.unwrap_or(self.slice);
        let falls = process.allot(whole, context.now(), &mut self.epoch);
        if falls {
            context.note(Some(child), Note::Exhausted);
            self.requeue(child);
        }
        !falls
    }

    /// Moves a child to the end of its queue, if it is queued, because its rank has changed or its slice has ended.
    pub(super) fn requeue(&mut self, child: ChildVp) {
        if self.queues.contains(child) {
            self.queues.remove(child);
            self.queues.push(child, self.rank(child));
        }
    }

    /// Allots a new slice to a child, which determines its queue.
    pub(super) fn renew_slice(&mut self, child: ChildVp, context: &mut Context<'_>) {
        self.processes[child.index()].give_back(&mut self.epoch);
        self.fit(child, context);
    }

    /// Keeps a child that was running at the head of its queue, unless its slice is used up.
    pub(super) fn keep_or_requeue(&mut self, child: ChildVp, context: &mut Context<'_>) {
        if self.processes[child.index()].ends_slice(&mut self.epoch) {
            self.fit(child, context);
            self.requeue(child);
        }
    }
}
