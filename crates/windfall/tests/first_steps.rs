//! The first steps of a user: a scenario from nothing, a value changed, two outcomes compared, a recording that says what to
//! promise.
#![expect(clippy::unwrap_used, reason = "a test stops at what it did not expect")]

#[path = "common/scratch.rs"]
mod scratch;

use scratch::{Scratch, text};
use serde_json::Value;
use std::process::Stdio;

const TEMPLATES: [&str; 4] = ["audio", "server", "robot", "service"];

fn said(folder: &Scratch, arguments: &[&str], status: i32) -> String {
    let output = folder.run(arguments);
    assert_eq!(output.status.code(), Some(status), "{arguments:?}: {output:?}");
    text(&output.stdout) + &text(&output.stderr)
}

fn read(folder: &Scratch, file: &str) -> String {
    std::fs::read_to_string(folder.path(file)).unwrap()
}

fn json(folder: &Scratch, arguments: &[&str]) -> Value {
    serde_json::from_slice(&folder.run(arguments).stdout).unwrap()
}

#[test]
fn accepts_every_first_scenario_and_its_expectations_hold() {
    let folder = Scratch::new("new");
    for name in TEMPLATES {
        let file = format!("{name}.toml");
        let wrote = said(&folder, &["new", name], 0);
        assert!(wrote.starts_with(&format!("wrote {file}")), "{wrote}");
        let checked = said(&folder, &["check", &file], 0);
        assert!(!checked.contains("due in"), "a deadline that nothing guarantees: {checked}");
        let simulated = said(&folder, &["simulate", &file], 0);
        assert!(simulated.contains("Question: ") && simulated.contains("held "), "{simulated}");
        let comments = read(&folder, &file).lines().filter(|line| line.contains('#')).count();
        assert!(comments >= 6, "{file} explains itself");
        let untested = simulated.contains("  not tested  ");
        assert_eq!(untested, simulated.contains("\nnot tested: the owner"), "{simulated}");
    }
    assert!(said(&folder, &["new", "nothing"], 2).contains("audio, server, robot, service"));
}

#[test]
fn law_a_first_scenario_names_the_schema_that_lies_beside_it() {
    let folder = Scratch::new("new-schema");
    let wrote = said(&folder, &["new", "audio", "-o", "mine.toml"], 0);
    assert!(wrote.contains("scenario.schema.json for completion in editors"), "{wrote}");
    let first = read(&folder, "mine.toml").lines().next().unwrap().to_owned();
    let named = first.strip_prefix("#:schema ").unwrap();
    let kept = read(&folder, named);
    said(&folder, &["schema", "-o", "again.json"], 0);
    assert_eq!(kept, read(&folder, "again.json"));
    assert_eq!(kept, text(&folder.run(&["schema"]).stdout));
    // One that is there stays, and another version is said.
    assert_eq!(said(&folder, &["new", "robot"], 0), "wrote robot.toml\n");
    folder.write(named, "{}");
    let wrote = said(&folder, &["new", "server"], 0);
    assert!(wrote.contains("of another version: `windfall schema --force -o"), "{wrote}");
    assert_eq!(read(&folder, named), "{}");
    assert!(said(&folder, &["new", "audio", "-o", "-"], 0).starts_with("#:schema"));
}

#[test]
fn law_a_value_that_is_set_is_the_value_that_the_file_could_have() {
    let folder = Scratch::new("set");
    said(&folder, &["new", "audio"], 0);
    let file = read(&folder, "audio.toml");
    folder.write("other.toml", &file.replace("RESBH 2ms 5ms", "RESBH 4ms 10ms"));
    let set = "audio.guarantee=RESBH 4ms 10ms";
    let changed = json(&folder, &["simulate", "audio.toml", "--json", "--set", set]);
    let mut same = json(&folder, &["simulate", "other.toml", "--json"]);
    for expectation in same["expectations"].as_array_mut().unwrap() {
        let reason = expectation["because"].take();
        assert!(reason.is_string(), "a reason of the file's own values: {reason}");
    }
    assert_eq!(changed, same);
    let checked = said(&folder, &["check", "audio.toml", "--set", set], 0);
    assert_eq!(checked, said(&folder, &["check", "other.toml"], 0));
    assert_ne!(changed, json(&folder, &["simulate", "audio.toml", "--json"]));

    let arguments =
        ["--set", "machine.processors=2", "--set", "length=1s", "--set", "compile.count=7"];
    let found = json(&folder, &[&["simulate", "audio.toml", "--json"], &arguments[..]].concat());
    assert_eq!(found["cpus"].as_array().unwrap().len(), 2);
    assert_eq!(found["length_ns"], 1_000_000_000);
    assert_eq!(found["threads"].as_array().unwrap().len(), 8);
}

