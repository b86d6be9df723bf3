//! The level between: one claim of many (section 2.4).
//!
//! Invariant: all shares together are at most the processor, so all claims with deadlines can be met (decision 0032, 2).

use crate::scheduler::Scheduler;
use crate::{Claim, ShareError};
use windfall_time::{Instant, Ratio};

/// The schedulers of a processor; the first of two with equal claims goes first.
#[derive(Default)]
pub(crate) struct Collator(Vec<Box<dyn Scheduler + Send>>);

impl core::fmt::Debug for Collator {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Collator").field("schedulers", &self.0.len()).finish()
    }
}

impl Collator {
    pub(crate) fn add(&mut self, one: Box<dyn Scheduler + Send>) -> Result<usize, ShareError> {
        let shares = self.0.iter().map(|other| other.share()).chain([one.share()]);
        let mut sum = Ratio::ZERO;
        for share in shares.flatten() {
            let more = share.ratio().and_then(|share| sum.checked_add(share));
            sum = more.ok_or(ShareError::TooFine)?;
        }
        if sum > Ratio::ONE {
            return Err(ShareError::AboveWhole);
        }
        self.0.push(one);
        Ok(self.0.len() - 1)
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    pub(crate) fn get(&self, scheduler: usize) -> Option<&(dyn Scheduler + Send)> {
        self.0.get(scheduler).map(Box::as_ref)
    }

    pub(crate) fn get_mut(&mut self, scheduler: usize) -> Option<&mut (dyn Scheduler + Send)> {
        self.0.get_mut(scheduler).map(|one| &mut **one as _)
    }

    pub(crate) fn advance(&mut self, now: Instant) {
        self.0.iter_mut().for_each(|one| one.advance(now));
    }

    pub(crate) fn renew(&mut self) {
        self.0.iter_mut().for_each(|one| one.renew());
    }

    /// **The line that decides who runs**: the claim of the earliest deadline; one without a share, if there is no other.
    pub(crate) fn first(&self) -> Option<Claim> {
        let claims = self.0.iter().filter_map(|one| one.claim());
        claims.min_by_key(|claim| (claim.deadline.is_none(), claim.deadline))
    }

    pub(crate) fn wakes(&self) -> Option<Instant> {
        self.0.iter().filter_map(|one| one.wakes()).min()
    }
}
