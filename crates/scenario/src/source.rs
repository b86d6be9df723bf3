//! Where the parts of a scenario stand: files, positions, and a place for each path.
//!
//! Files are numbered one after the other in a single line of positions, so that a position alone
//! names its file, as a compiler does it.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

/// One file that was read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SourceFile {
    /// As the user named it.
    pub name: String,
    /// Its text.
    pub text: String,
    /// The position of its first byte.
    pub start: usize,
}

/// The files that were read, and where in them each part of the scenario stands.
///
/// Equal to any other, so that scenarios are compared by what they mean.
#[derive(Clone, Debug, Default)]
pub struct Origin {
    pub(crate) files: Arc<Vec<SourceFile>>,
    pub(crate) places: Arc<BTreeMap<String, Place>>,
}

/// Where a key and its value stand.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Place {
    pub(crate) key: Range<usize>,
    pub(crate) value: Range<usize>,
}

impl PartialEq for Origin {
    fn eq(&self, _: &Origin) -> bool {
        true
    }
}

impl Eq for Origin {}

impl Origin {
    /// The files, the scenario's own first; none when it was made in code.
    #[must_use]
    pub fn files(&self) -> &[SourceFile] {
        &self.files
    }
}
