//! The command line: one definition for the parser, the help, the man pages and the completions.
//!
//! A table of every verb and its options, read top to bottom, of which a part alone says little; so it may be long.

#[cfg(feature = "machine")]
mod ctl;
mod kept;
#[cfg(feature = "machine")]
mod lab;
mod length;
#[cfg(feature = "machine")]
mod machine;
mod recorded;
mod set;

#[cfg(feature = "machine")]
pub(crate) use ctl::{CtlArgs, CtlVerb, ParameterVerb};
pub(crate) use kept::{ForceArgs, KeepArgs};
#[cfg(feature = "machine")]
pub(crate) use lab::{LabArgs, LabVerb, ValidateArgs};
#[cfg(feature = "machine")]
pub(crate) use machine::{
    CalibrateArgs, CompareArgs, DoctorArgs, MachineVerb, MeasureArgs, RecordArgs, RestoreArgs,
    RunArgs, RunHost, TopArgs,
};
pub(crate) use recorded::Source;
pub(crate) use set::SetArgs;

use crate::candidates;
use crate::verbs::reserve::TaskText;
use clap::{Args, Parser, Subcommand, ValueEnum};
use clap_complete::ArgValueCandidates as Candidates;
use length::length;
use std::path::PathBuf;
use windfall_time::{Ratio, Span};
use windfall_trace::explain::Pattern;
use windfall_trace::import::Format;

/// Shares a machine's processors by a hierarchy of schedulers whose promises are checked first.
///
/// One file describes who needs what. `new` writes a first one, `suggest` makes one of a recording. `check` proves that its promises
/// compose, or says which one stands in the way; `simulate` says what each thread will get; `run` does it on this machine.
///
/// On a terminal a verb ends with the next command, where one makes sense.
///
/// `-` stands for standard input where a file is read, and for standard output where one is written. Existing files are
/// replaced only with `--force`, and are written completely or not at all. `NO_COLOR` turns colour off.
///
/// Exit status: 0 success; 1 the answer is no, or an expectation failed; 2 could not run. With `--json` the last line of
/// standard error is then `{"error": {"code", "message", "help", "place", "mistakes"}}`.
#[derive(Parser, Debug)]
#[command(name = "windfall", version, propagate_version = true, max_term_width = 100)]
pub(crate) struct Cli {
    /// The verb.
    #[command(subcommand)]
    pub(crate) verb: Verb,
}

/// A verb.
#[derive(Subcommand, Debug)]
pub(crate) enum Verb {
    /// Write a first scenario, with comments: an audio session, a shared server, a robot or a service.
    New(NewArgs),
    /// Suggest promises for the threads of a recording, and show what they would have changed.
    Suggest(SuggestArgs),
    /// Check a scenario: does every promise follow from the one above it?
    Check(CheckArgs),
    /// Decide whether one guarantee follows from another, and by which theorem.
    Convert(ConvertArgs),
    /// Compute the reservation that is enough for the threads of an application.
    Reserve(ReserveArgs),
    /// Simulate a scenario: what each thread gets, and whether the expectations hold.
    Simulate(SimulateArgs),
    /// A verb of this machine.
    #[cfg(feature = "machine")]
    #[command(flatten)]
    Machine(MachineVerb),
    /// Convert a recording to a Perfetto trace, an HTML page, or the compact format.
    Export(ExportArgs),
    /// Make a scenario that repeats a recording of a real machine, or an rt-app file.
    Import(ImportArgs),
    /// Rewrite a scenario file of an earlier version, with its comments.
    Migrate(MigrateArgs),
    /// Explain why a thread of a recording or a run was late: what it got, and which threads ran instead.
    Explain(ExplainArgs),
    /// List the schedulers with what each takes, gives, admits and assumes, and the programs; or describe one.
    Catalogue(CatalogueArgs),
    /// Write the JSON Schema of scenario files, for editors.
    Schema(SchemaArgs),
    /// Print completions for a shell.
    Completions(CompletionsArgs),
    /// Write the man pages into a folder.
    Man(ManArgs),
}

