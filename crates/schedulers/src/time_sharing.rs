//! Time sharing: each ready child has its turn; most change priorities by what children do.

pub(crate) mod linux_counter;
pub(crate) mod linux_eevdf;
pub(crate) mod round_robin;
#[expect(clippy::module_inception, reason = "the kind that its family is named after")]
pub(crate) mod time_sharing;
pub(crate) mod windows_time_sharing;
