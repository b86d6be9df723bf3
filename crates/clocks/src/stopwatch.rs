//! Measures intervals on a clock, by the method that suits that clock on this machine.
//!
//! Every measurement measures zero elapsed time as well, in turn with what is asked for, so that both see the same load, caches and clock rate; what that comes to is in the result (sections 4.7 and 5.2).
//! A sample is one execution, however short: sections begin everywhere between two steps of the clock, so that the mean is finer than a step.
//! Lacks: a choice of how often; the caller says so, and reads [`Interval::error`].

use crate::adjacent::{Adjacent, NoPairs};
use crate::method::choose;
use crate::section::{Dither, timed};
use crate::series::{Moments, Sample, Series, ticks};
use crate::suspension::Watch;
use crate::variance::improvement;
use crate::{Clock, Gaps, Interval, IntervalError, Method, Pairs, SampleError, Trial};
use std::cell::RefCell;
use windfall_time::Span;

/// A sample holds no gap unless it exceeds the median by more than this: readings themselves, rounded to the steps of a clock, scatter by less.
pub const GAP: Span = Span::from_nanos(50);
/// A trial is divided into so many blocks, and has so many samples.
const BLOCKS: usize = 8;
const TRIAL: u32 = 8_000;
/// Two halves of zero elapsed time need a variance each.
const LEAST: u32 = 8;

/// Measures intervals on one clock.
#[derive(Clone, Debug)]
pub struct Stopwatch<C> {
    clock: C,
    gap: Span,
    method: Method,
    trials: Vec<Trial>,
}

impl<C: Clock> Stopwatch<C> {
    /// Measures zero elapsed time by each method, 8,000 samples each, and takes the short-term one with the largest k, if that is at least 3, which is what its reads cost; else long-term averaging, or nothing where zero elapsed time cannot be told from zero.
    ///
    /// # Errors
    /// When too few of these samples were whole.
    pub fn new(clock: C) -> Result<Stopwatch<C>, IntervalError> {
        let mut made = Stopwatch::with_method(clock, Method::LongTerm);
        let watch = Watch::begin();
        let mut trials = vec![
            made.trial(Method::Uncompensated, &mut NoPairs)?,
            made.trial(Method::LongTerm, &mut NoPairs)?,
            made.trial(Method::MethodI, &mut Adjacent(&made.clock))?,
        ];
        if let Some(mut elsewhere) = made.clock.elsewhere() {
            // A thread that got no processor says of the method that it does not suit, and no more.
            trials.extend(made.trial(Method::MethodII, &mut *elsewhere).ok());
        }
        unsuspended(watch)?;
        made.method = choose(&trials);
        made.trials = trials;
        Ok(made)
    }

    /// A stopwatch that compensates by a given method, without trials. Differences are always paired, whatever the method.
    #[must_use]
    pub fn with_method(clock: C, method: Method) -> Stopwatch<C> {
        Stopwatch { clock, gap: GAP, method, trials: Vec::new() }
    }

    /// Throws samples away only if they exceed the median by more than `gap`, instead of [`GAP`], as well as by ten times more than nine tenths of them do. For work whose rare long executions belong to it.
    #[must_use]
    pub fn with_gap(self, gap: Span) -> Stopwatch<C> {
        Stopwatch { gap, ..self }
    }

    /// The clock.
    pub const fn clock(&self) -> &C {
        &self.clock
    }

    /// The method by which intervals are compensated; where it was chosen by trials, in measurements in which its k is 1 or more ([`Interval::method`]).
    pub const fn method(&self) -> Method {
        self.method
    }

    /// Whether trials chose the method; else the caller gave it.
    fn is_chosen(&self) -> bool {
        !self.trials.is_empty()
    }

    /// The result of each method when this was made.
    pub fn trials(&self) -> &[Trial] {
        &self.trials
    }

    /// How long `work` takes, from `samples` single executions.
    ///
    /// The compiler may compute results of captured values beforehand; pass such values by [`Stopwatch::measure_with`], or through [`std::hint::black_box`].
    ///
    /// # Errors
    /// When fewer than 8 samples are asked for, too few are whole, or the machine was suspended.
    pub fn measure<O>(
        &self,
        samples: u32,
        mut work: impl FnMut() -> O,
    ) -> Result<Interval, IntervalError> {
        self.measure_with(samples, || (), |()| work())
    }

    /// How long `work` takes on an input that is made anew for each of `samples` executions, before the clock is read. Input and output are dropped after it was read.
    ///
    /// # Errors
    /// As [`Stopwatch::measure`].
    pub fn measure_with<I, O>(
        &self,
        samples: u32,
        input: impl FnMut() -> I,
        work: impl FnMut(&mut I) -> O,
    ) -> Result<Interval, IntervalError> {
        match self.method {
            Method::MethodI => self.against_zero(&mut Adjacent(&self.clock), samples, input, work),
            Method::MethodII => {
                let mut elsewhere = self.clock.elsewhere().ok_or(IntervalError::NoCompanion)?;
                self.against_zero(&mut *elsewhere, samples, input, work)
            }
            Method::Uncompensated | Method::LongTerm | Method::Paired => {
                self.against_zero(&mut NoPairs, samples, input, work)
            }
        }
    }