impl Verb {
    /// Whether a signal may end it at once, because nothing on this machine stays changed then.
    pub(crate) fn may_end_at_once(&self) -> bool {
        match self {
            #[cfg(feature = "machine")]
            Verb::Machine(verb) => verb.may_end_at_once(),
            _ => true,
        }
    }
}

/// The topic of a first scenario.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Template {
    /// An audio thread beside a compile job.
    Audio,
    /// Users with equal shares of a server.
    Server,
    /// A control loop with a reservation; vision and planning share the rest of two processors.
    Robot,
    /// A service with a target for its tail latency beside batch work.
    Service,
}

/// Arguments of `new`.
#[derive(Args, Debug)]
#[command(after_help = "Example:
  windfall new audio -o audio.toml

Also writes `scenario.schema.json` into the same folder, unless it exists. The scenario's first line names it, so that editors \
complete keys.")]
pub(crate) struct NewArgs {
    /// The kind of scenario.
    pub(crate) template: Template,
    /// Where to write it [default: NAME.toml].
    #[arg(short, long, value_name = "FILE.toml")]
    pub(crate) output: Option<PathBuf>,
    /// Whether that may replace a file.
    #[command(flatten)]
    pub(crate) force: ForceArgs,
    /// Print JSON instead of text.
    #[arg(long)]
    pub(crate) json: bool,
}

/// Arguments of `suggest`.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  windfall suggest scenarios/recorded/desktop.ftrace.gz
  windfall suggest recording.wft -o suggested.toml

For each thread with a period, the promise is the most that it computed in one period, times 1.2, as long as all promises fit \
together. The recording is then simulated twice: without promises and with them.
Exit status: 0 there is something to promise; 1 there is not; 2 could not read the recording.")]
pub(crate) struct SuggestArgs {
    /// The recording: Windfall's own (`.wft`), or text of ftrace or perf, which may be compressed by gzip or zstd.
    pub(crate) recording: PathBuf,
    /// Write the scenario with these promises. It names the recording, which must be a file then.
    #[arg(short, long, value_name = "FILE.toml")]
    pub(crate) output: Option<PathBuf>,
    /// Whether that may replace a file.
    #[command(flatten)]
    pub(crate) force: ForceArgs,
    /// Format of the recording [default: detected from its first lines].
    #[arg(long, value_parser = recorded::text())]
    pub(crate) from: Option<&'static Format>,
    /// Print JSON instead of text.
    #[arg(long)]
    pub(crate) json: bool,
}

/// Arguments of `schema`.
#[derive(Args, Debug)]
#[command(after_help = "Example:
  windfall schema -o scenario.schema.json

Editors complete keys of a scenario whose first line is `#:schema scenario.schema.json`.")]
pub(crate) struct SchemaArgs {
    /// Where to write it [default: standard output].
    #[arg(short, long, value_name = "FILE.json")]
    pub(crate) output: Option<PathBuf>,
    /// Whether that may replace a file.
    #[command(flatten)]
    pub(crate) force: ForceArgs,
}

/// Arguments of `check`.
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  windfall check scenarios/home-computer.toml --why ts1\n  \
                        windfall check scenarios/isolation.toml --set 'machine.processors=2'\n\n\
                        Exit status: 0 all promises follow, and no bound shows that a job may be late (without a bound, nothing is shown); \
                        1 a promise is refused, a thread's bounds are past its deadline, or threads need more than they are given; 2 a mistake in the file.")]
pub(crate) struct CheckArgs {
    /// The scenario.
    pub(crate) file: PathBuf,
    /// Values that are not the file's.
    #[command(flatten)]
    pub(crate) set: SetArgs,
    /// Print JSON instead of text.
    #[arg(long)]
    pub(crate) json: bool,
    /// Explain what this scheduler or thread has been granted, or why not.
    #[arg(long, value_name = "NAME", add = Candidates::new(candidates::file_nodes))]
    pub(crate) why: Option<String>,
}

