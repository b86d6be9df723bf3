//! Locks that steps of threads take, as far as they have a protocol.

use windfall_programs::LockProtocol;

/// A lock, and what a thread runs at that holds it. One of which nothing is said has [`LockProtocol::None`].
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Lock {
    /// Its name in steps.
    pub name: String,
    /// What a thread runs at that holds it.
    pub protocol: LockProtocol,
}

impl Lock {
    /// A lock of this name.
    #[must_use]
    pub fn new(name: impl Into<String>, protocol: LockProtocol) -> Lock {
        Lock { name: name.into(), protocol }
    }
}
