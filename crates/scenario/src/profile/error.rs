//! Why a profile cannot be read, or does not fit a thread.

use super::VERSION;
use crate::text::TextError;
use core::fmt;
use std::io;
use std::path::PathBuf;

/// Why a profile, or the executable to compare with, cannot be read, or does not fit a thread.
#[derive(Debug)]
#[non_exhaustive]
pub enum ProfileError {
    /// There is none of that name; with the path that it would have, if that is known.
    Absent(Option<PathBuf>),
    /// The name cannot be that of a profile.
    InvalidName(String),
    /// The folder of profiles is unknown.
    NoFolder,
    /// The file cannot be read, or is no profile.
    In(PathBuf, Box<ProfileError>),
    /// The file cannot be read.
    Text(TextError),
    /// The text is no profile.
    Syntax(toml::de::Error),
    /// The profile has another version than the one that is read.
    Version(u32),
    /// The thread names no program.
    NoProgram,
    /// No entry of this name names a program.
    UnknownProgram(String),
    /// No executable of this name is found.
    NoExecutable(String),
    /// The executable of the process with this number cannot be read.
    Process(u32),
    /// The form in which the program is named does not determine an executable.
    NoOneExecutable,
    /// The executable at this path cannot be read.
    Executable(PathBuf, io::Error),
    /// The program is another one than the profile's.
    Changed {
        /// The path of the profile's executable.
        profiled: String,
        /// Its SHA-256.
        sha256: String,
        /// The path of the program.
        path: String,
        /// The SHA-256 of the program.
        own_sha256: String,
    },
    /// None of the profile's threads is periodic.
    NonePeriodic,
    /// No periodic thread of the profile has the name and the routine.
    NoneFits {
        /// The pattern of the name.
        name: String,
        /// The pattern of the routine, where there is one.
        routine: Option<String>,
        /// The periodic threads that there are.
        periodic: Vec<String>,
    },
    /// Several kinds of threads fit.
    SeveralFit(Vec<String>),
    /// Amount and period of this thread in the profile are no times, or the amount is more than the period.
    NoTimes(String),
}

impl fmt::Display for ProfileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ProfileError::Absent(None) => f.write_str("there is no such profile"),
            ProfileError::Absent(Some(place)) => {
                write!(f, "there is no such profile; your own would be `{}`", place.display())
            }
            ProfileError::InvalidName(name) => {
                write!(f, "`{name}` is not a name for a profile; use letters and digits")
            }
            ProfileError::NoFolder => {
                f.write_str("no place for profiles; set XDG_CONFIG_HOME or HOME")
            }
            ProfileError::In(place, why) => write!(f, "{}: {why}", place.display()),
            ProfileError::Text(why) => why.fmt(f),
            ProfileError::Syntax(why) => why.fmt(f),
            ProfileError::Version(version) => {
                write!(f, "it is of version {version}; this program reads {VERSION}")
            }
            ProfileError::NoProgram => f.write_str("this thread names no program"),
            ProfileError::UnknownProgram(name) | ProfileError::NoExecutable(name) => {
                write!(f, "there is no program `{name}`")
            }
            ProfileError::Process(pid) => {
                write!(f, "what process {pid} executes cannot be read")
            }
            ProfileError::NoOneExecutable => f.write_str(
                "the executable is known of `exec` and `pid` only; name the program by one of these",
            ),
            ProfileError::Executable(path, why) => write!(f, "{}: {why}", path.display()),
            ProfileError::Changed { profiled, sha256, path, own_sha256 } => write!(
                f,
                "it was made for `{profiled}` with SHA-256 {}..., but `{path}` has {}...: the program has changed",
                sha256.chars().take(12).collect::<String>(),
                own_sha256.chars().take(12).collect::<String>(),
            ),
            ProfileError::NonePeriodic => f.write_str("none of its threads is periodic"),
            ProfileError::NoneFits { name, routine, periodic } => {
                write!(f, "none of its periodic threads is called `{name}`")?;
                if let Some(routine) = routine {
                    write!(f, " and starts at `{routine}`")?;
                }
                write!(f, ", but {}", periodic.join(", "))
            }
            ProfileError::SeveralFit(threads) => write!(
                f,
                "it has several kinds of threads ({}); choose one by `match = {{ comm = \"..\", routine = \"..\" }}`",
                threads.join(", ")
            ),
            ProfileError::NoTimes(name) => {
                write!(f, "amount and period of `{name}` there are no times")
            }
        }
    }
}

impl std::error::Error for ProfileError {}

impl From<TextError> for ProfileError {
    fn from(why: TextError) -> ProfileError {
        ProfileError::Text(why)
    }
}
