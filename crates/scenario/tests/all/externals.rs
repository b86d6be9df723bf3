//! Programs of a real machine: what can be said of them, and every mistake.

use crate::common::{GOOD, mistakes, tells, with};
use windfall_scenario::Scenario;

/// `GOOD` with the entries that these lines are of.
fn program(lines: &str) -> String {
    with(&format!("\n[threads.p]\nparent = \"root\"\n{lines}\n"))
}

#[test]
fn accepts_programs_of_a_real_machine_with_and_without_a_stand_in() {
    for lines in [
        "exec = [\"ffmpeg\", \"-i\", \"a b.mkv\", \"\"]",
        "exec = [\"ffmpeg\"]\nenv = { LANG = \"\" }\nperiodic = \"1ms/10ms\"",
        "exec = [\"ffmpeg\"]\nmatch = { exe = \"*/ffmpeg\" }\nprofile = \"ffmpeg\"",
        "pid = 2\nrun = \"spin\"",
        "cgroup = \"/user.slice/a b.scope\"",
        "unit = \"user@1000.service\"\nmatch = { comm = \"exactly-15-long*\" }",
    ] {
        let scenario = Scenario::parse("e.toml", &program(lines));
        let scenario = scenario.unwrap_or_else(|mistakes| panic!("{mistakes}"));
        assert_eq!(scenario.build().unwrap().threads.len(), 2, "{lines}");
    }
}

#[test]
fn refuses_programs_that_cannot_be_found_or_started() {
    for (lines, line, message, help) in [
        ("exec = \"ffmpeg -i a.mkv\"", 16, "does not belong here", "a list of words"),
        ("exec = []", 16, "length 0", "a list of words"),
        ("exec = [\"\", \"x\"]", 16, "without a program", "the program first"),
        ("exec = [\"x\", 7]", 16, "`7` is not a text", "in quotes"),
        (
            "exec = [\"x\"]\nenv = { \"A=B\" = \"\" }",
            17,
            "cannot stand in an environment",
            "no `=`",
        ),
        ("pid = 1", 16, "no program has the number 1", "the system itself"),
        ("pid = 5000000", 16, "no program has the number", "2 to 4194304"),
        ("pid = \"ffmpeg\"", 16, "is not a whole number", ""),
        (
            "cgroup = \"user.slice\"",
            16,
            "not the path of a control group",
            "/user.slice/game.scope",
        ),
        ("cgroup = \"/\"", 16, "not the path of a control group", "the whole system"),
        ("cgroup = \"/a/../b\"", 16, "not the path of a control group", ""),
        ("unit = \"pipewire\"", 16, "not a unit with processes", "pipewire.service"),
        ("unit = \"a.timer\"", 16, "not a unit with processes", ""),
        ("exec = [\"x\"]\npid = 7", 17, "`exec` and `pid` exclude each other", "exactly one"),
        ("exec = [\"x\"]\ncount = 2", 17, "as many threads as it makes", "another entry"),
        ("exec = [\"x\"]\nrun = \"spin\"\nprofile = \"x\"", 18, "`run` and `profile` exclude", ""),
        ("pid = 7\nenv = { A = \"b\" }", 17, "`env` goes with `exec`", "leave it out"),
        ("run = \"spin\"\nmatch = { comm = \"a\" }", 17, "`match` goes with", "leave it out"),
        ("run = \"spin\"\nprofile = \"x\"", 17, "`profile` goes with", ""),
        ("", 14, "not said what this thread runs", "a real machine by `exec`"),
    ] {
        let text = program(lines);
        let mistakes = mistakes(&text);
        let shown = mistakes.render(false);
        let found = mistakes.list().iter().any(|found| {
            found.line == line
                && found.message.contains(message)
                && found.help.as_deref().unwrap_or("").contains(help)
        });
        assert!(found, "{line}: {message}\n{shown}");
    }
}

#[test]
fn refuses_matches_that_no_thread_fits_and_entries_of_nothing() {
    for (lines, expected) in [
        (
            "pid = 7\nmatch = { comm = \"sixteen-is-more*x\" }",
            (17, "keeps 15 bytes", "as `sixteen-*`"),
        ),
        ("pid = 7\nmatch = { exe = \"ffmpeg\" }", (17, "not the path of a file", "`*/ffmpeg`")),
        ("pid = 7\nmatch = { com = \"x\" }", (17, "unknown key `com`", "did you mean `comm`?")),
        ("of = \"q\"\nmatch = { comm = \"x\" }", (16, "unknown thread `q`", "")),
        ("of = \"a\"\nmatch = { comm = \"x\" }", (16, "`a` names no program of its own", "")),
        ("of = \"p\"\nmatch = { comm = \"x\" }", (16, "`p` names no program of its own", "")),
        (
            "pid = 7\n[threads.q]\nparent = \"root\"\nof = \"p\"",
            (19, "leaves the program nothing", "match = {"),
        ),
        (
            "pid = 7\n[threads.q]\nparent = \"root\"\npid = 7",
            (19, "`p` names the same program", "write `of = \"p\"`"),
        ),
        (
            "pid = 7\n[threads.q]\nparent = \"root\"\nof = \"p\"\nmatch = { comm = \"x\" }\nstart = \"1s\"",
            (21, "when the program makes them", "for the program"),
        ),
        (
            "pid = 7\n[threads.p-3]\nparent = \"root\"\nrun = \"spin\"",
            (14, "`p-3` is also one of the threads `p`", "another name"),
        ),
        (
            "pid = 7\n[threads.q]\nparent = \"root\"\nafter = { thread = \"p\", work = \"1ms\" }",
            (19, "of whose jobs nothing is known", "a thread with jobs"),
        ),
    ] {
        tells(&program(lines), &[expected]);
    }
}

#[test]
fn refuses_real_processors_and_caps_that_do_not_fit_the_machine() {
    for (line, message, help) in [
        ("cpus = [1, 2]", "2 real processors for 1", "one for each"),
        ("cap = \"95%\"", "does not say of what", "as `95%cpu`"),
        ("cap = \"96%cpu\"", "96%cpu is out of range", "at most `95%cpu`"),
        ("cap = \"0%cpu\"", "0%cpu is out of range", "above `0%cpu`"),
        ("cap = \"10ms\"", "not a share", "as `95%cpu`"),
    ] {
        tells(&with(&format!("[machine]\n{line}\n")), &[(14, message, help)]);
    }
    let twice = "[machine]\nprocessors = 2\ncpus = [1, 1]\n";
    tells(&with(twice), &[(15, "real processor 1 stands there already", "once")]);
}

#[test]
fn accepts_costs_from_a_file_of_their_own() {
    let base = "[machine]\ncosts = { switch = \"1200ns\" }\n";
    let read = |text: &str| {
        Scenario::parse_with("e.toml", text, |_| Ok(("m.toml".to_owned(), base.to_owned())))
    };
    let scenario = read(&format!("inherits = \"m.toml\"\n{GOOD}\n[machine]\nprocessors = 2\n"));
    let machine = scenario.unwrap_or_else(|mistakes| panic!("{mistakes}")).machine;
    assert_eq!((machine.speeds.len(), machine.costs.switch.as_nanos()), (2, 1200));
}
