//! The meaning of a guarantee in a run: every window of it, measured exactly (HLS 5.2.2).
//!
//! A [`Judge`] is told when one virtual processor became runnable, was served, and stopped being runnable. It
//! says whether a guarantee was kept, which window was the worst, and with what margin. Windows lie inside one
//! stretch of being runnable, since no guarantee holds longer (HLS 5.1.3, assumption 4). A stretch that is too
//! short for any window with a promise tests nothing. The end of a stretch is not known in advance, so a window
//! that it cuts off promises only the amount that the rest of the window, fully served, could not have made good.
//!
//! Invariants: all windows are looked at, not samples; integers decide; memory is what the last window needs,
//! however long the run. Slow definitions: `tests/meaning.rs`.
//! Absent on purpose: which guarantee follows from which (`rewrite.rs`), and whose time was stolen.
//! Read next: `meaning/sweep.rs`, where reservations are judged.

mod lag;
mod longrun;
mod pieces;
mod speed;
mod sweep;
mod window;

pub use window::{Verdict, Window};

use crate::allowance::Allowance;
use crate::guarantee::Guarantee;
use crate::length::Length;
use lag::Lag;
use longrun::LongRun;
use pieces::Pieces;
use speed::Speed;
use sweep::Sweep;
use windfall_time::{Instant, Ratio};
use window::{FINEST, common, counted, length, scaled, unscaled};

/// Judges one guarantee of one virtual processor while a run goes on.
///
/// The checks for each type, in any window of length t inside one stretch:
///
/// - `ALL` (5.2.2.1): t. `NULL` (5.2.2.5): nothing.
/// - `RESCS x y`, `RESCH` (5.2.2.2, continuous): x in each window of length y, and so
///   `floor(t/y) x + max(0, t mod y - (y - x))`.
/// - `RESBS x y`, `RESBH`, `RESPS` (5.2.2.2, basic; lemmas 5.1 and 5.3): the same for `t - (y - x)`,
///   which is the least that a schedule with x in each aligned period leaves in a window (Shin and Lee,
///   2003). The periods are the scheduler's and may begin anew at each wake-up, so this bound is
///   checked, and no phase is assumed. It is not enough to look at windows of length `2y - x` (lemma
///   5.1): x in each of these comes to the rate `x/(2y - x)` only.
/// - hard ones (5.2.2.2): also at most `x + floor((t-x)/y) x + min((t-x) mod y, x)`, which is the most
///   that x in each aligned period leaves; for those with a fixed offset at most
///   `floor(t/y) x + min(t mod y, x)`.
/// - `RESNH x y`, `RESSH x y z` (5.2.2.2): there is one offset (that of z) at which a piece of x is
///   served in each period, over all stretches.
/// - `RESU r` (5.2.2.3): by each deadline that was announced in time, r times the time since it woke,
///   less what it had run ahead.
/// - `PSBE s d` (5.2.2.4): `s t - d`.
/// - `PS s` (5.2.2.4): s in the long run. A finite run is checked for this only: each stretch of length
///   L, as a whole, receives at least `s L` less what its scheduler [allows](Allowance), which vanishes
///   beside L.
#[derive(Clone, Debug)]
pub struct Judge {
    below: Below,
    above: Option<Sweep>,
    /// Judged up to here.
    now: u64,
    runnable: bool,
    /// Service that is not judged yet: it may go on without a break.
    service: Option<(u64, u64)>,
}

/// The lower bound that is promised.
#[derive(Clone, Debug)]
enum Below {
    Nothing,
    Supply(Sweep),
    Lag(Lag),
    LongRun(LongRun),
    Speed(Speed),
    Pieces(Pieces),
}

impl Judge {
    /// Nothing has happened yet. `behind` is by how much a share in the long run may be behind. `None` when the guarantee's numbers are too fine to be computed with exactly.
    #[must_use]
    pub fn new(guarantee: &Guarantee, behind: Allowance) -> Option<Judge> {
        let below = match *guarantee {
            Guarantee::Null => Below::Nothing,
            Guarantee::All => Below::Lag(Lag::new(Ratio::ONE, Length::ZERO)?),
            Guarantee::Slower(rate) => Below::Speed(Speed::new(rate)?),
            Guarantee::ContinuousHard(x, y) | Guarantee::ContinuousSoft(x, y) => {
                Below::Supply(Sweep::continuous(x, y)?)
            }
            Guarantee::BasicHard(x, y)
            | Guarantee::BasicSoft(x, y)
            | Guarantee::Probabilistic(x, y, _) => Below::Supply(Sweep::basic(x, y)?),
            Guarantee::NonPreemptive(x, y) => Below::Pieces(Pieces::new(x, y, None)?),
            Guarantee::Synchronized(x, y, z) => Below::Pieces(Pieces::new(x, y, Some(z))?),
            Guarantee::BoundedShare(share, error) => Below::Lag(Lag::new(share, error)?),
            Guarantee::Share(share) => Below::LongRun(LongRun::new(share, behind)?),
        };
        let above = match *guarantee {
            Guarantee::BasicHard(x, y) | Guarantee::ContinuousHard(x, y) => {
                Some(Sweep::limit(x, y)?)
            }
            Guarantee::NonPreemptive(x, y) | Guarantee::Synchronized(x, y, _) => {
                Some(Sweep::fixed_limit(x, y)?)
            }
            _ => None,
        };
        Some(Judge { below, above, now: 0, runnable: false, service: None })
    }

