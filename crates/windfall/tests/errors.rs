//! Mistakes as programs read them, and results that are the same bytes each time.
#![expect(clippy::unwrap_used, reason = "a test stops at what it did not expect")]

#[path = "common/scratch.rs"]
mod scratch;

use scratch::{SCENARIO, Scratch, text};
use serde_json::Value;

/// The error of a command that was refused: one line, the last.
fn error(folder: &Scratch, arguments: &[&str]) -> Value {
    let output = folder.run(arguments);
    assert_eq!(output.status.code(), Some(2), "{arguments:?}: {output:?}");
    assert!(output.stdout.is_empty(), "{arguments:?}: {output:?}");
    let said = text(&output.stderr);
    let last = said.lines().last().unwrap_or_default();
    let document: Value = serde_json::from_str(last).unwrap_or_else(|why| panic!("{why}: {said}"));
    assert_eq!(document["windfall"], 2, "{said}");
    let error = document["error"].clone();
    let keys: Vec<&String> = error.as_object().unwrap().keys().collect();
    assert_eq!(keys, ["code", "help", "message", "mistakes", "place"], "{said}");
    assert!(error["message"].as_str().is_some_and(|message| !message.is_empty()), "{said}");
    error
}

#[test]
fn law_mistakes_of_every_verb_are_json_where_json_is_asked_for() {
    let folder = Scratch::new("json-mistakes");
    for (arguments, code, part) in [
        (vec!["check", "none.toml", "--json"], "scenario", "No such file"),
        (vec!["check", "a.toml", "--json", "--why", "nobody"], "failed", "`nobody`"),
        (vec!["convert", "RESBS", "PSBE 1/2 10ms", "--json"], "failed", "RESBS"),
        (vec!["reserve", "--json"], "usage", "required"),
        (vec!["reserve", "a.toml", "--json", "--node", "nobody"], "failed", "nobody"),
        (vec!["simulate", "none.toml", "--json"], "scenario", "No such file"),
        (vec!["simulate", "--json", "a.toml", "--for", "10"], "usage", "no unit"),
        (vec!["simulate", "--json", "a.toml", "--trace", "a.wft"], "failed", "exists"),
        (vec!["run", "none.toml", "--json"], "scenario", "No such file"),
        (vec!["run", "a.toml", "--json", "--cpus", "60000"], "failed", "processor 60000"),
        (vec!["compare", "none.toml", "--json"], "scenario", "No such file"),
        (vec!["compare", "a.toml", "a.ftrace.gz", "--json"], "failed", "not UTF-8"),
        (vec!["simulate", "a.toml", "--json", "--set", "a"], "usage", "NAME.KEY=VALUE"),
        (vec!["simulate", "a.toml", "--json", "--set", "nobody.share=1"], "scenario", "`nobody`"),
        (vec!["suggest", "none.wft", "--json"], "failed", "No such file"),
        (vec!["run", "--json", "--", "true"], "failed", "a command without a scenario"),
        (vec!["doctor", "--json", "--nothing"], "usage", "--nothing"),
        (vec!["measure", "--json", "--cpu", "60000"], "failed", "60000"),
        (vec!["ctl", "--json", "--socket", "none", "list"], "failed", "there is none"),
        (vec!["explain", "none.wft", "--json"], "failed", "No such file"),
        (vec!["explain", "a.wft", "--json", "--thread", "nobody"], "failed", "`nobody`"),
        (vec!["catalogue", "nobody", "--json"], "failed", "`nobody`"),
        (vec!["import", "--json"], "usage", "required"),
        (vec!["import", "none.wft", "-o", "o.toml", "--json"], "failed", "No such file"),
        (vec!["lab", "nobody", "--json"], "failed", "`nobody`"),
        (vec!["man", "--json"], "usage", "--json"),
        (vec!["chekc", "--json"], "usage", "chekc"),
    ] {
        let error = error(&folder, &arguments);
        assert_eq!(error["code"], code, "{arguments:?}: {error}");
        let message = error["message"].as_str().unwrap();
        assert!(message.contains(part), "{arguments:?}: no `{part}` in {message}");
        assert!(!message.starts_with("windfall:"), "{message}");
    }
}

#[test]
fn law_a_mistake_in_a_file_has_its_place_and_what_would_help() {
    let folder = Scratch::new("json-place");
    folder.write("bad.toml", &SCENARIO.replace("\"edf\"\nparent", "\"edff\"\nparen"));
    let error = error(&folder, &["simulate", "--json", "bad.toml"]);
    assert_eq!(error["place"]["file"], "bad.toml");
    assert_eq!(
        (error["place"]["line"].as_u64(), error["place"]["column"].as_u64()),
        (Some(4), Some(13))
    );
    let mistakes = error["mistakes"].as_array().unwrap();
    assert_eq!(mistakes.len(), 2, "{error}");
    assert_eq!(mistakes[0]["message"], error["message"]);
    assert!(mistakes[1]["help"].as_str().unwrap().contains("did you mean `edf`?"), "{error}");
}

