//! Proportional share: processor time in proportion to weights or tickets.

pub(crate) mod bvt;
pub(crate) mod eevdf;
pub(crate) mod lottery;
pub(crate) mod proportional_share;
pub(crate) mod sfs;
pub(crate) mod stride;
pub(crate) mod weighted_round_robin;
