//! The bursts of a processor in sum: how often how much was lost, by period.

use super::burst::Burst;
use crate::validate::options::Need;
use hdrhistogram::Histogram;
use windfall_time::{Instant, Span};

/// The longest loss that is told from longer ones.
const MOST: u64 = 60_000_000_000;

/// How often times of some length came; three digits are kept, rounded up.
pub(super) struct Lengths(Histogram<u64>);

impl Lengths {
    fn new() -> Lengths {
        let made = Histogram::new_with_bounds(1, MOST, 3);
        Lengths(made.expect("bounds are in order, and three digits are few"))
    }

    fn add(&mut self, span: Span) {
        self.0.saturating_record(span.as_nanos());
    }

    pub(super) fn count(&self) -> u64 {
        self.0.len()
    }

    /// The length that this part of all does not exceed.
    pub(super) fn at(&self, quantile: Quantile) -> Span {
        Span::from_nanos(self.0.value_at_quantile(1.0 - 1.0 / quantile.one_in()))
    }

    pub(super) fn most(&self) -> Span {
        Span::from_nanos(self.0.max())
    }
}

/// All but one in so many.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Quantile {
    one_in: u64,
}

/// So many have to lie beyond a quantile.
const BEYOND: u64 = 10;

impl Quantile {
    pub(super) const MEDIAN: Quantile = Quantile { one_in: 2 };
    pub(super) const P99: Quantile = Quantile { one_in: 100 };
    pub(super) const P99_9: Quantile = Quantile { one_in: 1_000 };

    /// The highest of 90, 99, 99.9, 99.99 ... % beyond which at least ten of so many lie; `None` for fewer than 100.
    pub(super) fn of(count: u64) -> Option<Quantile> {
        let nines = (count / BEYOND).checked_ilog10()?;
        (nines >= 1).then(|| Quantile { one_in: 10_u64.pow(nines) })
    }

    /// All of a drawn line: 1 in 2, 4, 8 ... as long as ten lie beyond.
    pub(super) fn drawn(count: u64) -> impl Iterator<Item = Quantile> {
        let doubled = |one: &Quantile| Some(Quantile { one_in: one.one_in.checked_mul(2)? });
        std::iter::successors(Some(Quantile::MEDIAN), doubled)
            .take_while(move |one| one.one_in <= count / BEYOND)
    }

    /// One in so many lies beyond.
    #[expect(clippy::cast_precision_loss, reason = "shown; the histogram is asked by a float")]
    pub(super) fn one_in(self) -> f64 {
        self.one_in as f64
    }

    /// As `p99.99`.
    pub(super) fn name(self) -> String {
        match self.one_in {
            2 => "p50".to_owned(),
            10 => "p90".to_owned(),
            100 => "p99".to_owned(),
            more => format!("p99.{}", "9".repeat(more.to_string().len() - 3)),
        }
    }
}

/// The largest loss of a period.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Worst {
    pub(super) lost: Span,
    pub(super) due: Instant,
    /// How much of it passed before the thread woke.
    pub(super) late: Span,
}

/// The outcome of one period.
pub(super) struct OfPeriod {
    pub(super) period: Span,
    pub(super) lost: Lengths,
    pub(super) worst: Option<Worst>,
    /// How often a need was missed, for each need of this period.
    pub(super) missed: Vec<(Need, u64)>,
}

/// A processor's record.
pub(super) struct Record {
    pub(super) processor: u16,
    /// Shortest first.
    pub(super) periods: Vec<OfPeriod>,
    /// How late threads woke.
    pub(super) late: Lengths,
    /// The longest time that was taken in each burst after it woke.
    pub(super) longest: Lengths,
}

impl Record {
    pub(super) fn new(processor: u16, periods: &[Span], needs: &[Need]) -> Record {
        let of = |period: &Span| OfPeriod {
            period: *period,
            lost: Lengths::new(),
            worst: None,
            missed: needs
                .iter()
                .filter(|need| need.period == *period)
                .map(|need| (*need, 0))
                .collect(),
        };
        let periods = periods.iter().map(of).collect();
        Record { processor, periods, late: Lengths::new(), longest: Lengths::new() }
    }

    /// Adds a burst to the period it was of, and to all shorter ones.
    pub(super) fn add(&mut self, burst: &Burst, period: Span) {
        let late = burst.late();
        self.late.add(late);
        self.longest.add(burst.longest());
        for of in self.periods.iter_mut().filter(|of| of.period <= period) {
            let lost = burst.lost_of(of.period);
            of.lost.add(lost);
            if of.worst.is_none_or(|worst| worst.lost < lost) {
                of.worst = Some(Worst { lost, due: burst.due, late: late.min(of.period) });
            }
            for (need, missed) in &mut of.missed {
                *missed += u64::from(need.period.saturating_sub(lost) < need.work);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limit_ten_must_lie_beyond_a_quantile() {
        let name = |count| Quantile::of(count).map(Quantile::name);
        assert_eq!(name(99), None);
        assert_eq!(name(999).as_deref(), Some("p90"));
        assert_eq!(name(1_000).as_deref(), Some("p99"));
        assert_eq!(name(9_999).as_deref(), Some("p99"));
        assert_eq!(name(10_000).as_deref(), Some("p99.9"));
        assert_eq!(name(600_000).as_deref(), Some("p99.99"));
    }

    #[test]
    fn law_a_quantile_is_exceeded_by_one_in_so_many() {
        let mut lengths = Lengths::new();
        (1..=10_000).for_each(|ns| lengths.add(Span::from_nanos(ns)));
        let at = |one_in| lengths.at(Quantile { one_in }).as_nanos();
        assert!((9_900..=9_910).contains(&at(100)) && (9_990..=10_000).contains(&at(1_000)));
        assert!((5_000..=5_005).contains(&lengths.at(Quantile::MEDIAN).as_nanos()));
        assert_eq!(lengths.count(), 10_000);
    }
}
