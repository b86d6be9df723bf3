//! The verb `lab`: tables and figures of the papers, and what this machine can be trusted with.

use super::kept::ForceArgs;
use crate::candidates;
use clap::{Args, Subcommand, ValueEnum};
use clap_complete::ArgValueCandidates as Candidates;
use std::path::PathBuf;
use windfall_time::Span;

/// Where an experiment runs.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum LabHost {
    /// The simulated machine.
    Sim,
    /// This machine; no threads are supervised, except by `table-10-1`.
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
