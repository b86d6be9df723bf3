//! What may be typed: one definition for the parser, the help, the man pages and the completions.

use clap::{Args, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;
use windfall_time::Span;

/// Shares a machine's processors by a hierarchy of schedulers whose promises are checked first.
///
/// One file describes who needs what. `check` proves that its promises compose, or says
/// which one stands in the way; `simulate` says what each thread will get, `import` makes such a file from a recording of a real machine.
///
/// Exit status: 0 yes, or all expectations held; 1 no, or one failed; 2 could not run.
#[derive(Parser, Debug)]
#[command(name = "windfall", version, propagate_version = true, max_term_width = 100)]
pub(crate) struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub(crate) verb: Verb,
}

/// A verb.
#[derive(Subcommand, Debug)]
pub(crate) enum Verb {
    /// Check a scenario: does every promise follow from the one above it?
    Check(CheckArgs),
    /// Say whether one guarantee follows from another, and by which theorem.
    Convert(ConvertArgs),
    /// Simulate a scenario: what each thread gets, and whether the expectations hold.
    Simulate(SimulateArgs),
    /// Make a scenario from a recording of a real machine, or from an rt-app file.
    Import(ImportArgs),
    /// List the schedulers with what each takes, gives, admits and assumes; or describe one.
    Catalogue(CatalogueArgs),
    /// Print the JSON Schema of scenario files, for editors.
    Schema,
    /// Print completions for a shell.
    Completions(CompletionsArgs),
    /// Write the man pages into a folder.
    Man(ManArgs),
}

/// Arguments of `check`.
#[derive(Args, Debug)]
#[command(after_help = "Example:\n  windfall check scenarios/home-computer.toml --why ts1")]
pub(crate) struct CheckArgs {
    /// The scenario.
    pub(crate) file: PathBuf,
    /// Print JSON instead of text.
    #[arg(long)]
    pub(crate) json: bool,
    /// Explain what this scheduler or thread has been granted, or why not.
    #[arg(long, value_name = "NAME")]
    pub(crate) why: Option<String>,
}

/// Arguments of `convert`.
#[derive(Args, Debug)]
#[command(after_help = "Example:\n  windfall convert 'RESBS 10ms 20ms' 'PSBE 1/2 10ms'")]
pub(crate) struct ConvertArgs {
    /// What there is, as `RESBS 10ms 20ms`.
    pub(crate) from: String,
    /// What is asked for, as `PSBE 1/2 10ms`.
    pub(crate) to: String,
}

/// Arguments of `simulate`.
#[derive(Args, Debug)]
#[command(
    after_help = "Example:\n  windfall simulate scenarios/home-computer.toml --for 2s --report report.html"
)]
pub(crate) struct SimulateArgs {
    /// The scenario.
    pub(crate) file: PathBuf,
    /// Simulate so long instead of the scenario's length [units: ns, us, ms, s, min, h].
    #[arg(long = "for", value_name = "SPAN", allow_hyphen_values = true)]
    pub(crate) length: Option<Span>,
    /// Seed of all random numbers, instead of the scenario's.
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    pub(crate) seed: Option<u64>,
    /// Print the results as JSON.
    #[arg(long)]
    pub(crate) json: bool,
    /// Keep a trace: compact (`.wft`), or for Perfetto (`.pftrace`, `.perfetto-trace`).
    #[arg(long, value_name = "OUT")]
    pub(crate) trace: Option<PathBuf>,
    /// Draw a timeline (`.svg` or `.png`).
    #[arg(long, value_name = "OUT")]
    pub(crate) picture: Option<PathBuf>,
    /// Write a report that a browser shows without a network.
    #[arg(long, value_name = "OUT.html")]
    pub(crate) report: Option<PathBuf>,
}

/// What a trace may be.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Source {
    /// Text of tracefs or of trace-cmd.
    Ftrace,
    /// Text of `perf script`.
    Perf,
    /// An rt-app file.
    RtApp,
}

/// Arguments of `import`.
#[derive(Args, Debug)]
#[command(
    after_help = "Example:\n  windfall import scenarios/recorded/desktop.ftrace.gz -o desktop.toml"
)]
pub(crate) struct ImportArgs {
    /// The recording, as text; may be compressed by gzip.
    pub(crate) trace: PathBuf,
    /// What it is; found out from its first lines when not given.
    #[arg(long)]
    pub(crate) from: Option<Source>,
    /// Where to write the scenario.
    #[arg(short, long, value_name = "FILE.toml")]
    pub(crate) output: PathBuf,
    /// Give each periodic thread the reservation that is proposed for it, above time sharing.
    #[arg(long)]
    pub(crate) reserve: bool,
}

/// Arguments of `catalogue`.
#[derive(Args, Debug)]
#[command(after_help = "Example:\n  windfall catalogue proportional-share")]
pub(crate) struct CatalogueArgs {
    /// Describe this one, with its settings.
    pub(crate) name: Option<String>,
    /// Print JSON instead of text.
    #[arg(long)]
    pub(crate) json: bool,
}

/// Arguments of `completions`.
#[derive(Args, Debug)]
pub(crate) struct CompletionsArgs {
    /// Which shell.
    pub(crate) shell: clap_complete::Shell,
}

/// Arguments of `man`.
#[derive(Args, Debug)]
pub(crate) struct ManArgs {
    /// Where to.
    pub(crate) folder: PathBuf,
}
