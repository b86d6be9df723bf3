//! Whether messages of undone work are taken back.

/// The fate of events whose cause is undone.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Cancellation {
    /// They are taken back at once, with all that came of them.
    Aggressive,
    /// They are taken back when their cause is handled again and does not send them again.
    Lazy,
    /// They are sent only when their cause is certain, so that none is ever taken back.
    WithoutRisk,
}
