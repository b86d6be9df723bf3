//! Reservations: the worst of all windows, of whatever length, in one sweep.
//!
//! The amount promised in a window of length t rises by x at the end of each y, at full speed. A window
//! that ends within a rise fares no better for being longer, one that ends on a flat no worse for being
//! shorter (limits from above: the other way round). So of all windows only those of the lengths `lead +
//! k y`, k >= 1, can be worst, and the whole stretch when there is no room to make it longer.
//!
//! For a window [u, v] of such a length the deficit is `k x - (S(v) - S(u))`, S(t) being the service up
//! to t. The candidates u for one v are congruent modulo y, and which of them is worst changes only when
//! a new one comes up. The sweep therefore keeps, for each residue, the worst beginning so far: a tape
//! of length y, in pieces on which S is linear, that runs past the head once in each period. Where the
//! head is, the beginning `v - lead - y` comes up, is compared, and the better of the two is written
//! back. Everything is linear between integers, with slopes 0 and 1, so lines cross at integers.
//!
//! O(service segments + periods x pieces on the tape). The tape holds as many pieces as the lower
//! envelope of one period's service has, which is few in runs that are periodic or have records.
//! Memory: the segments of the last `lead + y`, and the tape.

use super::{Window, common, counted, scaled, unscaled};
use crate::length::Length;
use alloc::collections::VecDeque;
use windfall_time::Ratio;

/// A piece of time in which S rises with slope 0 or 1.
#[derive(Clone, Copy, Debug)]
struct Piece {
    from: i128,
    service: i128,
    slope: i128,
    span: i128,
}

impl Piece {
    /// Takes so much off its beginning.
    fn split(&mut self, span: i128) -> Piece {
        let head = Piece { span, ..*self };
        self.from += span;
        self.service += span * self.slope;
        self.span -= span;
        head
    }
}

#[derive(Clone, Copy, Debug)]
struct Found {
    /// Promised less received; received less allowed for a limit.
    amiss: i128,
    from: i128,
    to: i128,
    promised: i128,
    received: i128,
}

/// One line of windows: lengths `lead + k y` with `k x + bonus`.
// Fields: the state of one sweep over a stretch, which each event reads and changes together.
#[derive(Clone, Debug)]
pub(super) struct Sweep {
    scale: i128,
    amount: i128,
    period: i128,
    lead: i128,
    bonus: i128,
    /// 1 for a promise from below, -1 for a limit from above.
    sign: i128,
    start: i128,
    now: i128,
    service: i128,
    /// The time between the youngest beginning and now.
    delay: VecDeque<Piece>,
    /// Worst beginnings by residue, the head's next first.
    tape: VecDeque<Piece>,
    taped: i128,
    found: Option<Found>,
    pub(super) tested: u64,
}

impl Sweep {
    fn new(x: Length, y: Length, limit: bool) -> Option<Sweep> {
        let scale = common(&[x, y])?;
        let (amount, period) = (scaled(x, scale)?, scaled(y, scale)?);
        (0 < amount && amount <= period).then_some(Sweep {
            scale,
            amount,
            period,
            lead: 0,
            bonus: 0,
            sign: if limit { -1 } else { 1 },
            start: 0,
            now: 0,
            service: 0,
            delay: VecDeque::new(),
            tape: VecDeque::new(),
            taped: 0,
            found: None,
            tested: 0,
        })
    }

    /// x in each window of length y.
    pub(super) fn continuous(x: Length, y: Length) -> Option<Sweep> {
        Sweep::new(x, y, false)
    }

    /// x in each period of length y, wherever these begin.
    pub(super) fn basic(x: Length, y: Length) -> Option<Sweep> {
        let sweep = Sweep::new(x, y, false)?;
        Some(Sweep { lead: sweep.period - sweep.amount, ..sweep })
    }

    /// At most x in each period of length y, wherever these begin.
    pub(super) fn limit(x: Length, y: Length) -> Option<Sweep> {
        let sweep = Sweep::new(x, y, true)?;
        Some(Sweep { lead: sweep.amount, bonus: sweep.amount, ..sweep })
    }

    /// At most x in each period of length y, at the same offset in each.
    pub(super) fn fixed_limit(x: Length, y: Length) -> Option<Sweep> {
        Sweep::new(x, y, true)
    }

    pub(super) fn begin(&mut self, at: i128) {
        self.start = at * self.scale;
        self.now = self.start;
        self.service = 0;
        self.delay.clear();
        self.tape.clear();
        self.taped = 0;
    }

