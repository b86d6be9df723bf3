//! The files of a folder.

use std::path::Path;

/// The names of all that is in a folder, in order.
pub(crate) fn names(folder: &Path) -> Vec<String> {
    let files = std::fs::read_dir(folder).expect("a folder").flatten();
    let mut names: Vec<String> =
        files.map(|file| file.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}
