//! Reports the earliest deadline to a parent whenever it changes, as a uniformly slower processor needs it.

use crate::parts::policy::Policy;
use crate::parts::pool::Pool;
use windfall_hierarchy::{Context, Message, OwnVp};
use windfall_time::Instant;

/// The deadline that the parent of own VP 0 was last given.
#[derive(Clone, Default)]
pub(crate) struct DeadlineReporter {
    reports: bool,
    reported: Option<Instant>,
}

impl DeadlineReporter {
    /// Creates a reporter; if `reports` is false, it reports nothing.
    pub(crate) const fn new(reports: bool) -> DeadlineReporter {
        DeadlineReporter { reports, reported: None }
    }

    /// Whether it reports.
    pub(crate) const fn reports(&self) -> bool {
        self.reports
    }

    /// Reports the earliest deadline if it differs from the one reported last.
    pub(crate) fn announce(&mut self, earliest: Option<Instant>, context: &mut Context<'_>) {
        if let Some(deadline) = earliest.filter(|_| earliest != self.reported) {
            self.reported = earliest;
            context
                .message(OwnVp(0), Message::Job { release: context.now(), deadline, work: None });
        }
    }
}

/// The earliest deadline of the running and ready children and of `coming`. `deadline` extracts the deadline from a
/// key.
pub(crate) fn earliest<P: Policy>(
    (pool, policy): (&Pool<P>, &P),
    deadline: impl Fn(&P::Key) -> Option<Instant>,
    coming: Option<Instant>,
    context: &Context<'_>,
) -> Option<Instant> {
    let running = pool.own_vps().filter_map(|own| context.held_by(own));
    let keys = running.map(|child| policy.key(child)).chain(pool.best_key());
    keys.filter_map(|key| deadline(&key)).chain(coming).min()
}
