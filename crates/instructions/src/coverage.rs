//! The faults of a population that a program covers.
//!
//! A program covers a fault if, with it, the program ends in another way, or with another signature, or not within
//! [`PATIENCE`] times as many instructions. The signature is the value of one register when the program ends; nothing
//! else is compared.

use std::collections::BTreeMap;

use crate::fault::{Fault, Kind};
use crate::machine::{End, Machine};
use crate::table::Table;
use crate::visible::Reason;

/// The register that holds the signature when a program ends.
pub const SIGNATURE: u8 = 31;

/// A faulty run may take this many times the instructions of a whole one, before it counts as not ended.
pub const PATIENCE: u64 = 4;

/// A program's outcome: all that is compared between processors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Outcome {
    /// How it ended.
    pub end: End,
    /// Register [`SIGNATURE`] at its end.
    pub signature: u32,
}

/// A number of faults that a program can see, and of those that one did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Count {
    /// Faults that some program can see.
    pub visible: usize,
    /// Faults among them that this program covers.
    pub covered: usize,
}

/// The coverage of a program.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Coverage {
    /// By sort of fault.
    pub counts: BTreeMap<Kind, Count>,
    /// Faults that some program can see, and this one does not.
    pub uncovered: Vec<Fault>,
    /// Faults that no program can see, with the reason.
    pub invisible: Vec<(Fault, Reason)>,
    /// The outcome on a whole processor.
    pub whole: Outcome,
    /// Instructions run on a whole processor.
    pub steps: u64,
}

impl Count {
    /// Whether at least `per_mille` thousandths are covered.
    pub const fn reaches(&self, per_mille: u16) -> bool {
        self.covered * 1000 >= self.visible * per_mille as usize
    }
}

impl Coverage {
    /// Whether at least `per_mille` thousandths are covered of each sort of fault.
    pub fn reaches(&self, per_mille: u16) -> bool {
        self.counts.values().all(|count| count.reaches(per_mille))
    }

    /// All sorts together.
    pub fn total(&self) -> Count {
        self.counts.values().fold(Count::default(), |sum, one| Count {
            visible: sum.visible + one.visible,
            covered: sum.covered + one.covered,
        })
    }
}

/// The outcome of `program`, and the instructions that it ran, at most `bound`.
pub fn outcome(table: &Table, program: &[u32], fault: Option<Fault>, bound: u64) -> (Outcome, u64) {
    let mut machine = Machine::new(fault);
    let (end, steps) = machine.run(table, program, bound);
    (Outcome { end, signature: machine.read(SIGNATURE) }, steps)
}

/// The coverage of `faults` by `program`. On a whole processor it runs at most `bound`
/// instructions.
pub fn judge(table: &Table, program: &[u32], faults: &[Fault], bound: u64) -> Coverage {
    let (whole, steps) = outcome(table, program, None, bound);
    let mut coverage = Coverage {
        counts: BTreeMap::new(),
        uncovered: Vec::new(),
        invisible: Vec::new(),
        whole,
        steps,
    };
    for &fault in faults {
        if let Some(reason) = Reason::of(table, fault) {
            coverage.invisible.push((fault, reason));
            continue;
        }
        let count = coverage.counts.entry(fault.kind()).or_default();
        count.visible += 1;
        if outcome(table, program, Some(fault), steps * PATIENCE).0 == whole {
            coverage.uncovered.push(fault);
        } else {
            count.covered += 1;
        }
    }
    coverage
}
