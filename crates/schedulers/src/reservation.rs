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
