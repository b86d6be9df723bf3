//! Results that others computed, to the last digit.
//!
//! Each file of `tests/reference` holds its input, the result of an exact computation in integers
//! (`exact`), and those of response-time-analysis 0.3.2, SchedCAT 86211bc, pyCPA 1.2 and others.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use serde_json::Value;
use std::path::Path;
use windfall_analysis::UnboundedError;
use windfall_analysis::edf::Deadlines;
use windfall_analysis::global_edf::{self, Test};
use windfall_analysis::{Task, edf, fifo, fixed_priority, non_preemptive};
use windfall_time::Span;

fn load(case: &str) -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/reference");
    let text = std::fs::read_to_string(path.join(format!("{case}.json"))).unwrap();
    serde_json::from_str(&text).unwrap()
}

/// The files' microseconds are read as nanoseconds: time is as coarse in the non-preemptive and global
/// analyses of others as their unit is.
fn time(value: &Value) -> Span {
    Span::from_nanos(value.as_u64().unwrap())
}

fn spans(value: &Value) -> Vec<Option<Span>> {
    value.as_array().unwrap().iter().map(|value| Some(time(value))).collect()
}

fn tasks(file: &Value) -> Vec<Task> {
    let tasks = file["input"]["tasks"].as_array().unwrap();
    let task = |task: &Value| {
        Task::implicit(time(&task["wcet"]), time(&task["period"]))
            .deadline(time(&task["deadline"]))
            .jitter(time(&task["jitter"]))
    };
    tasks.iter().map(task).collect()
}

/// The response times, and for each task whether it meets its deadline.
fn agrees(file: &Value, responses: Vec<Result<Span, UnboundedError>>) {
    let responses: Vec<Option<Span>> = responses.into_iter().map(Result::ok).collect();
    let exact = &file["results"]["exact"];
    assert_eq!(responses, spans(&exact["wcrt"]));
    let meets: Value =
        tasks(file).iter().zip(&responses).map(|(t, r)| *r <= Some(t.deadline)).collect();
    assert_eq!(meets, exact["schedulable_by_wcrt"]);
}

fn fixed_priorities(case: &str) {
    let file = load(case);
    let tasks = tasks(&file);
    agrees(&file, fixed_priority::response_times(&tasks));
    let all = file["results"]["exact"]["schedulable_by_wcrt"].as_array().unwrap();
    let met = all.iter().all(|meets| meets == true);
    assert_eq!(fixed_priority::schedulable(&tasks), Ok(met));
}

fn earliest_deadline_first(case: &str) {
    let file = load(case);
    let exact = &file["results"]["exact"];
    let tasks = tasks(&file);
    let met = edf::schedulable(&tasks) == edf::Verdict::Schedulable;
    assert_eq!(Value::Bool(met), exact["schedulable"]);
    assert_eq!(edf::busy_period(&tasks), Ok(time(&exact["busy_period"])));
    let least = edf::least_slack(&tasks).unwrap().unwrap();
    assert_eq!(least.window, time(&exact["min_slack_at"]));
    assert_eq!(least.slack.to_span(), Some(time(&exact["min_slack"])));
    assert_eq!(Value::from(least.points), exact["points"]);
    agrees(&file, edf::response_times(&tasks, Deadlines::FromRelease));
}

fn non_preemptive_priorities(case: &str) {
    let file = load(case);
    agrees(&file, non_preemptive::response_times(&tasks(&file)));
}

fn first_in_first_out(case: &str) {
    let file = load(case);
    let tasks = tasks(&file);
    agrees(&file, vec![fifo::response_time(&tasks); tasks.len()]);
}

