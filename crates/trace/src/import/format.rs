//! The texts that can be read: one table, and a file for each.

mod ftrace;
mod perf;

use super::line::Head;

/// A sort of text: one of [`Format::ALL`].
#[derive(Debug)]
pub struct Format {
    /// Its name, as a user writes it, and as the header of its records names their source.
    pub name: &'static str,
    /// The tools that write it.
    pub help: &'static str,
    /// Reads the head of an event's line.
    pub(super) head: for<'a> fn(&'a str) -> Option<Head<'a>>,
}

impl Format {
    /// tracefs `trace` or `trace_pipe`, or `trace-cmd report`.
    pub const FTRACE: &Format = &ftrace::FORMAT;
    /// `perf script`, best as
    /// `perf script --ns --show-lost-events -F comm,pid,tid,cpu,time,event,trace`.
    pub const PERF: &Format = &perf::FORMAT;

    /// All of them. A text of unknown format is of the first one that can read its first event.
    pub const ALL: &[&Format] = &[Format::FTRACE, Format::PERF];

    /// The format of that name.
    #[must_use]
    pub fn named(name: &str) -> Option<&'static Format> {
        Format::ALL.iter().copied().find(|format| format.name == name)
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
