//! The epoch scheduler of Chrysalis: committed, uncommitted and windfall time.

pub(crate) mod accounts;
#[expect(clippy::module_inception, reason = "the kind that its family is named after")]
pub(crate) mod epoch;
pub(crate) mod process;
pub(crate) mod promises;
pub(crate) mod queues;
pub(crate) mod ways;

pub use self::epoch::Epoch;