    /// It becomes runnable, or remains so.
    ///
    /// # Panics
    /// Here and below, when time goes back or service lies outside of the stretches: the caller's
    /// defect.
    pub fn wakes(&mut self, at: Instant) {
        if self.runnable {
            return;
        }
        assert!(at.as_nanos() >= self.now, "time goes back to {at}");
        (self.now, self.runnable) = (at.as_nanos(), true);
        let at = i128::from(self.now);
        match &mut self.below {
            Below::Nothing => {}
            Below::Supply(sweep) => sweep.begin(at),
            Below::Lag(lag) => lag.begin(at),
            Below::LongRun(long) => long.begin(at),
            Below::Speed(speed) => speed.begin(at),
            Below::Pieces(pieces) => pieces.begin(at),
        }
        if let Some(above) = &mut self.above {
            above.begin(at);
        }
    }

    /// It was served.
    pub fn served(&mut self, from: Instant, to: Instant) {
        let (from, to) = (from.as_nanos(), to.as_nanos());
        let before = self.service.map_or(self.now, |(_, end)| end);
        assert!(self.runnable && before <= from && from <= to, "service at {from} out of order");
        match &mut self.service {
            Some((_, end)) if *end == from => *end = to,
            _ => {
                self.settle();
                self.service = (from < to).then_some((from, to));
            }
        }
    }

    /// Its owner announces a deadline at `now`. Only `RESU` uses it, and only if it has not passed.
    pub fn set_deadline(&mut self, now: Instant, deadline: Instant) {
        if !matches!(self.below, Below::Speed(_)) {
            return; // service goes on, and comes whole
        }
        self.settle();
        if self.runnable && self.now < now.as_nanos() {
            self.pass(now.as_nanos(), false);
        }
        if let Below::Speed(speed) = &mut self.below {
            speed.set_deadline(i128::from(deadline.as_nanos()), i128::from(now.as_nanos()));
        }
    }

    /// It is runnable no longer.
    pub fn sleeps(&mut self, at: Instant) {
        if !self.runnable {
            return;
        }
        self.settle();
        let at = at.as_nanos();
        assert!(self.now <= at, "time goes back to {at}");
        self.pass(at, false);
        self.runnable = false;
        match &mut self.below {
            Below::Nothing => {}
            Below::Supply(sweep) => sweep.end(),
            Below::Lag(lag) => lag.end(),
            Below::LongRun(long) => long.end(),
            Below::Speed(speed) => speed.end(),
            Below::Pieces(pieces) => pieces.end(),
        }
        if let Some(above) = &mut self.above {
            above.end();
        }
    }

    /// Judges the service that was held back.
    fn settle(&mut self) {
        if let Some((from, to)) = self.service.take() {
            self.pass(from, false);
            self.pass(to, true);
        }
    }

    fn pass(&mut self, to: u64, served: bool) {
        let span = i128::from(to) - i128::from(self.now);
        self.now = to;
        if span == 0 {
            return;
        }
        match &mut self.below {
            Below::Nothing => {}
            Below::Supply(sweep) => sweep.pass(span, served),
            Below::Lag(lag) => lag.pass(span, served),
            Below::LongRun(long) => long.pass(span, served),
            Below::Speed(speed) => speed.pass(span, served),
            Below::Pieces(pieces) => pieces.pass(span, served),
        }
        if let Some(above) = &mut self.above {
            above.pass(span, served);
        }
    }

    /// The verdict over the stretches that are over.
    #[must_use]
    pub fn verdict(&self) -> Verdict {
        let (worst, tested) = match &self.below {
            Below::Nothing => return Verdict::NeverTested,
            Below::LongRun(long) => return long.verdict(),
            Below::Supply(sweep) => (sweep.worst(), sweep.tested),
            Below::Lag(lag) => (lag.worst(), lag.tested),
            Below::Speed(speed) => (speed.worst(), speed.tested),
            Below::Pieces(pieces) => (pieces.worst(), pieces.tested),
        };
        if let Some((behind, window)) = worst
            && behind > Ratio::ZERO
        {
            return Verdict::Broken { short: length(behind), worst: window, tested };
        }
        if let Some((over, window)) = self.above.as_ref().and_then(Sweep::worst)
            && over > Ratio::ZERO
        {
            return Verdict::Exceeded { by: length(over), worst: window, tested };
        }
        match worst {
            Some((behind, window)) if tested > 0 => {
                Verdict::Kept { margin: negated(behind), worst: window, tested }
            }
            _ => Verdict::NeverTested,
        }
    }
}

fn negated(nanos: Ratio) -> Length {
    length(Ratio::ZERO.checked_sub(nanos).unwrap_or(Ratio::ZERO))
}
