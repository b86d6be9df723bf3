//! The check, batch by batch: the plan of each, and the judgement of its results.
//!
//! A batch is a round of each pattern. After it the threads end, their digests are judged, and their blocks of memory go on to the next. So what is kept does not grow with the time, and the processors of a batch never differ by more than it.

use crate::answers::{AnswerCheck, LEAST};
use crate::batch::{Batch, Done, Entry, Worker, deadline};
use crate::judge::{Digest, Judge};
use crate::report::{Absent, ProcessorResult, Report};
use crate::work::{self, PATTERNS, Words};
use crate::{Block, Fault, Kind};
use core::fmt;
use std::path::Path;
use std::sync::Arc;
use windfall_clocks::SystemClock;
use windfall_time::Span;

/// How long a check lasts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Until {
    /// So many rounds, each a fraction of a second.
    Rounds(u64),
    /// As many batches of [`PATTERNS`] rounds as begin within this time, but one at least.
    Passed(Span),
}

/// The least block of memory.
const LEAST_BLOCK: u64 = 4096;

/// A check of processors, as it is asked for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Check {
    processors: Vec<u16>,
    kinds: Vec<Kind>,
    memory: Option<u64>,
    deadline: Option<Span>,
    faults: Vec<Fault>,
    silent: Vec<u16>,
    /// Whether threads stay on the processors of these numbers.
    is_kept: bool,
}

impl Check {
    /// Of these processors, by all kinds of work.
    #[must_use]
    pub fn on(processors: &[u16]) -> Check {
        Check {
            processors: processors.to_vec(),
            kinds: Kind::ALL.to_vec(),
            memory: None,
            deadline: None,
            faults: Vec::new(),
            silent: Vec::new(),
            is_kept: true,
        }
    }

    /// The same, by these kinds of work alone.
    #[must_use]
    pub fn kinds(self, kinds: &[Kind]) -> Check {
        Check { kinds: kinds.to_vec(), ..self }
    }

    /// The same, with so many bytes of memory for each processor instead of [`Block::of_machine`].
    #[must_use]
    pub fn memory(self, bytes: u64) -> Check {
        Check { memory: Some(bytes), ..self }
    }

    /// The same, with so long for each batch instead of what follows from the steps of its work, and for an answer before it: a processor that needs longer does not answer.
    #[must_use]
    pub fn deadline(self, deadline: Span) -> Check {
        Check { deadline: Some(deadline), ..self }
    }

    /// The same, with these faults planted.
    #[must_use]
    pub fn faults(self, faults: Vec<Fault>) -> Check {
        Check { faults, ..self }
    }

    /// The same, with these of its processors planted as not answering: no thread gets there.
    #[must_use]
    pub fn silent(self, processors: &[u16]) -> Check {
        Check { silent: processors.to_vec(), ..self }
    }

    /// The same for simulated processors: threads with their numbers, which run anywhere.
    #[must_use]
    pub fn anywhere(self) -> Check {
        Check { is_kept: false, ..self }
    }

    /// Those of its processors that do not answer, each with the reason; nothing is worked.
    ///
    /// All are asked at once, and each has ten seconds, or the deadline. A thread that does not get to its processor is left behind.
    ///
    /// # Errors
    /// When nothing can be asked.
    pub fn absent(&self) -> Result<Vec<Absent>, CheckError> {
        self.validate_processors()?;
        let within = self.deadline.unwrap_or(LEAST);
        let Check { processors, silent, is_kept, .. } = self;
        AnswerCheck { processors, silent, is_kept: *is_kept, within }.absent()
    }

