//! How late jobs can be under global EDF where not every deadline is met (Devi and Anderson 2008).
//!
//! Deadlines are the periods' ends. As long as the tasks fit on the processors, each job ends within
//! `x` and its work after its deadline, the same `x` for all (Devi 2006, corollary 4.11).

use super::{GlobalError, covered, density_terms, fits};
use crate::Task;
use crate::exact::{Sum, utilisation};
use crate::window::HORIZON;
use windfall_time::Span;

/// A bound on each response time on so many processors; deadlines may be missed.
///
/// # Errors
/// Where the tasks take more than the processors, where one has jitter or a deadline other than
/// its period, and beyond [`HORIZON`].
pub fn late_response_times(tasks: &[Task], processors: u32) -> Result<Vec<Span>, GlobalError> {
    covered(tasks, processors)?;
    if let Some(task) = tasks.iter().position(|task| task.deadline != task.period) {
        return Err(GlobalError::DeadlineNotPeriod(task));
    }
    if let Some(task) = tasks.iter().position(|task| task.work > task.period) {
        return Err(GlobalError::WorkTooLong(task));
    }
    if !fits(tasks, processors) {
        return Err(GlobalError::Overload);
    }
    bounds(tasks, processors).ok_or(GlobalError::NotFound)
}

/// The bounds of tasks that fit, up to [`HORIZON`].
fn bounds(tasks: &[Task], processors: u32) -> Option<Vec<Span>> {
    let late = if processors == 1 { None } else { Some(lateness(tasks, processors)?) };
    let bound = |task: &Task| {
        let late = late.map_or(Some(Span::ZERO), |late| late.checked_add(task.work))?;
        task.deadline.checked_add(late)
    };
    tasks.iter().map(bound).collect()
}

/// The `x` of the corollary, rounded up.
fn lateness(tasks: &[Task], processors: u32) -> Option<Span> {
    let whole =
        (1..=processors).find(|n| utilisation(tasks).compare_whole(u64::from(*n)).is_le())?;
    let busy_others = usize::try_from(whole - 1).ok()?;
    let mut works: Vec<u64> = tasks.iter().map(|task| task.work.as_nanos()).collect();
    works.sort_unstable_by(|a, b| b.cmp(a));
    let carried = works.iter().take(busy_others).sum::<u64>();
    let above = carried.saturating_sub(works.last().copied().unwrap_or(0));
    let mut heavy: Vec<(u128, u128)> = tasks.iter().map(density_terms).collect();
    heavy.sort_unstable_by(|a, b| (b.0 * a.1).cmp(&(a.0 * b.1)));
    heavy.truncate(busy_others.saturating_sub(1));
    // The least x with x * (m - sum of heavy utilisations) >= above, by bisection: nothing is rounded.
    let enough = |x: u64| {
        let mut sum = Sum::new();
        heavy.iter().for_each(|(work, period)| sum.add(u128::from(x) * work, *period));
        sum.add(u128::from(above), 1);
        let mut room = Sum::new();
        room.add(u128::from(x) * u128::from(processors), 1);
        sum.compare(&room).is_le()
    };
    let (mut below, mut least) = (0, HORIZON.as_nanos());
    if !enough(least) {
        return None;
    }
    while below < least {
        let middle = below + (least - below) / 2;
        if enough(middle) {
            least = middle;
        } else {
            below = middle + 1;
        }
    }
    Some(Span::from_nanos(least))
}
