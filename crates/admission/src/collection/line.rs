//! A line of least squares through costs, in integers; old ones are forgotten.

use windfall_time::Span;

/// After so many costs, those before count half.
///
/// How long a search takes depends on its deadline far more than on a slot that stays: many are needed.
const WINDOW: i128 = 1 << 16;
/// With fewer costs than this there is no line.
const FEW: i128 = 8;

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Line {
    count: i128,
    x: i128,
    y: i128,
    xx: i128,
    xy: i128,
}

impl Line {
    /// Something of this size had this cost.
    pub(super) fn add(&mut self, size: u64, cost: Span) {
        if self.count == WINDOW {
            let Line { count, x, y, xx, xy } = *self;
            *self = Line { count: count / 2, x: x / 2, y: y / 2, xx: xx / 2, xy: xy / 2 };
        }
        let (x, y) = (i128::from(size), i128::from(cost.as_nanos()));
        self.count += 1;
        self.x += x;
        self.y += y;
        self.xx += x * x;
        self.xy += x * y;
    }

    /// The mean cost in picoseconds; `None` without any.
    pub(super) fn mean(&self) -> Option<u64> {
        u64::try_from((self.y * 1_000).checked_div(self.count)?).ok()
    }

    /// Picoseconds at size 0, and by how much each further one costs more; what comes out below 0 cannot be told from 0, and is 0.
    ///
    /// `None` with few costs, or when sizes are all about the same.
    pub(super) fn fit(&self) -> Option<(u64, u64)> {
        let Line { count, x, y, xx, xy } = *self;
        let spread = count * xx - x * x;
        // A standard deviation of less than a quarter.
        if count < FEW || spread * 16 < count * count {
            return None;
        }
        let pico = |over: i128| u64::try_from((over.checked_mul(1_000)? / spread).max(0)).ok();
        let at_zero = y.checked_mul(xx)?.checked_sub(x.checked_mul(xy)?)?;
        let slope = count.checked_mul(xy)?.checked_sub(x.checked_mul(y)?)?;
        Some((pico(at_zero)?, pico(slope)?))
    }
}