#[test]
fn law_mistakes_are_words_where_json_is_not_asked_for() {
    let folder = Scratch::new("plain-mistakes");
    // What a command that is started gets is its own affair.
    for arguments in [
        vec!["simulate", "none.toml"],
        vec!["chekc"],
        vec!["record", "-o", "x.txt", "--", "true", "--json"],
    ] {
        let output = folder.run(&arguments);
        let why = text(&output.stderr);
        assert!(output.status.code() == Some(2) && !why.contains("{\""), "{arguments:?}: {why}");
    }
    let help = folder.run(&["simulate", "--help", "--json"]);
    assert!(help.status.success() && text(&help.stdout).contains("Usage"), "{help:?}");
}

#[test]
fn law_json_is_the_same_bytes_each_time() {
    let folder = Scratch::new("same-json");
    let timed = ["simulate", "run"];
    for arguments in [
        vec!["simulate", "a.toml", "--json"],
        vec!["run", "a.toml", "--json", "--host", "sim"],
        vec!["check", "a.toml", "--json"],
        vec!["check", "a.toml", "--json", "--why", "a"],
        vec!["reserve", "b.toml", "--json"],
        vec!["convert", "RESBS 10ms 20ms", "PSBE 1/2 10ms", "--json"],
        vec!["explain", "a.wft", "--json"],
        vec!["explain", "a.ftrace.gz", "--json", "--thread", "audio-src"],
        vec!["catalogue", "--json"],
        vec!["catalogue", "rez", "--json"],
        vec!["import", "a.ftrace.gz", "-o", "-"],
        vec!["import", "a.ftrace.gz", "--reserve", "-o", "-"],
        vec!["export", "a.ftrace.gz", "-"],
        vec!["simulate", "a.toml", "--trace", "-"],
        vec!["simulate", "a.toml", "--report", "-"],
        vec!["lab", "table-10-4", "--quick", "--host", "sim", "--report", "-"],
        vec!["lab", "table-10-5", "--quick", "--host", "sim"],
    ] {
        let [one, other] = [(), ()].map(|()| folder.run(&arguments));
        assert!(one.status.code() < Some(2) && !one.stdout.is_empty(), "{arguments:?}: {one:?}");
        assert!(one.stdout == other.stdout, "{arguments:?} prints other bytes the second time");
        if arguments.contains(&"--json") {
            let document: Value = serde_json::from_slice(&one.stdout).unwrap();
            assert_eq!(document["windfall"], 2, "{arguments:?}");
            // As the guide's page about JSON says: the version stands among the keys, which are in order.
            let printed = text(&one.stdout);
            let keys = printed.lines().filter_map(|line| line.strip_prefix("  \""));
            let keys: Vec<&str> = keys.filter_map(|line| line.split('"').next()).collect();
            assert!(keys.contains(&"windfall") && keys.is_sorted(), "{arguments:?}: {keys:?}");
            let took = text(&one.stderr).contains(" in 0.");
            assert_eq!(took, timed.contains(&arguments[0]), "{arguments:?}: {one:?}");
        }
    }
    let [seed, other] =
        ["1", "2"].map(|seed| folder.run(&["simulate", "a.toml", "--seed", seed, "--json"]));
    assert_eq!(seed.stdout, folder.run(&["simulate", "a.toml", "--json"]).stdout);
    assert_ne!(seed.stdout, other.stdout);
}

#[test]
fn refuses_words_that_were_renamed_and_names_the_new_ones() {
    let folder = Scratch::new("renamed");
    folder.write("former.toml", &SCENARIO.replace("schema = 2", "schema = 1"));
    let kind = "scheduler = \"edf\"\n";
    folder.write("setting.toml", &SCENARIO.replace(kind, &format!("{kind}tells = true\n")));
    for (arguments, now) in [
        (vec!["check", "former.toml", "--json"], "windfall migrate FILE"),
        (vec!["check", "setting.toml", "--json"], "`tells` is called `report-deadlines` now"),
        (vec!["ctl", "--json", "release", "a"], "`release` is called `unreserve` now"),
        (
            vec!["compare", "a.toml", "--json", "--within", "2%"],
            "`--within` is called `--tolerance` now",
        ),
        (
            vec!["reserve", "b.toml", "--json", "--granule", "1us"],
            "`--granule` is called `--step` now",
        ),
    ] {
        let error = error(&folder, &arguments);
        let words = format!("{} {}", error["message"], error["help"]);
        assert!(words.contains(now), "{arguments:?}: {error}");
        assert!(!words.contains("Usage"), "the usage of another command: {error}");
    }
    let setting = error(&folder, &["check", "setting.toml", "--json"]);
    assert_eq!(setting["help"], "write `report-deadlines`");
    let said = text(&folder.run(&["reserve", "b.toml", "--granule", "1us"]).stderr);
    assert_eq!(said, "error: `--granule` is called `--step` now\n");
}

