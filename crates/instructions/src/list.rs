//! Coverage as text: the shares, each uncovered fault, and the invisible ones by reason.

use std::collections::BTreeMap;
use std::fmt;

use crate::coverage::{Count, Coverage};
use crate::table::Table;
use crate::visible::Reason;

/// A coverage with the table that names its instructions; shown line by line.
#[derive(Clone, Copy, Debug)]
pub struct Listing<'a> {
    coverage: &'a Coverage,
    table: &'a Table,
}

impl Coverage {
    /// The coverage as text, with the names of `table`: the one that it was judged by.
    pub const fn list<'a>(&'a self, table: &'a Table) -> Listing<'a> {
        Listing { coverage: self, table }
    }
}

impl fmt::Display for Listing<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { coverage, table } = self;
        let total = coverage.total();
        for (kind, count) in &coverage.counts {
            writeln!(out, "{:<9} {count}", format!("{kind:?}"))?;
        }
        writeln!(out, "{:<9} {total}", "All")?;
        for fault in &coverage.uncovered {
            writeln!(out, "uncovered {}", fault.describe(table))?;
        }
        let mut reasons: BTreeMap<Reason, usize> = BTreeMap::new();
        for &(_, reason) in &coverage.invisible {
            *reasons.entry(reason).or_default() += 1;
        }
        for (reason, faults) in reasons {
            writeln!(out, "invisible {faults:>4} faults: {}", reason.describe())?;
        }
        for (fault, reason) in &coverage.invisible {
            writeln!(out, "invisible {}: {}", fault.describe(table), reason.describe())?;
        }
        Ok(())
    }
}

impl fmt::Display for Count {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { visible, covered } = *self;
        write!(out, "{covered} of {visible} visible faults")?;
        // Rounded down, so that 100.00 % means all.
        match (covered * 10_000).checked_div(visible) {
            Some(share) => write!(out, ", {}.{:02} %", share / 100, share % 100),
            None => Ok(()),
        }
    }
}
