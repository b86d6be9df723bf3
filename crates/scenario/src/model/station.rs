//! Stations of the simulated machine: hardware that serves one processor at a time (decision 0044).

use windfall_programs::CallKind;
use windfall_time::Span;

/// One server, first come first served. A processor that visits it stands still until it has been served.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Station {
    /// Its name.
    pub name: String,
    /// How long it serves each visit; above zero.
    pub service: Span,
    /// The calls each of which visits it, beside steps that name it.
    pub calls: Vec<StationCall>,
}

/// A call that may visit stations: what the machine does for a thread or a scheduler, or a call of a process.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[non_exhaustive]
pub enum StationCall {
    /// Each switch to a thread.
    Switch,
    /// Each switch to a thread that last ran on another processor.
    Migration,
    /// Each event sent to the hierarchy.
    Decision,
    /// Each notification that a scheduler receives because of it.
    Notification,
    /// Each timer of a scheduler that expires.
    Timer,
    /// Each call of a process of this kind.
    Process(CallKind),
}

impl StationCall {
    /// The calls of the machine, as they are written.
    pub const OF_MACHINE: [(&'static str, StationCall); 5] = [
        ("switch", StationCall::Switch),
        ("migration", StationCall::Migration),
        ("decision", StationCall::Decision),
        ("notification", StationCall::Notification),
        ("timer", StationCall::Timer),
    ];

    /// All calls, as they are written.
    pub fn all() -> impl Iterator<Item = (&'static str, StationCall)> + Clone {
        let processes = CallKind::ALL.map(|(name, kind)| (name, StationCall::Process(kind)));
        StationCall::OF_MACHINE.into_iter().chain(processes)
    }

    /// The call as it is written.
    #[must_use]
    pub fn text(self) -> &'static str {
        StationCall::all().find(|(_, call)| *call == self).map_or("", |(text, _)| text)
    }
}

impl Station {
    /// A station that no call visits.
    #[must_use]
    pub fn new(name: impl Into<String>, service: Span) -> Station {
        Station { name: name.into(), service, calls: Vec::new() }
    }

    /// The same, visited by each of these calls.
    #[must_use]
    pub fn calls(mut self, calls: Vec<StationCall>) -> Station {
        self.calls = calls;
        self
    }
}
