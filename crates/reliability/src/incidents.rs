//! A file of incidents: when a system failed or showed an error, in a window in which all of that was written down (CMU 1982, "Baseline non fault tolerant system reliability").
//!
//! Invariants: incidents are in order and inside their window. A file without an incident says so (`none`), since an empty file may be a mistake.
//!
//! Absent: how long a repair took. A system is taken to be as new at the beginning of the window and after each incident; down times must be taken out first.

use crate::{Sample, at};
use core::fmt;
use windfall_time::{Instant, Span};

/// The kind of an incident.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum Kind {
    /// The system did not do what it was there for: counts for the mean time to failure (MTTF).
    Failure,
    /// Something was found wrong, and the system went on: counts for the mean time to error (MTTE).
    Error,
}

impl Kind {
    /// Every kind and how it is written.
    pub const ALL: [(Kind, &str); 2] = [(Kind::Failure, "failure"), (Kind::Error, "error")];
}

/// An incident.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Incident {
    /// When, since 1970.
    pub at: Instant,
    /// Its kind.
    pub kind: Kind,
    /// In words; may be empty.
    pub text: String,
}

impl Incident {
    /// An incident.
    #[must_use]
    pub fn new(at: Instant, kind: Kind, text: impl Into<String>) -> Incident {
        Incident { at, kind, text: text.into() }
    }
}

/// From when to when all incidents were written down.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Window {
    begin: Instant,
    end: Instant,
}

impl Window {
    /// From `begin` to `end`, since 1970.
    ///
    /// # Errors
    /// [`IncidentsError::Window`] when it does not end after it begins.
    pub fn new(begin: Instant, end: Instant) -> Result<Window, IncidentsError> {
        if begin < end {
            Ok(Window { begin, end })
        } else {
            Err(IncidentsError::Window { place: None, begin, end })
        }
    }

    /// Its begin.
    #[must_use]
    pub const fn begin(&self) -> Instant {
        self.begin
    }

    /// Its end.
    #[must_use]
    pub const fn end(&self) -> Instant {
        self.end
    }

    /// How long it is.
    #[must_use]
    pub fn length(&self) -> Span {
        self.end - self.begin
    }
}

/// Incidents in a window, in order.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Incidents {
    window: Window,
    list: Vec<Incident>,
}

impl Incidents {
    /// Incidents of a window. An empty list says that none occurred.
    ///
    /// # Errors
    /// With the place in the list, from 1: when one lies outside the window or before the one above it.
    pub fn new(window: Window, list: Vec<Incident>) -> Result<Incidents, IncidentsError> {
        let mut last = None;
        for (incident, place) in list.iter().zip(1..) {
            admit(&window, last, incident.at, Place::Incident(place))?;
            last = Some(incident.at);
        }
        Ok(Incidents { window, list })
    }

    /// Reads a file: `window BEGIN END`, then one incident a line as `TIME failure|error WORDS`, or the line `none`. `#` begins a comment line.
    ///
    /// # Errors
    /// With the line: what it says, and what is allowed.
    pub fn read(text: &str) -> Result<Incidents, IncidentsError> {
        let (mut window, mut list, mut is_none) = (None, Vec::new(), None);
        let mut last = None;
        for (line, number) in text.lines().map(str::trim).zip(1..) {
            let place = Place::Line(number);
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let Some(window) = window else {
                window = Some(read_window(line, place)?);
                continue;
            };
            if line == "none" {
                is_none = Some(place);
                continue;
            }
            let incident = read_incident(line, place)?;
            admit(&window, last, incident.at, place)?;
            last = Some(incident.at);
            list.push(incident);
        }
        let window = window.ok_or(IncidentsError::NoWindow)?;
        match is_none {
            None if list.is_empty() => Err(IncidentsError::Empty),
            Some(place) if !list.is_empty() => {
                Err(IncidentsError::NotNone { place, incidents: list.len() })
            }
            _ => Ok(Incidents { window, list }),
        }
    }

    /// The window.
    #[must_use]
    pub const fn window(&self) -> Window {
        self.window
    }

    /// The incidents, in order.
    #[must_use]
    pub fn list(&self) -> &[Incident] {
        &self.list
    }

    /// The same, without those that follow one of their kind by at most `within`: several lines of one crash are one incident.
    #[must_use]
    pub fn merged(mut self, within: Span) -> Incidents {
        let mut last: Vec<(Kind, Instant)> = Vec::new();
        self.list.retain(|incident| {
            let known = last.iter_mut().find(|(kind, _)| *kind == incident.kind);
            let Some((_, before)) = known else {
                last.push((incident.kind, incident.at));
                return true;
            };
            let since = incident.at - *before;
            *before = incident.at;
            since > within
        });
        self
    }

    /// The spans from the window's begin to the first incident of a kind, from each to the next, and from the last to the window's end, which is cut off there. Incidents of another kind are passed over.
    #[must_use]
    pub fn sample(&self, kind: Kind) -> Sample {
        let (mut ended, mut before) = (Vec::new(), self.window.begin);
        for incident in self.list.iter().filter(|incident| incident.kind == kind) {
            ended.push(incident.at - before);
            before = incident.at;
        }
        Sample::new(ended, vec![self.window.end - before])
    }
}

fn read_window(line: &str, place: Place) -> Result<Window, IncidentsError> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let ["window", begin, end] = words[..] else {
        return Err(IncidentsError::WindowFirst { place, found: line.to_owned() });
    };
    let (begin, end) = (read_time(begin, place)?, read_time(end, place)?);
    let in_file = Err(IncidentsError::Window { place: Some(place), begin, end });
    Window::new(begin, end).or(in_file)
}

fn read_incident(line: &str, place: Place) -> Result<Incident, IncidentsError> {
    let (time, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let at = read_time(time, place)?;
    let (word, text) = rest.trim().split_once(char::is_whitespace).unwrap_or((rest.trim(), ""));
    let kind = Kind::ALL.iter().find(|(_, name)| *name == word);
    let Some((kind, _)) = kind else {
        return Err(IncidentsError::Kind { place, found: word.to_owned() });
    };
    Ok(Incident::new(at, *kind, text.trim()))
}

fn read_time(text: &str, place: Place) -> Result<Instant, IncidentsError> {
    at::read(text).ok_or_else(|| IncidentsError::Time { place, found: text.to_owned() })
}

fn admit(
    window: &Window,
    last: Option<Instant>,
    at: Instant,
    place: Place,
) -> Result<(), IncidentsError> {
    if at > window.end {
        return Err(IncidentsError::Future { place, at, end: window.end });
    }
    if at < window.begin {
        return Err(IncidentsError::Past { place, at, begin: window.begin });
    }
    match last {
        Some(before) if at < before => Err(IncidentsError::Order { place, at, before }),
        _ => Ok(()),
    }
}

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
