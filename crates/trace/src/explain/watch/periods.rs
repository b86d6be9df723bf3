//! The promise of a thread, its periods, and notes about its reservation and about schedulers above it.

use super::super::findings::Window;
use super::super::period_rule::PeriodRule;
use super::super::{Ending, Kind, Part, Question};
use super::Watch;
use crate::NodeId;
use crate::timeline::follow::Follower;
use windfall_time::Instant;

impl Watch {
    /// The thread has been promised something else.
    pub(in crate::explain) fn promise(
        &mut self,
        at: Instant,
        text: Option<&str>,
        follower: &Follower,
        question: &Question,
    ) {
        self.cut(at, follower, question);
        self.rule = text.and_then(PeriodRule::read);
        self.period = None;
    }

    pub(super) fn has_periods(&self) -> bool {
        self.rule.is_some_and(|rule| rule.has_periods())
    }

    pub(super) fn begin_period(&mut self, at: Instant) {
        if self.rule.is_some() {
            self.period = Some(Window::new(self.found.periods + 1, at));
        }
    }

    /// A scheduler has noted that the thread's budget is used up.
    pub(in crate::explain) fn exhausted(
        &mut self,
        at: Instant,
        node: NodeId,
        follower: &Follower,
        question: &Question,
    ) {
        self.cut(at, follower, question);
        self.held = Some(node);
    }

    /// A scheduler has noted that a period of the thread begins.
    pub(in crate::explain) fn replenished(
        &mut self,
        at: Instant,
        node: NodeId,
        follower: &Follower,
        question: &Question,
    ) {
        self.cut(at, follower, question);
        self.held = self.held.filter(|holder| *holder != node);
        self.told = true;
        if self.has_periods() {
            self.begin_period(at);
        }
    }

    /// The thread is under another scheduler.
    pub(in crate::explain) fn moved(
        &mut self,
        at: Instant,
        follower: &Follower,
        question: &Question,
    ) {
        self.cut(at, follower, question);
        self.held = None;
    }

    /// A scheduler above the thread is held from now on, or none.
    pub(in crate::explain) fn hold_above(
        &mut self,
        at: Instant,
        node: Option<NodeId>,
        follower: &Follower,
        question: &Question,
    ) {
        if self.held_above != node {
            self.cut(at, follower, question);
            self.held_above = node;
        }
    }

    /// The scheduler above the thread turns out not to have been held since it was said to be.
    pub(in crate::explain) fn was_not_held(&mut self, node: Option<NodeId>) {
        self.held_above = node;
    }

    /// The period under way ends at `at`, before which nothing else happens.
    pub(in crate::explain) fn end_period(
        &mut self,
        at: Instant,
        follower: &Follower,
        question: &Question,
    ) {
        self.cut(at, follower, question);
        let (Some(rule), Some(window)) = (self.rule, self.period.take()) else { return };
        self.found.periods += 1;
        let received = window.account.received();
        let missing = rule.amount.saturating_sub(received);
        if missing > window.account.of(Part::Unknown) {
            let ending = Ending::Short(missing);
            self.found.close(question, Kind::Period, window, at, ending);
        } else if !missing.is_zero() {
            self.found.periods_unclear += 1;
        }
        if self.is_up() && !(self.told && self.has_periods()) {
            self.begin_period(at);
        }
    }
}
