//! The data that sensors, motors and planner of one robot share: the world, and the run of the deliberative part by deadlines.

use crate::deliberation::{Deliberation, Event, MOST_MOTION, Meter, Move, PLANNER, time_of};
use crate::given::{Given, Used};
use crate::journey::{Rollback, Step, Stood, written};
use crate::path::{NO_WAY, step as length};
use crate::reservation::Reservation;
use crate::settings::Robot;
use crate::terrain::Cell;
use crate::world::World;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use windfall_programs::Event as Post;
use windfall_speculation::{
    Counts, InputError, Key, Late, Moment, ProcessNumber, RunError, Supply, Timed, Turn,
};
use windfall_time::{Instant, Span};

/// How long a mission lasts at most.
const LONGEST: Span = Span::from_secs(3_600);
/// As many events as map and planner may have waiting.
const WAITING: u32 = 256;
/// An input comes so long before the step that is to know of it.
const BEFORE: Span = Span::from_nanos(1);
/// For how many steps, from the next, an observation is offered, before sensors look again.
const OFFERS: u32 = 10;

type Bound = Box<dyn Fn(ProcessNumber, &Event) -> Span + Send>;

/// The next act of the planner.
pub(crate) enum Next {
    /// To spend this processor time on what it has taken back, and on what it has handled.
    Spend { undone: u64, cause: String, taking_back: Span, handling: Span },
    /// To wait until then, or for an observation.
    Wait(Instant),
    /// Nothing any longer.
    Over,
}

/// A turn of the run: what it did, how many events it has undone, and the processor time of undoing and of handling, which has still to be spent.
struct Planned {
    turn: Turn,
    undone: u64,
    undoing: Span,
    handling: Span,
}

// Fields: the world, the run with what it gave away, where the robot is and what the planner knows of that, and what was counted.
pub(crate) struct Shared {
    pub(crate) robot: Robot,
    /// When its mission begins. All times here are since then.
    origin: Instant,
    pub(crate) world: World,
    run: Timed<Deliberation, Bound>,
    meter: Meter,
    given: Given,
    /// The processor time that planning has received, and what it still has to spend on what it has done.
    received: Span,
    owed: Span,
    at: Cell,
    /// How often it did not go where it was told, and how much of that the planner was told.
    stood: u32,
    told: u32,
    /// Whether it has stood, and has had no move since that knows of it.
    is_lost: bool,
    /// Observed cells that the planner does not know yet, by the time from which on it holds.
    causes: BTreeMap<Instant, String>,
    /// The event that the planner waits for, once it is there.
    pub(crate) observed: Option<Post>,
    /// The event that the motors wait for, if the planner is to have a promise before the mission begins.
    pub(crate) ready: Option<Post>,
    pub(crate) over: bool,
    /// Events that were promised to be handled in time and were not.
    pub(crate) late: u64,
    /// Events that did not fit when they came up, and were not promised.
    pub(crate) unfit: u64,
    /// News that could be handled in time for none of the next steps.
    pub(crate) refused: u64,
}

impl Shared {
    /// A mission that begins at the first time of a step from now on, if steps are counted from time zero.
    pub(crate) fn new(robot: Robot, now: Instant) -> Result<Arc<Mutex<Shared>>, RunError> {
        let origin = beginning(&robot, now);
        let meter = Meter::default();
        let model = Deliberation::new(robot.terrain.clone(), robot.step, robot.most, meter.clone());
        let mission = (Instant::ZERO.into(), Instant::ZERO + LONGEST);
        let supply = robot.reservation.map_or(Supply::WHOLE, Reservation::supply);
        let (ahead, bound) = (robot.goes_ahead(), bound(&robot));
        let run = Timed::below(supply, model, mission, WAITING, ahead, bound)?;
        let (world, at) = (World::new(robot.terrain.clone()), robot.terrain.start);
        Ok(Arc::new(Mutex::new(Shared {
            robot,
            origin,
            world,
            run,
            meter,
            given: Given::default(),
            received: Span::ZERO,
            owed: Span::ZERO,
            at,
            stood: 0,
            told: 0,
            is_lost: false,
            causes: BTreeMap::new(),
            observed: None,
            ready: None,
            over: false,
            late: 0,
            unfit: 0,
            refused: 0,
        })))
    }

    /// The planner was promised what it asked for only now. The mission begins a step later, so that sensors are there then.
    pub(crate) fn begins(&mut self, now: Instant) {
        self.origin = beginning(&self.robot, now.saturating_add(self.robot.step));
    }

    /// A time of the host as one of the mission.
    pub(crate) fn since(&self, time: Instant) -> Instant {
        Instant::ZERO + time.saturating_since(self.origin)
    }

    /// A time of the mission as one of the host.
    pub(crate) fn on_host(&self, time: Instant) -> Instant {
        self.origin.saturating_add(time.saturating_since(Instant::ZERO))
    }

