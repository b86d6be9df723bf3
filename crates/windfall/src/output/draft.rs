//! An output while it is written: a file without a name, which gets one when it is whole.
//!
//! Invariant: whatever ends the command (an error, a signal, SIGKILL), no part of a file is left, because the kernel frees
//! what has no name. Where the file system has no such files, a file beside the place is used, named
//! `.NAME.PID.part`, which a signal leaves behind that ends the process at once: SIGKILL; of a verb that supervises or
//! records, SIGQUIT too.

use super::destination::{Destination, Kind, folder, is_there};
use super::{placed, rewritten};
use crate::VerbError;
#[cfg(feature = "machine")]
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{AtFlags, CWD, Mode, OFlags, linkat, openat};
use rustix::io::Errno;
use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::os::fd::AsRawFd;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// Unfinished files that have a name. They are removed when the process ends ([`remove_unfinished`]).
static UNFINISHED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// An output that is being written.
#[derive(Debug)]
pub(crate) struct Draft {
    to: Destination,
    out: BufWriter<File>,
    /// The name that it has meanwhile, if any.
    part: Option<PathBuf>,
    /// The reader of standard output has closed it; the rest is discarded.
    unread: bool,
}

impl Draft {
    pub(super) fn new(to: &Destination) -> io::Result<Draft> {
        let (file, part) = match to.kind {
            Kind::Standard => (super::stream::duplicate()?, None),
            Kind::Stream => (OpenOptions::new().write(true).open(&to.path)?, None),
            Kind::File => match unnamed(folder(&to.path))? {
                Some(file) => (file, None),
                None => named(&to.path)?,
            },
        };
        Draft::of(to, file, part)
    }

    fn of(to: &Destination, file: File, part: Option<PathBuf>) -> io::Result<Draft> {
        if let (Kind::File, Ok(old)) = (to.kind, to.path.metadata()) {
            match to.rewritten {
                true => rewritten::keep(&to.path, &old, &file)?,
                false => file.set_permissions(old.permissions())?,
            }
        }
        let out = BufWriter::with_capacity(64 * 1024, file);
        Ok(Draft { to: to.clone(), out, part, unread: false })
    }

    /// How many bytes the file has so far; `None` of a pipe.
    #[cfg(feature = "machine")]
    pub(crate) fn bytes(&self) -> Option<u64> {
        let data = self.out.get_ref().metadata().ok();
        data.filter(std::fs::Metadata::is_file).map(|data| data.len())
    }

    /// Whether it is a pipe that nobody reads any more.
    #[cfg(feature = "machine")]
    pub(crate) fn is_left(&self) -> bool {
        if self.to.kind == Kind::File {
            return false;
        }
        let mut pipe = [PollFd::new(self.out.get_ref(), PollFlags::empty())];
        let gone = PollFlags::ERR | PollFlags::HUP;
        let looked = poll(&mut pipe, Some(&Timespec { tv_sec: 0, tv_nsec: 0 }));
        looked.is_ok() && pipe[0].revents().intersects(gone)
    }

    /// Puts what was written into its place.
    pub(crate) fn commit(mut self) -> Result<(), VerbError> {
        let flushed = self.flush();
        flushed.map_err(|error| self.to.write_error(&error))?;
        if self.to.kind != Kind::File {
            return Ok(());
        }
        let placed = match &self.part {
            Some(part) if self.to.force => std::fs::rename(part, &self.to.path),
            Some(part) => placed::place(part, &self.to.path),
            None => self.name_it(),
        };
        match placed {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                Err(is_there(&self.to.path))
            }
            other => other.map_err(|error| self.to.write_error(&error)),
        }
    }

    /// Gives a file without a name its own. A link never replaces, so for that it is renamed.
    fn name_it(&self) -> io::Result<()> {
        let own = format!("/proc/self/fd/{}", self.out.get_ref().as_raw_fd());
        let link = |to: &Path| linkat(CWD, &own, CWD, to, AtFlags::SYMLINK_FOLLOW);
        match link(&self.to.path) {
            Err(Errno::EXIST) if self.to.force => {
                let part = beside(&self.to.path);
                link(&part)?;
                std::fs::rename(&part, &self.to.path).inspect_err(|_| {
                    let _ = std::fs::remove_file(&part);
                })
            }
            other => Ok(other?),
        }
    }
}

impl Write for Draft {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.unread {
            return Ok(bytes.len());
        }
        let written = self.out.write(bytes);
        self.or_unread(written, bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.unread {
            return Ok(());
        }
        let flushed = self.out.flush();
        self.or_unread(flushed, ())
    }
}

