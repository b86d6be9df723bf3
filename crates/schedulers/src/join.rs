//! What stands between a child and several parents.

pub(crate) mod briefly_blocked;
#[expect(clippy::module_inception, reason = "the kind that its family is named after")]
pub(crate) mod join;
pub(crate) mod overrun;
