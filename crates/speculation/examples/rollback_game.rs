//! A game that goes on without its peer's input, and takes back what was wrong when that comes.
//!
//! Frames are 16 ms apart. What a player presses reaches us up to 100 ms later, and a frame is shown for good 120 ms after its time: so the run's clock is 120 ms behind. Until then a frame is played with what is known, and
//! played again if an input for it or one before comes. An input that comes later than that is refused. The network and the clock are made up here, so each run says the same.

use std::cell::Cell;
use windfall_speculation::{Ahead, Context, InputError, Model, ProcessNumber, Saving, Timed, Turn};
use windfall_time::{Instant, Span};

const FRAME: Span = Span::from_millis(16);
const FRAMES: u64 = 300;
const LAG: Span = Span::from_millis(120);
/// What playing a frame takes at most, and taking one back.
const PLAY: Span = Span::from_nanos(500_000);
const TAKE_BACK: Span = Span::from_nanos(2_000);

#[derive(Clone, PartialEq, Debug)]
enum Event {
    /// The next frame.
    Tick,
    /// A player presses something, and goes the other way.
    Turns(usize),
}

/// Where both are on a ring of 1,000 places, and which way they go.
#[derive(Clone, Copy, PartialEq, Debug)]
struct World {
    at: [i32; 2],
    way: [i32; 2],
    caught: u32,
}

struct Game;

impl Model for Game {
    type State = World;
    type Event = Event;
    type Output = World;
    type Change = World;

    fn processes(&self) -> u32 {
        1
    }

    fn start(&self, context: &mut Context<'_, Self>) -> World {
        context.send(context.me(), context.now() + FRAME, Event::Tick);
        World { at: [0, 500], way: [3, 7], caught: 0 }
    }

    fn handle(&self, world: &mut World, event: &Event, context: &mut Context<'_, Self>) {
        context.log(*world);
        match event {
            Event::Turns(player) => world.way[*player] = -world.way[*player],
            Event::Tick => {
                for (at, way) in world.at.iter_mut().zip(world.way) {
                    *at = (*at + way).rem_euclid(1_000);
                }
                world.caught += u32::from((world.at[0] - world.at[1]).abs() < 10);
                context.output(*world);
                context.send(context.me(), context.now() + FRAME, Event::Tick);
            }
        }
    }

    fn undo(&self, world: &mut World, before: World) {
        *world = before;
    }

    fn saving(&self, _: ProcessNumber) -> Saving {
        Saving::Log
    }
}

/// What the peer presses: when, and after how long we hear of it.
fn pressed() -> Vec<(Instant, Span)> {
    let mut draw = 7_u64;
    let mut at = Instant::ZERO;
    let mut next = |below: u64| {
        draw = draw.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (draw >> 33) % below
    };
    let mut all = Vec::new();
    for _ in 0..40 {
        at = at + Span::from_nanos(1_000_000 * (20 + next(180)));
        // One in ten comes too late.
        let late = if next(10) == 0 { 60_000_000 } else { 0 };
        all.push((at, Span::from_nanos(20_000_000 + next(80_000_000) + late)));
    }
    all
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let end = Instant::ZERO + FRAME.saturating_mul(FRAMES);
    // What is shown for good is behind the clock on the wall.
    let clock = Cell::new(Instant::ZERO);
    let behind = || clock.get().checked_sub(LAG).unwrap_or(Instant::ZERO);
    let ahead = Ahead { most: 10, undo: TAKE_BACK };
    let mut run = Timed::new(Game, (behind(), end), 1_000, ahead, |_, _: &Event| PLAY)?;
    let mut coming = pressed();
    // The one that comes first is the last.
    coming.sort_by_key(|(at, after)| std::cmp::Reverse(*at + *after));
    let (mut shown, mut refused) = (Vec::new(), 0);
    while behind() < end {
        while let Some((at, _)) = coming.pop_if(|(at, after)| *at + *after <= clock.get()) {
            match run.input(behind(), ProcessNumber(0), at, Event::Turns(1)) {
                Ok(_) => {}
                Err(InputError::Past { .. }) => refused += 1,
                Err(error) => return Err(error.into()),
            }
        }
        let turn = run.turn(behind, |frame, world| shown.push((frame.at, world)))?;
        let next = coming.last().map_or(Instant::MAX, |(at, after)| *at + *after);
        clock.set(match turn {
            // Frames cost next to nothing here.
            Turn::Worked { .. } => clock.get() + TAKE_BACK,
            Turn::Waits(until) => next.min(until.unwrap_or(end) + LAG).max(clock.get() + TAKE_BACK),
            _ => end + LAG,
        });
    }
    run.close_until(Instant::MAX);
    while run.turn(behind, |frame, world| shown.push((frame.at, world)))? != Turn::Waits(None) {}
    let counts = run.counts();
    println!(
        "{} frames shown, {} played, {} of them taken back",
        shown.len(),
        counts.handled,
        counts.undone
    );
    println!("inputs that came too late, and were refused: {refused}");
    println!("caught in {} frames", shown.last().map_or(0, |(_, world)| world.caught));
    Ok(())
}