    /// Works and judges. The processors are busy meanwhile, at the priority of the caller.
    ///
    /// # Errors
    /// When nothing can be checked, or something is asked that cannot be. A processor that cannot be used is in the report.
    pub fn run(&self, until: Until) -> Result<Report, CheckError> {
        self.validate(until)?;
        let (usable, absent) = self.usable()?;
        let block = match self.memory {
            _ if !self.kinds.contains(&Kind::Memory) => Block::none(),
            Some(bytes) => Block::requested(bytes),
            None => Block::of_machine(Path::new("/"), &usable),
        };
        let words = usize::try_from(block.bytes / 8)
            .map_err(|_| CheckError::NoMemory { bytes: block.bytes })?;
        let (kinds, left_out): (Vec<Kind>, Vec<Kind>) =
            self.kinds.iter().partition(|kind| kind.is_here());
        let mut workers = workers(&usable, words, self.is_kept)?;
        let judges = kinds.iter().map(|kind| Judge::new(*kind, &usable));
        let mut judges: Vec<Judge> =
            judges.collect::<Result<_, _>>().map_err(|why| CheckError::Voter(why.to_string()))?;
        let rounds = self.work(until, &mut workers, &mut judges, words);
        let votes = judges.iter().filter(|_| usable.len() > 1).map(|judge| judge.votes).collect();
        let common = judges.iter().filter_map(|judge| judge.common.clone()).collect();
        let result = |worker: Worker| ProcessorResult {
            processor: worker.processor,
            kinds: judges.iter().map(|judge| judge.results[worker.number].clone()).collect(),
            ended: worker.ended,
        };
        let processors = workers.into_iter().map(result).collect();
        Ok(Report { rounds, block, processors, votes, common, absent, left_out })
    }

    fn validate_processors(&self) -> Result<(), CheckError> {
        if self.processors.is_empty() {
            return Err(CheckError::NoProcessor);
        }
        for (place, processor) in self.processors.iter().enumerate() {
            if self.processors[..place].contains(processor) {
                return Err(CheckError::Twice { processor: *processor });
            }
        }
        match self.silent.iter().find(|silent| !self.processors.contains(silent)) {
            Some(processor) => Err(CheckError::Silent { processor: *processor }),
            None => Ok(()),
        }
    }

    fn validate(&self, until: Until) -> Result<(), CheckError> {
        if self.kinds.is_empty() {
            return Err(CheckError::NoKind);
        }
        if until == Until::Rounds(0) {
            return Err(CheckError::NoRounds);
        }
        if let Some(bytes) = self.memory.filter(|bytes| *bytes < LEAST_BLOCK) {
            return Err(CheckError::SmallBlock { bytes });
        }
        let cannot = |fault: &&Fault| {
            !self.processors.contains(&fault.processor)
                || !self.kinds.contains(&fault.kind)
                || fault.rounds.is_empty()
                || *fault.rounds.start() == 0
                || !fault.is_visible()
        };
        match self.faults.iter().find(cannot) {
            Some(fault) => Err(CheckError::Fault(fault.clone())),
            None => Ok(()),
        }
    }

    /// Those processors on which a thread can be kept.
    fn usable(&self) -> Result<(Vec<u16>, Vec<Absent>), CheckError> {
        let absent = self.absent()?;
        let is_absent = |processor: &u16| absent.iter().any(|one| one.processor == *processor);
        let usable: Vec<u16> =
            self.processors.iter().copied().filter(|processor| !is_absent(processor)).collect();
        if usable.is_empty() {
            Err(CheckError::NoneUsable { absent })
        } else {
            Ok((usable, absent))
        }
    }

    /// Batch by batch, until it is enough. How many rounds there were.
    fn work(
        &self,
        until: Until,
        workers: &mut [Worker],
        judges: &mut [Judge],
        words: usize,
    ) -> u64 {
        let shared = Arc::new(Words::new(workers.len()));
        let faults: Arc<[Fault]> = self.faults.clone().into();
        let begun = SystemClock::Monotonic.now();
        let mut done = 0;
        loop {
            let rounds = match until {
                Until::Rounds(rounds) => (rounds - done).min(PATTERNS as u64),
                Until::Passed(_) => PATTERNS as u64,
            };
            let plan: Arc<[Entry]> = plan(judges, done + 1..=done + rounds).into();
            let deadline = self.deadline.unwrap_or_else(|| deadline(&plan, words));
            let batch = Batch::new(plan.clone(), faults.clone(), shared.clone(), workers);
            judge(judges, &plan, &batch.run(workers, deadline), words);
            done += rounds;
            let is_enough = match until {
                Until::Rounds(rounds) => done >= rounds,
                Until::Passed(span) => SystemClock::Monotonic.now().saturating_since(begun) >= span,
            };
            if is_enough || workers.iter().all(|worker| worker.ended.is_some()) {
                return done;
            }
        }
    }
}

