//! A wait for another processor without sleep, with a deadline.

use std::fmt;
use std::hint::spin_loop;
use windfall_clocks::SystemClock;
use windfall_time::{Instant, Span};

/// Longer than a processor that answers lets another wait.
const DEADLINE: Span = Span::from_secs(10);
/// The clock is looked at after so many looks at what is waited for, so that these keep their pace.
const LOOKS: u32 = 1 << 16;

/// One wait.
#[derive(Default)]
pub(crate) struct Spin {
    looks: u32,
    begun: Option<Instant>,
}

/// The other processor did not answer in time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct NoAnswerError;

impl fmt::Display for NoAnswerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the other processor did not answer within {DEADLINE}")
    }
}

impl std::error::Error for NoAnswerError {}

impl Spin {
    /// Looks once more later: it is not there yet.
    ///
    /// # Errors
    /// When it has been waited for too long.
    pub(crate) fn waits(&mut self) -> Result<(), NoAnswerError> {
        spin_loop();
        self.looks += 1;
        if self.looks < LOOKS {
            return Ok(());
        }
        self.looks = 0;
        let now = SystemClock::Monotonic.now();
        let begun = *self.begun.get_or_insert(now);
        if now.saturating_since(begun) < DEADLINE { Ok(()) } else { Err(NoAnswerError) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn law_a_wait_ends_by_its_deadline_and_not_before() {
        let mut spin = Spin::default();
        (0..LOOKS).for_each(|_| assert_eq!(spin.waits(), Ok(())));
        let ago = |span| {
            let ago = SystemClock::Monotonic.now().as_nanos().saturating_sub(span);
            Spin { looks: LOOKS - 1, begun: Some(Instant::from_nanos(ago)) }.waits()
        };
        let ns = DEADLINE.as_nanos();
        assert_eq!((ago(ns / 2), ago(ns)), (Ok(()), Err(NoAnswerError)));
    }
}
