//! Multiframe tasks: jobs at least a period apart whose works go round in a fixed cycle, like the
//! frames of a video.
//!
//! A window's requests are bounded by the cycle's worst start for as many jobs as fit in. EDF is
//! exact with that, for each window may have its own worst start. Under fixed priorities one start
//! has to serve all windows up to a deadline; there the bound is attained where every higher task
//! is accumulatively monotonic (one frame starts the largest sum of any length), and safe otherwise.
//!
//! A1 The cycle may start at any frame and goes on without a leap, but jobs may come later.
//! A2 Deadlines do not exceed periods. A3 No jitter; tasks are independent.
//! A4 The tasks' scheduler is runnable whenever one of them is, so that its supply holds.
//!
//! Sources: Mok and Chen 1997 (model, accumulative monotony, critical instant); Baruah, Chen,
//! Gorinsky and Mok 1999 (demand bound).

use crate::local_edf::Verdict;
use crate::window::{HORIZON, ROUNDS, in_range};
use crate::{DemandError, MultiframeError, Supply, Task, UnboundedError, load, local_edf};
use core::cmp::Ordering;
use windfall_time::Span;

/// A task whose jobs take the works of a cycle in turn.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Multiframe {
    /// The works, in ns; not empty.
    frames: Vec<u64>,
    period: u64,
    deadline: u64,
    /// `worst[n]`: the largest sum of n frames in a row, for n up to a whole cycle.
    worst: Vec<u64>,
}

impl Multiframe {
    /// A task with these works in turn, jobs at least `period` apart, due `deadline` after arrival.
    ///
    /// # Errors
    /// Unless there is a frame, each is above zero, `0 < deadline <= period`, and a cycle's
    /// work and length are each within a quarter of [`crate::HORIZON`].
    pub fn new(
        frames: &[Span],
        period: Span,
        deadline: Span,
    ) -> Result<Multiframe, MultiframeError> {
        if let Some(frame) = frames.iter().position(|frame| frame.is_zero()) {
            return Err(MultiframeError::ZeroFrame { frame });
        }
        if frames.is_empty() {
            return Err(MultiframeError::NoFrames);
        }
        if period.is_zero() {
            return Err(MultiframeError::ZeroPeriod);
        }
        if deadline.is_zero() {
            return Err(MultiframeError::ZeroDeadline);
        }
        if deadline > period {
            return Err(MultiframeError::DeadlineAbovePeriod);
        }
        Multiframe::counted(frames, period, deadline).ok_or(MultiframeError::TooLong)
    }

    /// The same of works and times that are as they must be; `None` for a cycle that is too long.
    fn counted(frames: &[Span], period: Span, deadline: Span) -> Option<Multiframe> {
        let frames: Vec<u64> = frames.iter().map(|frame| frame.as_nanos()).collect();
        let sum = |from: usize, count: usize| {
            let mut row = frames.iter().cycle().skip(from).take(count);
            row.try_fold(0_u64, |sum, frame| sum.checked_add(*frame))
        };
        let worst_of = |count| (0..frames.len()).map(|from| sum(from, count)).max()?;
        let worst = (0..=frames.len()).map(worst_of).collect::<Option<Vec<u64>>>()?;
        let task =
            Multiframe { worst, period: period.as_nanos(), deadline: deadline.as_nanos(), frames };
        in_range(&[task.cycle()?]).then_some(task)
    }

    /// The frame that starts the largest sum of every length (accumulative monotony); `None`, which is no
    /// error, where none does.
    #[must_use]
    pub fn peak(&self) -> Option<usize> {
        (0..self.frames.len()).find(|from| {
            let mut sum = 0_u64;
            let row = self.frames.iter().cycle().skip(*from).zip(&self.worst[1..]);
            row.into_iter().all(|(frame, worst)| {
                sum = sum.saturating_add(*frame);
                sum == *worst
            })
        })
    }

    /// The most work that can be requested in any window of this length.
    ///
    /// # Errors
    /// When that is 2^64 ns or more.
    pub fn request(&self, window: Span) -> Result<Span, DemandError> {
        let work = self.work(window.as_nanos().div_ceil(self.period));
        work.map(Span::from_nanos).ok_or(DemandError::TooMuch)
    }

    /// The most work that can be both requested and due in any window of this length.
    ///
    /// # Errors
    /// When that is 2^64 ns or more.
    pub fn demand(&self, window: Span) -> Result<Span, DemandError> {
        let work = self.work(self.due(window.as_nanos()));
        work.map(Span::from_nanos).ok_or(DemandError::TooMuch)
    }

