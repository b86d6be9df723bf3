//! A robot on its way through one terrain, on the simulated machine.

use crate::carried_out::whole;
use crate::experiment::LabError;
use windfall_hierarchy::Count;
use windfall_programs::{Node, ProcessParams};
use windfall_robot::path::{Plan, Planner};
use windfall_robot::terrain::{Random, Size, Terrain};
use windfall_robot::{Journey, Motors, Robot, Stood};
use windfall_scenario::outcome::Outcome;
use windfall_scenario::{Home, PlannedThread, Scenario};
use windfall_sim::Sim;
use windfall_time::{Instant, Span};

/// No mission takes longer.
const LENGTH: Span = Span::from_secs(20);

/// Which mission.
pub(super) struct Setup<'a> {
    /// For how many milliseconds others keep the processor at most.
    pub(super) keep: u32,
    pub(super) ahead: u32,
    pub(super) terrain: &'a Terrain,
    /// Of others' times.
    pub(super) seed: u64,
}

/// The outcome of a mission.
pub(super) struct Mission {
    pub(super) journey: Journey,
    /// The time of planning.
    pub(super) used: Span,
    /// The part of it that was planned again.
    pub(super) thrown_away: Span,
    /// How many events were taken back.
    pub(super) taken_back: u64,
    /// How many were promised and not handled in time.
    pub(super) lost: u64,
}

/// So many random terrains in which there is a way, also when all obstacles have come up.
pub(super) fn terrains(count: usize) -> Vec<Terrain> {
    let size = Size { wide: 40, high: 24 };
    let random = |seed| Random { size, blocked: 20, later: 20, until: Span::from_secs(4), seed };
    let all = (1..).map(|seed| random(seed).terrain());
    all.filter(has_way).take(count).collect()
}

fn has_way(terrain: &Terrain) -> bool {
    let mut planner = Planner::new(terrain.size, terrain.start, terrain.goal);
    let first = (0..).zip(&terrain.blocked).filter(|(_, blocked)| **blocked);
    let later = terrain.changes.iter().map(|change| (change.cell, change.blocked));
    let all: Vec<(u32, bool)> = first.map(|(cell, _)| (cell, true)).chain(later).collect();
    planner.change(&all);
    planner.plan(u32::MAX).0 == Plan::Known
}

fn scenario(setup: &Setup<'_>) -> String {
    let others = match setup.keep {
        0 => String::new(),
        keep => format!(
            "[threads.others]\nparent = \"robot\"\npriority = 2\nstart = \"200ms\"\n\
             sporadic = {{ work = \"10ms..{keep}ms\", gap = \"300ms..500ms\" }}\n"
        ),
    };
    format!(
        "schema = 2\nseed = {}\nlength = \"{LENGTH}\"\n\
         [schedulers.robot]\nscheduler = \"fixed-priority\"\nparent = \"top\"\n\
         [schedulers.reactive]\nscheduler = \"edf\"\nparent = \"robot\"\npriority = 3\n\
         [schedulers.deliberative]\nscheduler = \"round-robin\"\nparent = \"robot\"\npriority = 1\n\
         {others}",
        setup.seed
    )
}

impl Mission {
    /// Sends a robot on its way.
    pub(super) fn run(setup: &Setup<'_>) -> Result<Mission, LabError> {
        let mut robot = Robot::new(setup.terrain.clone());
        robot.ahead = setup.ahead;
        robot.away = Span::from_millis(50);
        robot.schedulers = ["reactive".into(), "deliberative".into()];
        let mut plan = Scenario::parse("robot.toml", &scenario(setup))?.build()?;
        let home = Home::new(plan.nodes[0].1, |_| Vec::new());
        plan.processes.nodes = vec![home];
        let motors = Motors(robot.clone());
        let params = ProcessParams::default();
        plan.threads.push(PlannedThread::process(Node(0), &home, &params, motors));
        let outcome = Sim::of(plan, None)?.run(Instant::ZERO + LENGTH, |_| true);
        let outcome = whole(outcome)?;
        let journey = robot.report.lock().map(|journey| journey.clone()).unwrap_or_default();
        if !journey.arrived {
            return Err(LabError::Run(format!("the robot did not arrive within {LENGTH}")));
        }
        let (saved, thrown_away) = (time(&outcome, "saved"), time(&outcome, "thrown-away"));
        Ok(Mission {
            journey,
            used: saved.saturating_add(thrown_away).saturating_add(time(&outcome, "undoing")),
            thrown_away,
            taken_back: count(&outcome, "rolled-back"),
            lost: count(&outcome, "promises-lost"),
        })
    }

    /// For how many steps it stood for this reason.
    #[expect(clippy::cast_precision_loss, reason = "below 2^53")]
    pub(super) fn stood(&self, why: Stood) -> f64 {
        self.journey.stood(why) as f64
    }

    #[expect(clippy::cast_precision_loss, reason = "below 2^53")]
    pub(super) fn steps(&self) -> f64 {
        self.journey.steps.len() as f64
    }

    /// In cells.
    #[expect(clippy::cast_precision_loss, reason = "below 2^53")]
    pub(super) fn path(&self) -> f64 {
        self.journey.path as f64 / 10.0
    }

    /// In steps to the next cell.
    #[expect(clippy::cast_precision_loss, reason = "below 2^53")]
    pub(super) fn energy(&self) -> f64 {
        self.journey.energy as f64 / 10.0
    }

    /// In milliseconds.
    pub(super) fn used(&self) -> f64 {
        crate::units::millis(self.used)
    }

    /// In per cent of what was used.
    pub(super) fn thrown_away(&self) -> f64 {
        self.thrown_away.over(self.used).map_or(0.0, |part| part.to_f64() * 100.0)
    }

    #[expect(clippy::cast_precision_loss, reason = "below 2^53")]
    pub(super) fn taken_back(&self) -> f64 {
        self.taken_back as f64
    }

    /// Each rollback: the time until the first event is due again, in milliseconds, and how many events.
    #[expect(clippy::cast_precision_loss, reason = "below 2^53")]
    pub(super) fn rollbacks(&self) -> Vec<(f64, f64)> {
        let all = self.journey.rollbacks.iter();
        let slack = |due: Instant, at: Instant| crate::units::millis(due.saturating_since(at));
        all.map(|one| (slack(one.due, one.at), one.events as f64)).collect()
    }
}

/// A figure that the planner reported.
fn figure(outcome: &Outcome, name: &str) -> Option<Count> {
    let planner = outcome.threads.iter().find(|thread| thread.name == "planner-1")?;
    planner.stats.iter().find(|(known, _)| *known == name).map(|(_, count)| *count)
}

fn time(outcome: &Outcome, name: &str) -> Span {
    if let Some(Count::Time(span)) = figure(outcome, name) { span } else { Span::ZERO }
}

fn count(outcome: &Outcome, name: &str) -> u64 {
    if let Some(Count::Times(times)) = figure(outcome, name) { times } else { 0 }
}
