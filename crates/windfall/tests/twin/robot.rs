//! A robot whose planner runs ahead: the same way, by the same plans, on both hosts.

use super::{conserved, host, thread};
use std::sync::{Arc, Mutex};
use windfall_linux::Settings;
use windfall_programs::{Node, ProcessParams};
use windfall_robot::terrain::{Random, Size};
use windfall_robot::{Journey, Motors, Robot, Stood};
use windfall_scenario::outcome::Outcome;
use windfall_scenario::{Home, Plan, PlannedThread, Scenario};
use windfall_sim::Sim;
use windfall_skips::{Needs, skip};
use windfall_time::{Instant, Span};

const TREE: &str = r#"
schema = 2
seed   = 17
length = "2500ms"
[schedulers.robot]
scheduler = "fixed-priority"
parent = "top"
[schedulers.reactive]
scheduler = "edf"
parent = "robot"
priority = 2
[schedulers.deliberative]
scheduler = "round-robin"
parent = "robot"
priority = 1
"#;

fn robot() -> Robot {
    let size = Size { wide: 24, high: 14 };
    let random = Random { size, blocked: 18, later: 6, until: Span::from_secs(1), seed: 4 };
    let mut robot = Robot::new(random.terrain());
    robot.ahead = 6;
    robot.away = Span::from_millis(50);
    robot.schedulers = ["reactive".into(), "deliberative".into()];
    robot
}

fn plan(robot: &Robot) -> Plan {
    let mut plan = Scenario::parse("robot.toml", TREE).unwrap().build().unwrap();
    let home = Home::new(plan.nodes[0].1, |_| Vec::new());
    plan.processes.nodes = vec![home];
    let motors = Motors(robot.clone());
    plan.threads.push(PlannedThread::process(Node(0), &home, &ProcessParams::default(), motors));
    plan
}

/// Facts that are the same on both hosts if no move was late: the places where it was, and the ways
/// that it planned.
fn judge(outcome: &Outcome, journey: &Journey) {
    conserved(outcome);
    assert!(journey.arrived, "{journey:?}");
    assert_eq!(thread(outcome, "motors").released, journey.steps.len() as u64);
    let planner = thread(outcome, "planner-1");
    let figure = |name: &str| planner.stats.iter().find(|(known, _)| *known == name).unwrap().1;
    assert_ne!(figure("rolled-back"), windfall_hierarchy::Count::Times(0));
}

#[test]
fn twin_a_robot_goes_the_same_way_by_the_same_plans() {
    let simulated = robot();
    let outcome = Sim::of(plan(&simulated), None).unwrap();
    let outcome = outcome.run(Instant::ZERO + Span::from_millis(2_500), |_| true);
    let wanted = simulated.report.lock().unwrap().clone();
    judge(&outcome, &wanted);
    assert_eq!((wanted.stood(Stood::Late), wanted.stood(Stood::Elsewhere)), (0, 0));
    // The processor may be taken from a virtual machine for longer than the robot plans ahead.
    for _ in 0..5 {
        let real = Mutex::new(robot());
        let plan = || {
            let mut robot = real.lock().unwrap();
            robot.report = Arc::default();
            plan(&robot)
        };
        let Some(outcome) = host::run(plan, &Settings::default(), None) else { return };
        let journey = real.lock().unwrap().report.lock().unwrap().clone();
        let is_equal =
            journey.put_off == wanted.put_off && thread(&outcome, "sensors-1").missed == 0;
        if journey.stood(Stood::Late) == 0 && is_equal {
            judge(&outcome, &journey);
            let way = |journey: Journey| (journey.steps, journey.path, journey.energy);
            assert_eq!(way(journey), way(wanted));
            return;
        }
    }
    skip(
        Needs::Real,
        "this machine took the processor for longer than the robot plans ahead, five times",
    );
}
