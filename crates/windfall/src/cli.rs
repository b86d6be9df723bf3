//! The command line: one definition for the parser, the help, the man pages and the completions.
//!
//! A table of every verb and its options, read top to bottom, of which a part alone says little; so it may be long.

mod parameter;
mod recorded;

pub(crate) use parameter::ParameterVerb;
pub(crate) use recorded::Source;

use crate::candidates;
use crate::verbs::reserve::TaskText;
use clap::{Args, Parser, Subcommand, ValueEnum};
use clap_complete::ArgValueCandidates as Candidates;
use std::path::PathBuf;
use windfall_scenario::Override;
use windfall_time::{Ratio, Span};
use windfall_trace::explain::Pattern;
use windfall_trace::import::Format;

/// Shares a machine's processors by a hierarchy of schedulers whose promises are checked first.
///
/// One file describes who needs what. `new` writes a first one, `suggest` makes one of a recording. `check` proves that its promises
/// compose, or says which one stands in the way; `simulate` says what each thread will get; `run` does it on this machine.
///
/// On a terminal each verb ends with the next command that makes sense.
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
    /// Run a scenario, or one command with a budget or a share, on this machine's processors.
    Run(RunArgs),
    /// Compare two outcomes, or the simulation of a scenario with its run on real threads.
    Compare(CompareArgs),
    /// Examine this machine: what `run` needs, what is missing, and what would help.
    Doctor(DoctorArgs),
    /// Restore what a run has changed on this machine, after the run and its guardian were both killed.
    Restore(RestoreArgs),
    /// Measure the cost of switches, timers, decisions and caches here, as a cost model for `simulate`.
    Measure(MeasureArgs),
    /// Record which threads run on this machine's processors, or those of a command.
    Record(RecordArgs),
    /// Measure the period of each thread of a program, and what it computes in one; save a profile.
    Calibrate(CalibrateArgs),
    /// Convert a recording to a Perfetto trace, an HTML page, or the compact format.
    Export(ExportArgs),
    /// Control a scenario that runs: list its tree, change it, end it.
    Ctl(CtlArgs),
    /// Watch a scenario that runs: promised against received, live.
    Top(TopArgs),
    /// Make a scenario that repeats a recording of a real machine, or an rt-app file.
    Import(ImportArgs),
    /// Rewrite a scenario file of an earlier version, with its comments.
    Migrate(MigrateArgs),
    /// Explain why a thread of a recording or a run was late: what it got, and which threads ran instead.
    Explain(ExplainArgs),
    /// Repeat a table or figure of the papers and compare with the papers' numbers.
    Lab(LabArgs),
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
    /// Whether it neither supervises, records nor measures anything on this machine.
    pub(crate) fn changes_nothing(&self) -> bool {
        match self {
            Verb::Run(args) => args.host == RunHost::Sim,
            Verb::Lab(args) => args.verb.is_none() && args.host == Some(LabHost::Sim),
            Verb::Compare(args) => args.other.is_some(),
            Verb::Doctor(_) | Verb::Measure(_) | Verb::Record(_) => false,
            Verb::Calibrate(_) | Verb::Ctl(_) | Verb::Top(_) | Verb::Restore(_) => false,
            _ => true,
        }
    }
}

/// Whether files that are there may be replaced.
#[derive(Args, Clone, Copy, Default, Debug)]
pub(crate) struct ForceArgs {
    /// Replace existing files.
    #[arg(long)]
    pub(crate) force: bool,
}

