//! The forced-forward demand test for global EDF (Baruah, Bonifaci, Marchetti-Spaccamela and Stiller
//! 2010, "Improved multiprocessor global schedulability analysis", equation 6).
//!
//! A set is accepted if some speed proves it: on one processor that slow, every task alone meets
//! its deadlines, and what each must have done of its next jobs by then, at that speed, leaves room
//! in every window of the `m` processors.
//!
//! Speeds are tried as SchedCAT does: the greatest density, and then multiples of 1/50, as long as a
//! tenth of a processor is left in the long run. Numbers beyond 128 bits are refused.

use super::densest;
use crate::window::ROUNDS;
use crate::{Task, exact};

/// A speed is tried each 1/50.
const STEPS: u128 = 50;

/// In the long run, a 1/10 of a processor must be left: windows need no check once they are this
/// many times longer than all works together.
const LEFT: u128 = 10;

/// A speed of a processor, in lowest terms, above zero.
#[derive(Clone, Copy)]
struct Speed {
    above: u128,
    below: u128,
}

impl Speed {
    fn new(above: u128, below: u128) -> Speed {
        let (mut divisor, mut rest) = (above, below);
        while rest > 0 {
            (divisor, rest) = (rest, divisor % rest);
        }
        Speed { above: above / divisor, below: below / divisor }
    }
}

/// The tasks are in range, with deadlines from their work to their period.
pub(super) fn accepts(tasks: &[Task], processors: u32) -> bool {
    let Some((work, time)) = densest(tasks) else {
        return true;
    };
    let first = Speed::new(work, time);
    let next = first.above * STEPS / first.below + 1;
    let speeds = (next..=STEPS).map(|steps| Speed::new(steps, STEPS));
    let mut rounds = 0;
    std::iter::once(first)
        .chain(speeds)
        .take_while(|speed| leaves_room(tasks, *speed, processors))
        .any(|speed| witness(tasks, speed, processors, &mut rounds) == Some(true))
}

/// Whether the long run leaves a tenth of a processor beyond what the speed sets aside.
fn leaves_room(tasks: &[Task], speed: Speed, processors: u32) -> bool {
    let others = u128::from(processors - 1);
    let mut sum = exact::utilisation(tasks);
    sum.add(others * speed.above, speed.below);
    sum.add(others, LEFT);
    others > 0 && sum.compare_whole(u64::from(processors)).is_le()
}

/// Whether the demand fits into each window in which it changes its course.
///
/// Moments are in units of a nanosecond by `speed.above`, so that all of them are whole.
fn witness(tasks: &[Task], speed: Speed, processors: u32, rounds: &mut u32) -> Option<bool> {
    let processors = u128::from(processors);
    let works: u128 = tasks.iter().map(|task| u128::from(task.work.as_nanos())).sum();
    let end = works.checked_mul(LEFT)?.checked_mul(speed.above)?;
    let room = (processors * speed.below).checked_sub((processors - 1) * speed.above)?;
    let courses: Vec<Course> =
        tasks.iter().map(|task| Course::new(task, speed)).collect::<Option<_>>()?;
    let mut moment = 0;
    loop {
        moment = courses.iter().filter_map(|course| course.change_after(moment)).min()?;
        *rounds += 1;
        if moment > end || *rounds >= ROUNDS {
            return Some(*rounds < ROUNDS);
        }
        let demand = courses
            .iter()
            .try_fold(0_u128, |sum, course| sum.checked_add(course.demand(moment)?))?;
        if demand.checked_mul(speed.above)? > room.checked_mul(moment)? {
            return Some(false);
        }
    }
}

/// The demand of one task over time: it rises by the work in each period, at the given speed, up to
/// the deadline. Work is in units of a nanosecond by `speed.below`.
struct Course {
    period: u128,
    deadline: u128,
    work: u128,
}

impl Course {
    fn new(task: &Task, speed: Speed) -> Option<Course> {
        Some(Course {
            period: speed.above.checked_mul(u128::from(task.period.as_nanos()))?,
            deadline: speed.above.checked_mul(u128::from(task.deadline.as_nanos()))?,
            work: speed.below.checked_mul(u128::from(task.work.as_nanos()))?,
        })
    }

    fn demand(&self, moment: u128) -> Option<u128> {
        let whole = (moment / self.period).checked_mul(self.work)?;
        let due_in = self.deadline.saturating_sub(moment % self.period);
        whole.checked_add(self.work.saturating_sub(due_in))
    }

    /// The next moment at which the demand starts to rise or stops.
    fn change_after(&self, moment: u128) -> Option<u128> {
        let begun = moment - moment % self.period;
        // At this speed a job takes as many units of time as its work has of work.
        let rise = begun.checked_add(self.deadline.checked_sub(self.work)?)?;
        let stop = begun.checked_add(self.deadline)?;
        let again = rise.checked_add(self.period)?;
        [rise, stop, again].into_iter().find(|change| *change > moment)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::small_tasks;
    use proptest::prelude::*;
    use windfall_time::{Ratio, Span};

    /// By definition (section 3): all of the jobs due by then, and of the next one what does not fit
    /// between that moment and its deadline, at the given speed.
    fn demand(task: &Task, moment: Ratio, speed: Ratio) -> Ratio {
        let [work, period, deadline] =
            [task.work, task.period, task.deadline].map(|span: Span| Ratio::whole(span.as_nanos()));
        let (mut sum, mut release) = (Ratio::ZERO, Ratio::ZERO);
        while release <= moment {
            let left = release.checked_add(deadline).unwrap().checked_sub(moment).unwrap();
            let later = left.max(Ratio::ZERO).checked_mul(speed).unwrap();
            let now = work.checked_sub(later).unwrap().max(Ratio::ZERO);
            sum = sum.checked_add(now).unwrap();
            release = release.checked_add(period).unwrap();
        }
        sum
    }

    proptest! {
        #[test]
        fn limit_changes_of_course_stand_for_all_moments(
            mut tasks in small_tasks(1..=4), above in 1_u32..=4, more in 0_u32..=3,
        ) {
            let below = above + more;
            let speed = Ratio::new(i128::from(above), i128::from(below)).unwrap();
            for task in &mut tasks {
                // As slow as the speed allows, or quicker.
                let most = task.period.as_nanos() * u64::from(above) / u64::from(below);
                task.work = Span::from_nanos(task.work.as_nanos().min(most).max(1));
                let least = (task.work.as_nanos() * u64::from(below)).div_ceil(u64::from(above));
                task.period = task.period.max(Span::from_nanos(least));
                task.deadline = task.deadline.clamp(Span::from_nanos(least), task.period);
            }
            let works: u64 = tasks.iter().map(|task| task.work.as_nanos()).sum();
            for processors in 2..=3 {
                let set_aside = Ratio::whole(processors - 1).checked_mul(speed).unwrap();
                let room = Ratio::whole(processors).checked_sub(set_aside).unwrap();
                let fits = (1..=works * 10 * u64::from(above)).all(|units| {
                    let moment = Ratio::new(i128::from(units), i128::from(above)).unwrap();
                    let sum = tasks.iter().fold(Ratio::ZERO, |sum, task| {
                        sum.checked_add(demand(task, moment, speed)).unwrap()
                    });
                    sum <= room.checked_mul(moment).unwrap()
                });
                let speed = Speed::new(u128::from(above), u128::from(below));
                let processors = u32::try_from(processors).unwrap();
                prop_assert_eq!(witness(&tasks, speed, processors, &mut 0), Some(fits));
            }
        }
    }
}
