//! Completions offered to a shell: schedulers and programs of the catalogue, experiments of the lab, and the nodes of a
//! scenario or of a run.

#[cfg(feature = "machine")]
mod machine;

#[cfg(feature = "machine")]
pub(crate) use machine::{experiments, parts, run_nodes, run_schedulers, run_threads};

use clap_complete::CompletionCandidate;
use std::ffi::OsStr;
use std::path::PathBuf;
use windfall_scenario::{Catalogues, Scenario};
use windfall_schedulers::catalogue::KINDS;
use windfall_trace::escape::escaped;

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

/// The scenario among the words before, if it can be read.
fn scenario() -> Option<Scenario> {
    let is_scenario = |word: &PathBuf| word.extension() == Some(OsStr::new("toml"));
    let file = std::env::args_os().map(PathBuf::from).find(is_scenario)?;
    Scenario::load(&file).ok()
}

/// Names of others as candidates, but for those that would steer a terminal.
fn plain(names: Vec<String>) -> Vec<CompletionCandidate> {
    let names = names.into_iter().filter(|name| escaped(name) == name.as_str());
    names.map(CompletionCandidate::new).collect()
}
