//! Classes, which rank before virtual times: children set apart, children that share, the background.

use super::ProportionalShare;
use crate::parts::long_run;
use crate::parts::pool::Pool;
use alloc::vec::Vec;
use windfall_hierarchy::{ChildVp, Context, VpState};

/// A child's class; a lower class is served first whatever the virtual times.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Class {
    /// Set apart: runs whenever any own VP runs.
    Dedicated,
    Sharing,
    /// Runs only when no child with a share is ready.
    Background,
}

impl ProportionalShare {
    /// Changes a child's class. A child that begins to share gets no advantage from what it received before.
    pub(super) fn reclass(
        &mut self,
        child: ChildVp,
        class: Class,
        pool: &mut Pool<Self>,
        context: &mut Context<'_>,
    ) {
        if self.sharers[child.index()].class == class {
            return;
        }
        let time = self.system_time(pool, context);
        self.leave(child);
        let sharer = &mut self.sharers[child.index()];
        sharer.class = class;
        if class == Class::Sharing {
            sharer.account.catch_up(time);
        }
        if context.child(child) == VpState::Ready {
            self.enter(child);
        }
        pool.refresh(child, self, context);
    }

    /// Sets apart the children whose weight amounts to a whole processor.
    pub(super) fn set_apart(&mut self, pool: &mut Pool<Self>, context: &mut Context<'_>) {
        if !self.dedicate || context.owns() < 2 {
            return;
        }
        let class = |child: &ChildVp| self.sharers[child.index()].class;
        let weight = |child: ChildVp| u64::from(self.sharers[child.index()].account.weight);
        let mut largest: Vec<ChildVp> =
            context.view().children().filter(|child| class(child) != Class::Background).collect();
        largest.sort_by_key(|child| (core::cmp::Reverse(weight(*child)), child.0));
        let whole = |first: ChildVp, owns: usize, rest: &[ChildVp]| {
            let all: u64 = rest.iter().map(|child| weight(*child)).sum();
            weight(first).saturating_mul(owns as u64) >= all
        };
        let apart = long_run::apart(&largest, context.owns(), whole);
        for (at, child) in largest.into_iter().enumerate() {
            let class = if at < apart { Class::Dedicated } else { Class::Sharing };
            self.reclass(child, class, pool, context);
        }
        pool.preempt(self, context);
    }
}
