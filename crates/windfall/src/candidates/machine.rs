//! Candidates of verbs of this machine: experiments, and the nodes of a run.

use super::plain;
use clap_complete::CompletionCandidate;
use std::path::PathBuf;
use windfall_linux::control;

/// The experiments.
pub(crate) fn experiments() -> Vec<CompletionCandidate> {
    let experiments = windfall_lab::Catalogue::default();
    let all = experiments.kinds().flat_map(|one| {
        one.names().map(|name| {
            CompletionCandidate::new(name.to_owned()).help(Some(one.title.to_owned().into()))
        })
    });
    let list = CompletionCandidate::new("list").help(Some("all of them".into()));
    std::iter::once(list).chain(all).collect()
}

/// The parts of `lab validate`.
pub(crate) fn parts() -> Vec<CompletionCandidate> {
    windfall_lab::validate::part_names().map(CompletionCandidate::new).collect()
}

/// The schedulers of the run.
pub(crate) fn run_schedulers() -> Vec<CompletionCandidate> {
    let listing = control::list(socket().as_deref());
    let names = listing.into_iter().flat_map(|listing| listing.nodes).map(|node| node.name);
    plain(names.collect())
}

/// The threads of the run.
pub(crate) fn run_threads() -> Vec<CompletionCandidate> {
    let listing = control::list(socket().as_deref());
    let names = listing.into_iter().flat_map(|listing| listing.threads).map(|thread| thread.name);
    plain(names.collect())
}

/// The schedulers and threads of the run.
pub(crate) fn run_nodes() -> Vec<CompletionCandidate> {
    let mut all = run_schedulers();
    all.extend(run_threads());
    all
}

/// The run's socket, where the words before name one.
fn socket() -> Option<PathBuf> {
    let mut words = std::env::args_os().skip_while(|word| word != "--socket");
    words.next()?;
    words.next().map(PathBuf::from)
}
