//! A file that is rewritten in place: another one takes its name, with all that it was beside its bytes.
//!
//! Invariant: links to it, its owner, its mode and its extended attributes stay. Where that cannot be, nothing is written, and
//! the error says how to do it by hand.

use super::destination::folder;
use super::quoted;
use crate::VerbError;
use rustix::fs::{Access, XattrFlags, access, fsetxattr, getxattr, listxattr};
use std::ffi::CStr;
use std::fs::{File, Metadata};
use std::io;
use std::os::unix::fs::{MetadataExt, fchown};
use std::path::{Path, PathBuf};

/// The longest list of names, and the longest value, of extended attributes (`XATTR_SIZE_MAX` of Linux).
const LONGEST: usize = 64 << 10;

/// The file itself, where `path` is a link to it.
pub(super) fn real(path: &Path) -> Result<PathBuf, VerbError> {
    if !path.is_symlink() {
        return Ok(path.to_owned());
    }
    path.canonicalize().map_err(|why| VerbError(format!("windfall: {}: {why}", path.display())))
}

/// Refuses a file that cannot be replaced as a whole.
pub(super) fn check(path: &Path) -> Result<(), VerbError> {
    let folder = folder(path);
    let why = match (path.metadata(), access(folder, Access::WRITE_OK | Access::EXEC_OK)) {
        (Ok(data), _) if data.is_file() && data.nlink() > 1 => {
            format!(
                "it has {} names (hard links), and one alone would get the new text",
                data.nlink()
            )
        }
        (Ok(data), Err(why)) if data.is_file() => {
            let why = io::Error::from(why);
            format!(
                "it is replaced as a whole, and this user cannot make a file in `{}`: {why}",
                folder.display()
            )
        }
        _ => return Ok(()),
    };
    Err(VerbError(format!("windfall: {}: {why}; {}", path.display(), by_hand(path))))
}

/// Gives the file that takes the place of another its owner, mode and extended attributes.
pub(super) fn keep(from: &Path, old: &Metadata, to: &File) -> io::Result<()> {
    let lost = |what: String, why: io::Error| {
        let why = format!("{what} would be lost ({why}); {}", by_hand(from));
        io::Error::other(why)
    };
    let new = to.metadata()?;
    if (new.uid(), new.gid()) != (old.uid(), old.gid()) {
        let owner = format!("its owner (user {}, group {})", old.uid(), old.gid());
        fchown(to, Some(old.uid()), Some(old.gid())).map_err(|why| lost(owner, why))?;
    }
    to.set_permissions(old.permissions())?;
    let mut buffer = vec![0; LONGEST];
    let length = match listxattr(from, &mut buffer[..]) {
        Ok(length) => length,
        Err(rustix::io::Errno::OPNOTSUPP) => 0,
        Err(why) => return Err(lost("its extended attributes".to_owned(), why.into())),
    };
    let names = buffer[..length].split_inclusive(|byte| *byte == 0);
    for name in names.filter_map(|name| CStr::from_bytes_with_nul(name).ok()) {
        let mut value = vec![0; LONGEST];
        getxattr(from, name, &mut value[..])
            .and_then(|length| fsetxattr(to, name, &value[..length], XattrFlags::empty()))
            .map_err(|why| {
                lost(format!("its attribute `{}`", name.to_string_lossy()), why.into())
            })?;
    }
    Ok(())
}

/// The commands that rewrite by hand a file that cannot be replaced.
fn by_hand(path: &Path) -> String {
    let name = quoted(&path.display().to_string());
    format!(
        "`windfall migrate - < {name} > NEW` writes the new text elsewhere, and `cat NEW > {name}` puts it into the file"
    )
}
