//! The deliberative part as a model of logical processes: a map of what was seen, and a planner, which says at each step where the robot goes (PORTS 2.1).
//!
//! The planner goes on step by step, as if what the map says stayed so; whoever runs the model may therefore run it ahead.

use crate::path::{Before, Plan, Planner};
use crate::terrain::{Cell, Terrain};
use core::sync::atomic::{AtomicU64, Ordering};
use imbl::OrdMap;
use std::sync::Arc;
use windfall_speculation::{Context, Model, ProcessNumber, Saving};
use windfall_time::{Instant, Span};

/// The map.
pub const MAP: ProcessNumber = ProcessNumber(0);
/// The planner.
pub const PLANNER: ProcessNumber = ProcessNumber(1);

const NANOSECOND: Span = Span::from_nanos(1);

/// What map and planner are told.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Event {
    /// What sensors have seen, for the map; what is new of it, for the planner.
    Seen {
        /// Cells, and whether each is blocked.
        cells: Vec<(Cell, bool)>,
        /// Where the robot is, if it did not go where it was told; and how often that has been so.
        stands: Option<(Cell, u32)>,
    },
    /// The robot's next step, which is taken at the time of the event.
    Step(u32),
}

/// Where the robot goes at a step.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Move {
    /// Which step, from 1.
    pub step: u32,
    /// As often as it had not gone where it was told, as far as the planner knew.
    pub stood: u32,
    /// To which neighbour; `None`: it stays, since no way is known, or it is there.
    pub to: Option<Cell>,
    /// The whole way, if cells were looked at for it.
    pub way: Vec<Cell>,
}

/// What map and planner remember.
#[derive(Clone, PartialEq, Debug)]
pub enum State {
    /// Which cells are known to be blocked, or free. A copy of it shares what is equal.
    Map(OrdMap<Cell, bool>),
    /// The planner, and how often the robot did not go where it was told, as far as it knows.
    Planner(Box<Planner>, u32),
}

/// How a change of the planner is taken back.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Change {
    /// Of its ways.
    Ways(Before),
    /// How often the robot had not gone where it was told.
    Stood(u32),
}

/// How much handlers had to do, for whoever accounts for it. Not part of the model: nothing in it depends on this.
#[derive(Clone, Default, Debug)]
pub struct Meter(Arc<[AtomicU64; 2]>);

impl Meter {
    fn add(&self, which: usize, count: u64) {
        self.0[which].fetch_add(count, Ordering::Relaxed);
    }

    /// How many cells were looked at.
    #[must_use]
    pub fn looked(&self) -> u64 {
        self.0[0].load(Ordering::Relaxed)
    }

    /// How many changes were taken back.
    #[must_use]
    pub fn taken_back(&self) -> u64 {
        self.0[1].load(Ordering::Relaxed)
    }
}

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
    /// A robot that takes a step so often, and looks at `most` cells for each at most.
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
    type Output = Move;
    type Change = Change;

    fn processes(&self) -> u32 {
        2
    }

    fn start(&self, context: &mut Context<'_, Self>) -> State {
        if context.me() == MAP {
            return State::Map(OrdMap::new());
        }
        context.send(PLANNER, time_of(1, self.step), Event::Step(1));
        let Terrain { size, start, goal, .. } = *self.terrain;
        State::Planner(Box::new(Planner::new(size, start, goal)), 0)
    }

    fn handle(&self, state: &mut State, event: &Event, context: &mut Context<'_, Self>) {
        match (state, event) {
            (State::Map(known), Event::Seen { cells, stands }) => {
                let is_new = |(cell, blocked): &&(Cell, bool)| known.get(cell) != Some(blocked);
                let cells: Vec<(Cell, bool)> = cells.iter().filter(is_new).copied().collect();
                known.extend(cells.iter().copied());
                if !cells.is_empty() || stands.is_some() {
                    let at = context.now() + NANOSECOND;
                    context.send(PLANNER, at, Event::Seen { cells, stands: *stands });
                }
            }
            (State::Planner(planner, stood), Event::Seen { cells, stands }) => {
                let mut log = |before| context.log(Change::Ways(before));
                if let Some((at, _)) = stands {
                    planner.stands(*at, &mut log);
                }
                planner.change(cells, &mut log);
                if let Some((_, times)) = stands {
                    context.log(Change::Stood(*stood));
                    *stood = *times;
                }
            }
            (State::Planner(planner, stood), Event::Step(step)) => {
                let mut log = |before| context.log(Change::Ways(before));
                let (plan, looked) = planner.plan(self.most, &mut log);
                self.meter.add(0, looked.into());
                let to = planner.next_cell().filter(|_| plan == Plan::Known);
                let way =
                    if looked > 0 && plan == Plan::Known { planner.way() } else { Vec::new() };
                if let Some(to) = to {
                    planner.stands(to, &mut log);
                }
                context.output(Move { step: *step, stood: *stood, to, way });
                context.send(PLANNER, time_of(step + 1, self.step), Event::Step(step + 1));
            }
            (State::Map(_), Event::Step(_)) => unreachable!("the map takes no steps"),
        }
    }

    fn undo(&self, state: &mut State, change: Change) {
        self.meter.add(1, 1);
        match (state, change) {
            (State::Planner(planner, _), Change::Ways(before)) => planner.undo(before),
            (State::Planner(_, stood), Change::Stood(times)) => *stood = times,
            (State::Map(_), _) => unreachable!("the map is saved as copies"),
        }
    }

    fn saving(&self, process: ProcessNumber) -> Saving {
        if process == MAP { Saving::Copies { every: 1 } } else { Saving::Log }
    }
}
