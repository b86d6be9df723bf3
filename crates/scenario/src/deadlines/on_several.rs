//! Bounds on response times where earliest deadline first has several whole processors: global EDF.

use super::BoundError;
use windfall_analysis::Task;
use windfall_analysis::global_edf::{self, Test};
use windfall_time::Span;

/// Above this number of tasks, global EDF is tested by densities alone: the other tests take quadratic time or more.
const MANY: usize = 200;
/// Up to this number, all tests are used: two of them check every deadline of a busy interval.
const FEW: usize = 16;

/// The longest response times under global earliest deadline first, as a sufficient test shows them; late ones, as
/// far as lateness is bounded; or why there is no bound.
pub(super) fn bounds(tasks: &[Task], processors: u32) -> Result<Vec<Span>, BoundError> {
    let (many, few) = (tasks.len() > MANY, tasks.len() <= FEW);
    if !many && let Ok(found) = global_edf::response_times(tasks, processors) {
        return Ok(found);
    }
    let chosen = Test::ALL.into_iter().filter(|test| match test {
        Test::Density => true,
        Test::Baruah | Test::ForcedForward => few,
        _ => !many,
    });
    let (mut tried, mut uncovered) = (0, Vec::new());
    for test in chosen {
        match test.accepts(tasks, processors) {
            Ok(true) => return Ok(tasks.iter().map(|task| task.deadline).collect()),
            Ok(false) => tried += 1,
            Err(why) => uncovered.push(why),
        }
    }
    global_edf::late_response_times(tasks, processors).map_err(|_| match uncovered.first() {
        Some(why) if tried == 0 => BoundError::NotCovered { why: *why },
        _ => {
            let left_out = Test::ALL.len() - tried - uncovered.len();
            BoundError::NoTestAccepts { processors, tried, uncovered: uncovered.len(), left_out }
        }
    })
}
