//! Why a request of a program was not carried out.

use core::fmt;
use std::io;
use std::path::PathBuf;

/// Why a request was not carried out, or no more notices come. A refused request has changed nothing.
#[derive(Debug)]
#[non_exhaustive]
pub enum ClientError {
    /// The run refused it.
    Refused {
        /// The request.
        requested: String,
        /// The reason.
        why: String,
        /// A suggestion that would work; may be empty.
        help: String,
    },
    /// The run cannot be reached.
    Unreachable {
        /// Its socket.
        socket: PathBuf,
        /// The error of the system.
        error: io::Error,
    },
    /// The run has sent an invalid answer.
    Answer(String),
    /// The run, or the thread, has ended: no more notices come.
    Ended,
    /// The number of the calling thread is not known.
    Tid(io::Error),
}

impl fmt::Display for ClientError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ClientError::Refused { requested, why, help } if help.is_empty() => {
                write!(f, "{requested}: {why}")
            }
            ClientError::Refused { requested, why, help } => {
                write!(f, "{requested}: {why}; {help}")
            }
            ClientError::Unreachable { socket, error } => write!(
                f,
                "the run at {} cannot be reached: {error}; start `windfall run`, or set WINDFALL_SOCKET",
                socket.display()
            ),
            ClientError::Answer(line) => {
                write!(f, "the run has answered `{line}`; use the same version on both ends")
            }
            ClientError::Ended => f.write_str("the run or the thread has ended"),
            ClientError::Tid(error) => {
                write!(f, "the thread's number is not known: {error}; mount /proc")
            }
        }
    }
}

impl std::error::Error for ClientError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            ClientError::Unreachable { error, .. } | ClientError::Tid(error) => Some(error),
            _ => None,
        }
    }
}