/// The topic of a first scenario.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Template {
    /// An audio thread beside a compile job.
    Audio,
    /// Users with equal shares of a server.
    Server,
    /// A control loop on a processor of its own, vision and planning on another.
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
    /// Write the scenario with these promises.
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
#[command(after_help = "Example:\n  windfall check scenarios/home-computer.toml --why ts1")]
pub(crate) struct CheckArgs {
    /// The scenario.
    pub(crate) file: PathBuf,
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
    #[arg(long, value_name = "SPAN", conflicts_with_all = ["from", "to", "steps"])]
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
                  windfall simulate scenarios/isolation.toml --set 'machine.processors=2'"
)]
pub(crate) struct SimulateArgs {
    /// The scenario.
    pub(crate) file: PathBuf,
    /// Simulate for this long instead of the scenario's length [units: ns, us, ms, s, min, h].
    #[arg(long = "for", value_name = "SPAN", allow_hyphen_values = true)]
    pub(crate) length: Option<Span>,
    /// Seed of all random numbers, instead of the scenario's.
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    pub(crate) seed: Option<u64>,
    /// Override a value of the file: of a scheduler or thread, as `audio.guarantee=RESBH 4ms 10ms`, or of the machine.
    #[arg(long = "set", value_name = "NAME.KEY=VALUE")]
    pub(crate) overrides: Vec<Override>,
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

/// Where a scenario runs.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum RunHost {
    /// This machine's processors, with real threads.
    Linux,
    /// The simulated machine, as `simulate` does.
    Sim,
}

/// Arguments of `run`.
#[derive(Args, Debug)]
#[command(override_usage = "windfall run [OPTIONS] <FILE>
       windfall run [OPTIONS] --budget <SPAN> --period <SPAN> -- <COMMAND>...
       windfall run [OPTIONS] --share <N> -- <COMMAND>...")]
#[command(after_help = "Examples:
  windfall run scenarios/isolation.toml --host linux --for 5s --trace run.wft
  windfall run scenarios/isolation.toml --dry-run
  windfall run --budget 3ms --period 10ms -- aplay song.wav
  windfall run --share 2 -- make -j4

