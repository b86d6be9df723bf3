//! What benches share that measure on a claimed processor.

pub(crate) mod machine;
pub(crate) mod stretches;
