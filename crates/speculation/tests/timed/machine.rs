//! A processor of which a run gets a part: what it is promised in every window, and beside that what somebody likes, who may mean it ill.

use super::common::mix;
use windfall_speculation::Supply;
use windfall_time::Span;

/// When the processor is there, beside the times when a window would have less than was promised.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Likes {
    /// Never: all comes as late as it may.
    Never,
    /// In bursts of this length, each of which begins when it must.
    Bursts(u64),
    /// In so many of eight moments.
    Often(u64),
    /// At the ends of periods.
    Ends,
}

/// What is promised: `amount` in each `period` in the long run, and nothing for `latency` at most, in ns.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Promised {
    pub(crate) amount: u64,
    pub(crate) period: u64,
    pub(crate) latency: u64,
}

impl Promised {
    pub(crate) const WHOLE: Promised = Promised { amount: 1, period: 1, latency: 0 };

    pub(crate) fn supply(self) -> Supply {
        let [amount, period, latency] =
            [self.amount, self.period, self.latency].map(Span::from_nanos);
        Supply::new(amount, period, latency).unwrap()
    }
}

/// The processor, a nanosecond after the other.
#[derive(Debug)]
pub(crate) struct Machine {
    promised: Promised,
    likes: Likes,
    draw: u64,
    pub(crate) now: u64,
    pub(crate) received: u64,
    /// The least of `amount` s + `period` x received(s, now), for all s since the run became runnable.
    position: i128,
    burst: u64,
    /// If handling is paid for afterwards: what is to be paid.
    pub(crate) owed: Option<u64>,
    /// So much of that has been received.
    pub(crate) spent: u64,
}

impl Machine {
    pub(crate) const fn new(promised: Promised, likes: Likes, draw: u64) -> Machine {
        Machine {
            promised,
            likes,
            draw,
            now: 0,
            received: 0,
            position: 0,
            burst: 0,
            owed: None,
            spent: 0,
        }
    }

    /// What the least would be now if it had become runnable now.
    fn at(&self, now: u64) -> i128 {
        i128::from(self.promised.amount) * i128::from(now)
    }

    /// Whether a window would have less than was promised if the next nanosecond was not received.
    fn must(&self) -> bool {
        let next = self.position.min(self.at(self.now + 1));
        let Promised { amount, latency, .. } = self.promised;
        next < self.at(self.now + 1) - i128::from(amount) * i128::from(latency)
    }

    fn passes(&mut self, gives: bool) {
        self.now += 1;
        self.received += u64::from(gives);
        self.position += i128::from(gives) * i128::from(self.promised.period);
        self.position = self.position.min(self.at(self.now));
    }

    /// The run works until it has received so much.
    pub(crate) fn work(&mut self, ns: u64) {
        let until = self.received + ns;
        while self.received < until {
            self.draw = mix(self.draw, self.now);
            let must = self.must();
            if must && let Likes::Bursts(length) = self.likes {
                self.burst = 1 + self.draw % length;
            }
            let Promised { amount, period, .. } = self.promised;
            let likes = match self.likes {
                Likes::Never => false,
                Likes::Bursts(_) => self.burst > 0,
                Likes::Often(eighths) => self.draw % 8 < eighths,
                Likes::Ends => self.now % period >= period - amount,
            };
            self.burst = self.burst.saturating_sub(1);
            self.passes(must || likes);
        }
    }

    /// So much is handled.
    pub(crate) fn takes(&mut self, ns: u64) {
        match &mut self.owed {
            Some(owed) => *owed += ns,
            None => self.work(ns),
        }
    }

    /// The run is runnable and gets nothing for so long, or as long as that may be.
    pub(crate) fn withholds(&mut self, most: u64) -> u64 {
        let from = self.now;
        while self.now - from < most && !self.must() {
            self.passes(false);
        }
        self.now - from
    }

    /// The run sleeps until then.
    pub(crate) fn sleeps(&mut self, until: u64) {
        self.now = until;
        self.position = self.at(until);
        self.burst = 0;
    }

    /// Whether so much is sure to be received until a deadline, by a run that stays runnable.
    pub(crate) fn is_sure(&self, work: u64, deadline: u64) -> bool {
        let Promised { amount, period, latency } = self.promised;
        let needs = i128::from(period) * i128::from(work);
        needs + self.position <= self.at(deadline) - i128::from(amount) * i128::from(latency)
    }
}