#[test]
fn law_a_value_that_is_set_in_a_named_program_counts_for_all_its_threads() {
    let folder = Scratch::new("set-program");
    let file = "schema = 2\nlength = \"1s\"\nschedulers.r = { scheduler = \"edf\", parent = \"top\" }\n\
                programs.tick = { periodic = \"1ms/10ms\" }\n\
                threads.a = { parent = \"r\", program = \"tick\" }\n\
                threads.tick = { parent = \"r\", program = \"tick\" }\n";
    folder.write("two.toml", file);
    let set = ["simulate", "two.toml", "--json", "--set", "tick.periodic=2ms/10ms"];
    assert!(said(&folder, &set, 2).contains("exclude"), "the thread has the name as well");
    folder.write("two.toml", &file.replace("threads.tick", "threads.b"));
    folder.write("other.toml", &file.replace("threads.tick", "threads.b").replace("1ms", "2ms"));
    let other = json(&folder, &["simulate", "other.toml", "--json"]);
    assert_eq!(json(&folder, &set), other);
    assert_eq!(other["threads"][1]["received_ns"], 200_000_000);
}

#[test]
fn law_the_answer_of_a_file_is_not_given_for_other_values() {
    let folder = Scratch::new("set-answer");
    said(&folder, &["new", "audio"], 0);
    assert!(said(&folder, &["simulate", "audio.toml"], 0).contains("Answer: yes"));
    let set = "audio.guarantee=RESBH 1ms 10ms";
    let changed = said(&folder, &["simulate", "audio.toml", "--set", set], 1);
    assert!(changed.contains("Question: does") && !changed.contains("Answer: "), "{changed}");
    assert!(changed.contains("\nFAILED audio.missed equal to 0: found 1000\n"), "{changed}");
    assert!(said(&folder, &["simulate", "audio.toml"], 0).contains("found 0 (a gap of at most"));
    let all = ["simulate", "audio.toml", "--set", set, "--set", "answer=no"];
    assert!(said(&folder, &all, 1).contains("Answer: no"));
}

#[test]
fn refuses_what_is_set_where_nothing_is_and_says_what_is_near() {
    let folder = Scratch::new("set-refused");
    said(&folder, &["new", "audio"], 0);
    let set = |value: &str| {
        let why = said(&folder, &["simulate", "audio.toml", "--set", value], 2);
        assert_eq!(why, said(&folder, &["check", "audio.toml", "--set", value], 2));
        why
    };
    assert!(set("audoi.guarantee=NULL").contains("did you mean `audio.guarantee`?"));
    assert!(set("audio.guarante=NULL").contains("did you mean `guarantee`?"));
    assert!(set("lenght=1s").contains("did you mean `length`?"));
    assert!(set("audio").contains("write NAME.KEY=VALUE"));
    let above = set("audio.guarantee=RESBH 14ms 10ms");
    assert!(above.contains("--set:1:") && above.contains("at most the period 10ms"), "{above}");
    // What stands in braces replaces the table, and is one value.
    assert!(set("audio.periodic={ work = \"1ms\" }").contains("`period` is missing"));
    assert!(set("audio.share=1\nlength=\"1s\"").contains("--set"));
}

#[test]
fn limit_outcomes_are_compared_within_the_tolerance_side_by_side() {
    let folder = Scratch::new("compare");
    said(&folder, &["new", "audio"], 0);
    let keep = |file: &str, arguments: &[&str]| {
        let all = [&["simulate", "audio.toml", "--json"], arguments].concat();
        folder.write(file, &text(&folder.run(&all).stdout));
    };
    keep("a.json", &[]);
    keep("b.json", &["--set", "compile.count=2"]);
    let same = said(&folder, &["compare", "a.json", "audio.toml"], 0);
    assert!(same.contains("every thread got the same in both"), "{same}");
    let apart = said(&folder, &["compare", "a.json", "b.json"], 1);
    assert!(apart.contains("1 of 5 threads got the same in both"), "{apart}");
    assert!(apart.contains("compile-1, compile-2, compile-3, compile-4."), "{apart}");
    assert!(apart.contains("only in the first: compile-3, compile-4\n"), "{apart}");
    assert!(!apart.contains("only in the second"), "{apart}");
    assert_eq!(apart.matches("second  -").count(), 0, "a row without a number: {apart}");
    let data = json(&folder, &["compare", "a.json", "b.json", "--json"]);
    let thread = |at: usize| &data["threads"][at];
    assert_eq!((&thread(0)["name"], &thread(0)["close"]), (&"audio".into(), &true.into()));
    assert_eq!(thread(1)["first"]["received_ns"], 2_002_000_000_u64);
    assert_eq!(thread(4)["second"], Value::Null);
    // Twice as much is within 100 %, and just above 99 % is not.
    keep("c.json", &["--set", "audio.periodic=1ms/10ms"]);
    said(&folder, &["compare", "c.json", "a.json", "--tolerance", "99%"], 1);
    said(&folder, &["compare", "c.json", "a.json", "--tolerance", "100%"], 0);
    // The same times, of which the second was expected to be another.
    let file = read(&folder, "audio.toml").replace("75%machine", "85%machine");
    folder.write("more.toml", &file);
    let verdicts = said(&folder, &["compare", "a.json", "more.toml"], 0);
    assert!(verdicts.contains("expected compile.received at least 85%machine"), "{verdicts}");
    assert!(
        verdicts.contains(": in the first not expected; in the second FAILED, found "),
        "{verdicts}"
    );
    keep("d.json", &["--set", "length=10s"]);
    let failed = read(&folder, "d.json").replace("\"held\": true", "\"held\": false");
    folder.write("d.json", &failed);
    // Both have it, and it came to another verdict.
    let failed = said(&folder, &["compare", "a.json", "d.json"], 1);
    assert!(
        failed
            .contains("audio.missed equal to 0: in the first held, found 0; in the second FAILED"),
        "{failed}"
    );
    let alone = said(&folder, &["compare", "a.json"], 2);
    assert!(alone.contains("`windfall compare BEFORE AFTER` compares outcomes"), "{alone}");
    let promises = said(&folder, &["compare", "a.json", "robot.toml"], 2);
    assert!(promises.contains("robot.toml"), "{promises}");
}

