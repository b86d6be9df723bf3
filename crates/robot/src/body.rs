//! The processes of a robot: motors, which make the other two; sensors; and the planner with its map.

use crate::deliberation::time_of;
use crate::journey::{Stood, written};
use crate::settings::Robot;
use crate::shared::{Next, Shared, open};
use crate::terrain::Cell;
use std::sync::{Arc, Mutex};
use windfall_programs::{Annotation, Code, OwnRequest, Process, ProcessError, ProcessParams};
use windfall_speculation::RunError;
use windfall_time::{Instant, Span};

/// The queue at which all obstacles arrive that are put there by hand, for all robots of a run: whichever looks first takes it.
pub const OBSTACLES: &str = "obstacles";
/// How many of them wait at most.
pub const WAITING_OBSTACLES: usize = 64;

/// The word for an obstacle in a column and a row, for the queue [`OBSTACLES`]: `1_012_007` puts one into column 12 of row 7, `12_007` takes it away.
#[must_use]
pub fn by_hand((x, y): (u16, u16), blocked: bool) -> u64 {
    u64::from(blocked) * 1_000_000 + u64::from(x) * 1_000 + u64::from(y)
}

/// So often it reports how far planning has come.
const REPORT_INTERVAL: Span = Span::from_millis(100);

type World = Arc<Mutex<Shared>>;

/// The motors: at each step they go where the planner said, unless an obstacle is there.
#[derive(Clone)]
pub struct Motors(pub Robot);

#[derive(Clone)]
struct Sensors(World);

#[derive(Clone)]
struct Planner(World);

fn failed(error: RunError) -> ProcessError {
    let why = match error {
        RunError::Full { .. } => "more events of map and planner wait than there is room for",
        RunError::Panicked { .. } => "a handler of map or planner has panicked",
        _ => "map and planner have ended",
    };
    ProcessError::NotHere { why }
}

/// Moves to a scheduler, if one is named.
async fn moves(me: &mut impl Process, to: &str) -> Result<(), ProcessError> {
    if !to.is_empty() {
        me.request_own(OwnRequest::Move(to.to_owned())).await?;
    }
    Ok(())
}

/// Reports one after the other.
async fn annotate(
    me: &mut impl Process,
    all: impl IntoIterator<Item = Annotation, IntoIter: Send>,
) {
    for one in all {
        me.annotate(one).await;
    }
}

impl Code for Motors {
    const NAME: &'static str = "motors";

    async fn run(self, mut me: impl Process) -> Result<(), ProcessError> {
        let Robot { step: every, reacts, reservation, schedulers: [reactive, _], .. } =
            self.0.clone();
        let world = Shared::new(self.0, me.now().await).map_err(failed)?;
        let node = me.node();
        let sensors = me.make_template::<Sensors>(node).await?;
        let planner = me.make_template::<Planner>(node).await?;
        let params = ProcessParams::default();
        if reservation.is_some() {
            let ready = me.make_event().await?;
            open(&world).ready = Some(ready);
            me.make_process(planner, node, params, Planner(world.clone())).await?;
            me.mwait(&[ready]).await?;
            me.make_process(sensors, node, params, Sensors(world.clone())).await?;
        } else {
            me.make_process(sensors, node, params, Sensors(world.clone())).await?;
            me.make_process(planner, node, params, Planner(world.clone())).await?;
        }
        moves(&mut me, &reactive).await?;
        let soon = Span::from_nanos((every.as_nanos() / 10).max(1));
        for step in 1.. {
            let at = open(&world).on_host(time_of(step, every));
            // Motors are done before sensors look again.
            me.job_at(at, at.saturating_add(soon)).await;
            open(&world).takes_step(step).map_err(failed)?;
            me.compute(reacts).await;
            me.job_done().await;
            let (figures_now, over, observed) = {
                let shared = open(&world);
                (figures(&shared), shared.over, shared.observed)
            };
            annotate(&mut me, figures_now).await;
            if over {
                // It may have been posted already.
                if let Some(observed) = observed {
                    _ = me.post(observed, 0).await;
                }
                break;
            }
        }
        Ok(())
    }
}

/// The outcome of the journey.
fn figures(shared: &Shared) -> [Annotation; 8] {
    let journey = written(&shared.robot.report);
    [
        Annotation::Count("path", journey.path),
        Annotation::Count("energy", journey.energy),
        Annotation::Count("moves-late", journey.stood(Stood::Late)),
        Annotation::Count("stood-elsewhere", journey.stood(Stood::Elsewhere)),
        Annotation::Count("stood-at-obstacle", journey.stood(Stood::Obstacle)),
        Annotation::Count("stood-without-way", journey.stood(Stood::NoWay)),
        Annotation::Count("news-put-off", journey.put_off),
        Annotation::Count("arrived", u64::from(journey.arrived)),
    ]
}

impl Code for Sensors {
    const NAME: &'static str = "sensors";

