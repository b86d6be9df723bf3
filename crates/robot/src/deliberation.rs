//! The deliberative part as a model of logical processes: a map of what was seen, and a planner, which says at each step where the robot goes (PORTS 2.1).
//!
//! The planner goes on step by step, as if what the map says stayed so; whoever runs the model may therefore run it ahead.

use crate::path::{Plan, Planner};
use crate::terrain::{Cell, Terrain};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use windfall_speculation::{Context, Model, ProcessNumber, Saving};
use windfall_time::{Instant, Span};

/// The map.
pub const MAP: ProcessNumber = ProcessNumber(0);
/// The planner.
pub const PLANNER: ProcessNumber = ProcessNumber(1);

const NANOSECOND: Span = Span::from_nanos(1);

/// The inputs of map and planner.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Event {
    /// The sensors' view, for the planner; its observations, for the map.
    Seen {
        /// Cells, and whether each is blocked.
        cells: Vec<(Cell, bool)>,
        /// Where the robot is, if it did not go where it was told; and how often that has been so.
        stands: Option<(Cell, u32)>,
    },
    /// The robot's next step, which is taken at the time of the event.
    Step(u32),
}

/// The outputs of the deliberative part.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Output {
    /// Where the robot goes at a step.
    Move(Move),
    /// The content of the map from now on.
    Mapped(Vec<(Cell, bool)>),
}

/// Where the robot goes at a step.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Move {
    /// Which step, from 1.
    pub step: u32,
    /// As often as it had not gone where it was told, as far as the planner knew.
    pub stood: u32,
    /// Where it is before.
    pub from: Cell,
    /// To which neighbour; `None`: it stays, since no way is known, or it is there.
    pub to: Option<Cell>,
    /// The whole way, if cells were looked at for it.
    pub way: Vec<Cell>,
}

/// The states of map and planner.
#[derive(Clone, PartialEq, Debug)]
pub enum State {
    /// Which cells are known to be blocked, or free.
    Map(BTreeMap<Cell, bool>),
    /// The planner, and how often the robot did not go where it was told, as far as it knows.
    Planner(Planner, u32),
}

/// How a change of the map is taken back: what it said of a cell before.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Before(Cell, Option<bool>);

/// How much handlers had to do, for whoever accounts for it; and which motions were worked out already, so that they are not again after a rollback. Not part of the model: nothing that it comes to depends on this.
#[derive(Clone, Default, Debug)]
pub struct Meter(Arc<Mutex<Metered>>);

#[derive(Default, Debug)]
struct Metered {
    looked: u64,
    steps: u64,
    /// From which cell to which, past which obstacles.
    motions: BTreeSet<(Cell, Cell, Vec<Cell>)>,
}

impl Meter {
    fn open(&self) -> MutexGuard<'_, Metered> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How many cells were looked at.
    #[must_use]
    pub fn looked(&self) -> u64 {
        self.open().looked
    }

    /// How many steps were planned.
    pub(crate) fn steps(&self) -> u64 {
        self.open().steps
    }

    /// A motion is worked out: past each obstacle that is near.
    fn works_out(&self, from: Cell, to: Cell, near: Vec<Cell>) {
        let looks = MOTION + PAST * near.len() as u64;
        let mut metered = self.open();
        if metered.motions.insert((from, to, near)) {
            metered.looked += looks;
        }
    }
}

/// How many cells are looked at to work out the motion to a neighbour; and past each obstacle that is at most [`NEAR`] cells away from there.
pub const MOTION: u64 = 20;
/// See [`MOTION`].
pub const PAST: u64 = 20;
/// See [`MOTION`].
pub const NEAR: u16 = 1;
/// The most that a motion takes.
pub const MOST_MOTION: u64 = MOTION + PAST * (2 * NEAR as u64 + 1).pow(2);

/// The model.
#[derive(Clone, Debug)]
pub struct Deliberation {
    /// Of which only size, start and goal are known to it.
    terrain: Arc<Terrain>,
    step: Span,
    most: u32,
    meter: Meter,
}

impl Deliberation {
    /// A robot that takes a step so often, and looks at `most` cells for a way before each at most.
    #[must_use]
    pub fn new(terrain: Arc<Terrain>, step: Span, most: u32, meter: Meter) -> Deliberation {
        Deliberation { terrain, step, most, meter }
    }
}

/// When a step is taken.
#[must_use]
pub fn time_of(step: u32, every: Span) -> Instant {
    Instant::ZERO + every.saturating_mul(step.into())
}

impl Model for Deliberation {
    type State = State;
    type Event = Event;
    type Output = Output;
    type Change = Before;

    fn processes(&self) -> u32 {
        2
    }

    fn start(&self, context: &mut Context<'_, Self>) -> State {
        if context.me() == MAP {
            return State::Map(BTreeMap::new());
        }
        context.send(PLANNER, time_of(1, self.step), Event::Step(1));
        let Terrain { size, start, goal, .. } = *self.terrain;
        State::Planner(Planner::new(size, start, goal), 0)
    }

    fn handle(&self, state: &mut State, event: &Event, context: &mut Context<'_, Self>) {
        match (state, event) {
            (State::Map(known), Event::Seen { cells, .. }) => {
                for (cell, blocked) in cells {
                    context.log(Before(*cell, known.get(cell).copied()));
                    known.insert(*cell, *blocked);
                }
                context.output(Output::Mapped(cells.clone()));
            }
            (State::Planner(planner, stood), Event::Seen { cells, stands }) => {
                if let Some((at, _)) = stands {
                    planner.stands(*at);
                }
                self.meter.open().looked += planner.change(cells) as u64;
                if let Some((_, times)) = stands {
                    *stood = *times;
                }
                if !cells.is_empty() {
                    let known = Event::Seen { cells: cells.clone(), stands: None };
                    context.send(MAP, context.now() + NANOSECOND, known);
                }
            }
            (State::Planner(planner, stood), Event::Step(step)) => {
                let (plan, looked) = planner.plan(self.most);
                {
                    let mut metered = self.meter.open();
                    metered.looked += u64::from(looked);
                    metered.steps += 1;
                }
                let from = planner.robot();
                let to = planner.next_cell().filter(|_| plan == Plan::Known);
                let way =
                    if looked > 0 && plan == Plan::Known { planner.way() } else { Vec::new() };
                if let Some(to) = to {
                    self.meter.works_out(from, to, planner.obstacles(to, NEAR));
                    planner.stands(to);
                }
                let stood = *stood;
                context.output(Output::Move(Move { step: *step, stood, from, to, way }));
                context.send(PLANNER, time_of(step + 1, self.step), Event::Step(step + 1));
            }
            (State::Map(_), Event::Step(_)) => unreachable!("the map takes no steps"),
        }
    }

    fn undo(&self, state: &mut State, Before(cell, said): Before) {
        let State::Map(known) = state else { unreachable!("the planner is saved as copies") };
        match said {
            Some(blocked) => known.insert(cell, blocked),
            None => known.remove(&cell),
        };
    }

    fn saving(&self, process: ProcessNumber) -> Saving {
        // A copy of the planner shares what is equal.
        if process == MAP { Saving::Log } else { Saving::Copies { every: 1 } }
    }
}
