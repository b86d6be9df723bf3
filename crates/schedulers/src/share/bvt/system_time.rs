//! System virtual time: what a child that wakes catches up with.

use super::State;
use crate::parts::pool::Pool;
use crate::parts::virtual_time::Virtual;
use windfall_hierarchy::{ChildVp, Context, VpState};

impl State {
    /// The actual virtual time of a child that has a share.
    fn time(&self, child: ChildVp) -> Option<Virtual> {
        let borrower = &self.borrowers[child.index()];
        (!borrower.background).then_some(borrower.account.time)
    }

    /// Scheduler virtual time: the smallest actual one among the children that do not wait.
    pub(super) fn system_time(
        &self,
        child: ChildVp,
        pool: &Pool<Self>,
        context: &Context<'_>,
    ) -> Virtual {
        if pool.binds() {
            return pool.level(child, |other| self.time(other), context).unwrap_or(self.latest);
        }
        let running = pool.own_vps().filter_map(|own| context.held_by(own));
        let running = running.map(|child| &self.borrowers[child.index()]);
        let running = running.filter(|one| !one.background).map(|one| one.account.time);
        let ready = self.actual.peek().map(|((time, _), _)| time);
        running.chain(ready).min().unwrap_or(self.latest)
    }

    /// A child that may run on other own VPs than before has what those have that run there: neither more, or it would wait for
    /// them to catch up, nor less.
    pub(super) fn start_anew(&mut self, child: ChildVp, pool: &Pool<Self>, context: &Context<'_>) {
        if let Some(own) = context.held_through(child) {
            self.charge(child, own, context.now());
        }
        self.actual.remove(child.0);
        if self.time(child).is_some() {
            let time = self.system_time(child, pool, context);
            self.borrowers[child.index()].account.set_time(time);
        }
        if context.child(child) == VpState::Ready {
            self.enter(child);
        }
    }
}
