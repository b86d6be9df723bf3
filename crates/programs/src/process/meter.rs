//! Metering: reads the clock at each step of a script, into an array that is allocated beforehand (Multics memo).
//!
//! A mark costs reading the clock and storing the time. [`Meter::cost`] measures this cost by pairs of successive
//! marks, as crate `clocks` does for any clock, so that it can be subtracted from every difference.

use super::Process;
use windfall_clocks::Samples;
use windfall_time::{Instant, Span};

/// The marks of one process.
#[derive(Clone, Debug)]
pub struct Meter {
    marks: Vec<(u32, Instant)>,
    lost: u64,
}

impl Meter {
    /// Creates a meter with room for `marks` marks.
    #[must_use]
    pub fn with_room(marks: usize) -> Meter {
        Meter { marks: Vec::with_capacity(marks), lost: 0 }
    }

    /// Records the current time at a step.
    #[inline]
    pub async fn mark(&mut self, me: &mut impl Process, step: u32) {
        let now = me.now().await;
        if self.marks.len() < self.marks.capacity() {
            self.marks.push((step, now));
        } else {
            self.lost += 1;
        }
    }

    /// The cost of a mark: the median over `pairs` successive pairs, which are not kept. Zero for no pairs.
    pub async fn cost(me: &mut impl Process, pairs: usize) -> Span {
        let mut meter = Meter::with_room(2 * pairs);
        for _ in 0..pairs {
            meter.mark(me, 0).await;
            meter.mark(me, 1).await;
        }
        let mut looks = meter.marks.into_iter().map(|(_, at)| at);
        let looks = Samples::of_looks(pairs, || looks.next().expect("two marks a pair"));
        looks.median()
    }

    /// Steps with their times, in order.
    #[must_use]
    pub fn marks(&self) -> &[(u32, Instant)] {
        &self.marks
    }

    /// Number of marks that found no room.
    #[must_use]
    pub const fn lost(&self) -> u64 {
        self.lost
    }
}
