//! `[programs.NAME]`: one program that several threads run, and what is told of mistakes in it.

use crate::common::{GOOD, mistakes, tells, with};
use windfall_scenario::Scenario;

/// `GOOD` with a second thread; both run the same program.
fn shared() -> String {
    let first = GOOD.replace("periodic = \"3ms/20ms\"", "program = \"filter\"");
    let second = "\n[threads.b]\nparent = \"root\"\nstart = \"1s\"\nprogram = \"filter\"\n";
    first + second + "\n[programs.filter]\nperiodic = \"3ms/20ms\"\n"
}

/// A program for each key that says what is run.
const EACH: [(&str, &str); 9] = [
    ("run", "run = \"spin from 2s\""),
    ("periodic", "periodic = \"3ms/20ms\""),
    ("sporadic", "sporadic = { work = \"1ms\", gap = \"5ms..10ms\" }"),
    ("after", "after = { thread = \"first-a\", work = \"1ms\" }"),
    ("instead", "instead = { work = \"1ms\", deadline = \"9ms\", admit = true }"),
    ("steps", "steps = [{ run = \"1ms\" }, { sleep = \"2ms\" }]\nloops = 7"),
    ("phases", "phases = [{ steps = [{ run = \"1ms\" }] }, { steps = [{ sleep = \"2ms\" }] }]"),
    ("recorded", "recorded = { file = \"run.wft\", thread = \"a\" }"),
    ("kind", "program = { kind = \"bsat-sink\" }"),
];

/// Two threads that run `program`, and two whose refused jobs may need it.
fn with_program(key: &str, program: &str) -> String {
    let admitted = key == "instead";
    let mut text = String::from(
        "schema = 2\nlength = \"10 s\"\n[schedulers.rez]\nscheduler = \"rez\"\nparent = \"top\"\n\
         [schedulers.p]\nscheduler = \"ports\"\nparent = \"rez\"\nguarantee = \"RESBS 5ms 10ms\"\n",
    );
    for name in ["a", "b"] {
        let (home, other) = match admitted {
            true => ("p", format!(", admit = true, else = \"{name}\"")),
            false => ("rez", String::new()),
        };
        text += &format!(
            "[threads.first-{name}]\nparent = \"p\"\nperiodic = {{ work = \"1ms\", period = \"9ms\"{other} }}\n\
             [threads.{name}]\nparent = \"{home}\"\n{program}\n"
        );
    }
    text
}

#[test]
fn law_a_named_program_is_what_each_thread_would_say_itself() {
    // What a program without any key is told lists them all.
    let idle = mistakes(&with("\n[programs.idle]\n"));
    let help = idle.list()[0].help.clone().unwrap();
    let all: Vec<&str> = help.split('`').skip(1).step_by(2).collect();
    assert_eq!(all, EACH.map(|(key, _)| key));
    for (key, program) in EACH {
        let own = Scenario::parse("e.toml", &with_program(key, program));
        let declared = program
            .strip_prefix("program = { ")
            .map_or(program, |kind| kind.trim_end_matches(" }"));
        let named = with_program(key, "program = \"filter\"") + "\n[programs.filter]\n" + declared;
        let named = Scenario::parse("e.toml", &named);
        match (own, named) {
            (Ok(own), Ok(named)) => {
                assert_eq!(own, named, "{key}");
                assert_eq!(Scenario::parse("written.toml", &named.write()).unwrap(), named);
            }
            (own, named) => panic!("{key}: {own:?}\n{named:?}"),
        }
        let beside = with_program(key, &format!("program = \"filter\"\n{program}"));
        if key != "kind" {
            let told = mistakes(&(beside + "\n[programs.filter]\n" + declared));
            let message = format!("`program` and `{key}` exclude each other");
            assert!(told.list().iter().any(|one| one.message == message), "{told}");
        }
    }
}

#[test]
fn accepts_a_program_of_the_file_that_is_inherited_from() {
    let base = shared();
    let heir = "schema = 2\ninherits = \"base.toml\"\n[programs.filter]\nperiodic = \"1ms/20ms\"\n";
    let heir = Scenario::parse_with("e.toml", heir, |_| Ok(("base.toml".to_owned(), base)));
    let expected = shared().replace("3ms/20ms", "1ms/20ms");
    assert_eq!(heir.unwrap().threads, Scenario::parse("e.toml", &expected).unwrap().threads);
}

#[test]
fn refuses_a_name_that_is_no_program_and_names_the_nearest() {
    let text = shared().replacen("program = \"filter\"", "program = \"fliter\"", 1);
    tells(&text, &[(12, "unknown program `fliter`", "did you mean `filter`?")]);
    let none = with("program = 5\n").replace("periodic = \"3ms/20ms\"\n", "");
    tells(&none, &[(12, "`5`", "text")]);
}

#[test]
fn refuses_a_program_beside_one_of_its_own() {
    let text = shared().replacen("program = \"filter\"", "program = \"filter\"\nrun = \"spin\"", 1);
    tells(&text, &[(12, "`program` and `run` exclude each other", "one of its own")]);
}

#[test]
fn law_a_mistake_in_a_program_is_told_once_where_the_program_stands() {
    let last = shared().lines().count();
    let tell = |now: &str, expected: (usize, &str, &str)| {
        tells(&shared().replace("periodic = \"3ms/20ms\"", now), &[expected]);
    };
    tell("periodic = \"3/20ms\"", (last, "no unit", "3ms/10ms"));
    tell("steps = [{ lock = \"m\" }, { run = \"1ms\" }]", (last, "never given back", "unlock"));
    tell("loops = 3\nrun = \"spin\"", (last, "`loops` goes with", "leave it out"));
    tell(
        "run = \"spin\"\nperiodic = \"3ms/20ms\"",
        (last + 1, "exclude each other", "exactly one"),
    );
    tell(
        "run = \"spin\"\nparent = \"root\"",
        (last + 1, "unknown key `parent`", "allowed: kind, run"),
    );
}

#[test]
fn refuses_a_program_that_runs_nothing_and_looks_at_those_that_nobody_runs() {
    let unused = "\n[programs.idle]\n[programs.quick]\nperiodic = \"0ms/20ms\"\n";
    let first = GOOD.lines().count() + 2;
    tells(&with(unused), &[(first, "program `idle` runs nothing", "write one of `run`")]);
}

#[test]
fn refuses_programs_that_come_to_too_much() {
    let steps = "{ run = \"1ms\" }, ".repeat(2_000);
    let mut text = with(&format!("\n[programs.long]\nsteps = [{steps}]\n"));
    for thread in 0..600 {
        text += &format!("[threads.t{thread}]\nparent = \"root\"\nprogram = \"long\"\n");
    }
    let mistakes = Scenario::parse("e.toml", &text).unwrap_err();
    let message = &mistakes.list()[0].message;
    assert!(message.contains("more than 500000 values in all"), "{message}");
}
