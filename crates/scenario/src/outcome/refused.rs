//! Requests that the checker refuses.

use crate::Guarantee;

/// A refused request, with the reason.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Refused {
    /// The thread's or the scheduler's name.
    pub owner: String,
    /// Which of the scheduler's own virtual processors; `None` for a thread.
    pub own: Option<u16>,
    /// The name of that virtual processor: its owner's, or `owner/own` where a scheduler has several.
    pub name: String,
    /// The scheduler that it was asked of.
    pub parent: String,
    /// The requested guarantee.
    pub requested: Guarantee,
    /// Why it is not promised.
    pub why: String,
}

impl core::fmt::Display for Refused {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        let Refused { requested, name, parent, why, .. } = self;
        // What the scheduler lacks, or has to give; other reasons speak of the one that asks.
        let of_parent =
            |rest: &&str| ["needs ", "gives "].iter().any(|verb| rest.starts_with(verb));
        match why.strip_prefix("it ").filter(of_parent) {
            Some(rest) => write!(f, "{requested} for {name}: {parent} {rest}"),
            None => write!(f, "{requested} for {name}: {why}"),
        }
    }
}
