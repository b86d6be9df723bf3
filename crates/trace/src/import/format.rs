//! The texts that can be read: one table, and a file for each.

mod ftrace;
mod perf;

use super::{Aside, Head, Reading};

/// A sort of text, with an event on each line: all that an import has to know of it. [`Format::ALL`] has those that are there; a
/// value of one's own is read as they are, and may take fields of theirs.
#[derive(Clone, Copy, Debug)]
pub struct Format {
    /// Its name, as a user writes it, and as the header of its records names their source.
    pub name: &'static str,
    /// The tools that write it.
    pub help: &'static str,
    /// The command that writes it as it is read best.
    pub command: &'static str,
    /// Reads a line that is no event; it is asked first, with the line without the spaces around it.
    pub aside: fn(&str) -> Option<Aside<'_>>,
    /// Reads the head of an event's line. A text whose format nobody names is of the first one that can.
    pub head: fn(&str) -> Option<Head<'_>>,
    /// Reads the event's own text.
    pub event: fn(&Head<'_>) -> Reading,
}

impl Format {
    /// tracefs `trace` or `trace_pipe`, or `trace-cmd report`.
    pub const FTRACE: &Format = &ftrace::FORMAT;
    /// `perf script`, best as
    /// `perf script --ns --show-lost-events -F comm,pid,tid,cpu,time,event,trace`.
    pub const PERF: &Format = &perf::FORMAT;

    /// All that are tried on a text of unknown format, in this order.
    pub const ALL: &[&Format] = &[Format::FTRACE, Format::PERF];

    /// The format of that name.
    #[must_use]
    pub fn named(name: &str) -> Option<&'static Format> {
        Format::ALL.iter().copied().find(|format| format.name == name)
    }

    /// The formats that a text may be of: the `known` one, or else all.
    pub(super) fn tried<'a>(known: &'a Option<&'static Format>) -> &'a [&'static Format] {
        known.as_ref().map_or(Format::ALL, std::slice::from_ref)
    }
}

impl PartialEq for Format {
    fn eq(&self, other: &Format) -> bool {
        self.name == other.name
    }
}

impl Eq for Format {}

#[cfg(test)]
mod tests;
