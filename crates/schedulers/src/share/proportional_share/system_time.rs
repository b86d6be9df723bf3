//! System virtual time: what a child that wakes catches up with.

use super::State;
use super::classes::Class;
use crate::parts::pool::Pool;
use crate::parts::virtual_time::Virtual;
use windfall_hierarchy::{ChildVp, Context, VpState};

impl State {
    /// The virtual time of a child that shares; `None` for other classes.
    fn time(&self, child: ChildVp) -> Option<Virtual> {
        let sharer = &self.sharers[child.index()];
        (sharer.class == Class::Sharing).then_some(sharer.account.time)
    }

    /// System virtual time: the smallest among the children that do not wait, with running ones as of their last
    /// charge; the largest ever reached if all wait.
    pub(super) fn system_time(
        &self,
        child: ChildVp,
        pool: &Pool<Self>,
        context: &Context<'_>,
    ) -> Virtual {
        if pool.binds() {
            return pool.level(child, |other| self.time(other), context).unwrap_or(self.latest);
        }
        let first = if self.warped > 0 {
            self.actual.peek().map(|((time, _), _)| time)
        } else {
            pool.best().and_then(|child| self.time(child))
        };
        let running = pool.own_vps().filter_map(|own| context.held_by(own));
        let running = running.filter_map(|child| self.time(child));
        running.chain(first).min().unwrap_or(self.latest)
    }

    /// A child that may run on other own VPs than before has what those have that run there: neither more, or it would wait for
    /// them to catch up, nor less.
    pub(super) fn start_anew(&mut self, child: ChildVp, pool: &Pool<Self>, context: &Context<'_>) {
        if let Some(own) = context.held_through(child) {
            self.charge(child, own, context.now());
        }
        self.leave(child);
        if self.time(child).is_some() {
            let time = self.system_time(child, pool, context);
            self.sharers[child.index()].account.set_time(time);
        }
        if context.child(child) == VpState::Ready {
            self.enter(child);
        }
    }
}
