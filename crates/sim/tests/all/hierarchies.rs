//! Results that others computed: constant bandwidth servers over local schedulers, exactly.
//!
//! The inputs and results are those of `tests/reference/hierarchies`: an exact-integer oracle of
//! two-level schedules, confirmed by PARTSim where that can.

#![expect(clippy::unwrap_used, reason = "a test stops at what it did not expect")]

use serde_json::Value;
use std::path::Path;
use windfall_analysis::local::Policy;
use windfall_analysis::{Supply, Task};
use windfall_hierarchy::{Hierarchy, Message, NodeId, NodeSpec, Parent};
use windfall_programs::{Activation, Jobs, Program, Work};
use windfall_scenario::PlannedThread;
use windfall_scenario::model::Machine;
use windfall_scenario::outcome::Outcome;
use windfall_schedulers::catalogue::{Settings, find};
use windfall_sim::Sim;
use windfall_time::{Instant, Span};

fn load(case: &str) -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/reference/hierarchies");
    let text = std::fs::read_to_string(path.join(format!("{case}.json"))).unwrap();
    serde_json::from_str(&text).unwrap()
}

fn us(value: &Value) -> Span {
    Span::from_micros(value.as_u64().unwrap()).unwrap()
}

fn node(
    hierarchy: &mut Hierarchy,
    name: &str,
    kind: &'static str,
    owns: &[(Parent, &[Message])],
) -> NodeId {
    let scheduler = find(kind).unwrap().build(&Settings(&[])).unwrap();
    hierarchy.create(Instant::ZERO, NodeSpec::new(name, kind, scheduler, owns)).unwrap()
}

fn thread(task: &Value, parent: NodeId, fixed: bool) -> PlannedThread {
    let priority = i32::try_from(task["prio"].as_i64().unwrap()).unwrap();
    let activation = Activation::Periodic { offset: Instant::ZERO, period: us(&task["T"]) };
    let jobs = Jobs::new(activation, Work::Fixed(us(&task["C"]))).deadline(us(&task["D"]));
    let name = task["name"].as_str().unwrap();
    let mut thread = PlannedThread::new(name, parent, Program::Jobs(jobs));
    thread.messages.extend(fixed.then_some(Message::Priority(-priority)));
    thread
}

fn simulate(file: &Value) -> Outcome {
    let mut hierarchy = Hierarchy::new(1);
    let root = node(&mut hierarchy, "root", "cbs", &[(Parent::Top, &[])]);
    let mut threads = Vec::new();
    for server in file["servers"].as_array().unwrap() {
        let fixed = server["local"] == "fp";
        let kind = if fixed { "fixed-priority" } else { "edf" };
        let ask = [Message::Reserve { amount: us(&server["Q"]), period: us(&server["P"]) }];
        let name = server["name"].as_str().unwrap();
        let local = node(&mut hierarchy, name, kind, &[(Parent::Node(root), &ask)]);
        let tasks = server["tasks"].as_array().unwrap();
        threads.extend(tasks.iter().map(|task| thread(task, local, fixed)));
    }
    let mut sim = Sim::new(Machine::ideal(1), hierarchy, 1, None).unwrap();
    for thread in threads {
        sim.add(thread).unwrap();
    }
    let end = Instant::ZERO + us(&file["horizon_us"]);
    sim.run(end, |_| true)
}

fn agrees(case: &str) {
    let file = load(case);
    let outcome = simulate(&file);
    assert_eq!(outcome.failure, None);
    assert!(outcome.quarantined.is_empty() && outcome.refused.is_empty(), "{outcome:?}");
    let tasks = file["oracle"].as_array().unwrap();
    assert_eq!(tasks.len(), outcome.threads.len());
    for (task, thread) in tasks.iter().zip(&outcome.threads) {
        let name = task["name"].as_str().unwrap();
        assert_eq!(thread.name, name);
        // The simulator keeps ten of them.
        let first = task["first_rts"].as_array().unwrap().iter().take(10);
        let first: Vec<Span> = first.map(us).collect();
        assert_eq!(thread.first, first, "{name} first responses");
        assert_eq!(thread.completed, task["jobs_completed"].as_u64().unwrap(), "{name} completed");
        if thread.completed == 0 {
            continue;
        }
        assert_eq!(thread.response.least(), Some(us(&task["rt_min"])), "{name} least response");
        assert_eq!(thread.response.most(), Some(us(&task["rt_max"])), "{name} most response");
        // The oracle's mean is a float; the exact sum must round to it.
        let mean = task["rt_avg"].as_f64().unwrap();
        #[expect(clippy::cast_precision_loss, reason = "compared with a float")]
        let ours = thread.response.sum() as f64 / thread.response.count() as f64 / 1e3;
        assert!((ours - mean).abs() <= mean * 1e-9, "{name} mean response {ours} {mean}");
    }
}

/// The bounds that the analysis gives for a server's tasks, by name; none without one.
fn bounds(server: &Value) -> Vec<(String, Option<Span>)> {
    let mut tasks: Vec<&Value> = server["tasks"].as_array().unwrap().iter().collect();
    tasks.sort_by_key(|task| task["prio"].as_u64());
    let supply = Supply::basic(us(&server["Q"]), us(&server["P"])).unwrap();
    let policy = match server["local"].as_str() {
        Some("fp") => Policy::AsListed,
        _ => Policy::EarliestDeadline,
    };
    let task =
        |task: &&Value| Task::implicit(us(&task["C"]), us(&task["T"])).deadline(us(&task["D"]));
    let responses = policy.response_times(&tasks.iter().map(task).collect::<Vec<_>>(), &supply);
    let names = tasks.iter().map(|task| task["name"].as_str().unwrap().to_owned());
    names.zip(responses.into_iter().map(Result::ok)).collect()
}

#[test]
fn limit_responses_lie_under_the_bounds_of_the_analysis() {
    let mut bounded = 0;
    for case in
        ["h1_mp_cbs_fp", "h2_mp_cbs_edf", "h4_three_tasks_underprovisioned", "h7_overrun_isolation"]
    {
        let file = load(case);
        let oracle = file["oracle"].as_array().unwrap();
        for (name, bound) in file["servers"].as_array().unwrap().iter().flat_map(bounds) {
            let task = oracle.iter().find(|task| task["name"] == name.as_str()).unwrap();
            if let (Some(bound), Some(_)) = (bound, task["rt_max"].as_u64()) {
                assert!(us(&task["rt_max"]) <= bound, "{case} {name}: {task} above {bound}");
                bounded += 1;
            }
        }
    }
    assert!(bounded >= 20, "only {bounded} tasks have bounds");
}

crate::common::cases! {
    oracle_media_player_fixed_priority "h1_mp_cbs_fp"
    oracle_media_player_edf "h2_mp_cbs_edf"
    oracle_three_tasks_underprovisioned "h4_three_tasks_underprovisioned"
    oracle_overrun_isolation "h7_overrun_isolation"
}
