//! How much a subtask has to do in each iteration, against the others.

use super::operations_last;
use windfall_time::Instant;

/// Work is told in parts of this many: so many are that of a normal subtask.
pub(crate) const WHOLE: u64 = 100_000;
/// Parts of a per cent.
const PERCENT: u64 = WHOLE / 100;
/// The paper's period of being slower, and of being faster.
const PERIOD: u64 = 20;

/// The unit of a pace's periods.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Counted {
    /// The subtask's own iterations (1.6).
    Own,
    /// Votes, which the fastest two take.
    Votes,
    /// Time, in what so many iterations take with normal work and a voter that takes no time.
    Time,
    /// Not at all: each iteration has the work of one of the two periods or anything between, equally likely, by this seed.
    Random(u64),
}

/// The work of the first subtask: two periods that alternate, each of so many iterations with so many parts of the normal work.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Pace {
    pub(crate) periods: [(u64, u64); 2],
    pub(crate) counted: Counted,
}

impl Pace {
    /// Slower by so many per cent in each iteration (1.5).
    pub(crate) const fn slower(percent: u64) -> Pace {
        Pace::of([WHOLE + percent * PERCENT; 2])
    }

    /// Slower by so many per cent for 20 iterations, then faster for 20 (1.6). At most 100.
    pub(crate) const fn oscillating(percent: u64) -> Pace {
        Pace::of([WHOLE + percent * PERCENT, WHOLE - percent * PERCENT])
    }

    /// Slower by so many per cent for 20 iterations, then normal for 20 (1.7).
    pub(crate) const fn recovering(percent: u64) -> Pace {
        Pace::of([WHOLE + percent * PERCENT, WHOLE])
    }

    /// So many parts of the normal work for 20 iterations each.
    pub(crate) const fn of([first, second]: [u64; 2]) -> Pace {
        Pace { periods: [(PERIOD, first), (PERIOD, second)], counted: Counted::Own }
    }

    /// The same, counted otherwise.
    pub(crate) const fn counted(self, counted: Counted) -> Pace {
        Pace { counted, ..self }
    }

    /// The same, with so many iterations in each period.
    pub(crate) const fn long(self, first: u64, second: u64) -> Pace {
        Pace { periods: [(first, self.periods[0].1), (second, self.periods[1].1)], ..self }
    }

    /// The same on a processor that takes so many thousandths longer for everything.
    pub(crate) fn on_slower_processor(self, thousandths: u64) -> Pace {
        let longer = |(long, parts)| (long, parts * (1_000 + thousandths) / 1_000);
        Pace { periods: self.periods.map(longer), ..self }
    }

    /// Parts of the normal work in this iteration, counted from 1, which begins now, after so many votes.
    pub(super) fn parts(&self, iteration: u64, voted: u64, now: Instant, granularity: u64) -> u64 {
        let [(first, slow), (second, fast)] = self.periods;
        let elapsed = || now.saturating_since(Instant::ZERO);
        let place = match self.counted {
            Counted::Own => iteration - 1,
            Counted::Votes => voted.saturating_sub(1),
            Counted::Time => elapsed().as_nanos() / operations_last(granularity).as_nanos(),
            Counted::Random(seed) => {
                let mut random = crate::random::Random(seed ^ (iteration << 20));
                let (least, most) = (slow.min(fast), slow.max(fast));
                return least + random.uniform(most - least + 1);
            }
        };
        if place % (first + second) < first { slow } else { fast }
    }
}
