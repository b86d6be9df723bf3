//! The files that a verb writes, which verbs of several kinds share.

use clap::Args;
use std::path::PathBuf;

/// Whether files that are there may be replaced.
#[derive(Args, Clone, Copy, Default, Debug)]
pub(crate) struct ForceArgs {
    /// Replace existing files.
    #[arg(long)]
    pub(crate) force: bool,
}

/// The files that a simulation or a run keeps.
#[derive(Args, Clone, Default, Debug)]
pub(crate) struct KeepArgs {
    /// Write a trace: compact (`.wft`, and `-`), or for Perfetto (`.pftrace`, `.perfetto-trace`).
    #[arg(long, value_name = "OUT")]
    pub(crate) trace: Option<PathBuf>,
    /// Draw a timeline (`.svg` or `.png`; SVG for `-`).
    #[arg(long, value_name = "OUT")]
    pub(crate) picture: Option<PathBuf>,
    /// Write an HTML report, which needs no network.
    #[arg(long, value_name = "OUT.html")]
    pub(crate) report: Option<PathBuf>,
    /// Write what each thread received as comma-separated values, times in nanoseconds.
    #[arg(long, value_name = "OUT.csv")]
    pub(crate) csv: Option<PathBuf>,
    /// Whether these may replace files.
    #[command(flatten)]
    pub(crate) force: ForceArgs,
}
