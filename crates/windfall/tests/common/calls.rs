//! A call of each verb that prints something, for a `Scratch`.

use crate::every_verb::verbs;
use crate::scratch::{Scratch, text};

/// Verbs without `--json`: what they print is for a shell, for `man`, or JSON itself.
const WITHOUT_JSON: [&str; 3] = ["completions", "man", "schema"];

/// Calls that need no rights: where a verb cannot do its work so, it says why.
const CALLS: [&[&str]; 22] = [
    &["new", "audio", "-o", "new.toml", "--force"],
    &["suggest", "a.ftrace.gz"],
    &["check", "a.toml"],
    &["convert", "RESBS 10ms 20ms", "PSBE 3/5 10ms"],
    &["reserve", "b.toml"],
    &["simulate", "a.toml"],
    &["run", "a.toml", "--host", "sim"],
    &["run", "a.toml", "--dry-run"],
    &["compare", "a.toml", "b.toml"],
    &["doctor"],
    &["restore"],
    &["measure", "--quick", "--cpu", "65535"],
    &["record", "--for", "1ms", "-o", "recorded.wft", "--force"],
    &["calibrate", "--pid", "2147483647"],
    &["export", "a.wft", "a.html", "--force"],
    &["ctl", "--socket", "/nonexistent/socket", "list"],
    &["top", "--socket", "/nonexistent/socket"],
    &["import", "a.ftrace.gz", "-o", "imported.toml", "--force"],
    &["migrate", "a.toml"],
    &["explain", "a.ftrace.gz"],
    &["lab", "list"],
    &["catalogue", "rez"],
];

/// A call of every verb, but for those without `--json`.
pub(crate) fn calls(folder: &Scratch) -> impl Iterator<Item = &'static [&'static str]> {
    let verbs = verbs(&text(&folder.run(&["--help"]).stdout));
    assert!(verbs.len() >= 20, "{verbs:?}");
    for verb in &verbs {
        let called = CALLS.iter().any(|call| call[0] == verb);
        let json = !WITHOUT_JSON.contains(&verb.as_str());
        assert_eq!(called, json, "`{verb}`: every verb that prints has `--json`, and a call here");
    }
    CALLS.into_iter()
}
