//! The codes of mistakes: one for each kind, under a name that stays.
//!
//! Invariant: a name is never given to another kind of mistake. `docs/diagnostics.md` is made from this table, with an example of
//! each from the tests.

use core::fmt;
use serde::{Serialize, Serializer};

macro_rules! codes {
    ($($code:ident, $name:literal, $meaning:literal;)*) => {
        /// The kind of mistake in a [`Diagnostic`](super::Diagnostic).
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        #[non_exhaustive]
        pub enum Code {
            $(#[doc = $meaning] $code,)*
        }

        impl Code {
            /// All of them, in the order in which they are documented.
            pub const ALL: &'static [Code] = &[$(Code::$code),*];

            /// Its name in messages and in JSON, as `unknown-key`. It stays.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self {
                    $(Code::$code => $name,)*
                }
            }

            /// Whether it is no mistake, and may still not be what is wanted.
            #[must_use]
            pub const fn is_warning(self) -> bool {
                matches!(self, Code::SharedProcessors)
            }

            /// Its level in messages.
            pub(super) const fn level(self) -> &'static str {
                if self.is_warning() { "warning" } else { "error" }
            }

            /// Its meaning, in a sentence.
            #[must_use]
            pub const fn meaning(self) -> &'static str {
                match self {
                    $(Code::$code => $meaning,)*
                }
            }
        }
    };
}

