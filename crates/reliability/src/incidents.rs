//! A file of incidents: when a system failed or showed an error, in a window in which all of that was written down (CMU 1982, "Baseline non fault tolerant system reliability").
//!
//! Invariants: incidents are in order and inside their window. A file without an incident says so (`none`), since an empty file may be a mistake.
//!
//! Absent: how long a repair took. A system is taken to be as new at the beginning of the window and after each incident; down times must be taken out first.

mod error;

pub use error::{IncidentsError, Place};

use crate::{Sample, at};
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

    /// The same, if its window is over: nobody can have written down what is to come.
    ///
    /// # Errors
    /// [`IncidentsError::NotOver`] when it ends after `now`, which is since 1970.
    pub fn seen_by(self, now: Instant) -> Result<Incidents, IncidentsError> {
        let end = self.window.end;
        if end > now { Err(IncidentsError::NotOver { end, now }) } else { Ok(self) }
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

    /// How many of a kind.
    #[must_use]
    pub fn count(&self, kind: Kind) -> usize {
        self.list.iter().filter(|incident| incident.kind == kind).count()
    }

    /// The spans from the window's begin to the first incident of a kind, from each to the next, and from the last to the window's end, which is cut off there. Incidents of another kind are passed over.
    ///
    /// An incident at the time of another, or at the window's begin, ends no span and is none of the sample's events.
    #[must_use]
    pub fn sample(&self, kind: Kind) -> Sample {
        let (mut ended, mut before) = (Vec::new(), self.window.begin);
        for incident in self.list.iter().filter(|incident| incident.kind == kind) {
            if incident.at > before {
                ended.push(incident.at - before);
            }
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
