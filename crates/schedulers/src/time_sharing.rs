//! Time sharing: ready children take turns. Most of these schedulers adjust priorities to the children's behaviour.

pub(crate) mod linux_counter;
pub(crate) mod linux_eevdf;
pub(crate) mod round_robin;
#[expect(clippy::module_inception, reason = "the kind that its family is named after")]
pub(crate) mod time_sharing;
pub(crate) mod windows_time_sharing;

pub use self::linux_counter::{Linux2_4, Version};
pub use self::linux_eevdf::LinuxEevdf;
pub use self::round_robin::RoundRobin;
pub use self::time_sharing::{Mode, TimeSharing};
pub use self::windows_time_sharing::{Edition, Windows2000};
