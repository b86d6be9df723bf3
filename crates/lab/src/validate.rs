//! Validation of a machine (CMU 1982, AIRLAB, 3): a suite of measurements with needs, limits and a comparison with an earlier run.
//!
//! `suite.rs` has the parts in order, each a file of `parts/`; `machine.rs` is what they measure, this machine or a simulated one with planted faults. `found.rs` is what a part may say. Decision 0046.
//!
//! Invariant: nothing on the machine is changed but the class and the processor of this process's own threads.

mod against;
mod answers;
mod found;
pub(crate) mod machine;
mod options;
mod page;
mod part;
mod parts;
pub mod results;
pub(crate) mod suite;
mod watch;

pub use against::{Earlier, EarlierError};
pub use found::{Better, Found, Level, Metric, Sentence, Undone, Unit};
pub use options::{Limit, LimitError, Need, NeedError, Options};
pub use page::page;
pub use suite::{PartFound, Validation, part_names};
pub use windfall_reliability::Incidents;

use crate::experiment::LabError;
use machine::{OwnAffinity, Real};
use std::sync::Arc;

/// Runs the suite on this machine.
///
/// # Errors
/// For an unknown part, when the processors that this process may use cannot be read, and when none of them answers.
pub fn validate(options: &Options) -> Result<Validation, LabError> {
    let own = OwnAffinity::read()?;
    suite::validate_on(Arc::new(Real::new(&own)), options)
}