Needs root (of its capabilities CAP_SYS_NICE and CAP_PERFMON), or a user whom root has prepared; `windfall doctor` says what is \
missing.
Exit status: 0 all expectations held, and what was granted was kept; 1 one failed or was missed; 2 could not run, and nothing \
was changed. Of a command: its own (128 and the signal's number when one ended it), 126 or 127 when it cannot be started, 0 when \
it was asked to end, 2 could not run.")]
// Fields: the options of a verb, which stand beside each other on the command line.
pub(crate) struct RunArgs {
    /// The scenario.
    #[arg(required_unless_present = "command", conflicts_with = "command")]
    pub(crate) file: Option<PathBuf>,
    /// The machine that it runs on.
    #[arg(long, default_value = "linux")]
    pub(crate) host: RunHost,
    /// Processor time that the command gets in each period, at most [units: us, ms, s].
    #[arg(long, value_name = "SPAN", requires_all = ["period", "command"])]
    pub(crate) budget: Option<Span>,
    /// The period of `--budget` [units: us, ms, s].
    #[arg(long, value_name = "SPAN", requires = "budget")]
    pub(crate) period: Option<Span>,
    /// Weight of the command, from 1 to 19; all other threads on its processor together have weight 1. It is a limit as well:
    /// with weight 2 the command gets 20 ms in every 30 ms and no more, even if nothing else runs.
    #[arg(long, value_name = "N", requires = "command", conflicts_with = "budget", value_parser = share)]
    pub(crate) share: Option<u32>,
    /// Run for this long instead of the scenario's length [units: ns, us, ms, s, min, h].
    #[arg(long = "for", value_name = "SPAN", allow_hyphen_values = true)]
    pub(crate) length: Option<Span>,
    /// The machine's processors to use for the scenario's, in order [default: the last ones].
    #[arg(long, value_name = "N,...", value_delimiter = ',')]
    pub(crate) cpus: Vec<u16>,
    /// Print what would be changed on this machine, and change nothing.
    #[arg(long, conflicts_with_all = ["trace", "picture", "report"])]
    pub(crate) dry_run: bool,
    /// Socket on which `ctl`, `top` and `explain` reach the run [default: /run/windfall/windfall.sock for root, else below
    /// $XDG_RUNTIME_DIR].
    #[arg(long, value_name = "PATH")]
    pub(crate) socket: Option<PathBuf>,
    /// Print the results as JSON.
    #[arg(long)]
    pub(crate) json: bool,
    /// The files to keep.
    #[command(flatten)]
    pub(crate) keep: KeepArgs,
    /// A command to run instead of a scenario. All its threads together have the budget or the share. Its standard input
    /// is empty.
    #[arg(last = true, value_name = "COMMAND")]
    pub(crate) command: Vec<String>,
}

/// Arguments of `compare`.
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  windfall compare before.json after.json\n  \
                  windfall compare scenarios/isolation.toml --for 5s --costs costs.toml\n\n\
                  An outcome is what `simulate --json` or `run --json` printed; a scenario in its place is simulated.\n\
                  Exit status: 0 processor times agree and, of two outcomes, each expectation and promise that both have came to the same verdict; \
                  1 something differs; 2 could not run.")]
pub(crate) struct CompareArgs {
    /// An outcome or a scenario; without a second file, a scenario to simulate and to run on real threads.
    pub(crate) file: PathBuf,
    /// The other outcome or scenario.
    #[arg(conflicts_with_all = ["costs", "cpus"])]
    pub(crate) other: Option<PathBuf>,
    /// Run for this long instead of the scenario's length [units: ns, us, ms, s, min, h].
    #[arg(long = "for", value_name = "SPAN", allow_hyphen_values = true)]
    pub(crate) length: Option<Span>,
    /// Simulate with the costs in this file, which `windfall measure` wrote, instead of the scenario's.
    #[arg(long, value_name = "COSTS.toml")]
    pub(crate) costs: Option<PathBuf>,
    /// Allowed difference between a thread's two processor times, as a share of the first.
    #[arg(long, value_name = "RATIO", default_value = "2%")]
    pub(crate) tolerance: Ratio,
    /// The machine's processors to use for the scenario's, in order [default: the last ones].
    #[arg(long, value_name = "N,...", value_delimiter = ',')]
    pub(crate) cpus: Vec<u16>,
    /// Print JSON instead of text.
    #[arg(long)]
    pub(crate) json: bool,
}

/// Arguments of `doctor`.
#[derive(Args, Debug)]
#[command(
    after_help = "Exit status: 0 `windfall run` works here; 1 something that it needs is missing; \
                        2 could not examine it."
)]
pub(crate) struct DoctorArgs {
    /// Print JSON instead of text.
    #[arg(long)]
    pub(crate) json: bool,
}

/// Arguments of `restore`.
#[derive(Args, Debug)]
pub(crate) struct RestoreArgs {
    /// Print JSON instead of text.
    #[arg(long)]
    pub(crate) json: bool,
}

/// Arguments of `measure`.
#[derive(Args, Debug)]
#[command(after_help = "Example:\n  windfall measure -o costs.toml\n\n\
                        A scenario uses it by `inherits = \"costs.toml\"`.")]
pub(crate) struct MeasureArgs {
    /// Write the cost model to this file, which scenarios can inherit from.
    #[arg(short, long, value_name = "COSTS.toml")]
    pub(crate) output: Option<PathBuf>,
    /// Whether that may replace a file.
    #[command(flatten)]
    pub(crate) force: ForceArgs,
    /// Measure on this processor [default: the last one].
    #[arg(long, value_name = "N")]
    pub(crate) cpu: Option<u16>,
    /// Fewer repetitions: one second instead of ten.
    #[arg(long)]
    pub(crate) quick: bool,
    /// Print JSON instead of text.
    #[arg(long)]
    pub(crate) json: bool,
}

/// Arguments of `record`.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  windfall record --for 10s -o desktop.wft
  windfall record -o player.wft -- mpv film.mkv

