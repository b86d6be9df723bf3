//! Metering: the clock at each step of a script, into an array that is made beforehand (Multics memo).
//!
//! A mark costs what reading the clock and storing it cost; [`Meter::cost`] measures that by two marks on
//! end, so that it can be taken out of every difference.

use super::Process;
use windfall_time::{Instant, Span};

/// Marks of one process.
#[derive(Clone, Debug)]
pub struct Meter {
    marks: Vec<(u32, Instant)>,
    lost: u64,
}

impl Meter {
    /// Room for so many marks.
    #[must_use]
    pub fn with_room(marks: usize) -> Meter {
        Meter { marks: Vec::with_capacity(marks), lost: 0 }
    }

    /// The clock as it is now, at this step.
    #[inline]
    pub async fn mark(&mut self, me: &mut impl Process, step: u32) {
        let now = me.now().await;
        if self.marks.len() < self.marks.capacity() {
            self.marks.push((step, now));
        } else {
            self.lost += 1;
        }
    }

    /// What a mark costs: the median of so many pairs on end; the pairs are not kept. Zero for none.
    pub async fn cost(me: &mut impl Process, pairs: usize) -> Span {
        let mut meter = Meter::with_room(2 * pairs);
        for _ in 0..pairs {
            meter.mark(me, 0).await;
            meter.mark(me, 1).await;
        }
        let mut spans: Vec<Span> =
            meter.marks.chunks_exact(2).map(|pair| pair[1].1.saturating_since(pair[0].1)).collect();
        spans.sort_unstable();
        spans.get(spans.len() / 2).copied().unwrap_or(Span::ZERO)
    }

    /// Steps and instants, in the order of time.
    #[must_use]
    pub fn marks(&self) -> &[(u32, Instant)] {
        &self.marks
    }

    /// How many marks found no room.
    #[must_use]
    pub const fn lost(&self) -> u64 {
        self.lost
    }
}