/// Arguments of `convert`.
#[derive(Args, Debug)]
#[command(after_help = "Example:\n  windfall convert 'RESBS 10ms 20ms' 'PSBE 1/2 10ms'")]
pub(crate) struct ConvertArgs {
    /// The guarantee that holds, as `RESBS 10ms 20ms`.
    pub(crate) from: String,
    /// The guarantee that is asked for, as `PSBE 1/2 10ms`.
    pub(crate) to: String,
    /// Print JSON instead of text.
    #[arg(long)]
    pub(crate) json: bool,
}

/// How an application's threads are served.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Policy {
    /// The shortest period first.
    RateMonotonic,
    /// The shortest relative deadline first.
    DeadlineMonotonic,
    /// The largest priority of the file first, or the first `--task`.
    FixedPriority,
    /// The earliest deadline first.
    Edf,
}

/// Arguments of `reserve`.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  windfall reserve scenarios/media-player.toml --picture reservation.svg
  windfall reserve --task 1ms/10ms --task 1ms/20ms --task 5ms/100ms --period 5ms

Exit status: 0 found, and what the file asks for is enough; 1 it is not enough, or nothing is; 2 could not run.")]
// Fields: the options of a verb, which stand beside each other on the command line.
pub(crate) struct ReserveArgs {
    /// The scenario.
    #[arg(required_unless_present = "task", conflicts_with = "task")]
    pub(crate) file: Option<PathBuf>,
    /// The scheduler whose threads are the application [default: the only one with periodic threads].
    #[arg(long, value_name = "NAME", conflicts_with = "task", add = Candidates::new(candidates::file_schedulers))]
    pub(crate) node: Option<String>,
    /// A thread, instead of a scenario: work, period, and the deadline if it differs from the period.
    #[arg(long, value_name = "WORK/PERIOD[@DEADLINE]")]
    pub(crate) task: Vec<TaskText>,
    /// The policy that serves the threads [default: their scheduler's; rate monotonic for `--task`].
    #[arg(long)]
    pub(crate) policy: Option<Policy>,
    /// Find a continuous reservation (RESCS) instead of a basic one (RESBS).
    #[arg(long)]
    pub(crate) continuous: bool,
    /// Examine only this period.
    #[arg(long, value_name = "SPAN", conflicts_with_all = ["from", "to", "steps", "tolerance"])]
    pub(crate) period: Option<Span>,
    /// The shortest period to examine [default: the longest divided by `--steps`].
    #[arg(long, value_name = "SPAN")]
    pub(crate) from: Option<Span>,
    /// The longest period to examine [default: the shortest period of the threads].
    #[arg(long, value_name = "SPAN")]
    pub(crate) to: Option<Span>,
    /// Number of periods to examine, evenly spread.
    #[arg(long, value_name = "N", default_value_t = 200,
          value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub(crate) steps: u32,
    /// Amounts are multiples of this; so are the periods between `--from` and `--to`.
    #[arg(long, value_name = "SPAN", default_value = "1us")]
    pub(crate) step: Span,
    /// How far the knee's utilisation may exceed the least one, as a share of it.
    #[arg(long, value_name = "RATIO", default_value = "5%")]
    pub(crate) tolerance: Ratio,
    /// Cost of a switch, of which each period has two [default: the file's, or else 10us].
    #[arg(long, value_name = "SPAN")]
    pub(crate) switch_cost: Option<Span>,
    /// Draw the reservations that are enough (`.svg` or `.png`; SVG for `-`).
    #[arg(long, value_name = "OUT")]
    pub(crate) picture: Option<PathBuf>,
    /// Whether that may replace a file.
    #[command(flatten)]
    pub(crate) force: ForceArgs,
    /// Print JSON instead of text.
    #[arg(long)]
    pub(crate) json: bool,
}

