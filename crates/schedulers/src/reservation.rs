//! Reservations: an amount of processor time in each period.

pub(crate) mod cbs;
pub(crate) mod limit;
pub(crate) mod pshed;
pub(crate) mod resource_kernel;
pub(crate) mod rez;
pub(crate) mod rez_c;
pub(crate) mod rez_fb;
pub(crate) mod swift;
pub(crate) mod tbs;

pub use self::cbs::{Cbs, UsedUp};
pub use self::limit::Limit;
pub use self::pshed::Pshed;
pub use self::resource_kernel::ResourceKernel;
pub use self::rez::{Overruns, Rez};
pub use self::rez_c::RezC;
pub use self::rez_fb::RezFb;
pub use self::swift::Swift;
pub use self::tbs::{Slack, Tbs};
pub use crate::parts::stolen::Charges;