    /// The largest sum of so many frames in a row.
    fn work(&self, jobs: u64) -> Option<u64> {
        let frames = u64::try_from(self.frames.len()).ok()?;
        let (cycle, rest) = (*self.worst.last()?, usize::try_from(jobs % frames).ok()?);
        (jobs / frames).checked_mul(cycle)?.checked_add(*self.worst.get(rest)?)
    }

    /// How many jobs can be requested and due in a window.
    fn due(&self, window: u64) -> u64 {
        window.checked_sub(self.deadline).map_or(0, |past| past / self.period + 1)
    }

    /// The longest window up to `most` at whose end a job can be due.
    fn last_due(&self, most: u64) -> Option<u64> {
        let before = self.due(most).checked_sub(1)?;
        before.checked_mul(self.period)?.checked_add(self.deadline)
    }

    /// One whole cycle as a task: as much work in the long run, repeated as often.
    fn cycle(&self) -> Option<Task> {
        let frames = u64::try_from(self.frames.len()).ok()?;
        let work = Span::from_nanos(*self.worst.last()?);
        let period = Span::from_nanos(self.period.checked_mul(frames)?);
        Some(Task { work, period, deadline: period, jitter: Span::ZERO })
    }
}

/// A bound of each task's response time, in decreasing order of priority.
///
/// Attained where every higher task has a [`Multiframe::peak`]. There is none where it exceeds the deadline, or is not found within
/// [`crate::ROUNDS`]: the task may miss it (does, where the bound is attained), and A2 holds no more.
#[must_use]
pub fn response_times(tasks: &[Multiframe], supply: &Supply) -> Vec<Result<Span, UnboundedError>> {
    let bound = |last: usize| response(&tasks[..last], &tasks[last], supply).map(Span::from_nanos);
    (0..tasks.len()).map(bound).collect()
}

/// Whether earliest deadline first meets every deadline; exact.
///
/// # Errors
/// [`UnboundedError::NotFound`] where it is not decided within [`crate::HORIZON`] and [`crate::ROUNDS`].
pub fn edf_schedulable(tasks: &[Multiframe], supply: &Supply) -> Result<bool, UnboundedError> {
    let demand = |window| total(tasks, |task| task.work(task.due(window)));
    let last = |most| tasks.iter().filter_map(|task| task.last_due(most)).max();
    let Some(most) = longest_window(tasks, supply)? else { return Ok(false) };
    match local_edf::descend(demand, last, supply, most) {
        Verdict::Met => Ok(true),
        Verdict::Want { .. } => Ok(false),
        Verdict::TooMuch => Err(UnboundedError::NotFound),
    }
}

fn response(
    higher: &[Multiframe],
    task: &Multiframe,
    supply: &Supply,
) -> Result<u64, UnboundedError> {
    let own = task.work(1).ok_or(UnboundedError::NotFound)?;
    let window_of = |work| supply.window_ns(work).ok_or(UnboundedError::NotFound);
    let mut window = window_of(own)?;
    for _ in 0..ROUNDS {
        if window > task.deadline {
            return Err(UnboundedError::PastDeadline);
        }
        let work = total(higher, |other| other.work(window.div_ceil(other.period)));
        let work = work.and_then(|work| work.checked_add(own)).ok_or(UnboundedError::NotFound)?;
        let needed = window_of(work)?;
        if needed <= window {
            return Ok(window);
        }
        window = needed;
    }
    Err(UnboundedError::NotFound)
}

fn total(tasks: &[Multiframe], part: impl Fn(&Multiframe) -> Option<u64>) -> Option<u64> {
    tasks.iter().try_fold(0_u64, |sum, task| sum.checked_add(part(task)?))
}