/// Arguments of `simulate`.
#[derive(Args, Default, Debug)]
#[command(
    after_help = "Examples:\n  windfall simulate scenarios/home-computer.toml --for 2s --report report.html\n  \
                  windfall simulate scenarios/isolation.toml --set 'machine.processors=2'\n\n\
                  Exit status: 0 all expectations held, and what was granted was kept; 1 one failed or was missed; 2 could not simulate."
)]
pub(crate) struct SimulateArgs {
    /// The scenario.
    pub(crate) file: PathBuf,
    /// Simulate for this long instead of the scenario's length [units: ns, us, ms, s, min, h].
    #[arg(long = "for", value_name = "SPAN", allow_hyphen_values = true, value_parser = length)]
    pub(crate) length: Option<Span>,
    /// Seed of all random numbers, instead of the scenario's.
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    pub(crate) seed: Option<u64>,
    /// Values that are not the file's.
    #[command(flatten)]
    pub(crate) set: SetArgs,
    /// Which promises to judge: those that the file asks for, or every one that the checker grants, asked for or not,
    /// and the bounds on response times.
    #[arg(long, value_enum, value_name = "WHICH", default_value_t = Judged::Asked)]
    pub(crate) judge: Judged,
    /// Print the results as JSON.
    #[arg(long)]
    pub(crate) json: bool,
    /// The files to keep.
    #[command(flatten)]
    pub(crate) keep: KeepArgs,
}

/// Which promises are judged.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) enum Judged {
    /// Promises that the file asks for.
    #[default]
    Asked,
    /// All guarantees that hold.
    All,
}

/// Arguments of `export`.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  windfall export recording.wft recording.pftrace
  windfall export before.wft both.html --beside after.wft")]
pub(crate) struct ExportArgs {
    /// The recording: Windfall's own, or text of tracefs, trace-cmd or `perf script`.
    pub(crate) trace: PathBuf,
    /// The output: for Perfetto (`.pftrace`, `.perfetto-trace`, and `-`), compact (`.wft`), or a page with the timeline
    /// (`.html`).
    pub(crate) output: PathBuf,
    /// Another recording, drawn below the first on the same axis; both begin at its left.
    #[arg(long, value_name = "TRACE")]
    pub(crate) beside: Option<PathBuf>,
    /// Print JSON instead of text.
    #[arg(long)]
    pub(crate) json: bool,
    /// Whether that may replace a file.
    #[command(flatten)]
    pub(crate) force: ForceArgs,
}

/// Arguments of `migrate`.
#[derive(Args, Debug)]
#[command(
    after_help = "Example:\n  windfall migrate audio.toml\n\nOnly renamed keys and words change. A link is followed, and \
                        the file keeps its owner, mode and extended attributes; where it cannot be replaced so, or has several hard \
                        links, nothing is written. \
                        Exit status: 0 the file is of the current version; 2 it is not a scenario."
)]
pub(crate) struct MigrateArgs {
    /// The scenario, which is rewritten in place; `-` reads standard input and writes standard output.
    pub(crate) file: PathBuf,
    /// Print JSON instead of text.
    #[arg(long)]
    pub(crate) json: bool,
}

/// Arguments of `import`.
#[derive(Args, Debug)]
#[command(
    after_help = "Example:\n  windfall import scenarios/recorded/desktop.ftrace.gz -o desktop.toml"
)]
pub(crate) struct ImportArgs {
    /// The recording: Windfall's own, or text, which may be compressed by gzip or zstd.
    pub(crate) trace: PathBuf,
    /// Format of the recording [default: detected from its first lines].
    #[arg(long, value_parser = recorded::source())]
    pub(crate) from: Option<Source>,
    /// Where to write the scenario.
    #[arg(short, long, value_name = "FILE.toml")]
    pub(crate) output: PathBuf,
    /// Whether that may replace a file.
    #[command(flatten)]
    pub(crate) force: ForceArgs,
    /// Print JSON instead of text.
    #[arg(long)]
    pub(crate) json: bool,
    /// Give each periodic thread the proposed reservation; all others share time.
    #[arg(long)]
    pub(crate) reserve: bool,
    /// For an rt-app file: the number of processors [default: as many as this machine has, and at least those that its
    /// tasks name].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) processors: Option<u16>,
}

/// Arguments of `explain`.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  windfall explain scenarios/recorded/desktop.ftrace.gz
  windfall explain scenarios/recorded/desktop.ftrace.gz --worst
  windfall explain scenarios/recorded/desktop.ftrace.gz --thread audio-src --longer-than 4ms
  windfall explain --thread audio