impl Draft {
    /// A closed standard output is no error.
    fn or_unread<T>(&mut self, done: io::Result<T>, instead: T) -> io::Result<T> {
        match done {
            Err(error)
                if self.to.kind == Kind::Standard && error.kind() == io::ErrorKind::BrokenPipe =>
            {
                self.unread = true;
                super::stream::is_left();
                Ok(instead)
            }
            other => other,
        }
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        if let Some(part) = self.part.take() {
            let _ = std::fs::remove_file(&part); // it has its own name by now, or is not wanted
            unfinished(|all| all.retain(|other| *other != part));
        }
    }
}

/// Removes all unfinished files that have a name, before the process ends by a signal.
pub(crate) fn remove_unfinished() {
    unfinished(|all| {
        for part in all.drain(..) {
            let _ = std::fs::remove_file(part);
        }
    });
}

fn unfinished(change: impl FnOnce(&mut Vec<PathBuf>)) {
    change(&mut UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner));
}

/// A file in a folder that has no name; `None` where the file system or a missing /proc does not allow it.
fn unnamed(folder: &Path) -> io::Result<Option<File>> {
    if !Path::new("/proc/self/fd").exists() {
        return Ok(None);
    }
    let flags = OFlags::TMPFILE | OFlags::WRONLY | OFlags::CLOEXEC;
    match openat(CWD, folder, flags, Mode::from_raw_mode(0o666)) {
        Ok(file) => Ok(Some(File::from(file))),
        Err(Errno::OPNOTSUPP | Errno::ISDIR | Errno::INVAL | Errno::NOENT) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// A file beside the place of an output, and its name.
fn named(path: &Path) -> io::Result<(File, Option<PathBuf>)> {
    let part = beside(path);
    let file = OpenOptions::new().write(true).create_new(true).open(&part)?;
    unfinished(|all| all.push(part.clone()));
    Ok((file, Some(part)))
}

/// The name of an unfinished file.
fn beside(path: &Path) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    folder(path).join(format!(".{name}.{}.part", std::process::id()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::Destinations;

    /// A signal removes all that is unfinished in a process: tests of unfinished files take turns.
    static TURN: Mutex<()> = Mutex::new(());

    /// A draft as where files without a name cannot be, for a file in a folder of its own.
    fn draft(test: &str, before: Option<&str>) -> (PathBuf, Draft) {
        let place = format!("windfall-draft-{test}-{}", std::process::id());
        let path = std::env::temp_dir().join(place).join("o.txt");
        std::fs::create_dir_all(folder(&path)).unwrap();
        if let Some(text) = before {
            std::fs::write(&path, text).unwrap();
        }
        let mut outputs = Destinations::new(before.is_some(), []).ok().unwrap();
        let to = outputs.claim("--o", &path).ok().unwrap();
        let (file, part) = named(&path).unwrap();
        (path, Draft::of(&to, file, part).unwrap())
    }

    fn files(path: &Path) -> usize {
        std::fs::read_dir(folder(path)).unwrap().count()
    }

    #[test]
    fn law_without_unnamed_files_one_beside_the_place_does_and_is_never_left() {
        let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
        for before in [None, Some("before")] {
            let (path, mut draft) = draft("named", before);
            draft.write_all(b"after").unwrap();
            assert_eq!(files(&path), 1 + usize::from(before.is_some()));
            drop(draft);
            assert_eq!(files(&path), usize::from(before.is_some()));
            let (_, mut draft) = self::draft("named", before);
            draft.write_all(b"after").unwrap();
            draft.commit().ok().unwrap();
            assert_eq!(std::fs::read_to_string(&path).unwrap(), "after");
            assert_eq!(files(&path), 1);
            std::fs::remove_dir_all(folder(&path)).unwrap();
        }
    }

    #[test]
    fn refuses_to_replace_what_came_meanwhile() {
        let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
        let (path, draft) = draft("meanwhile", None);
        std::fs::write(&path, "somebody else's").unwrap();
        let VerbError(why) = draft.commit().err().unwrap();
        assert!(why.contains("exists"), "{why}");
        let mut outputs = Destinations::new(false, []).ok().unwrap();
        assert!(outputs.claim("--o", &path).is_err());
        std::fs::remove_file(&path).unwrap();
        let unnamed = outputs.claim("--o", &path).and_then(|to| to.open()).ok().unwrap();
        std::fs::write(&path, "somebody else's").unwrap();
        assert!(unnamed.commit().is_err());
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "somebody else's");
        std::fs::remove_dir_all(folder(&path)).unwrap();
    }

    #[test]
    fn law_a_signal_removes_unfinished_files_that_have_a_name() {
        let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
        let (path, draft) = draft("signal", None);
        remove_unfinished();
        assert_eq!(files(&path), 0);
        drop(draft);
        std::fs::remove_dir_all(folder(&path)).unwrap();
    }
}
