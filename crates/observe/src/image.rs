//! The code that a process executes, and how to recognise the same code again (HLS 8.5.1).

use sha2::{Digest, Sha256};
use std::collections::BTreeSet;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

/// The files that a process executes.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Image {
    /// The program.
    pub executable: PathBuf,
    /// Shared libraries.
    pub libraries: BTreeSet<PathBuf>,
}

impl Image {
    /// The image of a process; `None` if it has ended, or its files may not be read.
    #[must_use]
    pub fn of(pid: i32) -> Option<Image> {
        let executable = std::fs::read_link(format!("/proc/{pid}/exe")).ok()?;
        let maps = std::fs::read_to_string(format!("/proc/{pid}/maps")).ok()?;
        let mapped = maps.lines().filter_map(|line| {
            let path = line.find('/').and_then(|at| line.get(at..))?;
            let executed = line.split(' ').nth(1)?.contains('x');
            executed.then(|| PathBuf::from(path)).filter(|path| *path != executable)
        });
        let libraries = mapped.collect();
        Some(Image { executable, libraries })
    }
}

/// The SHA-256 of a file, as 64 hexadecimal digits.
///
/// # Errors
/// When it cannot be read.
pub fn checksum(path: &Path) -> io::Result<String> {
    let mut hasher = Sha256::new();
    io::copy(&mut File::open(path)?, &mut hasher)?;
    Ok(hasher.finalize().iter().map(|byte| format!("{byte:02x}")).collect())
}

/// The file that a command's first word means: a path, or a name that is looked for in `PATH`.
#[must_use]
pub fn found(program: &str) -> Option<PathBuf> {
    if program.contains('/') {
        return Path::new(program).canonicalize().ok();
    }
    let path = std::env::var_os("PATH")?;
    let all = std::env::split_paths(&path).map(|folder| folder.join(program));
    all.filter(|file| file.is_file()).find_map(|file| file.canonicalize().ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paper_the_checksum_is_sha_256() {
        let path = std::env::temp_dir().join(format!("windfall-checksum-{}", std::process::id()));
        std::fs::write(&path, "abc").unwrap();
        let sum = checksum(&path);
        std::fs::remove_file(&path).unwrap();
        let fips_180 = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(sum.unwrap(), fips_180);
    }

    #[test]
    fn accepts_oneself() {
        let own = Image::of(std::process::id().cast_signed()).unwrap();
        assert_eq!(own.executable, std::env::current_exe().unwrap());
        assert!(own.libraries.iter().any(|file| file.to_string_lossy().contains("libc")));
    }
}
