//! Interference under global EDF, bounded again as slack is found (Bertogna, Cirinei and Lipari).
//!
//! A job that surely ends early carries less work past other tasks' releases; so each round over the
//! tasks may find more slack, until nothing changes. Slack never shrinks.

use super::{GlobalError, covered, fits, within_periods};
use crate::window::ROUNDS;
use crate::{Task, fixed_point};
use windfall_time::Span;

/// A bound on each response time on so many processors (Bertogna and Cirinei 2007).
///
/// # Errors
/// Where it does not show that all deadlines are met, and why not; the assumptions are those of `global_edf.rs`.
pub fn response_times(tasks: &[Task], processors: u32) -> Result<Vec<Span>, GlobalError> {
    covered(tasks, processors)?;
    within_periods(tasks)?;
    if let Some(task) = tasks.iter().position(|task| task.work > task.deadline) {
        return Err(GlobalError::WorkTooLong(task));
    }
    responses(tasks, processors).ok_or_else(|| {
        if fits(tasks, processors) { GlobalError::NotShown } else { GlobalError::Overload }
    })
}

/// The iterative test of 2008, equations 17 and 18.
pub(super) fn accepts(tasks: &[Task], processors: u32) -> bool {
    let found = |k: usize, slack: &[u64]| {
        let task = Nanos::of(&tasks[k]);
        let spare = u128::from(task.deadline - task.work);
        let sum: u128 = others(tasks, k, slack)
            .map(|(other, slack)| by_deadline(task.deadline, &other, slack).min(spare + 1))
            .sum();
        spare.checked_sub(sum / u128::from(processors)).and_then(|slack| u64::try_from(slack).ok())
    };
    fits(tasks, processors) && improved(tasks, found).is_some()
}

/// The response-time test of 2007, equations 4 to 9; the tasks are in range.
pub(super) fn responses(tasks: &[Task], processors: u32) -> Option<Vec<Span>> {
    let found = |k: usize, slack: &[u64]| {
        let task = Nanos::of(&tasks[k]);
        let response = fixed_point::least(task.work, &mut 0, |response| {
            let spare = u128::from(response - task.work);
            let most = others(tasks, k, slack).map(|(other, slack)| {
                by_deadline(task.deadline, &other, slack).min(by_window(response, &other, slack))
            });
            let mut most: Vec<u128> = most.collect();
            let sum: u128 = most.iter().map(|most| (*most).min(spare + 1)).sum();
            // While as many others as processors have more than that, it grows by a nanosecond at a time.
            let leap = usize::try_from(processors - 1).ok().filter(|nth| *nth < most.len());
            let leap = leap.map_or(0, |nth| *most.select_nth_unstable_by(nth, |a, b| b.cmp(a)).1);
            let next = u128::from(task.work) + (sum / u128::from(processors)).max(leap);
            u64::try_from(next).ok().filter(|next| *next <= task.deadline)
        });
        response.map(|response| task.deadline - response)
    };
    let slack = fits(tasks, processors).then(|| improved(tasks, found))??;
    let response = |(task, slack): (&Task, u64)| task.deadline - Span::from_nanos(slack);
    Some(tasks.iter().zip(slack).map(response).collect())
}

/// Finds slack, task by task, round by round, until all have some bound; `None` where that stalls.
fn improved(tasks: &[Task], found: impl Fn(usize, &[u64]) -> Option<u64>) -> Option<Vec<u64>> {
    let mut slack = vec![0; tasks.len()];
    for _ in 0..ROUNDS {
        let (mut all, mut better) = (true, false);
        for k in 0..tasks.len() {
            match found(k, &slack) {
                Some(more) if more > slack[k] => {
                    slack[k] = more;
                    better = true;
                }
                Some(_) => {}
                None => all = false,
            }
        }
        if all {
            return Some(slack);
        }
        if !better {
            return None;
        }
    }
    None
}

struct Nanos {
    work: u64,
    period: u64,
    deadline: u64,
}

impl Nanos {
    fn of(task: &Task) -> Nanos {
        let [work, period, deadline] =
            [task.work, task.period, task.deadline].map(|span| span.as_nanos());
        Nanos { work, period, deadline }
    }
}

/// The tasks other than `k`, each with its slack.
fn others(tasks: &[Task], k: usize, slack: &[u64]) -> impl Iterator<Item = (Nanos, u64)> {
    let each = tasks.iter().zip(slack).enumerate().filter(move |(index, _)| *index != k);
    each.map(|(_, (task, slack))| (Nanos::of(task), *slack))
}

/// The most work of a task in a window that ends with one of its deadlines, as EDF lets it matter.
fn by_deadline(window: u64, task: &Nanos, slack: u64) -> u128 {
    let carried = task.work.min((window % task.period).saturating_sub(slack));
    u128::from(window / task.period) * u128::from(task.work) + u128::from(carried)
}

/// The most work of a task in any window, under every work-conserving scheduler.
fn by_window(window: u64, task: &Nanos, slack: u64) -> u128 {
    let reach = window + (task.deadline - task.work - slack);
    let carried = task.work.min(reach % task.period);
    u128::from(reach / task.period) * u128::from(task.work) + u128::from(carried)
}
