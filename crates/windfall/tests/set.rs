//! `--set`: which values it reaches, and what it refuses.

#[path = "common/scratch.rs"]
mod scratch;

use scratch::{SCENARIO, Scratch, text};

/// A file with a name that has dots, and an entry that is several threads.
fn folder(name: &str) -> Scratch {
    let folder = Scratch::new(name);
    let more = "\n[threads.\"c.d\"]\nparent = \"edf\"\nperiodic = \"1ms/10ms\"\ncount = 3\n\
                [threads.locks]\nparent = \"edf\"\nperiodic = \"1ms/100ms\"\n";
    folder.write("a.toml", &format!("{SCENARIO}{more}"));
    folder.write("base.toml", "schema = 2\nlength = \"1s\"\n");
    folder
}

/// What a simulation prints with these values.
fn simulated(folder: &Scratch, values: &[&str]) -> (Option<i32>, String, String) {
    let set = values.iter().flat_map(|value| ["--set", *value]);
    let arguments: Vec<&str> = ["simulate", "a.toml", "--json"].into_iter().chain(set).collect();
    let output = folder.run(&arguments);
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

#[test]
fn accepts_a_name_after_its_part_and_in_quotes() {
    let folder = folder("set-path");
    for (short, long) in [
        ("a.periodic=1ms/10ms", "threads.a.periodic=1ms/10ms"),
        ("a.periodic=1ms/10ms", "threads.\"a\".periodic=1ms/10ms"),
        ("c.d.periodic=2ms/10ms", "threads.'c.d'.periodic=2ms/10ms"),
        ("c.d.periodic=2ms/10ms", "\"c.d\".periodic=2ms/10ms"),
        ("edf.scheduler=round-robin", "schedulers.edf.scheduler=round-robin"),
        ("locks.periodic=2ms/100ms", "threads.locks.periodic=2ms/100ms"),
    ] {
        let [by_name, by_path] = [short, long].map(|value| simulated(&folder, &[value]));
        assert_eq!(by_name.0, Some(0), "{short}: {}", by_name.2);
        assert!(by_path.0 == Some(0) && by_path.1 == by_name.1, "{long}: {}", by_path.2);
        assert!(by_name.1 != simulated(&folder, &[]).1, "{short} has no effect");
    }
}

#[test]
fn refuses_what_would_have_no_effect_and_says_what_would() {
    let folder = folder("set-no-effect");
    for (values, parts) in [
        (&["inherits=base.toml"][..], &["`inherits` cannot be set", "write it in a file"][..]),
        (&["length=1s", "length=2s"], &["`length=1s` and `length=2s` set one value"]),
        (&["a.share=2", "threads.a.share=3"], &["`a.share=2` and `threads.a.share=3`"]),
        (
            &["a.periodic.work=1ms", "a.periodic={ work = \"1ms\", period = \"9ms\" }"],
            &["set one value", "leave one of them out"],
        ),
        (&["a.periodic=1ms/9ms", "a.periodic.work=2ms"], &["set one value"]),
        (&["a.share=2#x"], &["`2#x` is not a whole number"]),
        (&["a.share=2 # x"], &["`2 # x` is not a whole number"]),
        (&["c.d-2.share=3"], &["`c.d-2` is a thread of the entry `c.d`", "`c.d.share`"]),
        (&["a-2.share=3"], &["`a-2` is no scheduler"]),
        (&["threads.aa.share=3"], &["not among the threads", "`threads.a.share`"]),
        (&["schedulers.a.share=3"], &["`a` is not among the schedulers of the file"]),
    ] {
        let (status, _, why) = simulated(&folder, values);
        assert_eq!(status, Some(2), "{values:?}: {why}");
        let why = why.replace("\\\"", "\"");
        parts.iter().for_each(|part| assert!(why.contains(part), "{values:?}: {part}: {why}"));
    }
    let both = simulated(&folder, &["a.periodic=1ms/10ms", "b.start=1ms", "length=200ms"]);
    assert_eq!(both.0, Some(0), "values of different keys: {}", both.2);
}

#[test]
fn refuses_a_length_and_a_seed_by_two_options() {
    let folder = folder("set-twice");
    for (option, value) in [(["--for", "1s"], "length=2s"), (["--seed", "3"], "seed=4")] {
        let [name, own] = option;
        let output = folder.run(&["simulate", "a.toml", name, own, "--set", value]);
        let why = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{value}: {why}");
        let said = format!("`{name} {own}` and `--set {value}` set one value");
        assert!(why.contains(&said), "{said}: {why}");
    }
}

#[test]
fn accepts_nearly_the_name_of_a_file_as_a_hint() {
    let folder = folder("set-near");
    for call in [["check", "bas.toml"], ["explain", "base.tom"], ["suggest", "bse.toml"]] {
        let output = folder.run(&call);
        let why = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{call:?}: {why}");
        assert!(why.contains("did you mean `base.toml`?"), "{call:?}: {why}");
    }
}