    pub(super) fn pass(&mut self, span: i128, served: bool) {
        let slope = i128::from(served);
        let span = span * self.scale;
        let mut run = Piece { from: self.now, service: self.service, slope, span };
        self.delay.push_back(run);
        self.now += span;
        self.service += span * slope;
        let early = (self.start + self.lead + self.period - run.from).clamp(0, span);
        run.split(early);
        while run.span > 0 {
            self.step(&mut run);
        }
    }

    /// Moves the head over as much of `run` as is linear on the tape and among the beginnings, too.
    fn step(&mut self, run: &mut Piece) {
        let Some(young) = self.delay.front_mut() else { return };
        let mut span = run.span.min(young.span);
        let full = self.taped == self.period;
        match self.tape.front().filter(|_| full) {
            Some(old) => span = span.min(old.span),
            None => span = span.min(self.period - self.taped),
        }
        let end = run.split(span);
        let young = if young.span == span {
            self.delay.pop_front().unwrap_or(end)
        } else {
            young.split(span)
        };
        if !full {
            self.taped += span;
            return self.write(young, end);
        }
        let Some(mut old) = self.tape.pop_front() else { return };
        if old.span > span {
            let head = old.split(span);
            self.tape.push_front(old);
            old = head;
        }
        // By how much the young beginning is worse than the old one, at both ends.
        let periods = (young.from - old.from) / self.period;
        let worse = self.sign * (young.service - old.service - periods * self.amount);
        let later = worse + self.sign * (young.slope - old.slope) * span;
        let (mut young, mut end) = (young, end);
        match (worse >= 0, later >= 0) {
            (true, true) => self.write(young, end),
            (false, false) => self.write(old, end),
            (first, _) => {
                let cross = worse.abs();
                let (one, half) = (young.split(cross), end.split(cross));
                let other = old.split(cross);
                self.write(if first { one } else { other }, half);
                self.write(if first { old } else { young }, end);
            }
        }
    }

    /// The worst beginnings for the ends `ends`: looked at, and written to the tape.
    fn write(&mut self, begins: Piece, ends: Piece) {
        if begins.span == 0 {
            return;
        }
        self.look(begins.from, begins.service, ends.from, ends.service);
        let span = begins.span;
        self.look(
            begins.from + span,
            begins.service + span * begins.slope,
            ends.from + span,
            ends.service + span * ends.slope,
        );
        match self.tape.back_mut() {
            Some(last) if last.slope == begins.slope && last.from + last.span == begins.from => {
                last.span += span;
            }
            _ => self.tape.push_back(begins),
        }
    }

    fn look(&mut self, from: i128, before: i128, to: i128, after: i128) {
        let periods = (to - from - self.lead) / self.period;
        self.judge(from, to, periods * self.amount + self.bonus, after - before);
    }

    fn judge(&mut self, from: i128, to: i128, promised: i128, received: i128) {
        let amiss = self.sign * (promised - received);
        if self.found.is_none_or(|found| amiss > found.amiss) {
            self.found = Some(Found { amiss, from, to, promised, received });
        }
    }

    pub(super) fn end(&mut self) {
        let span = self.now - self.start;
        let promised = self.promised(span);
        if self.sign < 0 || promised > 0 {
            self.judge(self.start, self.now, promised, self.service);
        }
        if promised > 0 {
            let windows = (span / (self.lead + self.period)).max(1);
            self.tested = self.tested.saturating_add(counted(windows));
        }
    }

    /// The amount promised (or allowed) in a window of length `span`.
    fn promised(&self, span: i128) -> i128 {
        if span <= self.lead {
            return if self.sign < 0 { span } else { 0 };
        }
        let (periods, rest) = ((span - self.lead) / self.period, (span - self.lead) % self.period);
        let part = if self.sign < 0 {
            rest.min(self.amount)
        } else {
            (rest - (self.period - self.amount)).max(0)
        };
        self.bonus + periods * self.amount + part
    }

    /// By how much the worst window is amiss, and the window.
    pub(super) fn worst(&self) -> Option<(Ratio, Window)> {
        let found = self.found?;
        let length = |units| unscaled(units, self.scale);
        let window = Window {
            from: length(found.from),
            to: length(found.to),
            promised: length(found.promised),
            received: length(found.received),
        };
        Some((Ratio::new(found.amiss, self.scale)?, window))
    }
}
