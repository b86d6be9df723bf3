//! The rank of a child: first its class, then its virtual time. Classes are children set apart, children that share, and
//! the background.

use super::State;
use super::priority::Proportion;
use crate::parts::long_run;
use crate::parts::pool::Pool;
use crate::parts::virtual_time::{Account, Virtual};
use alloc::vec::Vec;
use windfall_hierarchy::{ChildVp, Context, VpState};
use windfall_time::Span;

/// A child's class; a lower class is served first whatever the virtual times.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Class {
    /// Set apart: runs whenever any own VP runs.
    Dedicated,
    Sharing,
    /// Runs only when no child with a share is ready.
    Background,
}

/// The account and parameters of a child.
#[derive(Clone, Copy)]
pub(super) struct Sharer {
    pub(super) account: Account,
    pub(super) proportion: Proportion,
    /// The account is charged so many times the service: its weight is the child's weight times this.
    times: u8,
    pub(super) warp: Span,
    pub(super) class: Class,
}

pub(super) const UNKNOWN: Sharer = Sharer {
    account: Account::new(1),
    proportion: Proportion::DEFAULT,
    times: 1,
    warp: Span::ZERO,
    class: Class::Sharing,
};

/// Class, effective virtual time, then the slot, as one number. Comparing two tags needs no branch, and a heap of many
/// stays in the cache.
pub(super) type Tag = u128;

/// This bit of a tag is set for the background: above all virtual times that a clock of 146 years reaches.
const BACKGROUND: u32 = 126;
const LATE: u32 = 127;

impl Sharer {
    /// Advances its virtual time by so much service.
    #[inline]
    pub(super) fn charge(&mut self, service: Span) {
        self.account.charge(service.saturating_mul(u64::from(self.times)));
    }

    /// Changes its weight for later service.
    fn set_proportion(&mut self, proportion: Proportion) {
        let (weight, times) = proportion.weight();
        self.account.set_weight(weight);
        (self.proportion, self.times) = (proportion, times);
    }

    /// Its virtual time less its warp. Classes without shares have no times below zero, which would rank them among those that share.
    #[inline]
    fn effective(&self) -> Virtual {
        match self.class {
            Class::Sharing => self.account.time.earlier(self.warp),
            Class::Dedicated | Class::Background => self.account.time,
        }
    }

    #[inline]
    pub(super) fn tag(&self, child: ChildVp) -> Tag {
        self.ranked(self.effective(), child.0)
    }

    /// The tag on the own VP on which the child last ran: earlier by a head start of so much service, and before all
    /// others of the same time.
    pub(super) fn tag_at_home(&self, child: ChildVp, ahead: Span) -> Tag {
        let time = self.effective();
        let ahead = ahead.saturating_mul(u64::from(self.times));
        let time = time.before_service(ahead, self.account.weight);
        // Other classes have no times below zero.
        let least = if self.class == Class::Sharing { time } else { Virtual::default() };
        self.ranked(time.max(least), 0).min(self.tag(child))
    }

    #[inline]
    const fn ranked(&self, time: Virtual, tie: u32) -> Tag {
        let tag = time.tag(tie);
        match self.class {
            Class::Sharing => tag,
            Class::Background => tag | 1 << BACKGROUND,
            Class::Dedicated => tag & !(1 << LATE),
        }
    }
}

impl State {
    /// Changes a child's share or priority.
    pub(super) fn set_proportion(
        &mut self,
        child: ChildVp,
        proportion: Proportion,
        pool: &mut Pool<Self>,
        context: &mut Context<'_>,
    ) {
        if let Some(own) = context.held_through(child) {
            self.charge(child, own, context.now());
        }
        self.sharers[child.index()].set_proportion(proportion);
        let class = if proportion.is_zero() { Class::Background } else { Class::Sharing };
        self.reclass(child, class, pool, context);
        self.set_apart(pool, context);
        pool.rerank(child, self, context);
    }

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
        let time = self.system_time(child, pool, context);
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
        let weight = |child: ChildVp| self.sharers[child.index()].proportion.eighths();
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
