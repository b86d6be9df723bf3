//! Deadline schedulers: the most urgent job runs first, without budgets.

pub(crate) mod edf;
pub(crate) mod fc_edf;
pub(crate) mod llf;
pub(crate) mod ports;
pub(crate) mod smart;

pub use self::edf::{Edf, Late};
pub use self::fc_edf::FcEdf;
pub use self::llf::Llf;
pub use self::ports::Ports;
pub use self::smart::Smart;