The recording ends with the command, after `--for`, or on Ctrl-C. A command that still runs then receives SIGTERM.
Exit status: the command's own (128 and the signal's number when one ended it), 126 or 127 when it cannot be started; \
0 without a command, or when it was asked to end; 2 could not record.")]
pub(crate) struct RecordArgs {
    /// Record for this long [units: ns, us, ms, s, min, h].
    #[arg(long = "for", value_name = "SPAN", allow_hyphen_values = true)]
    pub(crate) length: Option<Span>,
    /// Where to write the trace.
    #[arg(short, long, value_name = "FILE.wft", default_value = "recording.wft")]
    pub(crate) output: PathBuf,
    /// Whether that may replace a file.
    #[command(flatten)]
    pub(crate) force: ForceArgs,
    /// Print JSON instead of text.
    #[arg(long)]
    pub(crate) json: bool,
    /// A command to start. Its threads are marked; all others are recorded as well.
    #[arg(last = true, value_name = "COMMAND")]
    pub(crate) command: Vec<String>,
}

/// Arguments of `calibrate`.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  windfall calibrate --for 30s --save player -- mpv film.mkv
  windfall calibrate --for 30s --pid 2201

A profile is kept in $XDG_CONFIG_HOME/windfall/profiles; a scenario names it by `profile = \"player\"`.
Exit status: 0 some thread has a period; 1 none has; 2 could not watch the program.")]
pub(crate) struct CalibrateArgs {
    /// Watch for this long [default: until the program ends; units: ns, us, ms, s, min, h].
    #[arg(long = "for", value_name = "SPAN", allow_hyphen_values = true)]
    pub(crate) length: Option<Span>,
    /// Suggested amount: this factor (at least 1) times the most that a period took, or `p99` for the 99th percentile.
    #[arg(long, value_name = "X", default_value = "1.2")]
    pub(crate) conservatism: String,
    /// Save the result as a profile with this name.
    #[arg(long, value_name = "NAME")]
    pub(crate) save: Option<String>,
    /// Whether it may replace a profile.
    #[command(flatten)]
    pub(crate) force: ForceArgs,
    /// Print JSON instead of text.
    #[arg(long)]
    pub(crate) json: bool,
    /// Watch this running process.
    #[arg(long, value_name = "N", conflicts_with = "command",
          value_parser = clap::value_parser!(i32).range(1..))]
    pub(crate) pid: Option<i32>,
    /// The program to start and watch.
    #[arg(last = true, value_name = "COMMAND", required_unless_present = "pid")]
    pub(crate) command: Vec<String>,
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

/// Arguments of `ctl`.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  windfall ctl list
  windfall ctl create late --scheduler rez --parent root priority=3
  windfall ctl reserve audio 'RESBH 3ms 10ms' --at res
  windfall ctl unreserve audio
  windfall ctl move editors fair share=3 --query
  windfall ctl submit video 2ms --by 10ms
  windfall ctl transaction requests.toml

Exit status: 0 done; 1 refused, and nothing has changed; 2 there is no run to control.")]
pub(crate) struct CtlArgs {
    /// The run's socket, if it was started with `--socket`.
    #[arg(long, value_name = "PATH", global = true)]
    pub(crate) socket: Option<PathBuf>,
    /// Print JSON instead of text.
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// Carry the request out even if it breaks a promise that was granted to others.
    #[arg(long, global = true)]
    pub(crate) force: bool,
    /// Print what the answer would be, and which promises to others would break; change nothing.
    #[arg(long, global = true)]
    pub(crate) query: bool,
    /// The verb.
    #[command(subcommand)]
    pub(crate) verb: CtlVerb,
}

