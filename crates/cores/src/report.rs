//! The result of a check.

use crate::{Block, Kind};
use core::fmt;
use windfall_time::Span;

/// The most wrong digests of a processor and kind that are kept with their rounds; all are counted.
pub(crate) const MOST_KEPT: usize = 32;

/// A digest that is not the known answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct WrongDigest {
    /// The round of this kind, from 1.
    pub round: u64,
    /// The digest; `None` when the work panicked.
    pub found: Option<u64>,
    /// The known answer.
    pub known: u64,
    /// The digest of a majority of the processors, if there was one.
    pub voted: Option<u64>,
}

/// One kind of work on one processor.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct KindResult {
    /// Which.
    pub kind: Kind,
    /// Rounds done.
    pub rounds: u64,
    /// Rounds whose digest is neither the known answer nor the majority's: this processor is wrong.
    pub wrong: u64,
    /// Of these, rounds in which a majority had the known answer, so that both name it.
    pub outvoted: u64,
    /// Rounds in which it was wrong with the majority: see [`CommonCause`].
    pub common: u64,
    /// The first of all wrong digests, with their rounds.
    pub first: Vec<WrongDigest>,
    /// Processor time of all rounds.
    pub time: Span,
}

/// One processor.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct ProcessorResult {
    /// Its number.
    pub processor: u16,
    /// By kind.
    pub kinds: Vec<KindResult>,
    /// Why it did not work to the end.
    pub ended: Option<Ended>,
}

/// Why a processor did not work to the end.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Ended {
    /// The kernel refused to keep a thread on it, as when it was taken offline.
    Refused(String),
    /// Its thread did not come back. Its work before this batch counts.
    NoAnswer(NoAnswer),
}

/// A processor that does not answer. Its thread is left behind, and ends with the process if it ends at all.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct NoAnswer {
    /// The work that it began last, and its round.
    pub work: Option<(Kind, u64)>,
    /// For how long it was waited for.
    pub waited: Span,
    /// For how long its thread ran meanwhile, if the kernel counts that. Little: the processor stands still, or is kept by others.
    pub ran: Option<Span>,
}

impl fmt::Display for Ended {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let NoAnswer { work, waited, ran } = match self {
            Ended::Refused(why) => return write!(f, "was not checked to the end: {why}"),
            Ended::NoAnswer(no_answer) => no_answer,
        };
        write!(f, "does not answer: within {waited} ")?;
        match work {
            Some((kind, round)) => write!(f, "round {round} of {kind} work did not end")?,
            None => write!(f, "it began no work")?,
        }
        match ran {
            Some(ran) if ran.as_nanos() < waited.as_nanos() / 2 => write!(
                f,
                ", and its thread ran for only {ran} of them: the processor stands still, or others keep it"
            ),
            Some(ran) => write!(f, ", though its thread ran for {ran} of them"),
            None => Ok(()),
        }
    }
}

impl ProcessorResult {
    /// Whether it did not answer.
    #[must_use]
    pub const fn is_silent(&self) -> bool {
        matches!(self.ended, Some(Ended::NoAnswer(_)))
    }
}

/// How often a kind came to a vote.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Votes {
    /// Which.
    pub kind: Kind,
    /// Rounds in which more than half of the processors had one digest.
    pub voted: u64,
    /// Rounds in which they had not, so that only the known answer says who is wrong.
    pub without: u64,
}

/// The majority and the known answer differ: processors that are wrong alike, or a known answer that is wrong. A vote alone would have passed it.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct CommonCause {
    /// In which kind of work.
    pub kind: Kind,
    /// In how many rounds.
    pub rounds: u64,
    /// The first of them.
    pub first: u64,
    /// The digest of the majority in that round.
    pub voted: u64,
    /// The known answer.
    pub known: u64,
    /// The processors that had it then.
    pub processors: Vec<u16>,
}

/// A processor that was wanted and is not checked.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Absent {
    /// Which.
    pub processor: u16,
    /// Why.
    pub why: String,
}

