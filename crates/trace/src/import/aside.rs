//! Lines that are no events: headings, comments, and words on what was lost.

/// A line that is no event.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Aside<'a> {
    /// A heading or a comment.
    Heading(Heading<'a>),
    /// Only that events were lost, at a time that the line does not give.
    Loss {
        /// Of which processor, if the line says so.
        cpu: Option<u16>,
        /// How many, if the line says so.
        count: Option<u64>,
    },
}

/// Facts of the recording that a heading gives; by default none.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct Heading<'a> {
    /// How many processors the machine has.
    pub processors: Option<u16>,
    /// The name of the clock.
    pub clock: Option<&'a str>,
    /// How many events the recording no longer has.
    pub lost: Option<u64>,
}