/// A request to a run.
#[derive(Subcommand, Debug)]
pub(crate) enum CtlVerb {
    /// Print the tree: every scheduler and thread, what it was promised and what it received.
    List,
    /// Create a scheduler.
    Create {
        /// Its name.
        name: String,
        /// Its kind; `windfall catalogue` lists them.
        #[arg(long, value_name = "KIND", add = Candidates::new(candidates::schedulers))]
        scheduler: String,
        /// The scheduler above it, or `top`; several times for a join.
        #[arg(long, value_name = "NAME", required = true, add = Candidates::new(candidates::run_schedulers))]
        parent: Vec<String>,
        /// Keys as in a scenario: settings of its kind, and what it asks of its parent.
        #[arg(value_name = "KEY=VALUE")]
        settings: Vec<String>,
    },
    /// Destroy a scheduler; its children move to the default.
    Destroy {
        /// The scheduler.
        #[arg(add = Candidates::new(candidates::run_schedulers))]
        scheduler: String,
    },
    /// Ask a scheduler that admits jobs whether it could do so much by then; change nothing.
    Query {
        /// The scheduler.
        #[arg(add = Candidates::new(candidates::run_schedulers))]
        scheduler: String,
        /// How much processor time [units: ns, us, ms, s].
        work: Span,
        /// By when, from now.
        #[arg(long, value_name = "SPAN")]
        by: Span,
        /// Another task, as `3ms/20ms` for 3 ms by 20 ms from now; several times for more. The answer is about all of them together.
        #[arg(long, value_name = "WORK/BY")]
        and: Vec<String>,
    },
    /// Submit a task of a thread to its scheduler, which admits it, or says what it could do instead.
    Submit {
        /// The thread.
        #[arg(add = Candidates::new(candidates::run_threads))]
        thread: String,
        /// How much processor time, at most [units: ns, us, ms, s].
        work: Span,
        /// By when, from now.
        #[arg(long, value_name = "SPAN")]
        by: Span,
    },
    /// Withdraw a task of a thread; what is left of its time is free.
    Withdraw {
        /// The thread.
        #[arg(add = Candidates::new(candidates::run_threads))]
        thread: String,
        /// The task, by the number that `submit` printed.
        task: u32,
    },
    /// Begin or change a reservation.
    Reserve {
        /// A thread or a scheduler.
        #[arg(add = Candidates::new(candidates::run_nodes))]
        name: String,
        /// A guarantee, as `RESBH 3ms 10ms`, or an amount in a period, as `3ms/10ms`.
        guarantee: String,
        /// Move the thread to this scheduler first.
        #[arg(long, value_name = "SCHEDULER", add = Candidates::new(candidates::run_schedulers))]
        at: Option<String>,
    },
    /// End a thread's reservation and move it back to its former scheduler.
    Unreserve {
        /// The thread.
        #[arg(add = Candidates::new(candidates::run_threads))]
        thread: String,
    },
    /// Set a parameter of a thread or a scheduler.
    #[command(flatten)]
    Set(ParameterVerb),
    /// Move a thread, or a scheduler with everything below it, to another scheduler.
    Move {
        /// A thread or a scheduler.
        #[arg(add = Candidates::new(candidates::run_nodes))]
        name: String,
        /// The new parent; for a scheduler also `top`.
        #[arg(value_name = "PARENT", add = Candidates::new(candidates::run_schedulers))]
        to: String,
        /// Requirements at the new parent, as `share=3`; `processor=1` names another than a scheduler's first virtual
        /// processor.
        #[arg(value_name = "KEY=VALUE")]
        asks: Vec<String>,
    },
    /// Give a scheduler one more parent.
    AddParent {
        /// The scheduler.
        #[arg(add = Candidates::new(candidates::run_schedulers))]
        scheduler: String,
        /// The parent, or `top`.
        #[arg(value_name = "PARENT", add = Candidates::new(candidates::run_schedulers))]
        to: String,
        /// Requirements at the parent, as `share=3`.
        #[arg(value_name = "KEY=VALUE")]
        asks: Vec<String>,
    },
    /// Take one of several parents away from a scheduler.
    RemoveParent {
        /// The scheduler.
        #[arg(add = Candidates::new(candidates::run_schedulers))]
        scheduler: String,
        /// Which of its virtual processors loses its parent, from 0.
        #[arg(default_value_t = 0)]
        processor: u16,
    },
    /// Carry out several requests, all or none.
    Transaction {
        /// A file with requests as in a scenario, `[[at]]` without `time`; `-` is standard input.
        file: PathBuf,
    },
    /// Make a scheduler the default, and move the threads of the former default to it.
    Default {
        /// The scheduler.
        #[arg(add = Candidates::new(candidates::run_schedulers))]
        scheduler: String,
    },
    /// Set a scheduler's quantum.
    Quantum {
        /// The scheduler.
        #[arg(add = Candidates::new(candidates::run_schedulers))]
        scheduler: String,
        /// How long one child keeps the processor [units: ns, us, ms, s].
        quantum: Span,
    },
    /// Move idle time from a scheduler that admits jobs to another below it, which may then promise it.
    Transfer {
        /// From which scheduler.
        #[arg(add = Candidates::new(candidates::run_schedulers))]
        from: String,
        /// To which, below the former or below a join of it.
        #[arg(add = Candidates::new(candidates::run_schedulers))]
        to: String,
        /// How much processor time [units: ns, us, ms, s].
        work: Span,
    },
    /// Put a number into a queue that processes of the run know by a name, as an obstacle into a robot's `obstacles`.
    Enqueue {
        /// The name of the queue.
        queue: String,
        /// The number.
        datum: u64,
    },
    /// Set the resolution of timers.
    Timer {
        /// `1024Hz`, or `precise`.
        timer: String,
    },
    /// End the run.
    Stop,
}