Without a recording it explains the current run on this machine, from its last 262,144 records: some seconds at \
ten thousand switches a second, minutes at fewer.

A miss is a job that was late or given up, a period in which a runnable thread received less than promised, and with \
`--longer-than` each job or burst that took longer. A burst stands for a job where a recording has no jobs: from when the \
thread is woken until it waits again. LONGEST leaves out the time of a burst of which nothing is known, since it may have ended \
then. What a thread ran while several of its jobs were open counts for the oldest.

Exit status: 0 no miss; 1 at least one miss; 2 could not read the recording.")]
// Fields: the options of a verb, which stand beside each other on the command line.
pub(crate) struct ExplainArgs {
    /// The recording: Windfall's own (`.wft`), or text of ftrace or perf, which may be compressed
    /// by gzip or zstd. Without it: the last records of the current run.
    pub(crate) recording: Option<PathBuf>,
    /// The run's socket, if it was started with `--socket`.
    #[arg(long, value_name = "PATH", conflicts_with = "recording")]
    pub(crate) socket: Option<PathBuf>,
    /// Which threads: a name, a name with `*`, or a thread number (`2215`, `#2215`).
    #[arg(long, value_name = "NAME", default_value = "*",
          add = Candidates::new(candidates::recorded_threads))]
    pub(crate) thread: Pattern,
    /// Explain this miss, counted from 1 in order of time, instead of the worst.
    #[arg(long, value_name = "N", conflicts_with_all = ["job", "all"],
          value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) miss: Option<u64>,
    /// Explain this job or burst, counted from 1, whether it is a miss or not.
    #[arg(long, value_name = "N", conflicts_with = "all",
          value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) job: Option<u64>,
    /// Explain every miss; if there are several threads, list all of them.
    #[arg(long)]
    pub(crate) all: bool,
    /// Explain the worst miss of all threads: the job or burst that was late or too long by most, or the period that lacked
    /// most. Without misses, explain the job or burst that waited longest.
    #[arg(long, conflicts_with_all = ["miss", "job", "all"])]
    pub(crate) worst: bool,
    /// Count a job or burst that takes longer than this as a miss [units: ns, us, ms, s, min, h].
    #[arg(long, value_name = "SPAN")]
    pub(crate) longer_than: Option<Span>,
    /// Format of the recording [default: detected from its first lines].
    #[arg(long, requires = "recording", value_parser = recorded::text())]
    pub(crate) from: Option<&'static Format>,
    /// Print JSON instead of text.
    #[arg(long)]
    pub(crate) json: bool,
}

/// Arguments of `catalogue`.
#[derive(Args, Debug)]
#[command(after_help = "Example:\n  windfall catalogue proportional-share")]
pub(crate) struct CatalogueArgs {
    /// Describe this scheduler or program, with its settings.
    #[arg(add = Candidates::new(candidates::kinds))]
    pub(crate) name: Option<String>,
    /// Print JSON instead of text.
    #[arg(long)]
    pub(crate) json: bool,
}

/// Arguments of `completions`.
#[derive(Args, Debug)]
pub(crate) struct CompletionsArgs {
    /// The shell.
    pub(crate) shell: clap_complete::Shell,
}

/// Arguments of `man`.
#[derive(Args, Debug)]
pub(crate) struct ManArgs {
    /// The folder.
    pub(crate) folder: PathBuf,
    /// Whether pages that are there may be replaced.
    #[command(flatten)]
    pub(crate) force: ForceArgs,
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::{Command, CommandFactory};

    /// Examples and lines of a list begin with two spaces.
    #[test]
    fn law_the_ends_of_all_helps_break_lines_only_after_sentences() {
        let mut commands: Vec<Command> = vec![Cli::command()];
        let mut seen = 0;
        while let Some(command) = commands.pop() {
            let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
            for line in help.lines().filter(|line| !line.is_empty() && !line.starts_with("  ")) {
                assert!(line.ends_with(['.', ':']), "{}: {line}", command.get_name());
                seen += 1;
            }
            commands.extend(command.get_subcommands().cloned());
        }
        assert!(seen > 20, "{seen} lines");
    }
}
