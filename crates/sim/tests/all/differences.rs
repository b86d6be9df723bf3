//! Where SimSo and PARTSim differ from the oracle, which our results equal (`reference.rs`): each
//! difference is explained here, and there are no others.
#![expect(clippy::unwrap_used, reason = "a test stops at what it did not expect")]

use serde_json::Value;
use std::path::Path;

/// Why a tool's number differs from the oracle's.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Why {
    /// PARTSim counts a release at or next after the horizon where the oracle does not, or the
    /// other way round: one job more or less, and nothing else.
    ReleaseAtHorizon,
    /// SimSo forgets one preemption: at time 0, or one that the horizon cuts off.
    ForgottenPreemption,
    /// SimSo truncates the work that is left at each event to whole microseconds; at speed 1/2 a
    /// job loses up to one each time, so jobs end early and others shift.
    Truncation,
}

fn explain(tool: &str, case: &str, field: &str, oracle: &Value, theirs: &Value) -> Option<Why> {
    let by_one = || oracle.as_i64().unwrap().abs_diff(theirs.as_i64().unwrap()) == 1;
    match (tool, field) {
        ("simso", _) if case == "edf_slow_cpu" => Some(Why::Truncation),
        ("partsim", "jobs_released") if by_one() => Some(Why::ReleaseAtHorizon),
        ("simso", "preemptions") if by_one() => Some(Why::ForgottenPreemption),
        _ => None,
    }
}

fn tasks(tool: &str, case: &str) -> Option<Vec<Value>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/reference").join(tool);
    let text = std::fs::read_to_string(path.join(format!("{case}.json"))).ok()?;
    let file: Value = serde_json::from_str(&text).unwrap();
    let tasks = file.get("result").unwrap_or(&file)["tasks"].as_array().unwrap().clone();
    Some(tasks)
}

#[test]
fn every_difference_between_tools_is_explained() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/reference/oracle");
    let mut seen = Vec::new();
    let mut cases = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let case = entry.unwrap().path().file_stem().unwrap().to_str().unwrap().to_owned();
        cases += 1;
        let oracle = tasks("oracle", &case).unwrap();
        for tool in ["simso", "partsim"] {
            let Some(theirs) = tasks(tool, &case) else { continue };
            for (oracle, theirs) in oracle.iter().zip(&theirs) {
                for field in [
                    "jobs_released",
                    "jobs_completed",
                    "rt_min",
                    "rt_max",
                    "first_rts",
                    "preemptions",
                ] {
                    let mut their = theirs[field].clone();
                    if let (true, Some(migrations)) =
                        (field == "preemptions", theirs["migrations"].as_u64())
                    {
                        their = (their.as_u64().unwrap() + migrations).into();
                    }
                    if oracle[field] == their {
                        continue;
                    }
                    let why = explain(tool, &case, field, &oracle[field], &their);
                    let name = &oracle["name"];
                    assert!(
                        why.is_some(),
                        "{tool} {case} {name} {field}: {} {their}",
                        oracle[field]
                    );
                    seen.extend(why);
                }
            }
        }
    }
    assert_eq!(cases, 16);
    for why in [Why::ReleaseAtHorizon, Why::ForgottenPreemption, Why::Truncation] {
        assert!(seen.contains(&why), "{why:?} no longer occurs");
    }
}
