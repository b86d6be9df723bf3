//! The open jobs of a thread, oldest first.
//!
//! Invariant: `total` is what happened since the release of the oldest; each job's own account is
//! what happened from its release to that of the next. So a moment is put down twice at most,
//! however long the backlog, and each job ends with everything since its release.
//!
//! A thread does its jobs in order: what it received while an older one was open was for that one, and is
//! [`Part::Earlier`](super::Part::Earlier) to the younger ones. So time that it ran is put down as such once.

use super::Account;
use super::findings::Window;
use std::collections::VecDeque;
use windfall_time::Instant;

#[derive(Clone, Debug, Default)]
pub(super) struct Jobs {
    open: VecDeque<Window>,
    total: Account,
    released: u64,
    /// Jobs that were admitted before they are released.
    admitted: u64,
}

impl Jobs {
    /// Whether one was ever released.
    pub(super) const fn any(&self) -> bool {
        self.released > 0
    }

    pub(super) fn release(&mut self, at: Instant, deadline: Option<Instant>) -> &mut Window {
        self.released += 1;
        let admitted = self.admitted > 0;
        self.admitted -= u64::from(admitted);
        let admission = admitted.then_some(true);
        let window = Window { deadline, admission, ..Window::new(self.released, at) };
        self.open.push_back_mut(window)
    }

    /// A scheduler says whether it admits a job: the oldest, if it plans jobs when they begin, or one that is not released yet.
    pub(super) fn answer(&mut self, admits: bool) {
        match self.open.front_mut() {
            Some(job) if job.admission.is_none() => job.admission = Some(admits),
            _ => self.admitted += u64::from(admits),
        }
    }

    pub(super) fn open(&mut self) -> impl Iterator<Item = &mut Window> {
        self.open.iter_mut()
    }

    pub(super) fn add(&mut self, piece: &Account) {
        if let Some(newest) = self.open.back_mut() {
            newest.account.add(piece);
            self.total.add(piece);
        }
    }

    /// The oldest job ends.
    pub(super) fn end(&mut self) -> Option<Window> {
        let mut oldest = self.open.pop_front()?;
        let account = self.total.clone();
        // Nothing of what was received since the others were released was for them.
        self.total.received_for_earlier();
        oldest.account.received_for_earlier();
        self.total.remove(&oldest.account);
        oldest.account = account;
        Some(oldest)
    }
}
