//! Errors of a trace file, by who can act on them.

use std::fmt;
use std::io;

/// Why a trace was not read, or not to its end.
#[derive(Debug)]
#[non_exhaustive]
pub enum ReadError {
    /// The source failed.
    Io(io::Error),
    /// It does not start as a Windfall trace does.
    NotATrace,
    /// It is of another version of the format.
    Version(u8),
    /// It ends before its end block: the program that wrote it was stopped, or the file was cut.
    Truncated {
        /// How many records were read before.
        records: u64,
    },
    /// A block contradicts its checksum or itself. Reading goes on with the next block, if any.
    Damaged {
        /// Which block, the header being 0.
        block: u64,
        /// The number of records lost with it, if a later block gives it.
        lost: Option<u64>,
    },
    /// Bytes follow the end block.
    Trailing,
    /// A later version of this program wrote records of kinds that this one does not know. They were left out.
    LaterKinds {
        /// How many.
        records: u64,
    },
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ReadError::Io(error) => write!(f, "trace: {error}"),
            ReadError::NotATrace => f.write_str(
                "trace: not a windfall trace; import ftrace or perf text with `windfall import`",
            ),
            ReadError::Version(version) => {
                write!(f, "trace: format version {version}; this program reads version 1")
            }
            ReadError::Truncated { records } => write!(
                f,
                "trace: cut off after {records} records; \
                 what followed is lost, and how much is not known"
            ),
            ReadError::Damaged { block, lost: Some(lost) } => {
                write!(f, "trace: block {block} is damaged; {lost} records are lost")
            }
            ReadError::Damaged { block, lost: None } => {
                write!(f, "trace: block {block} is damaged; what it held is lost")
            }
            ReadError::LaterKinds { records } => write!(
                f,
                "trace: {records} records are of kinds that only a later version knows; they are left out"
            ),
            ReadError::Trailing => f.write_str("trace: there is data after the end of the trace"),
        }
    }
}

impl std::error::Error for ReadError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        if let ReadError::Io(error) = self { Some(error) } else { None }
    }
}

/// Why a trace was not written whole.
#[derive(Debug)]
#[non_exhaustive]
pub enum WriteError {
    /// The destination failed; nothing was written from then on.
    Io(io::Error),
    /// Records came with a time before the last one's; each was written with the last one's time.
    OutOfOrder {
        /// How many.
        records: u64,
    },
    /// Records carried a text of more than 1 MiB; each was written as one lost event.
    TooLong {
        /// How many.
        records: u64,
    },
}

impl fmt::Display for WriteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            WriteError::Io(error) => write!(f, "trace: not written completely: {error}"),
            WriteError::OutOfOrder { records } => {
                write!(
                    f,
                    "trace: {records} records were earlier than the last one, and were moved to its time"
                )
            }
            WriteError::TooLong { records } => {
                write!(f, "trace: {records} records had a text of more than 1 MiB and are lost")
            }
        }
    }
}

impl std::error::Error for WriteError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        if let WriteError::Io(error) = self { Some(error) } else { None }
    }
}
