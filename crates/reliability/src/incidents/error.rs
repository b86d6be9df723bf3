//! Mistakes in incidents and their window: where each is, what is there, and what is allowed.

use crate::at;
use core::fmt;
use windfall_time::Instant;

/// Where something is wrong, from 1.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Place {
    /// A line of a file.
    Line(usize),
    /// An incident of a list.
    Incident(usize),
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Line(number) => write!(f, "line {number}"),
            Place::Incident(number) => write!(f, "incident {number}"),
        }
    }
}

/// Why incidents cannot be read.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum IncidentsError {
    /// No line of the file says a window.
    NoWindow,
    /// The first line is no window.
    WindowFirst {
        /// Where.
        place: Place,
        /// The text there.
        found: String,
    },
    /// A window that does not end after it begins.
    Window {
        /// Where, if it is in a file.
        place: Option<Place>,
        /// Its begin.
        begin: Instant,
        /// Its end.
        end: Instant,
    },
    /// A window that is not over yet.
    NotOver {
        /// Its end.
        end: Instant,
        /// The time.
        now: Instant,
    },
    /// Neither an incident nor `none`.
    Empty,
    /// `none`, and incidents.
    NotNone {
        /// Where `none` is.
        place: Place,
        /// How many incidents there are.
        incidents: usize,
    },
    /// No time.
    Time {
        /// Where.
        place: Place,
        /// The text there.
        found: String,
    },
    /// No kind of incident.
    Kind {
        /// Where.
        place: Place,
        /// The text there.
        found: String,
    },
    /// An incident before the one above it.
    Order {
        /// Where.
        place: Place,
        /// Its time.
        at: Instant,
        /// The time of the one above.
        before: Instant,
    },
    /// An incident after the window.
    Future {
        /// Where.
        place: Place,
        /// Its time.
        at: Instant,
        /// The end of the window.
        end: Instant,
    },
    /// An incident before the window.
    Past {
        /// Where.
        place: Place,
        /// Its time.
        at: Instant,
        /// The begin of the window.
        begin: Instant,
    },
}

/// Seconds since 1970, exactly.
struct Seconds(Instant);

impl fmt::Display for Seconds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (whole, rest) = (self.0.as_nanos() / 1_000_000_000, self.0.as_nanos() % 1_000_000_000);
        if rest == 0 { write!(f, "{whole}") } else { write!(f, "{whole}.{rest:09}") }
    }
}

impl fmt::Display for IncidentsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            IncidentsError::NoWindow => {
                write!(f, "no window of observation; the first line must be `window BEGIN END`")
            }
            IncidentsError::WindowFirst { place, found } => {
                write!(f, "{place}: `{found}` before any window; allowed: `window BEGIN END`")
            }
            IncidentsError::Window { place, begin, end } => {
                if let Some(place) = place {
                    write!(f, "{place}: ")?;
                }
                let (begin, end) = (Seconds(*begin), Seconds(*end));
                write!(
                    f,
                    "a window from {begin} to {end} ends before anything is seen; its end must be after its begin"
                )
            }
            IncidentsError::NotOver { end, now } => write!(
                f,
                "the window ends at {} s, which is to come: it is {} s; end it by now, or its last hours count as free of incidents",
                Seconds(*end),
                Seconds(*now)
            ),
            IncidentsError::Empty => write!(
                f,
                "no incident; if none occurred in the window, write the line `none` (then a bound is known: at least)"
            ),
            IncidentsError::NotNone { place, incidents } => write!(
                f,
                "{place}: `none`, but there are {incidents} incidents; remove the line or them"
            ),
            IncidentsError::Time { place, found } => {
                write!(f, "{place}: `{found}` is no time; allowed: {}", at::ALLOWED)
            }
            IncidentsError::Kind { place, found } => {
                write!(f, "{place}: `{found}` is no kind of incident; allowed: failure, error")
            }
            IncidentsError::Order { place, at, before } => write!(
                f,
                "{place}: {} s is before {} s above it; incidents must be in order of time",
                Seconds(*at),
                Seconds(*before)
            ),
            IncidentsError::Future { place, at, end } => write!(
                f,
                "{place}: {} s is after the window; allowed: up to its end at {} s",
                Seconds(*at),
                Seconds(*end)
            ),
            IncidentsError::Past { place, at, begin } => write!(
                f,
                "{place}: {} s is before the window; allowed: from its begin at {} s on",
                Seconds(*at),
                Seconds(*begin)
            ),
        }
    }
}

impl core::error::Error for IncidentsError {}
