//! When replicas on threads lose their sequence: one of three is delayed once, and then goes on as fast as it can.
//!
//! A run counts only where the delayed replica lags by as much as it was delayed: else others were kept from their processors as well, or it was kept for longer.

use crate::experiment::LabError;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use windfall_clocks::SystemClock;
use windfall_nmr::redundant::{Redundant, Replica, VoteError};
use windfall_nmr::{Majority, ReplicaNumber, Settings};
use windfall_os::probe::sleep_until;
use windfall_time::{Instant, Span};

/// An iteration of a replica that is not delayed.
pub(super) const ITERATION: Span = Span::from_millis(1);
/// The one that takes longer.
const DELAYED: u64 = 5;
/// Iterations after it in which it may catch up.
const AFTER: u64 = 10;
/// The longest delay that is tried, in iterations.
pub(super) const LONGEST: u64 = 64;

/// So often a run that does not count is repeated.
const TRIES: u32 = 4;

/// The outcome of a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Ran {
    /// Whether the delayed replica was given a later vote than that of its iteration, or none.
    has_lost: bool,
    /// By how many iterations it lagged behind both others when it went on.
    lag: u64,
    /// Whether a majority went on to the end.
    is_whole: bool,
}

/// The reports of a run's replicas.
#[derive(Default)]
struct Seen {
    begun: OnceLock<Instant>,
    iterations: [AtomicU64; 3],
    lag: AtomicU64,
    has_lost: AtomicBool,
}

impl Seen {
    /// The delayed replica goes on.
    fn goes_on(&self) {
        let others = self.iterations[1..].iter().map(|seen| seen.load(Ordering::Relaxed));
        let lag = others.min().unwrap_or(0).saturating_sub(DELAYED);
        self.lag.store(lag, Ordering::Relaxed);
    }
}

/// Three replicas with voters of so many rows, the first of which is delayed by so many iterations.
fn run(queue: u32, delay: u64) -> Result<Ran, LabError> {
    let last = DELAYED + delay + AFTER;
    let seen = Arc::new(Seen::default());
    let by_all = seen.clone();
    let body = move |replica: &mut Replica<u64, Majority>| -> Result<(), VoteError> {
        let begun = *by_all.begun.get_or_init(|| SystemClock::Monotonic.now());
        let number = replica.number();
        while replica.iteration().0 <= last {
            let iteration = replica.iteration().0;
            let is_delayed = number == ReplicaNumber(0) && iteration == DELAYED;
            let late = if is_delayed { delay } else { 0 };
            sleep_until(begun + ITERATION.saturating_mul(iteration + late));
            by_all.iterations[usize::from(number.0)].store(iteration, Ordering::Relaxed);
            if is_delayed {
                by_all.goes_on();
            }
            let vote = replica.vote(iteration);
            if vote.map_or(true, |vote| vote.iteration.0 > iteration) {
                by_all.has_lost.fetch_or(number == ReplicaNumber(0), Ordering::Relaxed);
            }
            vote?;
        }
        Ok(())
    };
    let settings = Settings::new(3).queue(queue);
    let run = Redundant::<u64>::new(settings, Majority::EXACT).patience(Duration::from_secs(2));
    let outcome = run.start(body).map_err(|why| LabError::Run(format!("replicas: {why}")))?;
    let (has_lost, lag) = (seen.has_lost.load(Ordering::Relaxed), seen.lag.load(Ordering::Relaxed));
    Ok(Ran { has_lost, lag, is_whole: outcome.is_whole })
}

/// The least delay at which the delayed replica lost its sequence, in each search that counts.
pub(super) struct Lost {
    pub(super) queue: u32,
    /// In iterations; `None`: it did not.
    pub(super) delays: Vec<Option<u64>>,
    /// Runs, and those in which no majority went on.
    pub(super) runs: u32,
    pub(super) stopped: u32,
}

/// Searches so often with voters of so many rows.
///
/// # Errors
/// When a thread cannot be made.
pub(super) fn least_delays(queue: u32, searches: u32) -> Result<Lost, LabError> {
    let mut lost = Lost { queue, delays: Vec::new(), runs: 0, stopped: 0 };
    for _ in 0..searches {
        let found = search(queue.into(), |delay| lost.loses(delay))?;
        lost.delays.extend(found);
    }
    lost.delays.sort_unstable_by_key(|delay| delay.unwrap_or(u64::MAX));
    Ok(lost)
}

/// The least delay that loses, where one that does not lose is kept with all shorter ones; `None` where a run came to nothing, and none within where [`LONGEST`] does not lose.
fn search(
    from: u64,
    mut loses: impl FnMut(u64) -> Result<Option<bool>, LabError>,
) -> Result<Option<Option<u64>>, LabError> {
    let (mut kept, mut least) = (0, from.min(LONGEST));
    loop {
        match loses(least)? {
            None => return Ok(None),
            Some(true) => break,
            Some(false) if least == LONGEST => return Ok(Some(None)),
            Some(false) => (kept, least) = (least, (2 * least).min(LONGEST)),
        }
    }
    while least - kept > 1 {
        let middle = kept + (least - kept) / 2;
        match loses(middle)? {
            None => return Ok(None),
            Some(true) => least = middle,
            Some(false) => kept = middle,
        }
    }
    Ok(Some(Some(least)))
}

impl Lost {
    /// Whether this delay loses; `None` where no run counts.
    fn loses(&mut self, delay: u64) -> Result<Option<bool>, LabError> {
        for _ in 0..TRIES {
            let ran = run(self.queue, delay)?;
            self.runs += 1;
            self.stopped += u32::from(!ran.is_whole);
            if ran.lag.abs_diff(delay) <= 1 {
                return Ok(Some(ran.has_lost));
            }
        }
        Ok(None)
    }

    /// The middle one of all searches.
    pub(super) fn median(&self) -> Option<u64> {
        windfall_time::quantile(&self.delays, 1, 2).flatten()
    }

    /// The least of all searches.
    pub(super) fn least(&self) -> Option<u64> {
        self.delays.first().copied().flatten()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn law_a_long_delay_loses_the_sequence_and_the_others_go_on() {
        // Where others are kept from their processors as long, it does not lag.
        let ran = (0..20).map(|_| run(1, 40).unwrap()).find(|ran| ran.lag > 20);
        let ran = ran.expect("one of twenty runs is not disturbed for so long");
        assert!(ran.has_lost && ran.is_whole, "{ran:?}");
    }

    #[test]
    fn law_the_least_delay_that_loses_is_found() {
        for (from, wanted) in (1..=16).flat_map(|from| (1..=LONGEST).map(move |one| (from, one))) {
            let found = search(from, |delay| Ok(Some(delay >= wanted))).unwrap();
            assert_eq!(found, Some(Some(wanted)), "from {from}");
        }
        assert_eq!(search(4, |_| Ok(Some(false))).unwrap(), Some(None));
        let disturbed = |delay| Ok((delay != 12).then_some(delay > 12));
        assert_eq!(search(4, disturbed).unwrap(), None);
    }

    #[test]
    fn law_the_middle_search_counts_and_one_without_loss_is_the_longest() {
        let lost = Lost { queue: 1, delays: vec![Some(2), Some(3), None], runs: 9, stopped: 0 };
        assert_eq!((lost.median(), lost.least()), (Some(3), Some(2)));
        let none = Lost { delays: vec![None], ..lost };
        assert_eq!((none.median(), none.least()), (None, None));
    }
}