    /// The inputs of the run at a time of the mission.
    const fn moment(&self, now: Instant) -> Moment {
        Moment::new(now, self.received).owing(self.owed)
    }

    /// The motors take a step: whatever is certain then is given away.
    pub(crate) fn takes_step(&mut self, step: u32) -> Result<(), RunError> {
        let at = time_of(step, self.robot.step);
        let (moment, given) = (self.moment(at), &mut self.given);
        self.run.give(moment, |key, output| given.take(key, output))?;
        let told = self.given.step(step, at);
        let (to, stood, way) = self.goes(told, at);
        let (to, length) = to.unwrap_or((self.at, 0));
        self.at = to;
        let seen = self.given.mapped();
        let mut journey = written(&self.robot.report);
        journey.goes(Step { at: to, stood, way, seen }, length.into());
        journey.arrived = to == self.robot.terrain.goal;
        self.over = journey.arrived || at >= Instant::ZERO + LONGEST;
        Ok(())
    }

    /// Where it goes at a step, and how long that is, or why it stands still.
    fn goes(
        &mut self,
        told: Option<Move>,
        at: Instant,
    ) -> (Option<(Cell, u32)>, Option<Stood>, Vec<Cell>) {
        let stands = |why| (None, Some(why), Vec::new());
        let Some(Move { stood, from, to, way, .. }) = told else {
            self.gets_lost(!self.is_lost);
            return stands(Stood::Late);
        };
        if stood != self.stood || from != self.at {
            self.gets_lost(stood == self.stood);
            return stands(Stood::Elsewhere);
        }
        self.is_lost = false;
        let Some(to) = to else {
            let arrived = from == self.robot.terrain.goal;
            return (None, Some(if arrived { Stood::Arrived } else { Stood::NoWay }), way);
        };
        let world = self.world.at(at);
        match length(self.robot.terrain.size, |cell| world.is_blocked(cell), from, to) {
            NO_WAY => {
                self.gets_lost(true);
                (None, Some(Stood::Obstacle), way)
            }
            length => (Some((to, length)), None, way),
        }
    }

    /// It does not go where the planner thinks that it does; `anew`, if the planner is not about to be told already.
    fn gets_lost(&mut self, anew: bool) {
        self.is_lost = true;
        self.stood += u32::from(anew);
    }

    /// The sensors look around, at a time that was `planned` and is `now`. Whether the planner is told of something: of as many cells as there is time for, the nearest first.
    pub(crate) fn looks(&mut self, planned: Instant, now: Instant) -> Result<bool, RunError> {
        let mut cells = self.world.at(planned).unreported(self.at, self.robot.sight);
        let stands = (self.stood != self.told).then_some((self.at, self.stood));
        if cells.is_empty() && stands.is_none() {
            return Ok(false);
        }
        let size = self.robot.terrain.size;
        cells.sort_by_key(|(cell, _)| size.distance(self.at, *cell));
        loop {
            if self.offers(&cells, stands, now)? {
                return Ok(true);
            }
            if cells.len() < 2 {
                self.refused += 1;
                return Ok(false);
            }
            cells.truncate(cells.len() / 2);
        }
    }

    /// Offers an observation for the first step for which it can be known, and for later ones. Whether it is admitted.
    fn offers(
        &mut self,
        cells: &[(Cell, bool)],
        stands: Option<(Cell, u32)>,
        now: Instant,
    ) -> Result<bool, RunError> {
        let event = Event::Seen { cells: cells.to_vec(), stands };
        // Whoever plans each step when it comes knows of it then.
        let away = if self.robot.ahead > 0 { self.robot.away } else { Span::ZERO };
        let from = self.next_step(now.saturating_add(away));
        let first = from.max(self.next_step(self.run.until()));
        let mut step = first;
        while step < first.saturating_add(OFFERS) {
            let at = time_of(step, self.robot.step).checked_sub(BEFORE).unwrap_or(now);
            step = match self.run.input(self.moment(now), PLANNER, at, event.clone()) {
                Ok(_) => {
                    self.is_admitted(at, cells, stands.is_some(), step > from);
                    return Ok(true);
                }
                // It cannot be known so early.
                Err(InputError::NoTime { earliest: Some(earliest), .. }) => {
                    self.next_step(earliest).max(step.saturating_add(1))
                }
                Err(InputError::Past { .. }) => step.saturating_add(1),
                Err(InputError::Run(error)) if !matches!(error, RunError::Full { .. }) => {
                    return Err(error);
                }
                Err(_) => break,
            };
        }
        Ok(false)
    }

    /// The planner is to know of these cells, and where the robot stood, from then on.
    fn is_admitted(&mut self, at: Instant, cells: &[(Cell, bool)], stood: bool, is_put_off: bool) {
        let (x, y) = self.robot.terrain.size.place(self.at);
        let stood = if stood { ", where it stood" } else { "" };
        let seen = cells.len();
        self.causes.insert(at, format!("{seen} new cells seen from column {x} of row {y}{stood}"));
        self.world.report(cells);
        self.told = self.stood;
        let mut journey = written(&self.robot.report);
        journey.put_off += u64::from(is_put_off);
    }