/// Arguments of `top`.
#[derive(Args, Debug)]
#[command(after_help = "Example:
  windfall top -d 500ms

Keys: q quits, arrows move, space pauses, s changes the order. Without a terminal it prints one table.")]
pub(crate) struct TopArgs {
    /// The run's socket, if it was started with `--socket`.
    #[arg(long, value_name = "PATH")]
    pub(crate) socket: Option<PathBuf>,
    /// Time between two updates [units: ms, s].
    #[arg(short, long, value_name = "SPAN", default_value = "1s")]
    pub(crate) delay: Span,
    /// Print the present state as JSON, and end.
    #[arg(long)]
    pub(crate) json: bool,
}

/// Arguments of `migrate`.
#[derive(Args, Debug)]
#[command(
    after_help = "Example:\n  windfall migrate audio.toml\n\nOnly renamed keys and words change. \
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
thread is woken until it waits again.

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
    #[arg(long, value_name = "NAME", default_value = "*")]
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
    /// Explain the worst miss of the thread with most misses, or without misses the longest wait.
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

/// Where an experiment runs.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum LabHost {
    /// The simulated machine.
    Sim,
    /// This machine, without supervised threads.
    Here,
    /// Supervised threads of this machine.
    Linux,
}

impl From<LabHost> for windfall_lab::Host {
    fn from(host: LabHost) -> windfall_lab::Host {
        match host {
            LabHost::Sim => windfall_lab::Host::Sim,
            LabHost::Here => windfall_lab::Host::Here,
            LabHost::Linux => windfall_lab::Host::Linux,
        }
    }
}

/// Arguments of `lab`.
#[derive(Args, Debug)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
#[command(after_help = "Examples:
  windfall lab list
  windfall lab table-10-4 --quick --report isolation.html
  windfall lab validate --quick --report machine.html

Exit status: 0 the claim holds, or is not decided; 1 it is refuted; 2 could not run.")]
pub(crate) struct LabArgs {
    /// A subcommand; none for a table or figure.
    #[command(subcommand)]
    pub(crate) verb: Option<LabVerb>,
    /// A table or figure, or `list` for all of them.
    #[arg(required = true, add = Candidates::new(candidates::experiments))]
    pub(crate) name: Option<String>,
    /// Run it on this host only [default: all of its hosts except `linux`, which needs privileges].
    #[arg(long)]
    pub(crate) host: Option<LabHost>,
    /// Print JSON instead of text.
    #[arg(long)]
    pub(crate) json: bool,
    /// Fewer and shorter runs, a few seconds in all.
    #[arg(long)]
    pub(crate) quick: bool,
    /// Write an HTML page with tables and figures, which needs no network.
    #[arg(long, value_name = "OUT.html")]
    pub(crate) report: Option<PathBuf>,
    /// Write the raw numbers and the figures into this folder.
    #[arg(long, value_name = "DIR")]
    pub(crate) keep: Option<PathBuf>,
    /// Whether these may replace files.
    #[command(flatten)]
    pub(crate) force: ForceArgs,
}

