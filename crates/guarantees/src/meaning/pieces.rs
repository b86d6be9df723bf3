//! `RESNH x y`, `RESSH x y z`: one piece of x at the same offset in each period (HLS 5.2.2.2).
//!
//! The offsets at which a piece has come in every period so far: to begin with all of them, or only
//! that of z. Each moment of a stretch from which x is not served without a break takes its offset
//! away, over all stretches, for one t is to do for every i. Broken when none is left. Offsets count in
//! units of the numbers' common denominator, nanoseconds for whole ones. A piece that begins before its
//! owner was runnable is not asked for; one that a stretch's end cuts off must have been served so far.

use super::{Window, common, counted, scaled, unscaled};
use crate::length::Length;
use alloc::vec;
use alloc::vec::Vec;
use windfall_time::Ratio;

#[derive(Clone, Debug)]
pub(super) struct Pieces {
    scale: i128,
    amount: i128,
    period: i128,
    /// Offsets that are left: disjoint, in order, both ends included.
    left: Vec<(i128, i128)>,
    start: i128,
    now: i128,
    /// Moments of this stretch before this one are dealt with.
    done: i128,
    /// The service without a break up to now.
    run: i128,
    broken: Option<(i128, i128)>,
    pub(super) tested: u64,
}

impl Pieces {
    pub(super) fn new(x: Length, y: Length, at: Option<Length>) -> Option<Pieces> {
        let scale = common(&[x, y, at.unwrap_or(Length::ZERO)])?;
        let (amount, period) = (scaled(x, scale)?, scaled(y, scale)?);
        if amount <= 0 || amount > period {
            return None;
        }
        let left = match at {
            None => (0, period - 1),
            Some(at) => {
                let offset = scaled(at, scale)? % period;
                (offset, offset)
            }
        };
        Some(Pieces {
            scale,
            amount,
            period,
            left: vec![left],
            start: 0,
            now: 0,
            done: 0,
            run: 0,
            broken: None,
            tested: 0,
        })
    }

    pub(super) fn begin(&mut self, at: i128) {
        self.start = at * self.scale;
        (self.now, self.done, self.run) = (self.start, self.start, 0);
    }

    /// Runs of service come whole.
    pub(super) fn pass(&mut self, span: i128, served: bool) {
        let span = span * self.scale;
        self.run = if served { span } else { 0 };
        if served && span >= self.amount {
            self.lose(self.now);
            self.done = self.now + span - self.amount + 1;
        }
        self.now += span;
    }

    pub(super) fn end(&mut self) {
        // What is being served may have gone on.
        self.lose(self.now - self.run);
        let windows = (self.now - self.start) / self.period;
        self.tested = self.tested.saturating_add(counted(windows));
    }

    /// From the moments from `done` until before `to`, no piece came.
    fn lose(&mut self, to: i128) {
        let from = self.done;
        self.done = to.max(from);
        if from >= to || self.broken.is_some() {
            return;
        }
        if to - from >= self.period {
            self.left.clear();
        } else {
            let (first, last) = (from % self.period, (to - 1) % self.period);
            if first <= last {
                self.without(first, last);
            } else {
                self.without(first, self.period - 1);
                self.without(0, last);
            }
        }
        if self.left.is_empty() {
            self.broken = Some((from, to.min(from + self.period)));
        }
    }

    fn without(&mut self, first: i128, last: i128) {
        let parts = self
            .left
            .iter()
            .flat_map(|(from, to)| [(*from, (*to).min(first - 1)), ((*from).max(last + 1), *to)]);
        self.left = parts.filter(|(from, to)| from <= to).collect();
    }

    /// By how much it is amiss: a whole piece, or nothing. The window of a broken one is where the last
    /// offset was lost.
    pub(super) fn worst(&self) -> Option<(Ratio, Window)> {
        let length = |units| unscaled(units, self.scale);
        let (from, to) = self.broken.unwrap_or((self.now, self.now));
        let amiss = if self.broken.is_some() { self.amount } else { 0 };
        let window = Window {
            from: length(from),
            to: length(to),
            promised: length(self.amount),
            received: if amiss == 0 { length(self.amount) } else { Length::ZERO },
        };
        Some((Ratio::new(amiss, self.scale)?, window))
    }
}