/// The result of a check.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Report {
    /// Rounds; of memory there are fewer ([`Kind::every`]).
    pub rounds: u64,
    /// The memory of each processor.
    pub block: Block,
    /// In the order in which they were wanted.
    pub processors: Vec<ProcessorResult>,
    /// Votes, by kind; empty with a single processor.
    pub votes: Vec<Votes>,
    /// Kinds in which the majority was wrong.
    pub common: Vec<CommonCause>,
    /// Processors that were wanted and are not there.
    pub absent: Vec<Absent>,
    /// Kinds that this machine has not got.
    pub left_out: Vec<Kind>,
}

/// The conclusion.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Verdict {
    /// Every digest of every processor is the known answer.
    Sound,
    /// Some processors are wrong.
    WrongProcessors,
    /// A majority is wrong, or the known answer is.
    CommonCause,
    /// Some processors did not answer; what was computed is right.
    NoAnswer,
}

/// A sentence of a report.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Finding {
    /// A processor is wrong in a kind of work.
    Processor {
        /// Which.
        processor: u16,
        /// In what.
        kind: Kind,
        /// In how many rounds.
        wrong: u64,
        /// Of how many.
        of: u64,
        /// In how many of them the vote names it, too.
        outvoted: u64,
        /// The first rounds in which it was wrong.
        first: Vec<u64>,
    },
    /// The majority and the known answer differ.
    CommonCause(CommonCause),
    /// A processor did not work to the end.
    Ended {
        /// Which.
        processor: u16,
        /// Why.
        why: Ended,
    },
}

impl Report {
    /// The verdict on the whole.
    #[must_use]
    pub fn verdict(&self) -> Verdict {
        let mut kinds = self.processors.iter().flat_map(|processor| &processor.kinds);
        if !self.common.is_empty() {
            Verdict::CommonCause
        } else if kinds.any(|kind| kind.wrong > 0) {
            Verdict::WrongProcessors
        } else if self.processors.iter().any(ProcessorResult::is_silent) {
            Verdict::NoAnswer
        } else {
            Verdict::Sound
        }
    }

    /// Whether processors could vote: there were two or more.
    #[must_use]
    pub const fn is_voted(&self) -> bool {
        !self.votes.is_empty()
    }

    /// The faults: common causes first, then processors.
    #[must_use]
    pub fn findings(&self) -> Vec<Finding> {
        let common = self.common.iter().cloned().map(Finding::CommonCause);
        let mut findings: Vec<Finding> = common.collect();
        for one in &self.processors {
            for kind in one.kinds.iter().filter(|kind| kind.wrong > 0) {
                let is_own =
                    |wrong: &&WrongDigest| wrong.found.is_none() || wrong.found != wrong.voted;
                findings.push(Finding::Processor {
                    processor: one.processor,
                    kind: kind.kind,
                    wrong: kind.wrong,
                    of: kind.rounds,
                    outvoted: kind.outvoted,
                    first: kind.first.iter().filter(is_own).map(|wrong| wrong.round).collect(),
                });
            }
            if let Some(why) = &one.ended {
                findings.push(Finding::Ended { processor: one.processor, why: why.clone() });
            }
        }
        findings
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Finding::Processor { processor, kind, wrong, of, outvoted, first } => {
                let by = match outvoted {
                    0 => "the known answer names it; there was no majority".to_owned(),
                    all if all == wrong => "the known answer and the vote name it".to_owned(),
                    some => format!("the known answer names it, the vote in {some} of them"),
                };
                let shown: Vec<String> = first.iter().take(3).map(u64::to_string).collect();
                write!(
                    f,
                    "processor {processor}: {kind} work is wrong in {wrong} of {of} rounds (first: {}); {by}",
                    shown.join(", ")
                )
            }
            Finding::CommonCause(CommonCause { kind, rounds, first, processors, .. }) => {
                let numbers: Vec<String> = processors.iter().map(u16::to_string).collect();
                write!(
                    f,
                    "{kind} work: a majority (processors {}) differs from the known answer in {rounds} rounds, first in round {first}: a common cause, or a wrong known answer",
                    numbers.join(", ")
                )
            }
            Finding::Ended { processor, why } => write!(f, "processor {processor} {why}"),
        }
    }
}
