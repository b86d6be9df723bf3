//! Each parameter of the table in a file, in a request, in the schema, and where nobody takes it: what holds of one that is
//! added to the table as well.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use crate::common::tells;
use windfall_hierarchy::HierarchyError;
use windfall_scenario::{Scenario, schema};
use windfall_schedulers::catalogue::{KINDS, Kind};
use windfall_schedulers::parameters::{ALL, Form, PROCESSORS, Parameter};
use windfall_time::Instant;

/// Two values that may be written for it, of which every kind that takes it accepts one.
fn samples(parameter: &Parameter) -> [String; 2] {
    if let Form::Integer(least, most) = parameter.form {
        return [0, 1].map(|n: i64| n.clamp(least, most).to_string());
    }
    [sample(parameter), sample(parameter)]
}

/// A value that may be written for it.
fn sample(parameter: &Parameter) -> String {
    match parameter.form {
        Form::Integer(least, most) => 0.clamp(least, most).to_string(),
        Form::Span(_) => "\"5ms\"".to_owned(),
        Form::Reservation => "\"1ms/100ms\"".to_owned(),
        Form::Limit => "\"10ms/50ms\"".to_owned(),
        Form::Rate => "\"33ms\"".to_owned(),
        Form::Processors => "[0]".to_owned(),
        _ => panic!("no file tells `{}`", parameter.key),
    }
}

/// A thread below a scheduler of a kind, with more keys, and what comes after.
fn file(kind: &Kind, key: &str, after: &str) -> String {
    let parents = parents(kind);
    format!(
        "schema = 2\nlength = \"1s\"\nmachine.processors = 2\n[schedulers.root]\n\
         scheduler = \"{kind}\"\n{parents}[threads.a]\nrun = \"spin\"\n{key}{after}"
    )
}

/// As many parents as a scheduler of that kind needs.
fn parents(kind: &Kind) -> &'static str {
    match kind.properties.least_parents {
        1 => "parent = \"top\"\n",
        _ => "parents = [\"top\", \"top\"]\n",
    }
}

fn takers(parameter: &Parameter) -> impl Iterator<Item = &'static Kind> {
    KINDS.iter().copied().filter(|kind| kind.takes(parameter))
}

/// The answer of the scheduler to the one request of a file.
fn requested(text: &str) -> Result<(), HierarchyError> {
    let scenario = Scenario::parse("test.toml", text).map_err(|why| why.render(false)).unwrap();
    let mut plan = scenario.build().map_err(|why| why.render(false)).unwrap();
    let (parent, messages) = (plan.threads[0].parent, plan.threads[0].messages.clone());
    let id = plan.hierarchy.create_thread(Instant::ZERO, parent, &messages).unwrap();
    let (at, request) = plan.requests.remove(0);
    request.carry_out(&mut plan.hierarchy, at, &|_| Some(id))
}

#[test]
fn law_each_parameter_can_be_written_wherever_a_kind_takes_it() {
    for parameter in ALL.iter().copied() {
        assert!(takers(parameter).next().is_some(), "nobody takes `{}`", parameter.key);
        for kind in takers(parameter) {
            let accepted = samples(parameter).into_iter().any(|value| {
                let text = file(kind, &format!("{} = {value}\n", parameter.key), "");
                let scenario = Scenario::parse("test.toml", &text);
                let scenario = scenario.unwrap_or_else(|why| panic!("{}", why.render(false)));
                let value = scenario.threads[0].requires.get(parameter).unwrap();
                assert!(parameter.form.allows(value), "{} {value:?}", parameter.key);
                let again = Scenario::parse("test.toml", &scenario.write());
                assert_eq!(again.unwrap(), scenario, "{}", parameter.key);
                scenario.build().is_ok()
            });
            assert!(accepted, "{kind} refuses `{}`", parameter.key);
        }
    }
}

