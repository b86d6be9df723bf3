//! Wake-ups by the clock that a source attributes to the thread that ran when they came.
//!
//! perf text does not say whether an interrupt woke a thread. If a thread's wake-ups are strictly periodic, and the
//! thread to which a wake-up is attributed does not keep that period itself, the wake-up is the clock's: a wait
//! that ends at its recorded time. The same holds for every other wake-up of such a thread that is attributed to a
//! thread without that period: it is off its period, but the clock is a more likely cause than the thread that ran.
//! All others stay as they are, and are counted.
//!
//! Invariant: R2 and R3 of `replay.rs` hold afterwards.

use super::gather::add;
use super::period::{habit, nearest_multiple};
use super::replay::{Activation, Cause, Learned, LearnedThread};
use crate::program::RecordedStep;
use std::collections::{BTreeMap, VecDeque};
use windfall_time::Span;

/// Counts of wake-ups that a source attributes to threads without certainty.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct Clock {
    /// Strictly periodic: attributed to the clock.
    pub periodic: u64,
    /// Of periodic threads but off their period: attributed to the clock.
    pub late: u64,
    /// Left to the thread that ran, although an interrupt may have been the cause.
    pub doubtful: u64,
}

impl Learned {
    /// Attributes strictly periodic wake-ups to the clock. For sources that do not say whether an interrupt woke a
    /// thread.
    pub fn separate_clock(&mut self) -> Clock {
        let mut clock = Clock::default();
        let periods: Vec<Option<Span>> =
            (0..self.threads.len()).map(|thread| habit(self, thread).period).collect();
        // By waker and target: whether each of the waker's wakes of the target, in order, is the clock's.
        let mut struck: BTreeMap<(usize, usize), VecDeque<bool>> = BTreeMap::new();
        for (target, thread) in self.threads.iter_mut().enumerate() {
            let timed = timed(thread, periods[target], &periods, &mut clock);
            for (activation, timed) in thread.activations.iter().zip(&timed) {
                if let Cause::Thread(waker) = activation.by {
                    struck.entry((waker, target)).or_default().push_back(*timed);
                }
            }
            separate(thread, &timed);
        }
        for (waker, thread) in self.threads.iter_mut().enumerate() {
            mark_by_clock(thread, |target| {
                let queue = struck.get_mut(&(waker, target));
                queue.and_then(VecDeque::pop_front).unwrap_or(false)
            });
        }
        clock
    }
}

/// For each activation: whether it is attributed to a thread and is the clock's.
fn timed(
    thread: &LearnedThread,
    period: Option<Span>,
    periods: &[Option<Span>],
    clock: &mut Clock,
) -> Vec<bool> {
    let activations = &thread.activations;
    let by_thread = activations.iter().filter(|a| matches!(a.by, Cause::Thread(_))).count() as u64;
    let Some(period) = period else {
        clock.doubtful += by_thread;
        return vec![false; activations.len()];
    };
    let on_time = on_time(activations, period);
    let mut wakes: BTreeMap<usize, usize> = BTreeMap::new();
    for activation in activations {
        if let Cause::Thread(waker) = activation.by {
            *wakes.entry(waker).or_default() += 1;
        }
    }
    // A waker that keeps the period and makes half of the wake-ups is their cause.
    let releases = |waker: usize| {
        let keeps = periods[waker].is_some_and(|own| alike(own, period));
        keeps && wakes.get(&waker).is_some_and(|count| count * 2 >= activations.len())
    };
    let mut timed = Vec::with_capacity(activations.len());
    for (activation, on_time) in activations.iter().zip(on_time) {
        let own = matches!(activation.by, Cause::Thread(waker) if !releases(waker));
        timed.push(own);
        match activation.by {
            Cause::Thread(_) if own && on_time => clock.periodic += 1,
            Cause::Thread(_) if own => clock.late += 1,
            Cause::Thread(_) => clock.doubtful += 1,
            Cause::Start | Cause::Other => {}
        }
    }
    timed
}

/// Whether two periods are equal within an eighth.
fn alike(a: Span, b: Span) -> bool {
    let (least, most) = (a.min(b).as_nanos(), a.max(b).as_nanos());
    most - least <= most / 8
}

/// Whether each activation is a whole number of periods, within a tenth of one, after an earlier one or before a
/// later one.
fn on_time(activations: &[Activation], period: Span) -> Vec<bool> {
    let fits = |pair: &[Activation]| {
        let gap = pair[1].at.saturating_since(pair[0].at);
        let whole = period.as_nanos().saturating_mul(nearest_multiple(gap, period));
        gap.as_nanos().abs_diff(whole) <= period.as_nanos() / 10
    };
    let gaps: Vec<bool> = activations.windows(2).map(fits).collect();
    let gap = |at: Option<usize>| at.and_then(|at| gaps.get(at)).copied().unwrap_or(false);
    (0..activations.len()).map(|at| gap(at.checked_sub(1)) || gap(Some(at))).collect()
}

/// Makes waits that the clock ended end at their recorded times.
fn separate(thread: &mut LearnedThread, timed: &[bool]) {
    let by_thread = |(a, _): &(&Activation, &bool)| matches!(a.by, Cause::Thread(_));
    let mut wakes = thread.activations.iter().zip(timed).filter(by_thread);
    let mut steps = Vec::with_capacity(thread.recorded.steps.len());
    for step in &thread.recorded.steps {
        let step = match step {
            RecordedStep::Woken => match wakes.next() {
                Some((activation, true)) => RecordedStep::Until(activation.at),
                _ => RecordedStep::Woken,
            },
            step => *step,
        };
        add(&mut steps, step);
    }
    thread.recorded.steps = steps;
    for (activation, timed) in thread.activations.iter_mut().zip(timed) {
        if *timed {
            activation.by = Cause::Other;
        }
    }
}

/// Removes the wakes for which `struck` is true.
fn mark_by_clock(thread: &mut LearnedThread, mut struck: impl FnMut(usize) -> bool) {
    let mut steps = Vec::with_capacity(thread.recorded.steps.len());
    for step in &thread.recorded.steps {
        match step {
            RecordedStep::Wake(target) if struck(*target) => {}
            step => add(&mut steps, *step),
        }
    }
    thread.recorded.steps = steps;
}

#[cfg(test)]
mod tests;
