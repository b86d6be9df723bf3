//! The exit status of a command, which a run does not report.

use std::fs::DirBuilder;
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};

/// A shell that waits for the command and keeps its exit status in a file.
const SHELL: &str = "to=$1; shift; \"$@\"; echo $? > \"$to\"";

/// A place where a command leaves its exit status: a folder that only this user can write to, removed when this is dropped.
#[derive(Debug)]
pub struct KeptStatus {
    folder: PathBuf,
    /// Where the shell leaves it.
    file: String,
}

impl KeptStatus {
    /// Makes the folder.
    ///
    /// # Errors
    /// When that is not possible, with its name; or when that is no text, which a shell could not be given.
    pub fn new() -> io::Result<KeptStatus> {
        static MADE: AtomicU32 = AtomicU32::new(0);
        let name =
            format!("windfall-run-{}-{}", std::process::id(), MADE.fetch_add(1, Ordering::Relaxed));
        let folder = std::env::temp_dir().join(name);
        let trouble = |kind, why: &str| {
            let folder = folder.display();
            io::Error::new(
                kind,
                format!(
                    "cannot keep the command's status in {folder}: {why}; set TMPDIR to a folder that can be written"
                ),
            )
        };
        let file = folder
            .join("status")
            .into_os_string()
            .into_string()
            .map_err(|_| trouble(io::ErrorKind::InvalidInput, "the path is not text"))?;
        // Of an earlier process of this number, which was killed; nobody else's is removed.
        let _ = std::fs::remove_dir_all(&folder);
        let made = DirBuilder::new().mode(0o700).create(&folder);
        made.map_err(|why| trouble(why.kind(), &why.to_string()))?;
        Ok(KeptStatus { folder, file })
    }

    /// The words that carry a command out and leave its status.
    #[must_use]
    pub fn of(&self, command: &[String]) -> Vec<String> {
        let shell = ["sh", "-c", SHELL, "windfall", &self.file];
        shell.into_iter().chain(command.iter().map(String::as_str)).map(str::to_owned).collect()
    }

    /// The status; `None` of a command that did not end by itself.
    #[must_use]
    pub fn get(&self) -> Option<u8> {
        std::fs::read_to_string(&self.file).ok()?.trim().parse().ok()
    }
}

impl Drop for KeptStatus {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.folder); // what is left is empty, or a number
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    #[test]
    fn law_a_status_is_kept_and_its_folder_is_not() {
        let kept = KeptStatus::new().unwrap();
        assert_eq!(kept.get(), None);
        for (command, status) in [("exit 7", 7), ("exec false", 1), ("true", 0)] {
            let words = kept.of(&["sh", "-c", command].map(str::to_owned));
            assert!(Command::new(&words[0]).args(&words[1..]).status().unwrap().success());
            assert_eq!(kept.get(), Some(status), "{command}");
        }
        let folder = kept.folder.clone();
        assert!(folder.is_dir());
        drop(kept);
        assert!(!folder.exists());
    }
}
