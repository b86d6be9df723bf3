//! `[threads.NAME]`.

use super::external::{Command, MatchFile};
use super::kind::KindFile;
use super::lax::Lax;
use super::program::{PhaseFile, ProgramFile};
use super::requirements::HasRequirements;
use super::scalar::{Due, Kib, Range};
use super::steps::StepFile;
use super::text_or::TextOr;
use super::values::SpinText;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use windfall_programs::OnLate;
use windfall_time::{Instant, Span};

/// A thread, or several alike. Exactly one of `run`, `periodic`, `sporadic`, `after`, `instead`, `steps`,
/// `phases`, `recorded` and `program` says what it runs; beside one of `exec`, `pid`, `cgroup`, `unit` and `of`,
/// which name a program of a real machine, at most one of them or of `profile` says what a
/// simulation takes it to do.
// Fields: keys of a table of the file, which stand beside each other there.
#[derive(Serialize, Deserialize, Clone, Default, Debug)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
#[cfg_attr(feature = "schema", schemars(rename = "Thread"))]
pub(crate) struct ThreadFile {
    /// The scheduler above it; the default one when absent.
    pub(crate) parent: Option<Lax<String>>,
    /// The number of threads: NAME-1 to NAME-n.
    pub(crate) count: Option<Lax<u32>>,
    /// When it is created; at the beginning when absent.
    pub(crate) start: Option<Lax<Instant>>,
    /// The part of the cache that it uses.
    pub(crate) working_set: Option<Lax<Kib>>,
    /// One of `[programs.NAME]`, which others may run, too; or a kind of program with its default settings; or a table of `kind` and
    /// settings, as `{ kind = "bsat-sink", work = "1ms" }`.
    pub(crate) program: Option<TextOr<KindFile>>,
    /// `spin` or `spin from 2s`: computes for ever.
    pub(crate) run: Option<Lax<SpinText>>,
    /// Jobs at equal distances: `3ms/10ms`, `3ms/10ms@8ms`, or a table.
    pub(crate) periodic: Option<TextOr<PeriodicFile>>,
    /// Jobs at random distances.
    pub(crate) sporadic: Option<SporadicFile>,
    /// Jobs that follow those of another thread.
    pub(crate) after: Option<AfterFile>,
    /// Jobs released in place of refused jobs of another thread, which names this one as `else`.
    pub(crate) instead: Option<InsteadFile>,
    /// Steps, repeated.
    pub(crate) steps: Option<Vec<TextOr<StepFile>>>,
    /// Phases of steps, repeated.
    pub(crate) phases: Option<Vec<PhaseFile>>,
    /// How often `steps` or `phases` are repeated; for ever when absent.
    pub(crate) loops: Option<Lax<u64>>,
    /// The behaviour of a thread in a recorded trace.
    pub(crate) recorded: Option<RecordedFile>,
    /// A command that a real machine starts, word by word; all its threads are meant.
    pub(crate) exec: Option<Command>,
    /// Environment variables of the command, added to those inherited.
    pub(crate) env: Option<BTreeMap<String, Lax<String>>>,
    /// A process of a real machine.
    pub(crate) pid: Option<Lax<u32>>,
    /// The processes of a control group, as `/user.slice/game.scope`.
    pub(crate) cgroup: Option<Lax<String>>,
    /// The processes of a unit of systemd, as `pipewire.service`.
    pub(crate) unit: Option<Lax<String>>,
    /// Another entry with the program; `match` takes some of its threads.
    pub(crate) of: Option<Lax<String>>,
    /// The threads of the program that are meant; all that other entries leave when absent.
    #[serde(rename = "match")]
    pub(crate) only: Option<MatchFile>,
    /// Whether each thread of the program has the reservation for itself; all share one when
    /// absent.
    pub(crate) each: Option<Lax<bool>>,
    /// A stored profile that says what the program does.
    pub(crate) profile: Option<Lax<String>>,
}

impl HasRequirements for ThreadFile {
    const OF_THREADS: bool = true;
}

impl ThreadFile {
    /// The program of its own; takes it out.
    pub(crate) fn take_program(&mut self) -> ProgramFile {
        ProgramFile {
            kind: None,
            run: self.run.take(),
            periodic: self.periodic.take(),
            sporadic: self.sporadic.take(),
            after: self.after.take(),
            instead: self.instead.take(),
            steps: self.steps.take(),
            phases: self.phases.take(),
            loops: self.loops.take(),
            recorded: self.recorded.take(),
        }
    }
}

/// The table of a sort of jobs: its own keys, before and behind `work`, and those that all sorts have.
macro_rules! jobs {
    (
        $help:literal, $name:ident as $title:literal,
        [$($first:literal $before:ident: $before_type:ty),*], work,
        [$($second:literal $behind:ident: $behind_type:ty),*], deadline $due:literal
    ) => {
        #[doc = $help]
        #[derive(Serialize, Deserialize, Clone, Default, Debug)]
        #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
        #[serde(rename_all = "kebab-case", deny_unknown_fields)]
        #[cfg_attr(feature = "schema", schemars(rename = $title))]
        pub(crate) struct $name {
            $(#[doc = $first] pub(crate) $before: Option<Lax<$before_type>>,)*
            /// The work of each job.
            pub(crate) work: Option<Lax<Range>>,
            $(#[doc = $second] pub(crate) $behind: Option<Lax<$behind_type>>,)*
            #[doc = $due]
            pub(crate) deadline: Option<Lax<Due>>,
            /// The treatment of a late job: `complete` (when absent) or `abort`.
            pub(crate) late: Option<Lax<OnLate>>,
            /// The number of jobs; no end when absent.
            pub(crate) count: Option<Lax<u64>>,
            /// Whether each job is submitted to a scheduler that admits or refuses it, as `ports` does.
            pub(crate) admit: Option<Lax<bool>>,
            /// The thread whose job is released in place of a refused one; it has `instead`.
            #[serde(rename = "else")]
            pub(crate) or_else: Option<Lax<String>>,
        }
    };
}

jobs!(
    "Jobs at equal distances.", PeriodicFile as "Periodic",
    [], work,
    [
        "Time between releases." period: Span,
        "First release; when the thread starts, when absent." offset: Instant
    ],
    deadline "Time from release to deadline, or `none`; the period when absent."
);

jobs!(
    "Jobs at random distances.", SporadicFile as "Sporadic",
    [], work,
    [
        "Time between releases, as `50ms..200ms`." gap: Range,
        "First release; when the thread starts, when absent." offset: Instant
    ],
    deadline "Time from release to deadline, or `none`; the shortest gap when absent."
);

jobs!(
    "Jobs that follow another thread's.", AfterFile as "After",
    ["The thread whose jobs release these as they are finished, from when this thread starts." thread: String], work,
    [], deadline "Time from release to deadline, or `none`, as when absent."
);

jobs!(
    "Jobs released in place of refused jobs of another thread.", InsteadFile as "Instead",
    [], work,
    [], deadline "Time from release to deadline, or `none`, as when absent."
);

/// The behaviour of a thread in a recorded trace.
#[derive(Serialize, Deserialize, Clone, Default, Debug)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
#[cfg_attr(feature = "schema", schemars(rename = "Recorded"))]
pub(crate) struct RecordedFile {
    /// The trace, relative to the scenario's folder.
    pub(crate) file: Option<Lax<String>>,
    /// The thread's name in it, or `#TID`.
    pub(crate) thread: Option<Lax<String>>,
}
