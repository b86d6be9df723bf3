//! What the program votes on: a sum, as a record or state of some size that is made from it.

use crate::program::Failed;
use crate::{Carrier, Fault, Replica, Stateful, Words};
use windfall_nmr::{Digest, Iteration, Rule};

/// A replica that votes on sums.
pub(crate) trait Votes {
    fn iteration(&self) -> Iteration;
    /// The iteration and sum that was voted.
    fn vote(&mut self, sum: u64) -> Result<(Iteration, u64), Failed>;
    fn take_faults(&mut self) -> Vec<Fault>;
    fn finish(self);
}

/// What no correct replica has offered.
const MADE_UP: &str = "a value was voted that no sum makes";

/// Words that are made from a sum; the first is that.
fn words(sum: u64) -> impl Iterator<Item = u64> {
    (0..).map(move |place: u64| sum.wrapping_add(place.wrapping_mul(0x9e37_79b9_7f4a_7c15)))
}

fn record<const N: usize>(sum: u64) -> [u64; N] {
    let mut record = [0; N];
    record.iter_mut().zip(words(sum)).for_each(|(into, word)| *into = word);
    record
}

impl<C: Carrier, R: Rule<[u64; N]> + Clone, const N: usize> Votes for Replica<C, R, [u64; N]>
where
    [u64; N]: Words,
{
    fn iteration(&self) -> Iteration {
        self.iteration()
    }

    fn vote(&mut self, sum: u64) -> Result<(Iteration, u64), Failed> {
        let vote = self.vote(record(sum))?;
        let is_made = record(vote.value[0]) == vote.value;
        if is_made { Ok((vote.iteration, vote.value[0])) } else { Err(MADE_UP.into()) }
    }

    fn take_faults(&mut self) -> Vec<Fault> {
        self.take_faults()
    }

    fn finish(self) {
        self.finish();
    }
}

/// Its states have so many bytes, and a sum more.
pub(crate) struct States<C, R> {
    pub(crate) bytes: usize,
    pub(crate) stateful: Stateful<C, R>,
}

impl<C, R> States<C, R> {
    fn state(&self, sum: u64) -> Vec<u8> {
        let mut state: Vec<u8> =
            words(sum).take(self.bytes / 8 + 2).flat_map(u64::to_le_bytes).collect();
        state.truncate(self.bytes.saturating_add(8));
        state
    }
}

impl<C: Carrier, R: Rule<Digest> + Clone> Votes for States<C, R> {
    fn iteration(&self) -> Iteration {
        self.stateful.iteration()
    }

    fn vote(&mut self, sum: u64) -> Result<(Iteration, u64), Failed> {
        let vote = self.stateful.vote(self.state(sum))?;
        let first = vote.value.first_chunk().copied().ok_or(MADE_UP)?;
        let sum = u64::from_le_bytes(first);
        let is_made = self.state(sum) == *vote.value;
        if is_made { Ok((vote.iteration, sum)) } else { Err(MADE_UP.into()) }
    }

    fn take_faults(&mut self) -> Vec<Fault> {
        self.stateful.take_faults()
    }

    fn finish(self) {
        self.stateful.finish();
    }
}