#[test]
fn law_a_renamed_word_is_named_by_the_verb_that_had_it_alone() {
    let folder = Scratch::new("renamed-elsewhere");
    for arguments in [
        &["explain", "a.wft", "--within", "3", "--json"][..],
        &["check", "a.toml", "--granule", "1us", "--json"],
        &["reserve", "b.toml", "--within", "3", "--json"],
        &["compare", "a.toml", "--granule", "1us", "--json"],
        &["release", "a", "--json"],
        &["lab", "validate", "--within", "--json"],
    ] {
        let error = error(&folder, arguments);
        let message = error["message"].as_str().unwrap();
        assert!(!message.contains("is called"), "{arguments:?}: {message}");
        assert!(message.contains("unexpected") || message.contains("unrecognized"), "{message}");
    }
}

#[test]
fn law_what_would_help_without_a_run_is_not_in_the_message() {
    let folder = Scratch::new("no-run");
    for verb in
        [&["top", "--socket", "none", "--json"][..], &["ctl", "--socket", "none", "list", "--json"]]
    {
        let error = error(&folder, verb);
        let (message, help) = (error["message"].as_str().unwrap(), error["help"].as_str().unwrap());
        assert!(message.contains("there is none") && !message.contains("help"), "{error}");
        assert!(help.starts_with("start"), "{error}");
    }
}

#[test]
fn refuses_to_compare_json_of_others_and_of_other_versions() {
    let folder = Scratch::new("compare-json");
    for (text, said) in [
        ("{}", "no document of this command: it has no key `windfall`"),
        ("[1]", "no document of this command"),
        ("{\"windfall\": 1}", "it is of version 1, and this program reads 2"),
        ("{\"windfall\": 2}", "it is not an outcome"),
    ] {
        folder.write("other.json", text);
        let error = error(&folder, &["compare", "a.toml", "other.json", "--json"]);
        let message = error["message"].as_str().unwrap();
        assert!(message.contains(said), "{text}: {message}");
        assert!(error["help"].as_str().unwrap().contains("windfall simulate --json"), "{error}");
    }
}

#[test]
fn refuses_profiles_that_cannot_be_had_or_compared() {
    let folder = Scratch::new("profiles");
    std::fs::create_dir_all(folder.path("windfall/profiles")).unwrap();
    let profile = |text: &str| folder.write("windfall/profiles/player.toml", text);
    let refused = |program: &str, name: &str, home: bool| {
        let entry = format!("[threads.x]\nparent = \"edf\"\n{program}\nprofile = \"{name}\"\n");
        folder.write("profiled.toml", &format!("{SCENARIO}{entry}"));
        let mut command = std::process::Command::new(scratch::WINDFALL);
        command.arg("check").arg(folder.path("profiled.toml")).env_clear();
        if home {
            command.env("XDG_CONFIG_HOME", folder.path(""));
        }
        let output = command.output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{output:?}");
        text(&output.stderr)
    };
    let player = "exec = [\"player\"]";
    let said = |shown: &str, part: &str| {
        assert!(shown.contains("error[profile]") && shown.contains(part), "{shown}");
    };
    said(&refused(player, "gone", true), "windfall/profiles/gone.toml`");
    said(&refused(player, "../gone", true), "`../gone` is not a name for a profile");
    said(&refused(player, "gone", false), "no place for profiles; set XDG_CONFIG_HOME or HOME");
    profile("version = ");
    said(&refused(player, "player", true), "windfall/profiles/player.toml: TOML parse error");
    std::fs::write(folder.path("windfall/profiles/player.toml"), b"\xff").unwrap();
    said(&refused(player, "player", true), "player.toml: line 1 is not UTF-8 text");
    profile(
        "version = 1\nexecutable = \"/usr/bin/player\"\nsha256 = \"00\"\nkernel = \"6\"\nwatched = \"1s\"\nchosen = \"\"\nlost = 0\n",
    );
    said(&refused("exec = [\"no-such-player\"]", "player", true), "no program `no-such-player`");
    said(&refused("exec = [\"/\"]", "player", true), "profile `player`: /: ");
    said(&refused("pid = 4194304", "player", true), "what process 4194304 executes");
    said(&refused("unit = \"player.service\"", "player", true), "known of `exec` and `pid` only");
}
