//! A promise that is being judged: reports about it are buffered, and evaluated in batches.
//!
//! Judging takes longer than deciding, and reports are small. So reports are buffered and evaluated later, many at a time, in order.

use windfall_scenario::outcome::{Promise, PromiseStatus, PromiseVerdict, Use, Watch};
use windfall_time::{Instant, Span};

/// The capacity of the buffer, in reports.
const MOST: usize = 512;

/// A report about a promise's owner.
#[derive(Clone, Copy)]
enum Report {
    Wakes(Instant),
    Sleeps(Instant),
    Deadline(Instant, Instant),
    Served(Instant, Instant, Use),
}

/// A promise, the time of the last report about it, and the reports that are not evaluated yet.
pub(super) struct Judged {
    watch: Watch,
    last: Instant,
    reports: Vec<Report>,
    /// When judgement begins, and whether the owner has been runnable since before.
    begins: Instant,
    was_runnable: bool,
    /// Whether it was found broken while it was judged.
    broken: bool,
}

impl Judged {
    /// Judgement begins at that time. Earlier reports only determine whether the owner is runnable then.
    pub(super) fn new(watch: Watch, begins: Instant) -> Judged {
        let reports = Vec::with_capacity(MOST);
        Judged { watch, last: Instant::ZERO, reports, begins, was_runnable: false, broken: false }
    }

    /// The judged promise.
    pub(super) const fn promise(&self) -> &Promise {
        self.watch.promise()
    }

    /// The time of the last report.
    pub(super) const fn last(&self) -> Instant {
        self.last
    }

    fn at(&mut self, at: Instant) -> Instant {
        self.last = self.last.max(at);
        self.last
    }

    pub(super) fn wakes(&mut self, at: Instant) {
        if self.is_early(at) {
            self.was_runnable = true;
            return;
        }
        let at = self.at(at);
        self.keep(Report::Wakes(at));
    }

    pub(super) fn sleeps(&mut self, at: Instant) {
        if self.is_early(at) {
            self.was_runnable = false;
            return;
        }
        let at = self.at(at);
        self.keep(Report::Sleeps(at));
    }

    /// Whether a time is before judgement begins. The first later time begins it.
    fn is_early(&mut self, at: Instant) -> bool {
        if at < self.begins {
            return true;
        }
        if core::mem::take(&mut self.was_runnable) {
            self.last = self.begins;
            self.keep(Report::Wakes(self.begins));
        }
        false
    }

    /// Reports that time is stolen from some processor, not necessarily the owner's.
    pub(super) fn time_was_stolen(&mut self) {
        self.watch.time_was_stolen();
    }

    pub(super) fn set_deadline(&mut self, at: Instant, deadline: Instant) {
        if self.is_early(at) {
            return;
        }
        let at = self.at(at);
        self.keep(Report::Deadline(at, deadline));
    }

    pub(super) fn served(&mut self, from: Instant, to: Instant, by: Use) {
        if self.is_early(to) {
            return;
        }
        let from = from.max(self.last).max(self.begins);
        if from >= to {
            return;
        }
        self.last = to;
        if let Some(Report::Served(_, until, same)) = self.reports.last_mut()
            && (*until, *same) == (from, by)
        {
            *until = to;
            return;
        }
        self.keep(Report::Served(from, to, by));
    }

    fn keep(&mut self, report: Report) {
        if self.reports.len() == MOST {
            let reports = std::mem::take(&mut self.reports);
            evaluate(&mut self.watch, &reports);
            self.reports = reports;
            self.reports.clear();
        }
        self.reports.push(report);
    }

    /// The state of judgement, with all reports evaluated.
    pub(super) fn watch(&self) -> Watch {
        let mut watch = self.watch.clone();
        evaluate(&mut watch, &self.reports);
        watch
    }

    /// Whether the promise is broken by `now`, and was not found broken before.
    pub(super) fn newly_broken(
        &mut self,
        now: Instant,
        (tick, precision): (Option<Span>, Span),
    ) -> bool {
        if self.broken {
            return false;
        }
        let status = self.watch().verdict_within(now.max(self.last), tick, precision).status();
        self.broken = matches!(
            status,
            PromiseStatus::Missed | PromiseStatus::Stolen | PromiseStatus::Overhead
        );
        self.broken
    }

    /// Ends judgement.
    pub(super) fn verdict(
        mut self,
        now: Instant,
        (tick, precision): (Option<Span>, Span),
    ) -> PromiseVerdict {
        if self.is_early(now) {
            self.last = self.last.max(now);
            self.was_runnable = false;
        }
        let now = self.at(now);
        let mut watch = self.watch();
        watch.end(now);
        watch.verdict_within(now, tick, precision)
    }
}

fn evaluate(watch: &mut Watch, reports: &[Report]) {
    for report in reports {
        match *report {
            Report::Wakes(at) => watch.wakes(at),
            Report::Sleeps(at) => watch.sleeps(at),
            Report::Deadline(at, deadline) => watch.set_deadline(at, deadline),
            Report::Served(from, to, by) => watch.served(from, to, by),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use windfall_time::Span;

    const PRECISION: Span = Span::from_nanos(100_000);

    fn at(micros: u64) -> Instant {
        Instant::ZERO + Span::from_nanos(1_000 * micros)
    }

    /// A promise of 4 ms in 10 ms. In each period the owner gets `own` us, and the rest goes to `by`.
    fn given(periods: u64, own: u64, by: Use) -> Judged {
        let guarantee = "RESBH 4ms 10ms".parse().expect("a guarantee");
        let mut judged = Judged::new(Watch::new(Promise::new("a", guarantee)), Instant::ZERO);
        judged.wakes(at(0));
        for period in 0..periods {
            let (from, to) = (10_000 * period, 10_000 * period + 4_000);
            judged.served(at(from), at(from + own), Use::Own);
            judged.served(at(from + own), at(to), by);
        }
        judged
    }

    #[test]
    fn law_what_we_cause_is_never_called_stolen() {
        let state =
            |own, by| given(50, own, by).verdict(at(500_000), (None, PRECISION)).status().name();
        assert_eq!(state(4_000, Use::Overhead), "kept");
        for own in [0, 1_000, 3_800] {
            assert_eq!(state(own, Use::Overhead), "overhead", "{own} us");
            assert_eq!(state(own, Use::Stolen), "stolen", "{own} us");
        }
    }

    #[test]
    fn law_reports_that_are_kept_count_like_reports_at_once() {
        for periods in [1, 255, 256, 257, 1_000] {
            let judged = given(periods, 3_000, Use::Stolen);
            let now = at(10_000 * periods);
            assert!(judged.reports.len() <= MOST);
            let mut said = given(0, 0, Use::Own).watch();
            for period in 0..periods {
                let from = 10_000 * period;
                said.served(at(from), at(from + 3_000), Use::Own);
                said.served(at(from + 3_000), at(from + 4_000), Use::Stolen);
            }
            said.end(now);
            let said = said.verdict_within(now, None, PRECISION);
            assert_eq!(judged.verdict(now, (None, PRECISION)), said, "{periods} periods");
        }
    }
}
