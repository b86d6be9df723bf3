//! The command line: options that would be ignored, and words that mean nothing, are refused in words that help.

#[path = "common/real.rs"]
mod real;
#[path = "common/scratch.rs"]
mod scratch;

use scratch::{Scratch, text};

/// What a command says that is refused.
fn refused(folder: &Scratch, arguments: &[&str]) -> String {
    let output = folder.run(arguments);
    let why = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{arguments:?}: {output:?}");
    assert!(output.stdout.is_empty(), "{arguments:?}: {output:?}");
    why.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[track_caller]
fn says(folder: &Scratch, arguments: &[&str], parts: &[&str]) {
    let why = refused(folder, arguments);
    parts.iter().for_each(|part| assert!(why.contains(part), "{arguments:?}: no `{part}`: {why}"));
}

#[test]
fn refuses_options_of_a_run_that_would_be_ignored() {
    let folder = Scratch::new("ignored-run");
    let both = "cannot be used with";
    for arguments in [
        &["--budget", "3ms", "--period", "10ms"][..],
        &["--share", "2"],
        &["--dry-run", "--csv", "x.csv"],
    ] {
        says(&folder, &[&["run", "a.toml"][..], arguments].concat(), &[both, arguments[0]]);
    }
    for arguments in [&["--dry-run"][..], &["--cpus", "0"], &["--socket", "s"]] {
        let all = [&["run", "a.toml", "--host", "sim"][..], arguments].concat();
        says(&folder, &all, &[&format!("`{}` is about this machine", arguments[0]), "leave one"]);
    }
    assert!(!folder.path("x.csv").exists());
}

#[test]
fn refuses_options_of_other_verbs_that_would_be_ignored() {
    let folder = Scratch::new("ignored-others");
    folder.write(
        "rt.json",
        "{\"tasks\": {\"a\": {\"run\": 1000, \"timer\": {\"ref\": \"t\", \"period\": 10000}}}}",
    );
    says(
        &folder,
        &["import", "rt.json", "-o", "rt.toml", "--reserve"],
        &["--reserve is for recordings"],
    );
    let named = "in Windfall's own format, and no text of the format that is named";
    for verb in [&["explain"][..], &["suggest"], &["import", "-o", "o.toml"]] {
        says(&folder, &[verb, &["a.wft", "--from", "perf"]].concat(), &[named]);
    }
    let task = ["reserve", "--task", "1ms/10ms", "--period", "5ms"];
    says(
        &folder,
        &[&task[..], &["--tolerance", "1%"]].concat(),
        &["--tolerance", "cannot be used"],
    );
    assert!(folder.run(&task).status.success());
    for verb in [&["list"][..], &["stop"], &["unreserve", "a"]] {
        let all = [&["ctl", "--socket", "none", "--force"][..], verb].concat();
        says(&folder, &all, &["`--force` goes with requests that change the tree"]);
    }
}

/// A file called `-` may be inherited from; standard input is not read instead.
#[test]
fn refuses_to_inherit_from_standard_input() {
    let folder = Scratch::new("inherits-input");
    folder.write("c.toml", "schema = 2\ninherits = \"-\"\n");
    let mut command = folder.command(&["check", "c.toml"]);
    let input = std::fs::File::open(folder.path("a.toml")).expect("it was written");
    let output = command.stdin(input).output().expect("it starts");
    let why = text(&output.stderr);
    assert!(
        output.status.code() == Some(2) && why.contains("`-` cannot be read: No such"),
        "{why}"
    );
}

#[test]
fn refuses_numbers_below_zero_and_what_is_no_number_in_words() {
    let folder = Scratch::new("no-numbers");
    for (arguments, option, value) in [
        (&["explain", "a.wft"][..], "--longer-than", "-1ms"),
        (&["ctl", "query", "s", "1ms"], "--by", "-1ms"),
        (&["ctl", "submit", "s", "1ms"], "--by", "-1ms"),
        (&["reserve", "b.toml"], "--tolerance", "-1/20"),
        (&["compare", "a.toml"], "--tolerance", "-1%"),
        (&["compare", "a.toml"], "--cpus", "-1"),
        (&["top"], "-d", "-1s"),
    ] {
        let said = format!("`{value}` is below zero");
        says(&folder, &[arguments, &[option, value]].concat(), &[&said, "write it without `-`"]);
        let why = refused(&folder, &[arguments, &[option, value]].concat());
        assert!(!why.contains("tip"), "{why}");
    }
    for (arguments, words) in [
        (&["run", "a.toml", "--cpus", "x"][..], "'x' for '--cpus <N,...>': write a whole number"),
        (
            &["simulate", "a.toml", "--seed", "-1"],
            "'-1' for '--seed <N>': write a whole number of zero or more",
        ),
        (&["simulate", "a.toml", "--seed", "99999999999999999999"], "it is too large"),
        (&["reserve", "b.toml", "--tolerance", "x"], "write one such as `3/10`, `0.3` or `30%`"),
        (&["reserve", "b.toml", "--tolerance", "1ms"], "not a ratio of zero or more"),
    ] {
        says(&folder, arguments, &[words]);
    }
    // Words that begin with `-` and are none of these keep the parser's own words.
    says(&folder, &["check", "-x", "a.toml"], &["unexpected argument '-x'"]);
    says(&folder, &["check", "-1.toml"], &["use '-- -1'"]);
}

#[test]
fn refuses_json_where_a_scenario_is_read_and_says_what_reads_it() {
    let folder = Scratch::new("json-scenario");
    let outcome = folder.run(&["simulate", "a.toml", "--json"]).stdout;
    folder.write("an outcome.json", &text(&outcome));
    folder.write("rt.json", "\n  {\"tasks\": {\"a\": {\"run\": 1000}}}");
    let parts = [
        "this is JSON, and a scenario is TOML",
        "`windfall compare BEFORE AFTER`",
        "`windfall import",
        "1 mistake",
    ];
    for arguments in [["compare", "an outcome.json"], ["compare", "rt.json"], ["check", "rt.json"]]
    {
        says(&folder, &arguments, &parts);
    }
    let input = std::fs::File::open(folder.path("an outcome.json")).expect("it was written");
    let output = folder.command(&["compare", "-"]).stdin(input).output().expect("it starts");
    let why = text(&output.stderr);
    assert!(output.status.code() == Some(2) && why.contains(parts[0]), "{why}");
    assert!(why.starts_with("standard input:1:1: ") && why.lines().count() < 8, "{why}");
}

#[test]
fn limit_twenty_mistakes_are_shown_and_the_others_counted() {
    let folder = Scratch::new("many-mistakes");
    let unknown =
        |number: usize| (0..number).map(|at| format!("key{at} = 1\n")).collect::<String>();
    for (number, more) in [(20, None), (21, Some("and 1 more")), (300, Some("and 280 more"))] {
        folder.write("many.toml", &format!("{}{}", unknown(number), scratch::SCENARIO));
        let why = text(&folder.run(&["check", "many.toml"]).stderr);
        assert_eq!(why.matches("unknown key").count(), 20, "{why}");
        assert_eq!(why.lines().find(|line| line.starts_with("and ")), more, "{why}");
        assert!(why.contains(&format!("{number} mistakes")), "{why}");
        assert_eq!(why.contains("`--json` lists all"), more.is_some(), "{why}");
        let all = text(&folder.run(&["check", "many.toml", "--json"]).stderr);
        assert_eq!(all.matches("unknown key").count(), number + 1, "all, and the first again");
    }
}

#[test]
fn refuses_a_recording_that_is_missing_once() {
    let folder = Scratch::new("missing-recording");
    let run = folder.run(&["import", "a.ftrace.gz", "-o", "r.toml"]);
    assert!(run.status.success(), "{run:?}");
    let file = std::fs::read_to_string(folder.path("r.toml")).expect("it was written");
    folder.write("r.toml", &file.replace("a.ftrace.gz", "gone.gz"));
    let why = refused(&folder, &["check", "r.toml"]);
    assert_eq!(why.matches("No such file").count(), 1, "{why}");
    assert!(why.contains("`gone.gz`: No such file") && why.ends_with("1 mistake"), "{why}");
}

#[test]
fn refuses_in_words_that_say_what_stands_in_the_way() {
    let folder = Scratch::new("right-words");
    folder.write("new.toml", &scratch::SCENARIO.replace("schema = 2", "schema = 3"));
    says(&folder, &["check", "new.toml"], &["schema 3 is newer than this program"]);
    says(&folder, &["simulate", "a.toml", "--trace", "o"], &["cannot tell from `o` what"]);
    says(&folder, &["export", "a.wft", "o.x"], &["cannot tell from `o.x` what"]);
    let zipped =
        std::process::Command::new("gzip").arg("a.wft").current_dir(folder.path("")).status();
    if zipped.is_ok_and(|status| status.success()) {
        let arguments = ["explain", "a.wft.gz"];
        says(&folder, &arguments, &["in Windfall's own format; decompress it first"]);
    }
    for (file, part) in [
        (
            "{\"tasks\": {\"a\": {\"instance\": 0, \"run\": 1000}}}",
            "task `a`: left out: it has no instances",
        ),
        (
            "{\"tasks\": {\"a\": {\"loop\": 0, \"phases\": {\"p\": {\"run\": 1}}}}}",
            "nothing is left of",
        ),
    ] {
        folder.write("rt.json", file);
        says(
            &folder,
            &["import", "rt.json", "-o", "rt.toml"],
            &["no task of it becomes a thread", part],
        );
    }
    let endless =
        "{\"global\": {\"duration\": 0}, \"tasks\": {\"a\": {\"run\": 1000, \"sleep\": 1000}}}";
    folder.write("rt.json", endless);
    let output = folder.run(&["import", "rt.json", "-o", "rt.toml"]);
    let said = text(&output.stdout);
    assert!(
        output.status.success() && said.contains("(the file sets no end by `duration`)"),
        "{said}"
    );
}

#[test]
fn refuses_a_command_that_is_not_there_without_talk_of_scenarios() {
    let folder = Scratch::new("no-command");
    if real::is_ready() {
        let arguments = ["run", "--dry-run", "--share", "2", "--", "nonexistent"];
        says(&folder, &arguments, &["there is no program `nonexistent`; install it, or name it"]);
        assert!(!refused(&folder, &arguments).contains("scenario"));
    }
}

#[test]
fn law_one_is_not_several() {
    let folder = Scratch::new("one-thread");
    let one = "schema = 2\nlength = \"100ms\"\n[schedulers.edf]\nscheduler = \"edf\"\nparent = \"top\"\n\
               [threads.a]\nparent = \"edf\"\nperiodic = \"9ms/10ms@5ms\"\n";
    folder.write("one.toml", one);
    let said = text(&folder.run(&["check", "one.toml"]).stdout);
    assert!(said.contains("\n1 of 1 thread with deadlines may be late\n"), "{said}");
    if real::is_ready() {
        let arguments = ["run", "one.toml", "--dry-run", "--cpus", "0,1"];
        says(&folder, &arguments, &["the scenario needs 1 processor:"]);
    }
}

/// A status of 0 does not say that every deadline is met, and neither do the text, the help and the document.
#[test]
fn limit_a_check_without_an_answer_about_a_deadline_says_so() {
    let folder = Scratch::new("open-deadlines");
    let thread = |keys: &str| {
        format!(
            "schema = 2\nlength = \"1s\"\n[schedulers.s]\nparent = \"top\"\n{keys}periodic = \"3ms/10ms\"\n"
        )
    };
    let beside = "scheduler = \"round-robin\"\n[threads.b]\nparent = \"s\"\nrun = \"spin\"\n\
                  [threads.a]\nparent = \"s\"\n";
    let reserved =
        "scheduler = \"rez\"\n[threads.a]\nparent = \"s\"\nguarantee = \"RESBH 4ms 10ms\"\n";
    for (keys, line, in_step) in [
        (beside, "no bound: ", "null"),
        (reserved, "15ms, due in 10ms; 9ms if its periods begin with the reservation's", "9000000"),
    ] {
        folder.write("a.toml", &thread(keys));
        let output = folder.run(&["check", "a.toml"]);
        let said = text(&output.stdout);
        assert_eq!(output.status.code(), Some(0), "{said}");
        let open = "\nno bound within the deadline: 1 of 1 thread with deadlines\n";
        assert!(said.contains(line) && said.contains(open), "{said}");
        let json = text(&folder.run(&["check", "a.toml", "--json"]).stdout);
        for part in ["\"in_time\": true", "\"met\": false", "\"in_step_bound_ns\": "] {
            assert!(json.contains(part), "{part}: {json}");
        }
        assert!(json.contains(&format!("\"in_step_bound_ns\": {in_step}")), "{json}");
    }
    let help = text(&folder.run(&["check", "--help"]).stdout);
    let words = help.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("no bound shows that a job may be late"), "{words}");
}

#[test]
fn law_a_name_with_a_semicolon_stands_whole_in_the_message() {
    let folder = Scratch::new("semicolon");
    let why = text(&folder.run(&["explain", "a; b.wft", "--json"]).stderr);
    assert!(why.contains("\"message\":\"a; b.wft: No such file"), "{why}");
    folder.write("a; b.toml", scratch::SCENARIO);
    let why = text(&folder.run(&["explain", "a; b.toml", "--json"]).stderr);
    assert!(why.contains("\"message\":\"a; b.toml: a scenario, not a recording\""), "{why}");
    assert!(why.contains("\"help\":\"make one with"), "{why}");
}
