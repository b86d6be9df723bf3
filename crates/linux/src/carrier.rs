//! How decisions are carried out: processors are made to follow the hierarchy, and are looked at now and then, whether they do.

pub(crate) mod audit;
pub(crate) mod classes;
pub(crate) mod follow;
