//! Gives a finished file its own name where nothing may be replaced.
//!
//! Invariant: a file that is there when its place is taken stays as it is. The best way comes first: a rename that
//! never replaces; where there is none (FUSE, NFS), a second name; where there is none either (shared folders, FAT behind FUSE), an
//! empty file that this process has made itself, and that the finished one replaces.

use rustix::fs::{CWD, RenameFlags, renameat_with};
use rustix::io::Errno;
use std::fs::OpenOptions;
use std::io;
use std::path::Path;

/// A way to give `part` the name `to`.
type Way = fn(part: &Path, to: &Path) -> io::Result<()>;

const WAYS: [Way; 3] = [renamed, linked, held];

/// Gives `part` the name `to`, or fails with [`io::ErrorKind::AlreadyExists`].
pub(super) fn place(part: &Path, to: &Path) -> io::Result<()> {
    by_first_of(&WAYS, part, to)
}

/// The first way that this file system knows.
fn by_first_of(ways: &[Way], part: &Path, to: &Path) -> io::Result<()> {
    let mut placed = Err(Errno::NOSYS.into());
    for way in ways {
        placed = way(part, to);
        if !placed.as_ref().is_err_and(is_unknown_here) {
            break;
        }
    }
    placed
}

/// Whether a file system says by this that it does not know such a call. FAT says of a link that it is not permitted.
fn is_unknown_here(error: &io::Error) -> bool {
    let unknown = [Errno::INVAL, Errno::NOSYS, Errno::OPNOTSUPP, Errno::PERM];
    Errno::from_io_error(error).is_some_and(|error| unknown.contains(&error))
}

fn renamed(part: &Path, to: &Path) -> io::Result<()> {
    Ok(renameat_with(CWD, part, CWD, to, RenameFlags::NOREPLACE)?)
}

fn linked(part: &Path, to: &Path) -> io::Result<()> {
    std::fs::hard_link(part, to)?;
    std::fs::remove_file(part)
}

fn held(part: &Path, to: &Path) -> io::Result<()> {
    OpenOptions::new().write(true).create_new(true).open(to)?;
    std::fs::rename(part, to).inspect_err(|_| {
        let _ = std::fs::remove_file(to); // it is the empty one
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unknown(_: &Path, _: &Path) -> io::Result<()> {
        Err(Errno::INVAL.into())
    }

    #[test]
    fn law_each_way_places_a_file_and_none_replaces_one() {
        let folder = std::env::temp_dir().join(format!("windfall-placed-{}", std::process::id()));
        let (part, to) = (folder.join(".o.part"), folder.join("o"));
        let ways: [&[Way]; 5] =
            [&[renamed], &[linked], &[held], &[unknown, linked, held], &[unknown, unknown, held]];
        for (number, ways) in ways.iter().enumerate() {
            std::fs::create_dir_all(&folder).unwrap();
            std::fs::write(&part, "ours").unwrap();
            std::fs::write(&to, "somebody else's").unwrap();
            let refused = by_first_of(ways, &part, &to).unwrap_err();
            assert_eq!(refused.kind(), io::ErrorKind::AlreadyExists, "{number}");
            assert_eq!(std::fs::read_to_string(&to).unwrap(), "somebody else's", "{number}");
            assert_eq!(std::fs::read_to_string(&part).unwrap(), "ours", "{number}");
            std::fs::remove_file(&to).unwrap();
            by_first_of(ways, &part, &to).unwrap();
            assert_eq!(std::fs::read_to_string(&to).unwrap(), "ours", "{number}");
            assert!(!part.exists(), "{number}");
            std::fs::remove_dir_all(&folder).unwrap();
        }
        assert!(place(&part, &to).is_err_and(|error| error.kind() == io::ErrorKind::NotFound));
    }

    #[test]
    fn law_a_place_that_nothing_came_to_is_free_again() {
        let folder = std::env::temp_dir().join(format!("windfall-held-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        assert!(held(&folder.join("missing"), &folder.join("o")).is_err());
        assert!(!folder.join("o").exists());
        std::fs::remove_dir_all(folder).unwrap();
    }
}