    async fn run(self, mut me: impl Process) -> Result<(), ProcessError> {
        let Robot { look, reacts, schedulers: [reactive, _], terrain, .. } =
            open(&self.0).robot.clone();
        moves(&mut me, &reactive).await?;
        let obstacles = me.named_queue(OBSTACLES, WAITING_OBSTACLES).await?;
        let put = me.make_event().await?;
        let mut waits = false;
        let mut at = Instant::ZERO;
        loop {
            let release = open(&self.0).on_host(at);
            me.job_at(release, release.saturating_add(look)).await;
            // All that was put into the queue by hand; at its end the event waits in it.
            loop {
                let word = if waits { me.reset(put).await? } else { None };
                let word = match word {
                    Some(word) => Some(word),
                    None => me.dequeue(obstacles, put).await?,
                };
                waits = word.is_none();
                let Some(word) = word else { break };
                let place = (number_of(word / 1_000 % 1_000), number_of(word % 1_000));
                let cell: Option<Cell> = terrain.size.cell(place);
                match cell.filter(|_| word < 2_000_000) {
                    Some(cell) => open(&self.0).world.put(cell, word >= 1_000_000),
                    None => {
                        me.annotate(Annotation::Mark(format!(
                            "{word} is no obstacle of this terrain"
                        )))
                        .await
                    }
                }
            }
            me.compute(reacts).await;
            let now = me.now().await;
            let (new, observed, over) = {
                let mut shared = open(&self.0);
                let now = shared.since(now);
                let new = !shared.over && shared.looks(at, now).map_err(failed)?;
                (new, shared.observed, shared.over)
            };
            me.job_done().await;
            if let (true, Some(observed)) = (new, observed) {
                // It may not have taken the last one yet.
                _ = me.post(observed, 0).await;
            }
            if over {
                break;
            }
            // Looks that were missed are left out.
            let now = me.now().await;
            let passed = open(&self.0).since(now).saturating_since(Instant::ZERO).as_nanos();
            let missed = Span::from_nanos(passed / look.as_nanos().max(1) * look.as_nanos());
            at = at.saturating_add(look).max(Instant::ZERO + missed);
        }
        // What is put there next waits for another robot.
        me.reset(put).await?;
        Ok(())
    }
}

fn number_of(part: u64) -> i32 {
    i32::try_from(part).expect("below a thousand")
}

impl Code for Planner {
    const NAME: &'static str = "planner";

    async fn run(self, mut me: impl Process) -> Result<(), ProcessError> {
        let (reservation, deliberative) = {
            let robot = &open(&self.0).robot;
            (robot.reservation, robot.schedulers[1].clone())
        };
        match reservation {
            Some(reservation) => me.request_own(reservation.request(&deliberative)).await?,
            None => moves(&mut me, &deliberative).await?,
        }
        let (observed, time) = (me.make_event().await?, me.make_event().await?);
        open(&self.0).observed = Some(observed);
        let ready = open(&self.0).ready;
        if let Some(ready) = ready {
            let now = me.now().await;
            open(&self.0).begins(now);
            me.post(ready, 0).await?;
        }
        let mut next_report = Instant::ZERO;
        loop {
            let now = me.now().await;
            if now >= next_report {
                next_report = now + REPORT_INTERVAL;
                let figures = planning(&open(&self.0));
                annotate(&mut me, figures).await;
            }
            let next = {
                let mut shared = open(&self.0);
                let now = shared.since(now);
                match shared.plans(now).map_err(failed)? {
                    Next::Wait(until) if until < Instant::MAX => Next::Wait(shared.on_host(until)),
                    next => next,
                }
            };
            match next {
                Next::Spend { undone, cause, taking_back, handling } => {
                    if undone > 0 {
                        let what = format!("takes back {undone} events: {cause}");
                        me.annotate(Annotation::Begins(what)).await;
                        me.compute(taking_back).await;
                        me.annotate(Annotation::Ends).await;
                    }
                    me.compute(handling).await;
                }
                Next::Wait(until) => {
                    if until < Instant::MAX {
                        me.post_at(time, 0, until).await?;
                    }
                    me.mwait(&[observed, time]).await?;
                    me.cancel(time).await?;
                }
                Next::Over => break,
            }
        }
        let figures = planning(&open(&self.0));
        annotate(&mut me, figures).await;
        Ok(())
    }
}

/// The outcome of planning.
fn planning(shared: &Shared) -> Vec<Annotation> {
    let (counts, used) = shared.planning();
    vec![
        Annotation::Count("handled", counts.handled),
        Annotation::Count("committed", counts.committed),
        Annotation::Count("rolled-back", counts.undone),
        Annotation::Time("saved", used.saved),
        Annotation::Time("thrown-away", used.thrown_away),
        Annotation::Time("undoing", used.undoing),
        Annotation::Count("promises-lost", shared.late),
        Annotation::Count("not-promised", shared.unfit),
        Annotation::Count("news-refused", shared.refused),
    ]
}
