//! Gang scheduling: children that run at the same time, each on a processor.

#[expect(clippy::module_inception, reason = "the kind that its family is named after")]
pub(crate) mod gang;
pub(crate) mod matrix;

pub use self::gang::Gang;