/// Judges a batch.
fn judge(judges: &mut [Judge], plan: &[Entry], all: &[Done], words: usize) {
    for (place, entry) in plan.iter().enumerate() {
        let judge = &mut judges[entry.judge];
        let found = |done: &Done| done.get(place).map_or(Digest::Absent, |done| done.0);
        let digests: Vec<Digest> = all.iter().map(found).collect();
        let known = work::known(entry.kind, work::pattern(entry.round), words);
        judge.weigh(entry.round, &digests, known);
        for (result, done) in judge.results.iter_mut().zip(all) {
            let time = done.get(place).map_or(Span::ZERO, |done| done.1);
            result.time = result.time.saturating_add(time);
        }
    }
}

/// The work of these rounds, in order.
fn plan(judges: &[Judge], rounds: core::ops::RangeInclusive<u64>) -> Vec<Entry> {
    let entry = |round: u64, judge: usize| {
        let kind = judges[judge].votes.kind;
        let (before, is_due) =
            ((round - 1) / kind.every(), (round - 1).is_multiple_of(kind.every()));
        is_due.then_some(Entry { judge, kind, round: before + 1 })
    };
    let all = rounds.flat_map(|round| (0..judges.len()).map(move |judge| (round, judge)));
    all.filter_map(|(round, judge)| entry(round, judge)).collect()
}

fn workers(processors: &[u16], words: usize, is_kept: bool) -> Result<Vec<Worker>, CheckError> {
    let worker = |(number, processor): (usize, &u16)| {
        let mut block = Vec::new();
        let bytes = words as u64 * 8;
        block.try_reserve_exact(words).map_err(|_| CheckError::NoMemory { bytes })?;
        block.resize(words, 0);
        Ok(Worker { processor: *processor, number, block, ended: None, is_kept })
    };
    processors.iter().enumerate().map(worker).collect()
}

/// Why nothing can be checked.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum CheckError {
    /// No processor was asked for.
    NoProcessor,
    /// One was asked for twice.
    Twice {
        /// Which.
        processor: u16,
    },
    /// No kind of work was asked for.
    NoKind,
    /// No rounds were asked for.
    NoRounds,
    /// A block that holds no march.
    SmallBlock {
        /// The request.
        bytes: u64,
    },
    /// There is no such memory.
    NoMemory {
        /// Of one block.
        bytes: u64,
    },
    /// A fault that cannot be planted.
    Fault(Fault),
    /// Silence that cannot be planted.
    Silent {
        /// Of a processor that is not checked.
        processor: u16,
    },
    /// The system starts no thread for a processor.
    NoThread {
        /// Which processor.
        processor: u16,
        /// Why not.
        why: String,
    },
    /// No thread can be kept on any of the processors.
    NoneUsable {
        /// Why, of each.
        absent: Vec<Absent>,
    },
    /// The processors cannot vote.
    Voter(String),
}

impl fmt::Display for CheckError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CheckError::NoProcessor => {
                write!(f, "no processor to check; `allowed()` says which there are")
            }
            CheckError::Twice { processor } => {
                write!(f, "processor {processor} twice; each is checked once")
            }
            CheckError::NoKind => {
                let names: Vec<&str> = Kind::ALL.iter().map(|kind| kind.name()).collect();
                write!(f, "no kind of work; allowed: {}", names.join(", "))
            }
            CheckError::NoRounds => write!(f, "0 rounds check nothing; allowed: 1 or more"),
            CheckError::SmallBlock { bytes } => {
                write!(f, "a block of {bytes} bytes; allowed: {LEAST_BLOCK} or more")
            }
            CheckError::NoMemory { bytes } => {
                write!(f, "no memory for a block of {bytes} bytes on each processor; ask for less")
            }
            CheckError::Fault(fault) => write!(
                f,
                "cannot plant {fault:?}; allowed: a processor and a kind that are checked, rounds from 1, and bits that such work can see (floating point has 52)"
            ),
            CheckError::Silent { processor } => write!(
                f,
                "cannot plant that processor {processor} does not answer; allowed: a processor that is checked"
            ),
            CheckError::NoThread { processor, why } => write!(
                f,
                "cannot start a thread for processor {processor}: {why}; raise the limit on threads (`ulimit -u`), or end others"
            ),
            CheckError::NoneUsable { absent } => {
                let all: Vec<String> = absent
                    .iter()
                    .map(|one| format!("processor {}: {}", one.processor, one.why))
                    .collect();
                write!(f, "no processor can be checked; {}", all.join("; "))
            }
            CheckError::Voter(why) => write!(f, "the processors cannot vote: {why}"),
        }
    }
}

impl core::error::Error for CheckError {}
