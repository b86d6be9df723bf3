//! The open jobs of a thread, oldest first.
//!
//! Invariant: `total` is what happened since the release of the oldest; each job's own account is
//! what happened from its release to that of the next. So a moment is put down twice at most,
//! however long the backlog, and each job ends with everything since its release.

use super::Account;
use super::findings::Window;
use std::collections::VecDeque;
use windfall_time::Instant;

#[derive(Clone, Debug, Default)]
pub(super) struct Jobs {
    open: VecDeque<Window>,
    total: Account,
    released: u64,
}

impl Jobs {
    /// Whether one was ever released.
    pub(super) const fn any(&self) -> bool {
        self.released > 0
    }

    pub(super) fn release(&mut self, at: Instant, deadline: Option<Instant>) -> &mut Window {
        self.released += 1;
        let window = Window { deadline, ..Window::new(self.released, at) };
        self.open.push_back_mut(window)
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
        self.total.remove(&oldest.account);
        oldest.account = account;
        Some(oldest)
    }
}
