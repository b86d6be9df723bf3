//! Generates a diagnostic: a program whose signature differs as soon as the processor has a fault.
//!
//! First all registers are marched through; then, of several snippets drawn for instructions of the table, the one is
//! kept that shows the most faults per instruction, until the goal is reached. Faulty machines are carried along from
//! snippet to snippet, and dropped when they differ. A fault that differs midway and ends equal is found by a run of
//! the whole program, and carried along again. Equal table, goal and seed give equal programs.

use std::fmt;

use crate::coverage::{Count, Coverage, PATIENCE, SIGNATURE, judge};
use crate::encoding::{EncodeError, Fields};
use crate::fault::{Fault, Kind};
use crate::machine::Machine;
use crate::random::Random;
use crate::snippet;
use crate::table::Table;
use crate::visible::Reason;

/// Snippets drawn for each that is kept.
const DRAWN: usize = 48;

/// Rounds in a row in which no snippet shows a fault, before the whole program is judged again.
const IDLE: usize = 64;

/// The goal for a diagnostic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Goal {
    /// The share of the visible faults of each sort to cover, in thousandths.
    pub per_mille: u16,
    /// The greatest number of instructions.
    pub instructions: usize,
}

/// A generated program.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Diagnostic {
    /// Its words, to lie at address 0.
    pub program: Vec<u32>,
    /// Its coverage.
    pub coverage: Coverage,
}

/// Why no diagnostic came out.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum GenerateError {
    /// The table lacks an instruction that every diagnostic needs, or its fields are other ones.
    Table(EncodeError),
    /// The goal was not reached with that many instructions.
    Goal {
        /// The goal.
        goal: Goal,
        /// The coverage of the longest program.
        reached: Box<Coverage>,
    },
}

impl From<EncodeError> for GenerateError {
    fn from(error: EncodeError) -> Self {
        Self::Table(error)
    }
}

impl fmt::Display for GenerateError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Table(error) => write!(out, "table does not allow a diagnostic: {error}"),
            Self::Goal { goal, reached } => {
                let count = reached.total();
                write!(
                    out,
                    "{} instructions cover {} of {} visible faults, and of some sort fewer than {} \
                     in 1000; allow more instructions or a lower share",
                    goal.instructions, count.covered, count.visible, goal.per_mille
                )
            }
        }
    }
}

impl std::error::Error for GenerateError {}

/// A program under construction, and the machines that have run it so far.
struct Draft<'a> {
    table: &'a Table,
    program: Vec<u32>,
    whole: Machine,
    /// Machines with a visible fault that the program does not show yet.
    faulty: Vec<Machine>,
}

/// Generates a program that covers `goal.per_mille` thousandths of each sort of the visible ones among `faults`.
///
/// # Errors
/// The table lacks instructions that every diagnostic needs, or the goal is out of reach.
pub fn generate(
    table: &Table,
    faults: &[Fault],
    goal: Goal,
    seed: u64,
) -> Result<Diagnostic, GenerateError> {
    let mut random = Random::new(seed);
    let visible: Vec<Fault> =
        faults.iter().copied().filter(|&fault| Reason::of(table, fault).is_none()).collect();
    let mut draft = Draft {
        table,
        program: Vec::new(),
        whole: Machine::new(None),
        faulty: visible.iter().map(|&fault| Machine::new(Some(fault))).collect(),
    };
    draft.append(&snippet::march(table, &mut random)?);
    draft.append(&snippet::call_far(table)?);
    let end = table.encode("ecall", Fields::default())?;
    loop {
        let before = draft.program.len();
        let full = draft.extend(&visible, goal, &mut random)?;
        let mut program = draft.program.clone();
        program.push(end);
        let coverage = judge(table, &program, faults, draft.bound());
        if coverage.reaches(goal.per_mille) && program.len() <= goal.instructions {
            return Ok(Diagnostic { program, coverage });
        }
        if full || draft.program.len() == before {
            return Err(GenerateError::Goal { goal, reached: Box::new(coverage) });
        }
        draft.resume(&coverage.uncovered);
    }
}