    /// The time by which `candidate` takes longer than `base`, from `samples` executions of each, in turn. The cost of reading cancels.
    ///
    /// # Errors
    /// As [`Stopwatch::measure`].
    pub fn compare<O, P>(
        &self,
        samples: u32,
        mut candidate: impl FnMut() -> O,
        mut base: impl FnMut() -> P,
    ) -> Result<Interval, IntervalError> {
        self.compare_with(samples, || (), |()| candidate(), |()| base())
    }

    /// By how much `candidate` takes longer than `base`, each on inputs that are made anew.
    ///
    /// # Errors
    /// As [`Stopwatch::measure`].
    pub fn compare_with<I, O, P>(
        &self,
        samples: u32,
        input: impl FnMut() -> I,
        mut candidate: impl FnMut(&mut I) -> O,
        mut base: impl FnMut(&mut I) -> P,
    ) -> Result<Interval, IntervalError> {
        let watch = enough(samples)?;
        let input = RefCell::new(input);
        let made = || input.borrow_mut()();
        let (mut one, mut other) = (Vec::new(), Vec::new());
        let (ours, theirs) = self.in_turn(
            &mut NoPairs,
            samples,
            |pairs, dither| {
                one.push(self.zero(pairs, dither));
                self.sample(pairs, dither, made(), &mut candidate)
            },
            |pairs, dither| {
                other.push(self.zero(pairs, dither));
                self.sample(pairs, dither, made(), &mut base)
            },
        );
        unsuspended(watch)?;
        let (one, other) = (self.series(one), self.series(other));
        let too_few = self.only_gaps(samples, &ours, &theirs);
        let (differences, gaps) = ours.less(&theirs);
        let found = Moments::of(differences.iter().copied()).ok_or(too_few)?;
        let alone = |series: &Series| Some(series.moments(ticks_measured)?.variance);
        let apart = alone(&ours).zip(alone(&theirs)).ok_or(too_few)?;
        let (zeros, _) = one.less(&other);
        let bias = Moments::of(zeros.into_iter()).ok_or(self.only_gaps(samples, &one, &other))?;
        let k = improvement(apart.0 + apart.1, found.variance);
        Ok(self.interval(found, bias.mean, gaps, Method::Paired, k))
    }

    /// Measures in turn with zero elapsed time, with the same pairs.
    fn against_zero<I, O>(
        &self,
        pairs: &mut dyn Pairs,
        samples: u32,
        mut input: impl FnMut() -> I,
        mut work: impl FnMut(&mut I) -> O,
    ) -> Result<Interval, IntervalError> {
        let watch = enough(samples)?;
        let (ours, zeros) = self.in_turn(
            pairs,
            samples,
            |pairs, dither| self.sample(pairs, dither, input(), &mut work),
            |pairs, dither| self.zero(pairs, dither),
        );
        unsuspended(watch)?;
        // What worsened the zeros of this very run would worsen its samples.
        let k = self.method.improvement(zeros.kept());
        let is_worse = self.is_chosen() && k.is_some_and(|k| k < 1.0);
        let (method, k) = if is_worse { (Method::LongTerm, Some(1.0)) } else { (self.method, k) };
        // Every other zero makes the constant, and the rest judge it.
        let (constants, judges) = (zeros.every_other(0), zeros.every_other(1));
        let too_few = self.only_gaps(samples, &ours, &zeros);
        let constant = self.constant(method, &constants).ok_or(too_few)?;
        let by = |sample: &Sample| method.compensated(sample) - constant;
        let found = ours.moments(by).ok_or(too_few)?;
        let bias = judges.moments(by).ok_or(too_few)?;
        Ok(self.interval(found, bias.mean, ours.gaps(), method, k))
    }

    /// The rest of zero elapsed time that a method leaves, in ticks; long-term averaging subtracts it.
    fn constant(&self, method: Method, zeros: &Series) -> Option<f64> {
        let left = zeros.moments(|zero| method.compensated(zero))?;
        Some(if method == Method::Uncompensated { 0.0 } else { left.mean })
    }

    fn interval(
        &self,
        found: Moments,
        bias: f64,
        gaps: Gaps,
        method: Method,
        k: Option<f64>,
    ) -> Interval {
        let scale = self.clock.scale();
        let variance = scale.nanos(scale.nanos(found.variance));
        let (value, bias, samples) = (scale.nanos(found.mean), scale.nanos(bias), found.count);
        Interval { value, bias, variance, samples, gaps, method, k }
    }

