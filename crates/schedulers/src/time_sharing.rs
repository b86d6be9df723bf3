//! Time sharing: ready children take turns. Most of these schedulers adjust priorities to the children's behaviour.

pub(crate) mod linux_counter;
pub(crate) mod linux_eevdf;
pub(crate) mod round_robin;
#[expect(clippy::module_inception, reason = "the kind that its family is named after")]
pub(crate) mod time_sharing;
pub(crate) mod windows_time_sharing;