fn global_earliest_deadline_first(case: &str) {
    let file = load(case);
    let tasks = tasks(&file);
    let processors = u32::try_from(file["input"]["m"].as_u64().unwrap()).unwrap();
    let (_, theirs) = file["results"].as_object().unwrap().iter().next().unwrap();
    let names = [
        ("GFB", Test::Density),
        ("BAK", Test::Baker),
        ("BCL", Test::Interference),
        ("BCLI", Test::Slack),
        ("RTA", Test::Response),
        ("BAR", Test::Baruah),
        ("FF-DBF", Test::ForcedForward),
    ];
    for (name, test) in names {
        // Theirs refuse what they do not cover.
        let accepts = test.accepts(&tasks, processors).unwrap_or(false);
        assert_eq!(Value::Bool(accepts), theirs[name], "{name}");
    }
    let accepted = global_edf::accepted_by(&tasks, processors).unwrap().is_some();
    assert_eq!(Value::Bool(accepted), theirs["hrt"]);
    let bounded = |bounds: Option<Vec<Span>>| Some(bounds?.into_iter().map(Some).collect());
    let responses = bounded(global_edf::response_times(&tasks, processors).ok());
    assert_eq!(responses, theirs.get("RTA_response_bounds").map(spans));
    let late = bounded(global_edf::late_response_times(&tasks, processors).ok());
    assert_eq!(late, theirs.get("DA_response_bounds").map(spans));
}

#[test]
fn bulk_sets_meet_their_deadlines_by_every_analysis() {
    let sets = load("bulk_1000x20_u080");
    for set in sets.as_array().unwrap() {
        let task = |numbers: &Value| {
            Task::implicit(time(&numbers[0]), time(&numbers[1])).deadline(time(&numbers[2]))
        };
        let tasks: Vec<Task> = set.as_array().unwrap().iter().map(task).collect();
        assert_eq!(fixed_priority::schedulable(&tasks), Ok(true));
        assert_eq!(edf::schedulable(&tasks), edf::Verdict::Schedulable);
        let least = edf::least_slack(&tasks).unwrap().unwrap();
        assert!(least.slack.to_span().is_some());
        let responses = edf::response_times(&tasks, Deadlines::FromArrival);
        let meets =
            |(task, worst): (&Task, Result<Span, _>)| worst.is_ok_and(|w| w <= task.deadline);
        assert!(tasks.iter().zip(responses).all(meets));
    }
}

macro_rules! cases {
    ($($test:ident $kind:ident $case:literal)*) => { $(
        #[test]
        fn $test() {
            $kind($case);
        }
    )* };
}

cases! {
    fp_jitter_small fixed_priorities "fp_jitter_small"
    fp_joseph_pandya fixed_priorities "fp_joseph_pandya"
    fp_liu_layland fixed_priorities "fp_liu_layland"
    fp_media_player fixed_priorities "fp_media_player"
    fp_pycpa_example fixed_priorities "fp_pycpa_example"
    fp_rnd10_cd_u55 fixed_priorities "fp_rnd10_cd_u55"
    fp_rnd20_u80_j10 fixed_priorities "fp_rnd20_u80_j10"
    fp_rnd5_u60_j0 fixed_priorities "fp_rnd5_u60_j0"
    fp_rnd8_u95 fixed_priorities "fp_rnd8_u95"
    edf_cd_ok earliest_deadline_first "edf_cd_ok"
    edf_liu_layland earliest_deadline_first "edf_liu_layland"
    edf_rnd10_u70 earliest_deadline_first "edf_rnd10_u70"
    edf_rnd10_u80_cd earliest_deadline_first "edf_rnd10_u80_cd"
    edf_rnd20_u85_cd earliest_deadline_first "edf_rnd20_u85_cd"
    edf_rnd8_u60_jit earliest_deadline_first "edf_rnd8_u60_jit"
    edf_u1_exact earliest_deadline_first "edf_u1_exact"
    npfp_can_davis2007 non_preemptive_priorities "npfp_can_davis2007"
    npfp_rnd8_u50 non_preemptive_priorities "npfp_rnd8_u50"
    fifo_rnd5_u50 first_in_first_out "fifo_rnd5_u50"
    gedf_2of3 global_earliest_deadline_first "gedf_2of3"
    gedf_3of3 global_earliest_deadline_first "gedf_3of3"
    gedf_rnd10_u20_m4 global_earliest_deadline_first "gedf_rnd10_u20_m4"
    gedf_rnd40_u32_m4 global_earliest_deadline_first "gedf_rnd40_u32_m4"
}
