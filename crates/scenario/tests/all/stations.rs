//! `[machine.stations.NAME]` and steps that visit: what is read and written, and what is refused, with its place.
#![allow(clippy::unwrap_used, reason = "helpers of tests fail like tests")]

use crate::common::tells;
use windfall_scenario::model::StationCall;
use windfall_scenario::{BoundError, Scenario};

fn text(stations: &str, steps: &str) -> String {
    format!(
        "schema = 2\nlength = \"1s\"\n[machine.stations.bus]\n{stations}\n\
         [schedulers.rr]\nscheduler = \"round-robin\"\nparent = \"top\"\n\
         [threads.a]\nsteps = [{{ run = \"1ms\" }}, {steps}]\n"
    )
}

const BUS: &str = "service = \"10.4us\"";

#[test]
fn accepts_stations_and_steps_that_visit_them() {
    let calls: Vec<String> = StationCall::all().map(|(name, _)| format!("\"{name}\"")).collect();
    let all = format!("{BUS}\ncalls = [{}]", calls.join(", "));
    let steps = "{ visit = \"bus\" }, { visit = \"bus\", times = 4 }, \
                 { run = \"1ms..2ms\", visit = \"bus\", every = \"30us\" }";
    let scenario = Scenario::parse("e.toml", &text(&all, steps)).unwrap();
    assert_eq!(scenario.machine.stations[0].calls.len(), calls.len());
    assert_eq!(Scenario::parse("written.toml", &scenario.write()).unwrap(), scenario);
    let words = scenario.machine.to_string();
    assert!(words.ends_with("10.4us a visit of bus"), "{words}");
    let only = text(BUS, "{ visit = \"bus\" }").replace("{ run = \"1ms\" }, ", "");
    assert!(Scenario::parse("only.toml", &only).is_ok(), "a visit takes time");
}

#[test]
fn refuses_stations_that_are_none() {
    tells(&text("", "\"yield\""), &[(3, "`service` is missing", "service = \"10us\"")]);
    tells(&text("service = \"0us\"", "\"yield\""), &[(4, "serves in no time", "above zero")]);
    tells(&text("service = 10", "\"yield\""), &[(4, "`10` has no unit", "as `10ms`")]);
    let key = text(&format!("{BUS}\nservers = 2"), "\"yield\"");
    tells(&key, &[(5, "unknown key `servers`", "allowed: ")]);
    let call = text(&format!("{BUS}\ncalls = [\"decide\"]"), "\"yield\"");
    tells(&call, &[(5, "unknown word `decide`", "`decision`")]);
    let twice = text(&format!("{BUS}\ncalls = [\"post\", \"now\", \"post\"]"), "\"yield\"");
    tells(&twice, &[(5, "`post` visits `bus` already", "once")]);
    let name = text(BUS, "\"yield\"").replace("stations.bus", "stations.\"b*s\"");
    tells(&name, &[(3, "`b*s` holds characters", "letters")]);
}

#[test]
fn refuses_steps_that_visit_nothing() {
    let line = 9;
    for (step, message, help) in [
        ("{ visit = \"buss\" }", "no station `buss`", "did you mean `bus`?"),
        ("{ visit = \"bus\", times = 0 }", "no visits at all", "1 or more"),
        ("{ visit = \"bus\", every = \"1us\" }", "`every` goes with `run`", "run = "),
        ("{ run = \"1ms\", visit = \"bus\" }", "`every` is missing", "every = "),
        ("{ run = \"1ms\", visit = \"bus\", every = \"0us\" }", "visits without end", "above zero"),
        (
            "{ run = \"1ms\", visit = \"bus\", every = \"1us\", times = 2 }",
            "`times` does not go with `run`",
            "every",
        ),
        ("{ sleep = \"1ms\", times = 2 }", "`times` and `every` go with `visit`", "leave"),
        ("{ sleep = \"1ms\", visit = \"bus\" }", "one thing, not `visit` and `sleep`", "two steps"),
    ] {
        tells(&text(BUS, step), &[(line, message, help)]);
    }
    let none = text(BUS, "{ visit = \"bus\" }")
        .replace("[machine.stations.bus]\nservice = \"10.4us\"\n", "");
    tells(&none, &[(7, "no station `bus`", "add `[machine.stations.bus]`")]);
}

#[test]
fn refuses_a_bound_for_what_waits_at_stations() {
    let deadline = |step: &str| {
        let text = format!(
            "schema = 2\nlength = \"1s\"\n[machine.stations.bus]\nservice = \"1us\"\n\
             [schedulers.s]\nscheduler = \"fixed-priority\"\nparent = \"top\"\n\
             [threads.a]\npriority = 1\nsteps = [{{ timer = \"100ms\" }}, {{ run = \"1ms\" }}{step}]\n"
        );
        let scenario = Scenario::parse("e.toml", &text).map_err(|m| m.render(false)).unwrap();
        let deadlines = scenario.promises().deadlines(&scenario);
        deadlines.into_iter().map(|deadline| deadline.bound).collect::<Vec<Result<_, BoundError>>>()
    };
    assert!(matches!(deadline("")[..], [Ok(_)]));
    let visits = deadline(", { visit = \"bus\" }");
    assert!(!visits.iter().any(Result::is_ok), "{visits:?}");
}