codes! {
    UnreadableFile, "unreadable-file", "A file, or the one that it inherits from, cannot be read.";
    NestedInheritance, "nested-inheritance", "A file that is inherited from inherits itself.";
    Syntax, "syntax", "The file is not TOML.";
    NestedTooDeep, "nested-too-deep", "Tables or lists stand too deep in each other.";
    SchemaVersion, "schema-version", "The file has no version of the format, or one that is not read.";
    RenamedTwice, "renamed-twice", "A key stands beside its name of an earlier version.";
    UnknownKey, "unknown-key", "A key that is not known there.";
    RenamedKey, "renamed-key", "A key of an earlier version.";
    MissingKey, "missing-key", "A key without which the rest means nothing.";
    ExclusiveKeys, "exclusive-keys", "Two keys of which one excludes the other.";
    MisplacedKey, "misplaced-key", "A key that goes with others than those beside it.";
    WrongType, "wrong-type", "A table, a list or a value where another of them belongs.";
    NotARequest, "not-a-request", "A message to a run that holds more than requests.";
    MissingUnit, "missing-unit", "A number without its unit.";
    InvalidTime, "invalid-time", "A text that is no length of time.";
    InvalidGuarantee, "invalid-guarantee", "A text that is no guarantee.";
    InvalidValue, "invalid-value", "A value that does not have the form of its key.";
    UnknownWordError, "unknown-word", "A word that the key does not take.";
    OutOfRange, "out-of-range", "A value below or above what its key takes.";
    ZeroTime, "zero-time", "No time at all where time must pass.";
    ReversedRange, "reversed-range", "A range whose least is above its most.";
    UnknownKind, "unknown-kind", "A kind of scheduler that the catalogue does not have.";
    UnknownScheduler, "unknown-scheduler", "A name that no scheduler has.";
    UnknownThread, "unknown-thread", "A name that no thread has.";
    UnknownName, "unknown-name", "A name that neither a scheduler nor a thread has.";
    UnknownProgram, "unknown-program", "A name that neither a program of the file nor a kind of program has.";
    UnknownProcessor, "unknown-processor", "A processor that the machine or the scheduler does not have.";
    UnknownRequest, "unknown-request", "A request that there is not.";
    UnknownQuantity, "unknown-quantity", "An expectation of a quantity that is not measured.";
    InvalidName, "invalid-name", "A name that cannot be one.";
    DuplicateName, "duplicate-name", "A name that is taken.";
    NoSchedulers, "no-schedulers", "A scenario without schedulers.";
    TooFewParents, "too-few-parents", "A scheduler with fewer parents than its kind needs.";
    TooManyAtTop, "too-many-at-top", "More virtual processors below the top than the machine has processors.";
    TooMany, "too-many", "More schedulers, threads, virtual processors or values than a scenario may have.";
    TreeTooDeep, "tree-too-deep", "A scheduler on a deeper level than a tree may have.";
    SchedulerCycle, "scheduler-cycle", "A scheduler that lies below itself.";
    TopParameter, "top-parameter", "Something is asked of the top, which takes no parameters.";
    UntakenParameter, "untaken-parameter", "A parameter that children of that scheduler do not have.";
    GuaranteeNotGiven, "guarantee-not-given", "A guarantee that no scheduler of that kind gives.";
    InexactWeight, "inexact-weight", "A share or a warp that becomes no whole weight beside guaranteed shares.";
    BindingNotKept, "binding-not-kept", "A thread is bound to processors, and its scheduler cannot keep it there.";
    InvalidSetting, "invalid-setting", "Settings that a scheduler or a program refuses together.";
    NotAdmitted, "not-admitted", "A scheduler refuses what is asked of it.";
    NoProgram, "no-program", "It is not said what a thread runs.";
    AfterTheEnd, "after-the-end", "Something begins when the scenario is over.";
    ZeroWork, "zero-work", "Jobs without work.";
    CountMismatch, "count-mismatch", "Two lists or groups that must be equally long are not.";
    NoJobs, "no-jobs", "A thread is to follow one that never ends a job.";
    JobCycle, "job-cycle", "Jobs that would have to begin with themselves.";
    NoBoundedSupply, "no-bounded-supply", "A scheduler is to admit jobs by their deadlines, and holds no guarantee that bounds its supply.";
    AdmitsNothing, "admits-nothing", "Jobs are to be admitted by a scheduler that admits none, or have no deadline.";
    NoTransfer, "no-transfer", "Laxity is to move to a scheduler that does not lie below its giver, or to or from one that admits nothing.";
    NoSecondary, "no-secondary", "A job that would be released instead of a refused one cannot be, or never is.";
    Profile, "profile", "A profile cannot be had, or does not fit the thread.";
    Recording, "recording", "A recording cannot be read, or does not hold what is named.";
    EmptyPhase, "empty-phase", "A phase without steps, or a program without phases.";
    OutsideSubtree, "outside-subtree", "A thread is to move itself to a scheduler that does not lie at or below its own.";
    InvalidStep, "invalid-step", "A step that does nothing, or several things.";
    TimelessLoop, "timeless-loop", "A loop in which no time passes.";
    MixedUse, "mixed-use", "A name that stands for two sorts of thing, as a lock and a barrier.";
    NeverLocked, "never-locked", "A lock that is released, or waited with, and never taken.";
    NeverUnlocked, "never-unlocked", "A lock that is taken and never released.";
    UnknownLock, "unknown-lock", "Something is said of a lock that no step takes.";
    UnknownStation, "unknown-station", "A step visits a station that the machine does not have.";
    NotControllable, "not-controllable", "A program is to change threads below a scheduler that keeps no accounts of epochs.";
    LockAcrossSchedulers, "lock-across-schedulers", "A lock that inherits is shared by threads below different schedulers.";
    LockNotInherited, "lock-not-inherited", "A lock that inherits below a scheduler by which no rank can be lent.";
    LockWithoutRank, "lock-without-rank", "A thread shares a lock that inherits, and its own rank is not written.";
    NeverSignalled, "never-signalled", "A condition that is waited for and never signalled.";
    NeverResumed, "never-resumed", "A thread that suspends itself and is never resumed.";
    LoneBarrier, "lone-barrier", "A barrier that one thread alone uses.";
    InvalidCommand, "invalid-command", "A command or an environment that no program can be started with.";
    InvalidCgroup, "invalid-cgroup", "A path that names no control group.";
    InvalidUnit, "invalid-unit", "A name that names no unit with processes.";
    HopelessPattern, "hopeless-pattern", "A pattern that no thread can match.";
    DuplicateProgram, "duplicate-program", "Two entries that name one program.";
    NotAProgram, "not-a-program", "`of` names a thread without a program of its own.";
    DuplicateProcessor, "duplicate-processor", "A real processor that is named twice.";
    NoTimeLeft, "no-time-left", "Interrupts that take all the time.";
    NoReason, "no-reason", "An expectation without a reason.";
    NothingExpected, "nothing-expected", "An expectation without a limit.";
    InapplicableQuantity, "inapplicable-quantity", "A quantity that is not measured of what the expectation names.";
    UnitMismatch, "unit-mismatch", "A limit in another unit than the quantity has.";
    SharedProcessors, "shared-processors", "A warning: replicas that vote have fewer processors than they are.";
    ConflictingLimits, "conflicting-limits", "Two expectations that count one thread's intervals by different limits.";
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl Serialize for Code {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}
