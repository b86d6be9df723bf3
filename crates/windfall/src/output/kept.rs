//! Standard input, kept so that it can be read more than once.

use rustix::fs::{MemfdFlags, memfd_create};
use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;
use std::path::{Path, PathBuf};

/// All of standard input, in memory that has a path as long as this is there.
pub(crate) struct Kept {
    path: PathBuf,
    _memory: File,
}

impl Kept {
    /// Reads standard input to its end.
    pub(crate) fn of_standard_input() -> io::Result<Kept> {
        let mut memory = File::from(memfd_create("standard-input", MemfdFlags::CLOEXEC)?);
        io::copy(&mut io::stdin().lock(), &mut memory)?;
        let path = PathBuf::from(format!("/proc/self/fd/{}", memory.as_raw_fd()));
        Ok(Kept { path, _memory: memory })
    }

    /// Where it can be read, from its beginning each time.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }
}