impl Draft<'_> {
    /// More instructions than the program runs on a whole processor: each snippet jumps back at most once.
    fn bound(&self) -> u64 {
        PATIENCE * (self.program.len() as u64 + 1)
    }

    /// Whether so many thousandths of each sort of fault have been shown.
    fn reaches(&self, visible: &[Fault], per_mille: u16) -> bool {
        [Kind::Register, Kind::Unit, Kind::Decode].into_iter().all(|kind| {
            let all = visible.iter().filter(|fault| fault.kind() == kind).count();
            let faults = self.faulty.iter().filter_map(|machine| machine.fault);
            let left = faults.filter(|fault| fault.kind() == kind).count();
            Count { visible: all, covered: all - left }.reaches(per_mille)
        })
    }

    /// Appends snippets until the goal is reached, or none shows a fault any more; `true` if there is no room for one.
    fn extend(
        &mut self,
        visible: &[Fault],
        goal: Goal,
        random: &mut Random,
    ) -> Result<bool, GenerateError> {
        let mut idle = 0;
        while idle <= IDLE && !self.reaches(visible, goal.per_mille) {
            let best = self.best(random)?;
            idle = if best.is_empty() { idle + 1 } else { 0 };
            if self.program.len() + best.len() + 1 > goal.instructions {
                return Ok(true);
            }
            self.append(&best);
        }
        Ok(false)
    }

    /// Draws several snippets and returns the one that shows the most faults per instruction; empty if none
    /// shows any.
    fn best(&self, random: &mut Random) -> Result<Vec<u32>, GenerateError> {
        let mut best: Option<(usize, Vec<u32>)> = None;
        for _ in 0..DRAWN {
            let words = snippet::draw(self.table, &self.whole, random)?;
            if words.is_empty() {
                continue;
            }
            let mut program = self.program.clone();
            program.extend(&words);
            let mut whole = self.whole.clone();
            if !advance(self.table, &program, &mut whole) {
                continue;
            }
            let shown = self.faulty.iter().filter(|machine| {
                let mut machine = (*machine).clone();
                !advance(self.table, &program, &mut machine) || shows(&whole, &machine)
            });
            let gain = shown.count();
            // Gains per instruction are compared crosswise, without division.
            let better =
                best.as_ref().is_none_or(|(most, kept)| gain * kept.len() > *most * words.len());
            if better {
                best = Some((gain, words));
            }
        }
        Ok(best.map_or_else(Vec::new, |(_, words)| words))
    }

    /// Appends a snippet and drops the faulty machines that it shows.
    fn append(&mut self, words: &[u32]) {
        self.program.extend(words);
        advance(self.table, &self.program, &mut self.whole);
        let (table, program, whole) = (self.table, &self.program, &self.whole);
        self.faulty
            .retain_mut(|machine| advance(table, program, machine) && !shows(whole, machine));
    }

    /// Carries along exactly `faults`, each in the state in which it passes the end of the program.
    fn resume(&mut self, faults: &[Fault]) {
        self.faulty = faults.iter().map(|&fault| Machine::new(Some(fault))).collect();
        let (table, program) = (self.table, &self.program);
        for machine in &mut self.faulty {
            advance(table, program, machine);
        }
    }
}

/// Whether the signatures of two machines differ.
fn shows(whole: &Machine, faulty: &Machine) -> bool {
    whole.read(SIGNATURE) != faulty.read(SIGNATURE)
}

/// Runs a machine to the end of the program; `false` if it does not come there.
fn advance(table: &Table, program: &[u32], machine: &mut Machine) -> bool {
    let end = program.len() * 4;
    for _ in 0..PATIENCE * (program.len() as u64 + 1) {
        if machine.pc as usize == end {
            return true;
        }
        if machine.step(table, program).is_err() {
            return false;
        }
    }
    false
}
