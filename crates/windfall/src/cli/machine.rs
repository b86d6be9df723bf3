//! Verbs of this machine: they run, record, measure, or speak to a run. The verbs that only read and simulate are built without them
//! (the feature `machine`).

use super::ctl::CtlArgs;
use super::kept::{ForceArgs, KeepArgs};
use super::lab::{LabArgs, LabHost};
use super::length::length;
use clap::{Args, Subcommand, ValueEnum};
use std::path::PathBuf;
use windfall_time::{Ratio, Span};

/// A verb of this machine.
#[derive(Subcommand, Debug)]
pub(crate) enum MachineVerb {
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
    /// Control a scenario that runs: list its tree, change it, end it.
    Ctl(CtlArgs),
    /// Watch a scenario that runs: promised against received, live.
    Top(TopArgs),
    /// Repeat a table or figure of the papers and compare with the papers' numbers.
    Lab(LabArgs),
}

impl MachineVerb {
    /// Whether a signal may end it at once, because nothing on this machine stays changed then.
    pub(super) fn may_end_at_once(&self) -> bool {
        match self {
            MachineVerb::Run(args) => args.host == RunHost::Sim,
            MachineVerb::Lab(args) => args.verb.is_none() && args.host == Some(LabHost::Sim),
            MachineVerb::Compare(args) => args.other.is_some(),
            MachineVerb::Measure(_) => true,
            _ => false,
        }
    }
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
Exit status: 0 all expectations held, and what was asked for was granted and kept; 1 one failed, was refused or was missed; 2 could not run, and nothing \
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
    /// Processor time that the command gets in each period, at most; 25us and more [units: us, ms, s].
    #[arg(long, value_name = "SPAN", requires_all = ["period", "command"], conflicts_with = "file")]
    pub(crate) budget: Option<Span>,
    /// The period of `--budget`; 250us and more, since each costs two decisions [units: us, ms, s].
    #[arg(long, value_name = "SPAN", requires = "budget", conflicts_with = "file")]
    pub(crate) period: Option<Span>,
    /// Weight of the command, from 1 to 19; all other threads on its processor together have weight 1. It is a limit as well:
    /// with weight 2 the command gets 20 ms in every 30 ms and no more, even if nothing else runs.
    #[arg(long, value_name = "N", requires = "command", conflicts_with_all = ["budget", "file"],
          value_parser = share)]
    pub(crate) share: Option<u32>,
    /// Run for this long instead of the scenario's length [units: ns, us, ms, s, min, h].
    #[arg(long = "for", value_name = "SPAN", allow_hyphen_values = true, value_parser = length)]
    pub(crate) length: Option<Span>,
    /// The machine's processors to use for the scenario's, in order [default: the last ones].
    #[arg(long, value_name = "N,...", value_delimiter = ',')]
    pub(crate) cpus: Vec<u16>,
    /// Print what would be changed on this machine, and change nothing.
    #[arg(long, conflicts_with_all = ["trace", "picture", "report", "csv"])]
    pub(crate) dry_run: bool,
    /// Socket on which `ctl`, `top` and `explain` reach the run [default: /run/windfall/windfall.sock for root, else below
    /// $XDG_RUNTIME_DIR].
    #[arg(long, value_name = "PATH")]
    pub(crate) socket: Option<PathBuf>,
    /// Print the results as JSON; the output of started programs goes to standard error then.
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
    #[arg(long = "for", value_name = "SPAN", allow_hyphen_values = true, value_parser = length)]
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
    /// Print JSON instead of text; the output of started programs goes to standard error then.
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

The recording ends with the command, after `--for`, on Ctrl-C, or when its output cannot be written. A command that still runs then \
receives SIGTERM, as do all that it has started.
Exit status: the command's own (128 and the signal's number when one ended it), 126 or 127 when it cannot be started; \
0 without a command, or when it was asked to end; 2 could not record.")]
pub(crate) struct RecordArgs {
    /// Record for this long [units: ns, us, ms, s, min, h].
    #[arg(long = "for", value_name = "SPAN", allow_hyphen_values = true, value_parser = length)]
    pub(crate) length: Option<Span>,
    /// Where to write the trace.
    #[arg(short, long, value_name = "FILE.wft", default_value = "recording.wft")]
    pub(crate) output: PathBuf,
    /// Whether that may replace a file.
    #[command(flatten)]
    pub(crate) force: ForceArgs,
    /// Print JSON instead of text; the command's output goes to standard error then.
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
    #[arg(long = "for", value_name = "SPAN", allow_hyphen_values = true, value_parser = length)]
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
    /// Print JSON instead of text; the program's output goes to standard error then.
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

/// A weight against that of all other threads of a processor.
fn share(text: &str) -> Result<u32, String> {
    let weight = text.parse::<u32>().ok().filter(|weight| (1..=19).contains(weight));
    weight.ok_or_else(|| "a share is a whole number from 1 to 19".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limit_a_share_is_from_1_to_19() {
        for (text, weight) in [("1", Some(1)), ("19", Some(19)), ("0", None), ("20", None)] {
            assert_eq!(share(text).ok(), weight, "{text}");
        }
    }
}