/// No window longer than this is in want unless a shorter one is: the longest busy period, or, at
/// exactly the supply's rate, all that there is before everything repeats. `None` where they take more than that.
fn longest_window(tasks: &[Multiframe], supply: &Supply) -> Result<Option<u64>, UnboundedError> {
    let cycles = tasks.iter().map(Multiframe::cycle).collect::<Option<Vec<Task>>>();
    let cycles = cycles.ok_or(UnboundedError::NotFound)?;
    match load::against_rate(&cycles, supply) {
        Ordering::Greater => return Ok(None),
        Ordering::Equal => {
            let repeats = load::repetition(&cycles, supply);
            let end = repeats.and_then(|(start, length)| start.checked_add(length));
            return end.map(Some).ok_or(UnboundedError::NotFound);
        }
        Ordering::Less => {}
    }
    let mut window = 1_u64;
    for _ in 0..ROUNDS {
        let work = total(tasks, |task| task.work(window.div_ceil(task.period)));
        let needed = work.and_then(|work| supply.window_ns(work));
        let needed = needed.filter(|needed| *needed <= HORIZON.as_nanos());
        let needed = needed.ok_or(UnboundedError::NotFound)?;
        if needed <= window {
            return Ok(Some(window));
        }
        window = needed;
    }
    Err(UnboundedError::NotFound)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::local::Policy;
    use crate::local_fixed_priority;
    use crate::tests::{at_full_rate, small_supply};
    use proptest::prelude::*;

    fn ns(n: u64) -> Span {
        Span::from_nanos(n)
    }

    fn multiframe(frames: &[u64], period: u64, deadline: u64) -> Multiframe {
        let frames: Vec<Span> = frames.iter().copied().map(ns).collect();
        Multiframe::new(&frames, ns(period), ns(deadline)).unwrap()
    }

    fn small_multiframe(period: core::ops::Range<u64>) -> impl Strategy<Value = Multiframe> {
        let frames = prop::collection::vec(1..6_u64, 1..5);
        (frames, period, 0..5_u64).prop_map(|(frames, period, shorter)| {
            multiframe(&frames, period, period - shorter.min(period - 1))
        })
    }

    /// The work of the first jobs of a cycle that starts at a frame.
    fn from(task: &Multiframe, start: usize, jobs: u64) -> u64 {
        task.frames.iter().cycle().skip(start).zip(0..jobs).map(|(frame, _)| frame).sum()
    }

    /// By definition: the worst over all starts of all cycles, each by itself a set of plain tasks.
    fn slow_response(tasks: &[Multiframe], supply: &Supply) -> Option<u64> {
        let (own, higher) = tasks.split_last().unwrap();
        let combinations: usize = higher.iter().map(|task| task.frames.len()).product();
        let worst = own.frames.iter().max().unwrap();
        (0..combinations).try_fold(0, |longest, mut number| {
            let starts: Vec<usize> = higher
                .iter()
                .map(|task| {
                    let start = number % task.frames.len();
                    number /= task.frames.len();
                    start
                })
                .collect();
            let first = (1..=own.deadline).find(|window| {
                let jobs = higher.iter().zip(&starts);
                let work: u64 =
                    jobs.map(|(t, start)| from(t, *start, window.div_ceil(t.period))).sum();
                supply.least(ns(*window)).as_nanos() >= work + worst
            })?;
            Some(first.max(longest))
        })
    }

    /// By definition: no window demands too much, up to one by which everything has repeated.
    fn every_window_holds(tasks: &[Multiframe], cycles: &[Task], supply: &Supply) -> bool {
        let holds = |window| {
            let due = |task: &Multiframe| {
                let jobs = task.due(window);
                (0..task.frames.len()).map(|start| from(task, start, jobs)).max().unwrap()
            };
            tasks.iter().map(due).sum::<u64>() <= supply.least(ns(window)).as_nanos()
        };
        let (start, cycle) = load::repetition(cycles, supply).unwrap();
        let within = load::against_rate(cycles, supply) != Ordering::Greater;
        within && (0..=(start + cycle).min(2_000)).all(holds)
    }

    proptest! {
        #[test]
        fn limit_sums_of_frames_are_those_of_the_worst_start(
            task in small_multiframe(5..9), jobs in 0..20_u64,
        ) {
            let slow = (0..task.frames.len()).map(|start| from(&task, start, jobs)).max();
            prop_assert_eq!(task.work(jobs), slow);
            let peak = (0..task.frames.len())
                .find(|start| (0..20).all(|n| Some(from(&task, *start, n)) == task.work(n)));
            prop_assert_eq!(task.peak(), peak);
        }

        #[test]
        fn limit_responses_are_the_worst_of_all_starts(
            tasks in prop::collection::vec(small_multiframe(5..40), 1..4), supply in small_supply(),
        ) {
            let bounds = response_times(&tasks, &supply);
            for last in 0..tasks.len() {
                let slow = slow_response(&tasks[..=last], &supply).map(ns);
                let attained = tasks[..last].iter().all(|task| task.peak().is_some());
                // Safe in any case: what the bound admits, no start violates.
                let safe = bounds[last].ok().is_none_or(|bound| slow.is_some_and(|slow| slow <= bound));
                prop_assert!(safe);
                prop_assert!(!attained || bounds[last].ok() == slow, "{:?} {:?}", bounds[last], slow);
            }
        }

        #[test]
        fn limit_edf_is_every_window_of_every_start(
            tasks in prop::collection::vec(small_multiframe(2..9), 1..3), supply in small_supply(),
        ) {
            let cycles: Vec<Task> = tasks.iter().map(|task| task.cycle().unwrap()).collect();
            for supply in at_full_rate(&cycles).into_iter().chain([supply]) {
                let slow = every_window_holds(&tasks, &cycles, &supply);
                prop_assert_eq!(edf_schedulable(&tasks, &supply), Ok(slow));
            }
        }

        #[test]
        fn limit_a_cycle_of_one_frame_is_a_plain_task(
            numbers in prop::collection::vec((1..5_u64, 5..30_u64), 1..4), supply in small_supply(),
        ) {
            let frames: Vec<Multiframe> =
                numbers.iter().map(|(work, period)| multiframe(&[*work], *period, *period)).collect();
            let plain: Vec<Task> =
                numbers.iter().map(|(work, period)| Task::implicit(ns(*work), ns(*period))).collect();
            let responses = local_fixed_priority::response_times(&plain, &supply);
            let responses = responses.into_iter().map(Result::ok);
            let met = responses.zip(&plain).map(|(r, t)| r.filter(|r| *r <= t.deadline));
            let found = response_times(&frames, &supply).into_iter().map(Result::ok);
            prop_assert_eq!(found.collect::<Vec<_>>(), met.collect::<Vec<_>>());
            let edf = Policy::EarliestDeadline.schedulable(&plain, &supply);
            prop_assert_eq!(edf_schedulable(&frames, &supply), edf);
        }
    }

    #[test]
    fn paper_mok_chen_1997_more_than_the_processor_by_peaks_alone() {
        // Peaks take 2/3 + 3/7, more than a processor; frames of 2 and 1 in turn leave room.
        let tasks = [multiframe(&[2, 1], 3, 3), multiframe(&[3], 7, 7)];
        assert_eq!(response_times(&tasks, &Supply::all()), [Ok(ns(2)), Ok(ns(6))]);
        let peaks = [multiframe(&[2], 3, 3), multiframe(&[3], 7, 7)];
        assert_eq!(
            response_times(&peaks, &Supply::all()),
            [Ok(ns(2)), Err(UnboundedError::PastDeadline)]
        );
    }

    #[test]
    fn limit_without_a_peak_the_bound_may_not_be_attained() {
        // The largest frame and the largest pair start at different frames.
        let video = multiframe(&[5, 1, 4, 4], 10, 10);
        assert_eq!(video.peak(), None);
        let tasks = [video, multiframe(&[6], 30, 30)];
        let bound = response_times(&tasks, &Supply::all())[1].ok();
        let slow = slow_response(&tasks, &Supply::all()).map(ns);
        assert!(bound > slow, "{bound:?} {slow:?}");
    }

    #[test]
    fn refuses_empty_cycles_zeros_and_late_deadlines() {
        let refused = |frames: &[Span], period, deadline| {
            Multiframe::new(frames, ns(period), ns(deadline)).unwrap_err()
        };
        assert_eq!(refused(&[], 5, 5), MultiframeError::NoFrames);
        assert_eq!(refused(&[ns(1), ns(0)], 5, 5), MultiframeError::ZeroFrame { frame: 1 });
        assert_eq!(refused(&[ns(1)], 0, 0), MultiframeError::ZeroPeriod);
        assert_eq!(refused(&[ns(1)], 5, 0), MultiframeError::ZeroDeadline);
        assert_eq!(refused(&[ns(1)], 5, 6), MultiframeError::DeadlineAbovePeriod);
        assert_eq!(refused(&[Span::MAX, Span::MAX], u64::MAX, 6), MultiframeError::TooLong);
        assert_eq!(refused(&[ns(1), ns(1)], u64::MAX, 6), MultiframeError::TooLong);
    }

    #[test]
    fn accepts_a_deadline_equal_to_the_period() {
        assert!(Multiframe::new(&[ns(1)], ns(5), ns(5)).is_ok());
    }
}