/// Subcommands of `lab` beside the papers' tables and figures.
#[derive(Subcommand, Debug)]
pub(crate) enum LabVerb {
    /// Measure what this machine can be trusted with: stolen time, periods, speed, clocks.
    Validate(ValidateArgs),
}

/// Arguments of `lab validate`.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  windfall lab validate --quick --report machine.html
  windfall lab validate --for 10m --need 800us/1ms
  windfall lab validate --json > today.json
  windfall lab validate --against today.json

Changes nothing on the machine: the priority and the processors of its own threads end with them. Under load and at real-time \
priority, half of each processor stays with other programs.

Exit status: 0 no fault was found; 1 there is one, a need or a limit was missed, or something became worse; 2 could not run.")]
pub(crate) struct ValidateArgs {
    /// For how long periods are measured under load [default: 2min; with `--quick` 24s].
    #[arg(long = "for", value_name = "SPAN", value_parser = minutes)]
    pub(crate) length: Option<Span>,
    /// Everything shorter, one minute in all.
    #[arg(long)]
    pub(crate) quick: bool,
    /// Measure this part only; several times for several.
    #[arg(long, value_name = "NAME", add = Candidates::new(candidates::parts))]
    pub(crate) part: Vec<String>,
    /// Work that has to fit into each period, as `800us/1ms`.
    #[arg(long, value_name = "WORK/PERIOD")]
    pub(crate) need: Vec<windfall_lab::validate::Need>,
    /// A metric that may not be worse than this; names and units are those of `--json`.
    #[arg(long, value_name = "METRIC=VALUE")]
    pub(crate) limit: Vec<windfall_lab::validate::Limit>,
    /// A file of incidents for the mean time to failure: `window BEGIN END`, then `TIME failure|error WORDS` a line, or `none`.
    #[arg(long, value_name = "FILE")]
    pub(crate) incidents: Option<PathBuf>,
    /// Say what became worse since this run, which `--json` printed.
    #[arg(long, value_name = "OLD.json")]
    pub(crate) against: Option<PathBuf>,
    /// Print JSON instead of text.
    #[arg(long)]
    pub(crate) json: bool,
    /// Write an HTML page with tables and figures, which needs no network.
    #[arg(long, value_name = "OUT.html")]
    pub(crate) report: Option<PathBuf>,
    /// Whether this may replace a file.
    #[command(flatten)]
    pub(crate) force: ForceArgs,
}

/// A weight against that of all other threads of a processor.
fn share(text: &str) -> Result<u32, String> {
    let weight = text.parse::<u32>().ok().filter(|weight| (1..=19).contains(weight));
    weight.ok_or_else(|| "a share is a whole number from 1 to 19".to_owned())
}

/// Minutes are written here, too: what is measured takes some.
fn minutes(text: &str) -> Result<Span, String> {
    let span = match text.strip_suffix('m').map(str::parse::<u32>) {
        Some(Ok(minutes)) => Span::from_secs(60).checked_mul(u64::from(minutes)),
        _ => Some(text.parse::<Span>().map_err(|why| format!("{why}; or minutes, as `10m`"))?),
    };
    let (least, most) = (Span::from_millis(100), Span::from_secs(24 * 60 * 60));
    span.filter(|span| (least..=most).contains(span))
        .ok_or_else(|| "between 100ms and 1440m can be measured".to_owned())
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

    #[test]
    fn limit_a_share_is_from_1_to_19() {
        for (text, weight) in [("1", Some(1)), ("19", Some(19)), ("0", None), ("20", None)] {
            assert_eq!(share(text).ok(), weight, "{text}");
        }
    }
}
