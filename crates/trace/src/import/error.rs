//! Why an import stopped.

use super::{Example, Format};
use crate::escape::escaped;
use std::{fmt, io};

/// Why an import ended early, or gave nothing.
#[derive(Debug)]
#[non_exhaustive]
pub enum ImportError {
    /// The source failed, or its compressed form is cut or damaged. A loss precedes this error.
    Io(io::Error),
    /// No line of the source was an event of the format asked for.
    Unrecognised {
        /// The first line that was not understood, if there was one.
        first: Option<Example>,
        /// The format, if one was named or recognised.
        format: Option<&'static Format>,
    },
}

impl fmt::Display for ImportError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ImportError::Io(error) => write!(f, "import: not read completely: {error}"),
            ImportError::Unrecognised { first: None, .. } => {
                f.write_str("import: no events; was tracing on?")
            }
            ImportError::Unrecognised { first: Some(example), format } => {
                let formats = Format::tried(format);
                let names: Vec<&str> = formats.iter().map(|format| format.name).collect();
                let commands: Vec<&str> = formats.iter().map(|format| format.command).collect();
                let other = Format::ALL.iter().find(|other| {
                    !formats.contains(other) && (other.head)(&example.text).is_some()
                });
                if let Some(other) = other {
                    return write!(
                        f,
                        "import: line {}: no event of {} text, but of {}: `{}`; read it as that",
                        example.line,
                        names.join(" or "),
                        other.name,
                        escaped(&example.text)
                    );
                }
                write!(
                    f,
                    "import: line {}: no event of {} text: `{}`; make one with `{}`",
                    example.line,
                    names.join(" or "),
                    escaped(&example.text),
                    commands.join("` or `")
                )
            }
        }
    }
}

impl std::error::Error for ImportError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        if let ImportError::Io(error) = self { Some(error) } else { None }
    }
}
