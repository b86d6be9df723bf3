//! Why a recording was not exported.

use core::fmt;
use std::io;
use windfall_trace::codec::WriteError;

/// Why a recording was not exported.
#[derive(Debug)]
#[non_exhaustive]
pub enum ExportError {
    /// The ending of a name is of no form.
    Ending {
        /// The output.
        output: String,
    },
    /// The form holds one recording, and there is another.
    Beside,
    /// No event of a text is of use.
    NoRecording {
        /// The recording.
        name: String,
    },
    /// Nothing of a recording could be read.
    Unreadable {
        /// The recording.
        name: String,
        /// Why.
        why: String,
    },
    /// The destination did not take all.
    Write(io::Error),
    /// A compact trace cannot say what the recording does.
    Trace(WriteError),
}

impl ExportError {
    /// Whether it is about the destination, and not about what was to go there.
    #[must_use]
    pub const fn is_of_the_output(&self) -> bool {
        matches!(self, ExportError::Write(_) | ExportError::Trace(_))
    }
}

impl fmt::Display for ExportError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ExportError::Ending { output } => write!(
                f,
                "cannot tell from `{output}` what trace to write; end the name in `.pftrace` (Perfetto), \
                 `.wft` (compact) or `.html` (a page)"
            ),
            ExportError::Beside => {
                f.write_str("`--beside` is for pages; end the name of the output in `.html`")
            }
            ExportError::NoRecording { name } => {
                write!(
                    f,
                    "{name}: none of its events is of a thread or an interrupt; record sched_switch and sched_waking"
                )
            }
            ExportError::Unreadable { name, why } => write!(f, "{name}: {why}"),
            ExportError::Write(why) => why.fmt(f),
            ExportError::Trace(why) => why.fmt(f),
        }
    }
}

impl std::error::Error for ExportError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            ExportError::Write(why) => why.source(),
            ExportError::Trace(why) => why.source(),
            _ => None,
        }
    }
}
