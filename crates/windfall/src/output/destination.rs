//! Where the results of a verb go: files, which are whole or not there, and standard output.
//!
//! Invariant: every output of every verb is claimed here before any work is done, so a mistake in a name costs no time.

use super::draft::Draft;
use super::{rewritten, stream};
use crate::VerbError;
use rustix::fs::{Access, access};
use std::io;
use std::path::{Path, PathBuf};

/// How standard input and standard output are written on the command line.
pub(crate) const STANDARD: &str = "-";

/// Whether a path means standard input or standard output.
pub(crate) fn is_standard(path: &Path) -> bool {
    path == Path::new(STANDARD)
}

/// How messages call what is read.
pub(crate) fn input_name(path: &Path) -> String {
    if is_standard(path) { "standard input".to_owned() } else { path.display().to_string() }
}

/// All that one call of the command writes.
#[derive(Debug, Default)]
pub(crate) struct Destinations {
    /// Whether files that are there may be replaced.
    force: bool,
    /// The input files, which no output may replace.
    inputs: Vec<PathBuf>,
    /// Each output that was claimed, and the option that named it.
    claimed: Vec<(String, PathBuf)>,
    /// The option whose document goes to standard output.
    standard: Option<String>,
}

/// One output, before anything is written to it.
#[derive(Clone, Debug)]
pub(crate) struct Destination {
    pub(super) path: PathBuf,
    pub(super) force: bool,
    pub(super) kind: Kind,
    /// Whether it is a file that is rewritten: its owner and all else that it is stays.
    pub(super) rewritten: bool,
}

/// The kind of an output.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    /// Standard output.
    Standard,
    /// A pipe or a device: it holds nothing that could be lost, and is written to as it is.
    Stream,
    /// A file that is there as soon as it is whole.
    File,
}

impl Destinations {
    /// Outputs beside what is read. With `force`, files that are there are replaced.
    pub(crate) fn new<'a>(
        force: bool,
        inputs: impl IntoIterator<Item = &'a Path>,
    ) -> Result<Destinations, VerbError> {
        let inputs: Vec<PathBuf> = inputs.into_iter().map(Path::to_owned).collect();
        if inputs.iter().filter(|path| is_standard(path)).count() > 1 {
            return Err(VerbError(
                "windfall: standard input (`-`) is named for two inputs; name a file for one of them"
                    .to_owned(),
            ));
        }
        Ok(Destinations { force, inputs, ..Destinations::default() })
    }

    /// Standard output is for the document of this option, as `--json`.
    pub(crate) fn claim_standard(&mut self, option: &str) -> Result<(), VerbError> {
        if let Some(other) = &self.standard {
            return Err(VerbError(format!(
                "windfall: {other} and {option} both go to standard output; name a file for one of them"
            )));
        }
        self.standard = Some(option.to_owned());
        Ok(())
    }

    /// Where standard output has a document, what started programs print goes to standard error. To be called when all is
    /// claimed.
    #[cfg(feature = "machine")]
    pub(crate) fn keep_programs_apart(&self) -> Result<(), VerbError> {
        match self.standard {
            Some(_) => stream::keep_for_document()
                .map_err(|error| VerbError(format!("windfall: standard output: {error}"))),
            None => Ok(()),
        }
    }

    /// An output that an option names. Nothing is touched.
    pub(crate) fn claim(&mut self, option: &str, path: &Path) -> Result<Destination, VerbError> {
        let force = self.force;
        let found = |kind| Destination { path: path.to_owned(), force, kind, rewritten: false };
        if is_standard(path) || path == Path::new("/dev/stdout") {
            let standard = found(Kind::Standard);
            self.claim_standard(&format!("`{option} -`"))?;
            return Ok(standard);
        }
        let name = path.display();
        if let Some(input) = self.inputs.iter().find(|input| same(input, path)) {
            let read = input_name(input);
            return Err(VerbError(format!(
                "windfall: {name} is the input (`{read}`); name another file for the output"
            )));
        }
        if let Some((other, _)) = self.claimed.iter().find(|(_, other)| same(other, path)) {
            return Err(VerbError(format!(
                "windfall: {other} and `{option}` both name {name}; name another file for one of them"
            )));
        }
        let claimed = match path.metadata() {
            Ok(data) if data.is_dir() => {
                return Err(VerbError(format!("windfall: {name} is a folder; name a file in it")));
            }
            Ok(data) if !data.is_file() => {
                may(path, Access::WRITE_OK, "write to it")
                    .map_err(|why| VerbError(format!("windfall: {name}: {why}")))?;
                found(Kind::Stream)
            }
            _ if path.symlink_metadata().is_ok() && !self.force => return Err(is_there(path)),
            _ => {
                let folder = folder(path);
                if !folder.is_dir() {
                    let why = format!("there is no folder `{}`; make it first", folder.display());
                    return Err(VerbError(format!("windfall: {name}: {why}")));
                }
                let asked = format!("make a file in `{}`", folder.display());
                may(folder, Access::WRITE_OK | Access::EXEC_OK, &asked)
                    .map_err(|why| VerbError(format!("windfall: {name}: {why}")))?;
                found(Kind::File)
            }
        };
        self.claimed.push((format!("`{option}`"), path.to_owned()));
        Ok(claimed)
    }

    /// The file that an argument names, to be rewritten in place.
    pub(crate) fn claim_rewritten(
        &mut self,
        argument: &str,
        path: &Path,
    ) -> Result<Destination, VerbError> {
        if is_standard(path) {
            return self.claim(argument, path);
        }
        let path = rewritten::real(path)?;
        rewritten::check(&path)?;
        Ok(Destination { rewritten: true, ..self.claim(argument, &path)? })
    }

    /// Prints what people read: to standard output, or to standard error where that holds a document.
    pub(crate) fn print(&self, text: &str) -> Result<(), VerbError> {
        if self.standard.is_some() {
            super::print_error(text);
            return Ok(());
        }
        super::print_text(text)
    }

    /// Prints a result: as JSON, for which standard output was claimed, or as text for people.
    pub(crate) fn show(
        &self,
        json: bool,
        value: impl FnOnce() -> serde_json::Value,
        text: impl FnOnce(Option<usize>) -> String,
    ) -> Result<(), VerbError> {
        if json { super::print_json(value()) } else { self.print(&text(self.width())) }
    }

    /// How many characters a line has where [`Self::print`] prints, if that is a terminal.
    pub(crate) fn width(&self) -> Option<usize> {
        if self.standard.is_some() { super::error_width() } else { super::width() }
    }
}

