//! Results that others computed: the oracle's sixteen cases, exactly, in integer time.
//!
//! The inputs and results are those of `tests/reference`: an exact-integer oracle, SimSo 0.8.5 and
//! PARTSim. Where SimSo or PARTSim differ from the oracle, `differences.rs` says why.

#![expect(clippy::unwrap_used, reason = "a test stops at what it did not expect")]

use serde_json::Value;
use std::path::Path;
use windfall_hierarchy::{Hierarchy, Message, NodeSpec, Parent};
use windfall_programs::{Activation, Jobs, Program, Work};
use windfall_scenario::PlannedThread;
use windfall_scenario::model::Machine;
use windfall_scenario::outcome::Outcome;
use windfall_schedulers::catalogue::{Settings, find};
use windfall_sim::Sim;
use windfall_time::{Instant, Ratio, Span};

fn load(source: &str, case: &str) -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/reference").join(source);
    let text = std::fs::read_to_string(path.join(format!("{case}.json"))).unwrap();
    serde_json::from_str(&text).unwrap()
}

fn us(value: &Value) -> Span {
    Span::from_micros(value.as_u64().unwrap()).unwrap()
}

/// Which scheduler instances a case needs: kind, and how many own VPs of each instance.
fn policy(name: &str, cpus: usize) -> (&'static str, Vec<usize>) {
    match name {
        "EDF_mono" => ("edf", vec![1]),
        "EDF" => ("edf", vec![cpus]),
        "RM_mono" => ("rate-monotonic", vec![1]),
        "FP" => ("fixed-priority", vec![1]),
        "P_RM" => ("rate-monotonic", vec![1; cpus]),
        other => panic!("unknown policy {other}"),
    }
}

fn simulate(case: &str) -> Outcome {
    let file = load("simso", case);
    let input = &file["case"];
    let speeds: Vec<Ratio> = input["cpus"]
        .as_array()
        .unwrap()
        .iter()
        .map(|cpu| cpu["speed"].to_string().parse().unwrap())
        .collect();
    let (kind, instances) = policy(input["scheduler"].as_str().unwrap(), speeds.len());
    let mut hierarchy = Hierarchy::new(u16::try_from(speeds.len()).unwrap());
    let nodes: Vec<_> = instances
        .iter()
        .enumerate()
        .map(|(number, owns)| {
            let scheduler = find(kind).unwrap().build(&Settings(&[])).unwrap();
            let owns = vec![(Parent::Top, &[][..]); *owns];
            let name = format!("{kind}-{number}");
            let spec = NodeSpec::new(&name, kind, scheduler, &owns);
            hierarchy.create(Instant::ZERO, spec).unwrap()
        })
        .collect();

    let machine = Machine::ideal(0).speeds(speeds);
    let mut sim = Sim::new(machine, hierarchy, 1, None).unwrap();
    let tasks = input["tasks"].as_array().unwrap();
    for (number, task) in tasks.iter().enumerate() {
        let (period, deadline) = (us(&task["period"]), us(&task["deadline"]));
        let offset = Instant::ZERO + us(&task["offset"]);
        let before = tasks.iter().position(|t| t["followed_by"] == task["name"]);
        let activation = match before {
            Some(before) => Activation::After(before),
            None => Activation::Periodic { offset, period },
        };
        let mut messages = Vec::new();
        match kind {
            "rate-monotonic" => messages.push(Message::Periodic { period, deadline, amount: None }),
            "fixed-priority" => {
                let priority = task["priority"].as_i64().unwrap();
                messages.push(Message::Priority(i32::try_from(priority).unwrap()));
            }
            _ => {}
        }
        let cpu = file["result"]["tasks"][number]["final_cpu"].as_str();
        let cpu = cpu.and_then(|cpu| cpu.strip_prefix("CPU")?.parse::<usize>().ok());
        let jobs = Jobs::new(activation, Work::Fixed(us(&task["wcet"]))).deadline(deadline);
        let parent = if nodes.len() == 1 { nodes[0] } else { nodes[cpu.unwrap() - 1] };
        let name = task["name"].as_str().unwrap();
        let mut thread = PlannedThread::new(name, parent, Program::Jobs(jobs));
        thread.messages = messages;
        sim.add(thread).unwrap();
    }
    let end = Instant::ZERO + us(&input["horizon_us"]);
    sim.run(end, |_| true)
}

fn agrees(case: &str) {
    let outcome = simulate(case);
    assert_eq!(outcome.failure, None);
    assert!(outcome.quarantined.is_empty() && outcome.refused.is_empty(), "{outcome:?}");
    let oracle = load("oracle", case);
    let tasks = oracle["tasks"].as_array().unwrap();
    assert_eq!(tasks.len(), outcome.threads.len());
    for (task, thread) in tasks.iter().zip(&outcome.threads) {
        let name = task["name"].as_str().unwrap();
        assert_eq!(thread.name, name);
        let of = |key: &str| task[key].as_u64().unwrap();
        assert_eq!(thread.released, of("jobs_released"), "{name} released");
        assert_eq!(thread.completed, of("jobs_completed"), "{name} completed");
        assert_eq!(thread.missed, of("deadline_misses"), "{name} misses");
        let first: Vec<Span> = task["first_rts"].as_array().unwrap().iter().map(us).collect();
        assert_eq!(thread.first, first, "{name} first responses");
        assert_eq!(thread.preemptions, of("preemptions"), "{name} preemptions");
        assert_eq!(thread.response.least(), Some(us(&task["rt_min"])), "{name} least response");
        assert_eq!(thread.response.most(), Some(us(&task["rt_max"])), "{name} most response");
        // The oracle's mean is a float; the exact sum must round to it.
        let mean = task["rt_avg"].as_f64().unwrap();
        #[expect(clippy::cast_precision_loss, reason = "compared with a float")]
        let ours = thread.response.sum() as f64 / thread.response.count() as f64 / 1e3;
        assert!((ours - mean).abs() <= mean * 1e-9, "{name} mean response {ours} {mean}");
    }
}

crate::common::cases! {
    oracle_edf_liu_layland "edf_liu_layland"
    oracle_edf_10_u080 "edf_10_u080"
    oracle_edf_10_u100 "edf_10_u100"
    oracle_edf_chain "edf_chain"
    oracle_edf_offsets "edf_offsets"
    oracle_edf_overload_120 "edf_overload_120"
    oracle_edf_slow_cpu "edf_slow_cpu"
    oracle_gedf_50x4_u320 "gedf_50x4_u320"
    oracle_rm_miss_edf_ok_edf "rm_miss_edf_ok__edf"
    oracle_dm_fp_constrained "dm_fp_constrained"
    oracle_prm_50x4_u260 "prm_50x4_u260"
    oracle_rm_10_u069 "rm_10_u069"
    oracle_rm_10_u080 "rm_10_u080"
    oracle_rm_liu_layland "rm_liu_layland"
    oracle_rm_media_player "rm_media_player"
    oracle_rm_miss_edf_ok_rm "rm_miss_edf_ok__rm"
}
