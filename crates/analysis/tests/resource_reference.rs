//! Results that others computed: least amounts of periodic resources and samples of supply.
//!
//! `tests/reference`: an exact-integer oracle and `response-time-analysis` 0.3.2, which agree with
//! each other in every case; amounts in whole microseconds.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use serde_json::Value;
use std::path::Path;
use windfall_analysis::{Resource, Supply, Task, resource_edf, resource_fixed_priority};
use windfall_time::Span;

fn load(name: &str) -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/reference").join(name);
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

fn us(value: &Value) -> Span {
    Span::from_micros(value.as_u64().unwrap()).unwrap()
}

fn least_amounts_agree(case: &str) {
    let file = load(&format!("{case}.json"));
    let task = |task: &Value| {
        Task::implicit(us(&task["wcet"]), us(&task["period"]))
            .deadline(us(&task["deadline"]))
            .jitter(us(&task["jitter"]))
    };
    let tasks: Vec<Task> = file["input"]["tasks"].as_array().unwrap().iter().map(task).collect();
    let least_amount = match file["input"]["policy"].as_str().unwrap() {
        "FP" => resource_fixed_priority::least_amount,
        "EDF" => resource_edf::least_amount,
        other => panic!("unknown policy {other}"),
    };
    let periods = file["input"]["server_periods"].as_array().unwrap();
    assert!(!periods.is_empty());
    for source in ["exact", "response-time-analysis 0.3.2"] {
        for period in periods {
            let resource = Resource::periodic(us(period)).unwrap();
            let expected = us(&file["results"][source]["min_budget"][period.to_string()]);
            let granule = Span::from_micros(1).unwrap();
            let found = least_amount(&tasks, &resource, granule);
            assert_eq!(found, Ok(expected), "{case}, {source}, period {period} us");
        }
    }
}

#[test]
fn paper_shin_lee_2003_edf() {
    least_amounts_agree("prm_shinlee_edf");
}

#[test]
fn paper_shin_lee_2003_rate_monotonic() {
    least_amounts_agree("prm_shinlee_rm");
}

#[test]
fn reference_three_threads_under_edf() {
    least_amounts_agree("prm_three_edf");
}

#[test]
fn reference_media_player_under_rate_monotonic() {
    least_amounts_agree("prm_media_rm");
}

#[test]
fn reference_random_sets_under_rate_monotonic() {
    least_amounts_agree("prm_rnd5_u30_rm");
    least_amounts_agree("prm_rnd8_u45_rm");
}

#[test]
fn reference_samples_of_supply() {
    let cases = load("sbf_samples_rta_rs.json");
    let ns = |value: &Value| Span::from_nanos(value.as_u64().unwrap());
    let mut samples = 0;
    for case in cases.as_array().unwrap() {
        let supply = Supply::basic(ns(&case["budget"]), ns(&case["period"])).unwrap();
        for sample in case["sbf"].as_array().unwrap() {
            assert_eq!(supply.least(ns(&sample[0])), ns(&sample[1]), "{supply:?} {sample}");
            samples += 1;
        }
        for sample in case["service_time"].as_array().unwrap() {
            assert_eq!(supply.window(ns(&sample[0])), Some(ns(&sample[1])), "{supply:?} {sample}");
            samples += 1;
        }
    }
    assert!(samples > 100, "{samples}");
}
