//! A child, and the sums over all children that do not wait, in virtual time.
//!
//! Virtual times are in nanoseconds. With at most 2^64 ns, weights from 15 to 2^17 and 2^32 children, all sums and
//! products stay within 126 bits.

use windfall_time::{Instant, Span};

/// `sched_prio_to_weight`: by nice value from -20; each step is about 10 % of processor time.
pub(super) const WEIGHTS: [i128; 40] = [
    88_761, 71_755, 56_483, 46_273, 36_291, 29_154, 23_254, 18_705, 14_949, 11_916, 9548, 7620,
    6100, 4904, 3906, 3121, 2501, 1991, 1586, 1277, 1024, 820, 655, 526, 423, 335, 272, 215, 172,
    137, 110, 87, 70, 56, 45, 36, 29, 23, 18, 15,
];

/// The weight at nice 0, at which virtual time passes like time.
pub(super) const UNIT: i128 = 1024;

/// A child's virtual time, deadline and lag.
#[derive(Clone, Copy)]
pub(super) struct Task {
    pub(super) weight: i128,
    /// Virtual time, and the remainder of the last division, in 1/weight.
    pub(super) time: i128,
    pub(super) rest: i128,
    pub(super) deadline: i128,
    /// Its distance behind the average when it last began to wait. If it was ahead, `time` does not change while it
    /// waits.
    pub(super) lag: i128,
    /// Whether it has never been ready.
    pub(super) fresh: bool,
    pub(super) waits_since: Option<Instant>,
    /// Its own slice; `None` for that of the instance.
    pub(super) slice: Option<Span>,
}

impl Task {
    /// How far virtual time advances in this time, and the remainder.
    pub(super) fn moves(&self, ran: Span) -> (i128, i128) {
        let scaled = i128::from(ran.as_nanos()) * UNIT + self.rest;
        (scaled / self.weight, scaled % self.weight)
    }

    /// A time of the instance's clock as virtual time.
    pub(super) fn scaled(&self, span: Span) -> i128 {
        i128::from(span.as_nanos()) * UNIT / self.weight
    }
}

pub(super) const UNKNOWN: Task = Task {
    weight: UNIT,
    time: 0,
    rest: 0,
    deadline: 0,
    lag: 0,
    fresh: true,
    waits_since: None,
    slice: None,
};

/// Sums over all children that do not wait, from which the average virtual time is computed.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Load {
    pub(super) weight: i128,
    /// Sum of weight times virtual time.
    pub(super) times: i128,
}

impl Load {
    pub(super) fn add(&mut self, task: &Task) {
        self.weight += task.weight;
        self.times += task.weight * task.time;
    }

    pub(super) fn remove(&mut self, task: &Task) {
        self.weight -= task.weight;
        self.times -= task.weight * task.time;
    }

    /// The average, rounded down; `None` without children.
    pub(super) fn average(self) -> Option<i128> {
        (self.weight > 0).then(|| self.times.div_euclid(self.weight))
    }

    /// Whether this virtual time is not ahead of the average, exactly.
    pub(super) fn reaches(self, time: i128) -> bool {
        time * self.weight <= self.times
    }
}