/// A thread that unlocks what it has not locked: checked, and found when it runs.
const FAILS: &str = "schema = 2\nlength = \"1 s\"\n[schedulers.root]\nscheduler = \"round-robin\"\nparent = \"top\"\n\
                     [threads.a]\nsteps = [{ run = \"1ms\" }, { unlock = \"m\" }, { lock = \"m\" }]\n";

#[test]
fn refuses_to_compare_what_did_not_reach_its_end_or_is_no_outcome() {
    let folder = Scratch::new("failed");
    folder.write("fail.toml", FAILS);
    let failed = said(&folder, &["simulate", "fail.toml"], 2);
    assert!(failed.contains("`a` unlocks"), "{failed}");
    let compared = said(&folder, &["compare", "fail.toml", "fail.toml"], 2);
    assert!(compared.contains("`a` unlocks") && !compared.contains("same in both"), "{compared}");
    let kept = text(&folder.run(&["simulate", "fail.toml", "--json"]).stdout);
    folder.write("fail.json", &kept);
    let kept = said(&folder, &["compare", "fail.json", "fail.json"], 2);
    assert!(kept.contains("did not reach its end") && kept.contains("`a` unlocks"), "{kept}");
    folder.write("none.json", "{ \"windfall\": 2, \"threads\": [1, 2], \"length_ns\": 5 }");
    let none = said(&folder, &["compare", "none.json", "none.json"], 2);
    assert!(none.contains("`threads/0/name` is missing"), "{none}");
    said(&folder, &["new", "audio"], 0);
    for verb in [&["simulate", "audio.toml"][..], &["compare", "audio.toml", "audio.toml"]] {
        let short = said(&folder, &[verb, &["--for", "0s"]].concat(), 2);
        assert!(short.contains("it is too short; write a time above zero"), "{short}");
    }
    let longer = said(&folder, &["compare", "none.json", "none.json", "--for", "1s"], 2);
    assert!(longer.contains("`--for` is how long a scenario is simulated"), "{longer}");
}

#[test]
fn accepts_the_worst_miss_of_all_threads_at_once() {
    let folder = Scratch::new("worst");
    let limit = ["--longer-than", "4ms", "--json"];
    let all = json(&folder, &[&["explain", "a.ftrace.gz"], &limit[..]].concat());
    let misses = all["threads"].as_array().unwrap().iter();
    let misses = misses.flat_map(|thread| thread["explained"].as_array().unwrap());
    let most = misses.map(|miss| miss["by_ns"].as_u64().unwrap()).max();
    let worst = json(&folder, &[&["explain", "a.ftrace.gz", "--worst"], &limit[..]].concat());
    let [thread] = &worst["threads"].as_array().unwrap()[..] else { panic!("{worst:#}") };
    let [miss] = &thread["explained"].as_array().unwrap()[..] else { panic!("{thread:#}") };
    assert_eq!((thread["tid"].as_u64(), miss["by_ns"].as_u64()), (Some(19425), most));
    // Without a miss, the longest wait.
    let waited = said(&folder, &["explain", "a.ftrace.gz", "--worst"], 0);
    assert!(waited.starts_with("cc1 (#19425)") && waited.contains("the longest wait:"), "{waited}");
}

