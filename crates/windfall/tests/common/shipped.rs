//! A folder of its own for a test, with the shipped scenarios in it.

use std::path::{Path, PathBuf};

/// The project's root.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// An empty folder of this name below that of tests, then the scenarios.
pub(crate) fn scratch(name: impl AsRef<Path>) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&folder);
    for below in ["scenarios", "scenarios/recorded"] {
        std::fs::create_dir_all(folder.join(below)).unwrap();
        for entry in std::fs::read_dir(root().join(below)).unwrap() {
            let path = entry.unwrap().path();
            if path.is_file() {
                std::fs::copy(&path, folder.join(below).join(path.file_name().unwrap())).unwrap();
            }
        }
    }
    folder
}
