//! Standard output, which programs that a verb starts have as theirs, unless a document goes there.
//!
//! Invariant: a document on standard output has nothing in it that such a program printed.

use std::fs::File;
use std::io::{self, Write};
use std::os::fd::AsFd;
use std::os::unix::fs::MetadataExt;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

/// Standard output as this process was given it, once it is for the document alone.
static OWN: OnceLock<File> = OnceLock::new();

/// Whether its reader went away before all was written.
static UNREAD: AtomicBool = AtomicBool::new(false);

/// Notes that the reader of standard output has gone away.
pub(super) fn is_left() {
    UNREAD.store(true, Ordering::Relaxed);
}

/// Whether the reader of standard output went away before all was written.
pub(super) fn was_left() -> bool {
    UNREAD.load(Ordering::Relaxed)
}

/// Whether standard output is /dev/null, as it is, too, where this process was started without one.
pub(super) fn is_null() -> bool {
    let device = |data: std::fs::Metadata| Some(data.rdev()).filter(|device| *device > 0);
    let own = duplicate().and_then(|own| own.metadata()).ok().and_then(device);
    own.is_some() && own == std::fs::metadata("/dev/null").ok().and_then(device)
}

/// Keeps standard output for the document. Programs that are started from now on print to standard error.
#[cfg(feature = "machine")]
pub(super) fn keep_for_document() -> io::Result<()> {
    if OWN.get().is_none() {
        let own = duplicate()?;
        rustix::stdio::dup2_stdout(io::stderr())?;
        let _ = OWN.set(own); // a verb asks once, from one thread
    }
    Ok(())
}

/// Another descriptor of standard output, which programs that are started do not get.
pub(super) fn duplicate() -> io::Result<File> {
    match OWN.get() {
        Some(own) => own.try_clone(),
        None => Ok(File::from(io::stdout().as_fd().try_clone_to_owned()?)),
    }
}

/// Writes to standard output.
pub(super) fn write(bytes: &[u8]) -> io::Result<()> {
    match OWN.get() {
        Some(mut own) => own.write_all(bytes),
        None => {
            let mut out = io::stdout().lock();
            out.write_all(bytes).and_then(|()| out.flush())
        }
    }
}