    /// Takes samples of two kinds, `rounds` of each, in the order one, other, other, one and so on.
    fn in_turn(
        &self,
        pairs: &mut dyn Pairs,
        rounds: u32,
        mut one: impl FnMut(&mut dyn Pairs, &mut Dither) -> Result<Sample, SampleError>,
        mut other: impl FnMut(&mut dyn Pairs, &mut Dither) -> Result<Sample, SampleError>,
    ) -> (Series, Series) {
        let room = usize::try_from(rounds).expect("Linux has pointers of 32 bits at least");
        let (mut ones, mut others) = (Vec::with_capacity(room), Vec::with_capacity(room));
        let mut dither = Dither::new();
        for round in 0..rounds {
            for turn in [0, 1] {
                if round % 2 == turn {
                    ones.push(one(pairs, &mut dither));
                } else {
                    others.push(other(pairs, &mut dither));
                }
            }
        }
        (self.series(ones), self.series(others))
    }

    fn series(&self, samples: Vec<Result<Sample, SampleError>>) -> Series {
        Series::of(samples, self.clock.scale().saturating_ticks(self.gap))
    }

    #[inline(always)]
    fn sample<I, O>(
        &self,
        pairs: &mut dyn Pairs,
        dither: &mut Dither,
        mut input: I,
        work: impl FnOnce(&mut I) -> O,
    ) -> Result<Sample, SampleError> {
        dither.spin();
        let before = pairs.before();
        let measured = timed(&self.clock, &mut input, work);
        let after = pairs.after();
        Ok(Sample { before: before?, measured: measured?, after: after? })
    }

    /// A sample of zero elapsed time.
    fn zero(&self, pairs: &mut dyn Pairs, dither: &mut Dither) -> Result<Sample, SampleError> {
        self.sample(pairs, dither, 0_u64, |nothing| *nothing)
    }

    /// Zero elapsed time by a method, and k by blocks.
    fn trial(&self, method: Method, pairs: &mut dyn Pairs) -> Result<Trial, IntervalError> {
        let zero = |pairs: &mut dyn Pairs, dither: &mut Dither| self.zero(pairs, dither);
        let (one, other) = self.in_turn(pairs, TRIAL / 2, zero, zero);
        let too_few = self.only_gaps(TRIAL / 2, &one, &other);
        let constant = self.constant(method, &one).ok_or(too_few)?;
        let left = other.moments(|zero| method.compensated(zero) - constant).ok_or(too_few)?;
        let both: Vec<Sample> = one.both(&other).flat_map(|(one, other)| [one, other]).collect();
        // Each block has samples of all the time, since a load that changes slowly is tracked as well.
        let of_block = |first| method.improvement(both.iter().copied().skip(first).step_by(BLOCKS));
        let mut ks: Vec<f64> = (0..BLOCKS).filter_map(of_block).collect();
        ks.sort_unstable_by(f64::total_cmp);
        let scale = self.clock.scale();
        let (bias, bias_error) = (scale.nanos(left.mean), scale.nanos(left.error()));
        Ok(Trial { method, k: ks.get(1).copied(), bias, bias_error })
    }

    fn only_gaps(&self, requested: u32, ours: &Series, base: &Series) -> IntervalError {
        IntervalError::OnlyGaps { requested, gaps: ours.gaps(), base: base.gaps(), gap: self.gap }
    }
}

fn ticks_measured(sample: &Sample) -> f64 {
    ticks(sample.measured)
}

/// Begins to watch for a suspension, if so many samples are enough.
fn enough(samples: u32) -> Result<Watch, IntervalError> {
    if samples < LEAST {
        return Err(IntervalError::TooFew { requested: samples, least: LEAST });
    }
    Ok(Watch::begin())
}

fn unsuspended(watch: Watch) -> Result<(), IntervalError> {
    let span = watch.suspended();
    if span.is_zero() { Ok(()) } else { Err(IntervalError::Suspended { span }) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{SystemClock, suspension};

    #[test]
    fn law_a_suspension_ends_a_measurement_and_the_next_one_is_measured() {
        let stopwatch = Stopwatch::with_method(SystemClock::Monotonic, Method::LongTerm);
        let mut round = 0;
        let mut once = || {
            round += 1;
            if round == 5 {
                suspension::plant(Span::from_millis(40));
            }
        };
        let suspended = |found: Result<(), IntervalError>, ms: u32| {
            let Err(IntervalError::Suspended { span }) = found else { panic!("{found:?}") };
            assert!(suspension::is_about(span, Span::from_millis(ms)), "{span}");
        };
        suspended(stopwatch.measure(10, &mut once).map(|_| ()), 40);
        assert!(stopwatch.measure(10, &mut once).is_ok());
        suspension::plant_at_each_look(Span::from_millis(2));
        suspended(stopwatch.compare(10, || (), || ()).map(|_| ()), 2);
        suspended(Stopwatch::new(SystemClock::Monotonic).map(|_| ()), 2);
    }
}
