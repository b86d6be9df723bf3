//! A heuristic search for a plan in which every task runs in one piece, in time, beside fixed blocks.
//!
//! Tasks are appended one after another, each at its earliest start; the task with the smallest H = deadline +
//! weight * earliest start is next. If some remaining task could no longer be in time, the last choice is undone
//! and the next best is tried, at most [`BACKTRACKS`] times. A plan that is found is right; if none is found, one
//! may still exist.
//!
//! Source: Ramamritham, Stankovic and Zhao 1990 (strongly feasible schedules, limited backtracking).

use crate::parts::table::Block;
use alloc::vec;
use alloc::vec::Vec;
use windfall_time::{Instant, Span};

/// The largest number of choices that are undone.
const BACKTRACKS: u32 = 100;
/// The largest number of times that one task is moved past a block.
const PUSHES: u32 = 1_000;

/// Work to be done once, in one piece.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Task {
    pub(crate) release: Instant,
    pub(crate) deadline: Instant,
    pub(crate) work: Span,
}

/// The start of each task, none before `from`; `None` if no plan is found.
pub(crate) fn plan(
    tasks: &[Task],
    blocks: &[Block],
    from: Instant,
    weight: u64,
) -> Option<Vec<Instant>> {
    let mut starts: Vec<Option<Instant>> = vec![None; tasks.len()];
    let mut chosen: Vec<(usize, usize)> = Vec::new();
    let (mut rank, mut backtracks) = (0, 0);
    while chosen.len() < tasks.len() {
        let last = chosen.last().and_then(|(task, _)| Some((tasks[*task], starts[*task]?)));
        let free = last.map_or(from, |(task, start)| start.saturating_add(task.work));
        let open = ranked(tasks, &starts, blocks, free, weight);
        if let Some((_, task, start)) = open.and_then(|open| open.get(rank).copied()) {
            starts[task] = Some(start);
            chosen.push((task, rank));
            rank = 0;
        } else if backtracks < BACKTRACKS {
            let (task, before) = chosen.pop()?;
            starts[task] = None;
            rank = before + 1;
            backtracks += 1;
        } else {
            return None;
        }
    }
    starts.into_iter().collect()
}

/// The remaining tasks by H, with the earliest start of each; `None` if one could not be in time.
fn ranked(
    tasks: &[Task],
    starts: &[Option<Instant>],
    blocks: &[Block],
    free: Instant,
    weight: u64,
) -> Option<Vec<(u128, usize, Instant)>> {
    let mut open = Vec::new();
    for (number, task) in tasks.iter().enumerate().filter(|(number, _)| starts[*number].is_none()) {
        let start = earliest(task, blocks, free)?;
        let start_weight = u128::from(weight) * u128::from(start.as_nanos());
        open.push((u128::from(task.deadline.as_nanos()) + start_weight, number, start));
    }
    open.sort_unstable();
    Some(open)
}

/// The earliest start of a task that overlaps no block; `None` if it would then be late.
fn earliest(task: &Task, blocks: &[Block], free: Instant) -> Option<Instant> {
    let mut start = task.release.max(free);
    for _ in 0..PUSHES {
        start.checked_add(task.work).filter(|end| *end <= task.deadline)?;
        let later = blocks.iter().filter_map(|block| block.after(start, task.work)).max();
        match later {
            None => return Some(start),
            Some(later) => start = later,
        }
    }
    None
}
