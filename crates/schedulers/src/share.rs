//! Proportional share: processor time in proportion to weights or tickets.

pub(crate) mod bvt;
pub(crate) mod eevdf;
pub(crate) mod lottery;
pub(crate) mod proportional_share;
pub(crate) mod sfs;
pub(crate) mod stride;
pub(crate) mod weighted_round_robin;

pub use self::bvt::Bvt;
pub use self::eevdf::Eevdf;
pub use self::lottery::Lottery;
pub use self::proportional_share::ProportionalShare;
pub use self::sfs::Sfs;
pub use self::stride::Stride;
pub use self::weighted_round_robin::WeightedRoundRobin;