    /// The first step after this time.
    fn next_step(&self, now: Instant) -> u32 {
        let steps = now.as_nanos() / self.robot.step.as_nanos().max(1);
        u32::try_from(steps).map_or(u32::MAX, |steps| steps.saturating_add(1))
    }

    /// The planner handles what there is time for.
    pub(crate) fn plans(&mut self, now: Instant) -> Result<Next, RunError> {
        self.given.spent();
        self.received = self.received.saturating_add(std::mem::take(&mut self.owed));
        if self.over {
            return Ok(Next::Over);
        }
        let next_step = time_of(self.next_step(now), self.robot.step);
        let goes_ahead = self.robot.ahead > 0;
        if !goes_ahead {
            self.run.close_until(next_step);
        }
        let Planned { turn, undone, undoing, handling } = self.take_turn(now)?;
        let Turn::Worked { event, .. } = turn else {
            let until = if let Turn::Waits(Some(until)) = turn { until } else { Instant::MAX };
            return Ok(Next::Wait(if goes_ahead { until } else { until.min(next_step) }));
        };
        if undone > 0 {
            let rollback = Rollback { at: now, events: undone, due: event.at };
            written(&self.robot.report).rollbacks.push(rollback);
        }
        self.given.spends(event, handling, self.is_step(event));
        self.given.used.undoing = self.given.used.undoing.saturating_add(undoing);
        // What undoing takes was not known before.
        self.owed = undoing.saturating_add(handling);
        let (moment, given) = (self.moment(now), &mut self.given);
        self.run.give(moment, |key, output| given.take(key, output))?;
        let cause = self.causes.remove(&event.at).unwrap_or_default();
        Ok(Next::Spend { undone, cause, taking_back: undoing, handling })
    }

    /// A turn of the run, which is told of the time that it has still to spend.
    fn take_turn(&mut self, now: Instant) -> Result<Planned, RunError> {
        let (looked, steps) = (self.meter.looked(), self.meter.steps());
        let before = self.run.counts().undone;
        let Robot { cell, latency, ahead, .. } = self.robot;
        let (moment, meter, given) = (self.moment(now), &self.meter, &mut self.given);
        let handling = || {
            let decides = latency.saturating_mul(meter.steps() - steps);
            cell.saturating_mul(meter.looked() - looked).saturating_add(decides)
        };
        // The clock is read at the beginning, and when an event was handled; how much that has undone is known afterwards.
        let mut undoes = 0;
        let clock = || {
            let owed = handling().saturating_add(cell.saturating_mul(undoes));
            undoes = ahead.into();
            moment.owing(owed)
        };
        let turn = self.run.turn(clock, |key, output| given.take(key, output))?;
        let undone = self.run.counts().undone - before;
        let (undoing, handling) = (cell.saturating_mul(undone), handling());
        for late in self.run.take_late() {
            match late {
                Late::Lost(_) => self.late += 1,
                _ => self.unfit += 1,
            }
        }
        Ok(Planned { turn, undone, undoing, handling })
    }

    /// Whether an event is a step of the robot.
    fn is_step(&self, event: Key) -> bool {
        event.from == PLANNER && event.to == PLANNER
    }

    /// How often map and planner did what, and what that took.
    pub(crate) const fn planning(&self) -> (Counts, Used) {
        (self.run.counts(), self.given.used)
    }
}

/// The first time of a step from now on.
fn beginning(robot: &Robot, now: Instant) -> Instant {
    let step = robot.step.as_nanos().max(1);
    Instant::from_nanos(now.as_nanos().div_ceil(step).saturating_mul(step))
}

/// The most that handling an event takes, others included.
fn bound(robot: &Robot) -> Bound {
    let Robot { latency, reacts, cell, most, look, step, reservation, .. } = *robot;
    // Meanwhile sensors and motors come, and both once more. What is reserved is not for them.
    let others = move |work: Span| {
        if reservation.is_some() {
            return Span::ZERO;
        }
        let times = |every: Span| work.as_nanos() / every.as_nanos().max(1) + 1;
        reacts.saturating_mul(times(look).saturating_add(times(step)))
    };
    Box::new(move |to, event| {
        let (decides, cells) = match event {
            Event::Step(_) => (latency, u64::from(most) + MOST_MOTION),
            // Each cell and its neighbours.
            Event::Seen { cells, .. } if to == PLANNER => (Span::ZERO, 9 * cells.len() as u64),
            Event::Seen { .. } => (Span::ZERO, 1),
        };
        let work = decides.saturating_add(cell.saturating_mul(cells));
        work.saturating_add(others(work))
    })
}

/// Locks it. A panic of another holder leaves nothing half done: each method is whole, or the run is over.
pub(crate) fn open(shared: &Mutex<Shared>) -> MutexGuard<'_, Shared> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}
