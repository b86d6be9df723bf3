//! Completions offered to a shell: schedulers and programs of the catalogue, experiments of the lab, and the nodes of a
//! scenario or of a run.

#[cfg(feature = "machine")]
mod machine;

#[cfg(feature = "machine")]
pub(crate) use machine::{experiments, parts, run_nodes, run_schedulers, run_threads};

use clap_complete::CompletionCandidate;
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::path::PathBuf;
use windfall_scenario::{Catalogues, Scenario};
use windfall_schedulers::catalogue::KINDS;
use windfall_schedulers::parameters;
use windfall_trace::escape::escaped;
use windfall_trace::{Event, Source};

/// The kinds of schedulers.
pub(crate) fn schedulers() -> Vec<CompletionCandidate> {
    KINDS.iter().map(|kind| candidate(kind.name, kind.summary)).collect()
}

/// The kinds of schedulers and of programs.
pub(crate) fn kinds() -> Vec<CompletionCandidate> {
    let kinds = Catalogues::default().programs;
    let programs = kinds.kinds().map(|kind| candidate(kind.name, kind.summary));
    schedulers().into_iter().chain(programs).collect()
}

fn candidate(name: &str, help: &str) -> CompletionCandidate {
    CompletionCandidate::new(name.to_owned()).help(Some(help.to_owned().into()))
}

/// The schedulers and threads of the scenario among the words before.
pub(crate) fn file_nodes() -> Vec<CompletionCandidate> {
    let threads = scenario().into_iter().flat_map(|scenario| scenario.threads);
    let mut all = file_schedulers();
    all.extend(plain(threads.map(|thread| thread.name).collect()));
    all
}

/// The schedulers of the scenario among the words before.
pub(crate) fn file_schedulers() -> Vec<CompletionCandidate> {
    let schedulers = scenario().into_iter().flat_map(|scenario| scenario.schedulers);
    plain(schedulers.map(|scheduler| scheduler.name).collect())
}

/// Keys for `--set` of the scenario among the words before: the guarantee and parameters of each thread, the keys that the file has
/// of periodic threads and named programs, the settings of each scheduler, the protocols of locks, and some of the machine, each up to
/// the value.
pub(crate) fn file_values() -> Vec<CompletionCandidate> {
    let Some(scenario) = scenario() else { return Vec::new() };
    let mut names = written();
    names.extend(scenario.locks.iter().map(|lock| format!("{}.protocol=", lock.name)));
    let keys = parameters::ALL.iter().map(|parameter| parameter.key);
    let keys: Vec<&str> = ["guarantee"].into_iter().chain(keys).collect();
    for thread in &scenario.threads {
        names.extend(keys.iter().map(|key| format!("{}.{key}=", thread.name)));
    }
    for scheduler in &scenario.schedulers {
        let kind = KINDS.iter().find(|kind| kind.name == scheduler.kind);
        let settings = kind.into_iter().flat_map(|kind| kind.settings);
        names.extend(settings.map(|setting| format!("{}.{}=", scheduler.name, setting.name)));
    }
    names.extend(["processors", "timer", "costs"].map(|key| format!("machine.{key}=")));
    plain(names)
}

/// The keys of the file of which no parameter is made: `periodic` of threads, and all of named programs.
fn written() -> Vec<String> {
    let text = scenario_file().and_then(|file| std::fs::read_to_string(file).ok());
    let table: toml::Table = text.and_then(|text| toml::from_str(&text).ok()).unwrap_or_default();
    let keys = |part: &str, keep: fn(&str) -> bool| {
        let entries = table.get(part).and_then(toml::Value::as_table).into_iter().flatten();
        let keys = entries.filter_map(|(name, entry)| Some((name, entry.as_table()?)));
        let keys = keys.flat_map(|(name, entry)| entry.keys().map(move |key| (name, key)));
        let kept = keys.filter(|(_, key)| keep(key)).map(|(name, key)| format!("{name}.{key}="));
        kept.collect::<Vec<String>>()
    };
    let mut all = keys("threads", |key| key == "periodic");
    all.extend(keys("programs", |_| true));
    all
}

/// How many records a completion reads of a recording.
const READ: usize = 1_000_000;

/// The threads of the recording among the words before, each name once, or without one those of the run.
pub(crate) fn recorded_threads() -> Vec<CompletionCandidate> {
    let words = std::env::args_os().skip_while(|word| word != "explain").skip(1);
    let file = words.map(PathBuf::from).find(|word| word.is_file());
    let Some(source) = file.map(|file| Source::open(&file, None)) else { return of_the_run() };
    let mut names = BTreeMap::new();
    for record in source.into_iter().flatten().map_while(Result::ok).take(READ) {
        if let Event::Thread { thread, name, .. } = record.event {
            names.insert(thread, name);
        }
    }
    let names: BTreeSet<String> = names.into_values().filter(|name| !name.is_empty()).collect();
    plain(names.into_iter().collect())
}

#[cfg(feature = "machine")]
fn of_the_run() -> Vec<CompletionCandidate> {
    run_threads()
}

#[cfg(not(feature = "machine"))]
fn of_the_run() -> Vec<CompletionCandidate> {
    Vec::new()
}

/// The scenario among the words before, if it can be read.
fn scenario() -> Option<Scenario> {
    Scenario::load(&scenario_file()?).ok()
}

fn scenario_file() -> Option<PathBuf> {
    let is_scenario = |word: &PathBuf| word.extension() == Some(OsStr::new("toml"));
    std::env::args_os().map(PathBuf::from).find(is_scenario)
}

/// Names of others as candidates, but for those that would steer a terminal.
fn plain(names: Vec<String>) -> Vec<CompletionCandidate> {
    let names = names.into_iter().filter(|name| escaped(name) == name.as_str());
    names.map(CompletionCandidate::new).collect()
}