#[test]
fn law_what_is_suggested_fits_and_shortens_the_longest_response() {
    let folder = Scratch::new("suggest");
    let data = json(&folder, &["suggest", "a.ftrace.gz", "--json", "-o", "s.toml"]);
    let promises = data["promises"].as_array().unwrap();
    let audio = promises.iter().find(|one| one["thread"] == "audio-src").unwrap();
    let longest = |which: &str| audio["longest_response_ns"][which].as_u64().unwrap();
    assert!(longest("with") < 1_000_000 && longest("without") > 3_000_000, "{audio}");
    assert!(longest("recorded") > 3_000_000, "{audio}");
    // All of it is granted, and written so that the file says the same.
    let checked = json(&folder, &["check", "s.toml", "--json"]);
    assert_eq!(checked["composes"], true);
    let granted = |one: &&Value| {
        let name = one["promised"].as_str().is_some_and(|it| it.starts_with("RESBS"));
        name && one["parent"].as_str().is_some_and(|parent| parent.ends_with("-join"))
    };
    let threads = checked["threads"].as_array().unwrap();
    assert_eq!(threads.iter().filter(granted).count(), promises.len());
    let simulated = json(&folder, &["simulate", "s.toml", "--json"]);
    let threads = simulated["threads"].as_array().unwrap();
    let same = threads.iter().find(|one| one["name"] == "audio-src").unwrap();
    assert_eq!(same["response_ns"]["max"], longest("with"));
    let shown = said(&folder, &["suggest", "a.ftrace.gz"], 0);
    assert!(shown.contains("7 promises fit"), "{shown}");
    // Threads of the kernel are nobody's; who fares worse is named.
    for name in ["kdamond.0 77", "kcompactd0 36"] {
        let line =
            shown.lines().find(|line| line.starts_with(&format!("not promised: {name} RESBS ")));
        let why = ": its name is that of a thread of the kernel";
        assert!(line.is_some_and(|line| line.ends_with(why)), "{shown}");
    }
    for one in promises {
        let of = |which: &str| one["longest_response_ns"][which].as_u64().unwrap();
        let name = format!("{} {}", one["thread"].as_str().unwrap(), one["tid"]);
        let worse = of("with") > of("without");
        assert_eq!(one["worse"], worse, "{one}");
        assert_eq!(
            shown.contains(&format!("worse with the promises: {name} took")),
            worse,
            "{shown}"
        );
    }
    assert!(promises.iter().any(|one| one["worse"] == true), "{shown}");
}

/// It is read twice, from wherever it comes; a scenario would name it, though.
#[test]
fn accepts_a_recording_on_standard_input_and_suggests_the_same() {
    let folder = Scratch::new("suggest-input");
    let of_file = said(&folder, &["suggest", "a.ftrace.gz"], 0);
    let given = |arguments: &[&str]| {
        let recording = std::fs::File::open(folder.path("a.ftrace.gz")).unwrap();
        folder.command(arguments).stdin(recording).stdout(Stdio::piped()).output().unwrap()
    };
    assert_eq!(text(&given(&["suggest", "-"]).stdout), of_file);
    let refused = given(&["suggest", "-", "-o", "s.toml"]);
    assert_eq!(refused.status.code(), Some(2), "{refused:?}");
    assert!(text(&refused.stderr).contains("keep the recording in one"), "{refused:?}");
}

#[test]
fn refuses_to_suggest_anything_of_a_recording_without_a_period() {
    let folder = Scratch::new("suggest-none");
    let line = |at: u32, from: &str, to: &str| {
        format!(
            "  sh-1 [000] d..2 {at}.000000: sched_switch: prev_comm={from} prev_pid=1 prev_prio=120 prev_state=S ==> next_comm={to} next_pid=2 next_prio=120\n"
        )
    };
    folder.write("a.txt", &(line(1, "sh", "ls") + &line(2, "sh", "ls")));
    let said = said(&folder, &["suggest", "a.txt"], 1);
    assert!(said.contains("no thread has a period with enough confidence"), "{said}");
    assert!(
        said.contains("no period found in 2 threads: 2 with too few periods to tell"),
        "{said}"
    );
}

#[test]
fn law_a_page_says_not_tested_where_the_text_does() {
    let folder = Scratch::new("page-not-tested");
    assert!(folder.run(&["new", "audio", "-o", "audio.toml"]).status.success());
    let output = folder.run(&["simulate", "audio.toml", "--report", "o.html"]);
    assert!(text(&output.stdout).contains("RESBH 2ms 5ms  audio  not tested"), "{output:?}");
    let page = std::fs::read_to_string(folder.path("o.html")).unwrap();
    assert!(page.contains("could have been broken\">not tested</span>"), "the page says otherwise");
}