#[test]
fn law_each_parameter_can_be_requested_wherever_a_kind_takes_it() {
    for parameter in ALL.iter().copied() {
        let key = parameter.key;
        let [request, other] = samples(parameter).map(|value| {
            format!("[[at]]\ntime = \"0s\"\ndo = \"{key}\"\nthread = \"a\"\n{key} = {value}\n")
        });
        for kind in takers(parameter) {
            let accepts = |request: &str| requested(&file(kind, "", request)).is_ok();
            assert!(accepts(&request) || accepts(&other), "{kind}: {key}");
        }
        if *parameter == PROCESSORS {
            continue; // a scheduler with one processor need not be told (`bindings.rs`)
        }
        let takes_not = |kind: &&&Kind| !kind.takes(parameter) && !kind.properties.passes_on;
        for kind in KINDS.iter().filter(takes_not) {
            let why = format!("`{key}` means nothing there");
            tells(&file(kind, "", &request), &[(13, &why, "leave `")]);
            let written = format!("{key} = {}\n", sample(parameter));
            tells(&file(kind, &written, ""), &[(9, &why, "leave `")]);
            let above = format!("[schedulers.above]\nscheduler = \"{kind}\"\n{}", parents(kind));
            let own = format!(
                "[schedulers.rr]\nscheduler = \"round-robin\"\nparent = \"above\"\n{written}"
            );
            let text = format!("schema = 2\nlength = \"1s\"\nmachine.processors = 2\n{above}{own}");
            tells(&text, &[(10, &why, "leave `")]);
        }
    }
}

#[test]
fn accepts_a_request_of_what_the_scheduler_takes_that_a_thread_has_by_then() {
    let kind = windfall_schedulers::kinds::EDF;
    let share = "[[at]]\ntime = \"2ms\"\ndo = \"share\"\nthread = \"a\"\nshare = 2\n";
    let other = "[schedulers.fair]\nscheduler = \"proportional-share\"\nparent = \"top\"\n";
    let first =
        |request: &str| file(kind, "", &format!("{other}[[at]]\ntime = \"1ms\"\n{request}{share}"));
    let moved = "do = \"move\"\nthread = \"a\"\nto = \"fair\"\n";
    let gone = "do = \"default\"\nscheduler = \"fair\"\n[[at]]\ntime = \"1ms\"\ndo = \"destroy\"\nscheduler = \"root\"\n";
    for request in [moved, gone] {
        let scenario = Scenario::parse("test.toml", &first(request));
        assert!(scenario.map_err(|why| why.render(false)).unwrap().build().is_ok());
    }
    let stays = first("do = \"default\"\nscheduler = \"fair\"\n");
    tells(&stays, &[(20, "children of a `edf` have `rate`; `share` means nothing there", "")]);
    let itself = "[schedulers.root]\nscheduler = \"edf\"\nparent = \"top\"\n[schedulers.fair]\nscheduler = \"proportional-share\"\nparent = \"root\"\n[threads.a]\nsteps = [{ run = \"1ms\" }, { move = \"fair\" }]\n";
    let text = format!("schema = 2\nlength = \"1s\"\n{itself}{share}");
    assert!(
        Scenario::parse("test.toml", &text)
            .map_err(|why| why.render(false))
            .unwrap()
            .build()
            .is_ok()
    );
}

#[test]
fn refuses_each_parameter_with_another_value_at_its_line() {
    for parameter in ALL.iter().copied() {
        let (key, kind) = (parameter.key, takers(parameter).next().unwrap());
        tells(&file(kind, &format!("{key} = true\n"), ""), &[(9, "`true` is not", "write ")]);
        let request = format!("[[at]]\ntime = \"0s\"\ndo = \"{key}\"\nthread = \"a\"\n");
        tells(&file(kind, "", &request), &[(9, &format!("`{key}` is missing"), "its value")]);
        let request = format!("{request}{key} = {}\nto = \"root\"\n", sample(parameter));
        tells(&file(kind, "", &request), &[(14, "`to` does not go with", key)]);
        if let Form::Integer(least, most) = parameter.form {
            let (small, large) = (i128::from(least) - 1, i128::from(most) + 1);
            for out in [small, large].map(|out| format!("{key} = {out}\n")) {
                let help = format!("write a whole number from {least} to {most}");
                tells(&file(kind, &out, ""), &[(9, "is out of range", &help)]);
            }
        }
    }
}

#[test]
fn law_the_schema_has_each_parameter_wherever_there_is_a_parent() {
    let schema: serde_json::Value = serde_json::from_str(&schema()).unwrap();
    for table in ["Thread", "Scheduler", "Parent", "At"] {
        let of_threads = matches!(table, "Thread" | "At");
        for parameter in ALL.iter().filter(|parameter| of_threads || !parameter.of_threads) {
            let key = &schema["$defs"][table]["properties"][parameter.key];
            assert_eq!(key["description"], parameter.help, "{table}: {}", parameter.key);
        }
    }
}
