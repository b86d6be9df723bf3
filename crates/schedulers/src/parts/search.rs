//! A heuristic search for a plan in which every task runs in one piece, in time, beside fixed blocks.
//!
//! Tasks are put in line one after another, each where it may begin first, the one with the smallest
//! H = deadline + weight * earliest start next. When some task that is left could no longer be in time
//! the last choice is taken back, and the next best tried, [`BACKTRACKS`] times at most: a plan that is
//! found is right, and where none is found there may be one.
//!
//! Source: Ramamritham, Stankovic and Zhao 1990 (strongly feasible schedules, limited backtracking).

use crate::parts::table::Block;
use alloc::vec;
use alloc::vec::Vec;
use windfall_time::{Instant, Span};

/// So many choices are taken back at most.
const BACKTRACKS: u32 = 100;
/// So often at most is one task moved on past a block.
const PUSHES: u32 = 1_000;

/// Something to be done once, in one piece.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Task {
    pub(crate) release: Instant,
    pub(crate) deadline: Instant,
    pub(crate) work: Span,
}

/// When each of the tasks is to begin, none before `from`; `None` when no plan is found.
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

/// The tasks that are left, by H, and when each may begin; `None` when one could not be in time.
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

/// When a task may begin first, so that it is in time and in no block's way.
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