impl Destination {
    /// The extension of its name; `or` for standard output, which has no name.
    pub(crate) fn extension<'a>(&'a self, or: &'a str) -> &'a str {
        match self.kind {
            Kind::Standard => or,
            _ => self.path.extension().and_then(|extension| extension.to_str()).unwrap_or(""),
        }
    }

    /// How messages call it.
    pub(crate) fn name(&self) -> String {
        match self.kind {
            Kind::Standard if stream::is_null() => "/dev/null".to_owned(),
            Kind::Standard => "standard output".to_owned(),
            _ => self.path.display().to_string(),
        }
    }

    /// The line for people that it was written, and `more` of it.
    pub(crate) fn wrote(&self, more: &str) -> String {
        if self.kind == Kind::Standard && stream::was_left() {
            return "the reader of standard output went away before all was written\n".to_owned();
        }
        let to = if self.kind == Kind::Standard { "to " } else { "" };
        format!("wrote {to}{}{more}\n", self.name())
    }

    /// Begins to write. A file that is there stays until [`Draft::commit`].
    pub(crate) fn open(&self) -> Result<Draft, VerbError> {
        Draft::new(self).map_err(|error| self.write_error(&error))
    }

    /// Writes it whole, or not at all.
    pub(crate) fn write(
        &self,
        fill: impl FnOnce(&mut Draft) -> io::Result<()>,
    ) -> Result<(), VerbError> {
        let mut draft = self.open()?;
        fill(&mut draft).map_err(|error| self.write_error(&error))?;
        draft.commit()
    }

    /// Why nothing was written.
    pub(crate) fn write_error(&self, error: &dyn std::fmt::Display) -> VerbError {
        let kept = if self.kind == Kind::File { "; nothing was written there" } else { "" };
        VerbError(format!("windfall: {}: {error}{kept}", self.name()))
    }
}

/// The refusal of a file that is there.
pub(super) fn is_there(path: &Path) -> VerbError {
    let name = path.display();
    VerbError(format!("windfall: {name} exists; replace it with `--force`, or name another file"))
}

/// The folder that a path lies in.
pub(super) fn folder(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// Refuses what this user may not do at a place, before hours of work go there.
fn may(place: &Path, what: Access, asked: &str) -> Result<(), String> {
    access(place, what).map_err(|why| {
        let why = io::Error::from(why);
        format!("this user cannot {asked}: {why}; name another place, or change its rights")
    })
}

/// Whether two paths mean one place, which need not exist.
fn same(one: &Path, other: &Path) -> bool {
    let real = |path: &Path| {
        path.canonicalize()
            .ok()
            .or_else(|| Some(folder(path).canonicalize().ok()?.join(path.file_name()?)))
    };
    real(one).zip(real(other)).is_some_and(|(one, other)| one == other)
}
