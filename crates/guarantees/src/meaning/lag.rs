//! `PSBE s d`: how far service falls behind s times the time, over all windows, in one pass.
//!
//! The lag `s t - S(t)` rises while nothing is received and falls while something is, so the greatest
//! rise of it, from the least value so far, is what the error must cover (HLS 5.2.2.4; equation 5.1).
//! `ALL` is the same with s = 1 and no error.

use super::{FINEST, Window, counted, length, unscaled};
use crate::length::Length;
use windfall_time::Ratio;

#[derive(Clone, Copy, Debug)]
struct Found {
    /// In units of the lag.
    rise: i128,
    from: i128,
    to: i128,
    received: i128,
}

#[derive(Clone, Debug)]
pub(super) struct Lag {
    share: Ratio,
    error: Length,
    start: i128,
    now: i128,
    service: i128,
    /// Lag times the share's denominator.
    lag: i128,
    /// The least lag so far: its value, when, and the service until then.
    least: (i128, i128, i128),
    found: Option<Found>,
    pub(super) tested: u64,
}

impl Lag {
    pub(super) fn new(share: Ratio, error: Length) -> Option<Lag> {
        let fine = share.denominator().max(error.as_nanos().denominator());
        (fine <= FINEST && share > Ratio::ZERO && share <= Ratio::ONE).then_some(Lag {
            share,
            error,
            start: 0,
            now: 0,
            service: 0,
            lag: 0,
            least: (0, 0, 0),
            found: None,
            tested: 0,
        })
    }

    pub(super) fn begin(&mut self, at: i128) {
        (self.start, self.now, self.service, self.lag) = (at, at, 0, 0);
        self.least = (0, at, 0);
    }

    pub(super) fn pass(&mut self, span: i128, served: bool) {
        self.now += span;
        self.lag += self.share.numerator() * span;
        if served {
            self.service += span;
            self.lag -= self.share.denominator() * span;
            if self.lag < self.least.0 {
                self.least = (self.lag, self.now, self.service);
            }
        }
        let rise = self.lag - self.least.0;
        if rise > 0 && self.found.is_none_or(|found| rise > found.rise) {
            let (_, from, before) = self.least;
            self.found = Some(Found { rise, from, to: self.now, received: self.service - before });
        }
    }

    pub(super) fn end(&mut self) {
        if promised(self.share, self.error, self.now - self.start).is_zero() {
            return;
        }
        // So many windows in which half of what the share comes to is promised.
        let span =
            self.share.checked_mul(Ratio::new(self.now - self.start, 1).unwrap_or(Ratio::ZERO));
        let double = self.error.checked_add(self.error).unwrap_or(self.error);
        let windows = span.and_then(|span| length(span).over(double));
        let windows = windows.map_or(1, |ratio| ratio.numerator() / ratio.denominator()).max(1);
        self.tested = self.tested.saturating_add(counted(windows));
        // Where nothing ever lags, any window is as good as the other.
        let (at, received) = (self.now, 0);
        self.found.get_or_insert(Found { rise: 0, from: at, to: at, received });
    }

    pub(super) fn worst(&self) -> Option<(Ratio, Window)> {
        let found = self.found?;
        let behind = Ratio::new(found.rise, self.share.denominator())?;
        let window = Window {
            from: unscaled(found.from, 1),
            to: unscaled(found.to, 1),
            promised: promised(self.share, self.error, found.to - found.from),
            received: unscaled(found.received, 1),
        };
        Some((behind.checked_sub(self.error.as_nanos())?, window))
    }
}

/// `share span - error`, or nothing.
pub(super) fn promised(share: Ratio, error: Length, span: i128) -> Length {
    let part = Ratio::new(span, 1).and_then(|span| share.checked_mul(span));
    part.and_then(|part| length(part).checked_sub(error)).unwrap_or(Length::ZERO)
}
