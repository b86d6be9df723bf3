//! The machine that is simulated: processors, timer, costs, caches.

use windfall_time::{Instant, Ratio, Span};

/// A simulated machine.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Machine {
    /// The speed of each processor; 1 means that a nanosecond of work takes a nanosecond.
    pub speeds: Vec<Ratio>,
    /// How exactly timers are kept.
    pub timer: Timer,
    /// What switching and deciding cost.
    pub costs: Costs,
    /// What it costs a thread to fill the cache again after another has run.
    pub refill: Option<Refill>,
}

/// How exactly timers of schedulers and sleeping threads are kept (HLS 9.2.5).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Timer {
    /// To the nanosecond.
    Precise,
    /// At the first tick of a clock of so many hertz at or after the time asked for.
    Ticking(u64),
}

/// What switching and deciding cost; zero by default.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Costs {
    /// Each switch from one thread, or from idle, to a thread.
    pub switch: Span,
    /// Each event that is told to the hierarchy.
    pub decision: Span,
    /// Each notification that a scheduler receives because of it.
    pub notification: Span,
}

/// What it costs a thread to fill the cache again after another has run there (HLS 10.3.3).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Refill {
    /// For each started KiB of its working set.
    pub per_kib: Span,
    /// The size of the cache in KiB; larger working sets cost no more.
    pub cache_kib: u64,
}

impl Machine {
    /// So many processors of speed 1 with a precise timer and no costs.
    #[must_use]
    pub fn ideal(processors: u16) -> Machine {
        Machine {
            speeds: vec![Ratio::ONE; usize::from(processors)],
            timer: Timer::Precise,
            costs: Costs::default(),
            refill: None,
        }
    }
}

impl Timer {
    /// When something that is set for `at` happens.
    pub(crate) fn fires(self, at: Instant) -> Instant {
        let Timer::Ticking(hertz) = self else {
            return at;
        };
        const SECOND: u128 = 1_000_000_000;
        let tick = (u128::from(at.as_nanos()) * u128::from(hertz)).div_ceil(SECOND);
        let nanos = tick * SECOND / u128::from(hertz.max(1));
        Instant::from_nanos(u64::try_from(nanos).unwrap_or(u64::MAX))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn law_a_tick_is_the_first_at_or_after() {
        for hertz in [64, 1024, 4096, 8192, 1_000_000] {
            let timer = Timer::Ticking(hertz);
            for at in (0..3_000_000_000_u64).step_by(7_654_321) {
                let fires = timer.fires(Instant::from_nanos(at)).as_nanos();
                assert!(fires >= at && fires - at <= 1_000_000_000 / hertz + 1);
                assert_eq!(timer.fires(Instant::from_nanos(fires)).as_nanos(), fires);
            }
        }
    }
}
