//! A recording as a file: Windfall's own format, or the text of ftrace or perf, plain, by gzip or by zstd.

use crate::codec::{ReadError, Reader};
use crate::import::{self, Format, ImportError, Importer, Report};
use crate::{Header, Record};
use std::fmt;
use std::fs::File;
use std::io::{self, BufReader, Chain, Cursor, Read};
use std::os::fd::AsFd;
use std::path::Path;

/// A file whose first bytes have been looked at; it may be a pipe.
pub type Bytes = BufReader<Chain<Cursor<Vec<u8>>, File>>;

/// An iterator over the records of a file, in order of time. After an error that
/// [`SourceError::is_last`] denies, more records may follow; the loss stands before the error.
pub enum Source {
    /// Windfall's own format.
    Own(Box<Reader<Bytes>>),
    /// Text.
    Text(Box<Importer<Bytes>>),
}

/// Why a recording was not read, or not to its end.
#[derive(Debug)]
#[non_exhaustive]
pub enum SourceError {
    /// The file cannot be opened.
    Io(io::Error),
    /// The file is in Windfall's own format.
    Own(ReadError),
    /// The file is text.
    Text(ImportError),
    /// A format of text was named, and the file is in Windfall's own.
    NotText,
}

/// Opens what a command reads: a file, or standard input where `path` is `-`.
///
/// # Errors
/// When it cannot be opened.
pub fn open_input(path: &Path) -> io::Result<File> {
    if path == Path::new("-") {
        return io::stdin().as_fd().try_clone_to_owned().map(File::from);
    }
    File::open(path)
}

impl Source {
    /// Opens a file, or standard input where `path` is `-`; its first bytes tell whether it is text, which is taken as `format`.
    ///
    /// # Errors
    /// When the file cannot be read, is of another version of Windfall's format, or is in that although `format` is a text's.
    pub fn open(path: &Path, format: Option<&'static Format>) -> Result<Source, SourceError> {
        let mut file = open_input(path).map_err(SourceError::Io)?;
        let mut first = Vec::new();
        file.by_ref().take(7).read_to_end(&mut first).map_err(SourceError::Io)?;
        let own = first == *b"WFTRACE";
        let file = BufReader::new(Cursor::new(first).chain(file));
        if own && format.is_some() {
            return Err(SourceError::NotText);
        }
        if own {
            return Reader::new(file)
                .map(|reader| Source::Own(Box::new(reader)))
                .map_err(SourceError::Own);
        }
        Ok(Source::Text(Box::new(import::open(file, format))))
    }

    /// The recording's header; of a text, complete once a record has been given.
    #[must_use]
    pub fn header(&self) -> &Header {
        match self {
            Source::Own(reader) => reader.header(),
            Source::Text(importer) => importer.header(),
        }
    }

    /// Counts of the lines of a text read so far.
    #[must_use]
    pub fn report(&self) -> Option<&Report> {
        match self {
            Source::Own(_) => None,
            Source::Text(importer) => Some(importer.report()),
        }
    }
}

impl Iterator for Source {
    type Item = Result<Record, SourceError>;

    fn next(&mut self) -> Option<Result<Record, SourceError>> {
        match self {
            Source::Own(reader) => reader.next().map(|record| record.map_err(SourceError::Own)),
            Source::Text(importer) => {
                importer.next().map(|record| record.map_err(SourceError::Text))
            }
        }
    }
}

impl SourceError {
    /// Whether nothing follows this error.
    #[must_use]
    pub const fn is_last(&self) -> bool {
        !matches!(self, SourceError::Own(ReadError::Damaged { .. } | ReadError::LaterKinds { .. }))
    }
}

impl fmt::Display for SourceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SourceError::Io(error) => error.fmt(f),
            SourceError::Own(error) => error.fmt(f),
            SourceError::Text(error) => error.fmt(f),
            SourceError::NotText => f.write_str(
                "it is in Windfall's own format, and no text of the format that is named; name none",
            ),
        }
    }
}

impl std::error::Error for SourceError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            SourceError::Io(error) => Some(error),
            SourceError::Own(error) => error.source(),
            SourceError::Text(error) => error.source(),
            SourceError::NotText => None,
        }
    }
}
