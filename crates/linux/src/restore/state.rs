//! The machine's lock: one run at a time supervises a machine.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::Path;
use windfall_observe::supervision::FOLDER;
use windfall_os::{LinuxError, LinuxErrorKind};

/// Error text of a run that finds the machine supervised.
pub(crate) const TWICE: &str = "cannot supervise this machine twice";

/// Takes the machine's lock. It is held as long as the file, or a copy of it in a forked process, is open.
pub(crate) fn supervise_alone() -> Result<File, LinuxError> {
    let path = Path::new(FOLDER).join("lock");
    let trouble = |e: &io::Error| {
        let help = "root makes it, or a line for tmpfiles.d: `d /run/windfall 0770 root GROUP`, with a group of yours";
        LinuxError::of(format!("cannot lock {}", path.display()), e, help)
    };
    if !Path::new(FOLDER).exists() {
        fs::DirBuilder::new().mode(0o755).create(FOLDER).map_err(|e| trouble(&e))?;
    }
    let file = OpenOptions::new().create(true).truncate(false).write(true).mode(0o660).open(&path);
    let file = file.map_err(|e| trouble(&e))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => {
            let why = "another run is under way, or its guardian is still restoring";
            Err(LinuxError::new(TWICE, why, "wait for it, or `windfall ctl stop`")
                .of_kind(LinuxErrorKind::Busy))
        }
        Err(TryLockError::Error(e)) => Err(trouble(&e)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn law_a_copy_of_the_lock_keeps_others_out() {
        let Ok(alone) = supervise_alone() else { return }; // without rights, or while a run is under way
        let copy = alone.try_clone().unwrap();
        drop(alone);
        assert!(supervise_alone().is_err_and(|fault| fault.kind() == LinuxErrorKind::Busy));
        drop(copy);
        assert!(supervise_alone().is_ok());
    }
}
