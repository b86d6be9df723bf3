//! The deliberative part of a robot without schedulers and processes: a loop that has what time is left, and a clock that is made up, so each run says the same.
//!
//! The robot takes a step every 50 ms. The planner handles steps ahead; whatever is seen takes effect at the next step, and what was planned beyond is taken back. `cargo run --example robot`

use std::cell::Cell as Clock;
use std::sync::Arc;
use windfall_robot::deliberation::{Deliberation, Event, Meter, Output, PLANNER, time_of};
use windfall_robot::terrain::{Cell, Random, Size};
use windfall_speculation::{Ahead, Timed, Turn};
use windfall_time::{Instant, Span};

const STEP: Span = Span::from_millis(50);
/// How many cells are looked at for a step at most; and how far sensors see.
const MOST: u32 = 400;
const SIGHT: u16 = 4;
/// What looking at a cell takes.
const LOOK: Span = Span::from_nanos(20_000);

fn main() -> Result<(), Box<dyn core::error::Error>> {
    let size = Size { wide: 60, high: 18 };
    let random = Random { size, blocked: 22, later: 0, until: Span::from_secs(1), seed: 5 };
    let terrain = Arc::new(random.terrain());
    let meter = Meter::default();
    let model = Deliberation::new(terrain.clone(), STEP, MOST, meter.clone());
    let end = Instant::ZERO + Span::from_secs(60);
    let ahead = Ahead { most: 10, undo: LOOK };
    let bound = |_, event: &Event| match event {
        Event::Step(_) => LOOK.saturating_mul(u64::from(MOST) + 300),
        Event::Seen { cells, .. } => LOOK.saturating_mul(9 * cells.len() as u64 + 1),
    };
    let mut run = Timed::new(model, (Instant::ZERO, end), 100, ahead, bound)?;

    let (mut at, mut seen) = (terrain.start, vec![false; terrain.blocked.len()]);
    let mut went: Vec<Cell> = vec![at];
    let clock = Clock::new(Instant::ZERO);
    for step in 1.. {
        // What is new around it.
        let new = size.around(at, SIGHT).filter(|cell| terrain.blocked[*cell as usize]);
        let new = new.filter(|cell| !std::mem::replace(&mut seen[*cell as usize], true));
        let cells: Vec<(Cell, bool)> = new.map(|cell| (cell, true)).collect();
        let due = time_of(step, STEP);
        if !cells.is_empty() {
            let before = due.checked_sub(Span::from_nanos(1)).unwrap_or(due);
            run.input(clock.get(), PLANNER, before, Event::Seen { cells, stands: None })?;
        }
        // Until the step is due it plans as far ahead as there is time for.
        let mut moves = Vec::new();
        loop {
            let looked = meter.looked();
            let took = || {
                clock.set(clock.get() + LOOK.saturating_mul(meter.looked() - looked));
                clock.get()
            };
            let turn = run.turn(took, |_, output| {
                if let Output::Move(told) = output {
                    moves.push(told);
                }
            })?;
            let Turn::Worked { .. } = turn else { break };
        }
        clock.set(clock.get().max(due));
        run.give(clock.get(), |_, output| {
            if let Output::Move(told) = output {
                moves.push(told);
            }
        })?;
        let told = moves.iter().find(|told| told.step == step).ok_or("the move is late")?;
        at = told.to.unwrap_or(at);
        went.push(at);
        if at == terrain.goal || step == 400 {
            break;
        }
    }

    for row in 0..size.high {
        let cells = (0..size.wide).filter_map(|column| size.cell((column.into(), row.into())));
        let line: String = cells
            .map(|cell| match (went.contains(&cell), terrain.blocked[cell as usize]) {
                (true, _) => '*',
                (_, true) if seen[cell as usize] => '#',
                (_, true) => '+',
                _ => '.',
            })
            .collect();
        println!("{line}");
    }
    let counts = run.counts();
    println!("# seen, + not seen, * its way: {} steps", went.len() - 1);
    println!("{} events took effect, {} were taken back", counts.committed, counts.undone);
    assert_eq!(run.take_late().len(), 0, "all that was promised was done in time");
    Ok(())
}
