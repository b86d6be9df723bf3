//! Locks that steps of threads take, as far as they have a protocol.

use windfall_programs::LockProtocol;

/// A lock and its protocol. A lock without an entry has [`LockProtocol::None`].
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Lock {
    /// Its name in steps.
    pub name: String,
    /// The protocol, which determines the rank of a thread that holds the lock.
    pub protocol: LockProtocol,
}

impl Lock {
    /// A lock of this name.
    #[must_use]
    pub fn new(name: impl Into<String>, protocol: LockProtocol) -> Lock {
        Lock { name: name.into(), protocol }
    }
}
