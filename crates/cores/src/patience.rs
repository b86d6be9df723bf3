//! The rest of a deadline.
//!
//! It is waited for in slices, of which each counts as no more than it is. So time in which the watchdog itself did not run does not count, and a machine that was stopped as a whole accuses none of its processors.

use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::Duration;
use windfall_time::Span;

const SLICES: u32 = 100;

/// The rest of a deadline, as a watchdog waits for it.
#[derive(Clone, Debug)]
pub struct Patience {
    slice: Duration,
    left: u32,
}

impl Patience {
    /// All of it.
    #[must_use]
    pub fn new(deadline: Span) -> Patience {
        Patience { slice: Duration::from_nanos(deadline.as_nanos()) / SLICES, left: SLICES }
    }

    /// The next message; `None` when none has come in time, or no sender is left.
    pub fn receive<T>(&mut self, from: &Receiver<T>) -> Option<T> {
        while self.left > 0 {
            match from.recv_timeout(self.slice) {
                Ok(came) => return Some(came),
                Err(RecvTimeoutError::Timeout) => self.left -= 1,
                Err(RecvTimeoutError::Disconnected) => return None,
            }
        }
        from.try_recv().ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc::channel;
    use std::time::Instant;

    #[test]
    fn law_it_lasts_as_long_as_the_deadline_and_ends_when_nobody_is_left() {
        let (sender, receiver) = channel::<u8>();
        let (begun, deadline) = (Instant::now(), Span::from_millis(100));
        assert_eq!(Patience::new(deadline).receive(&receiver), None);
        assert!(begun.elapsed() >= Duration::from_millis(100));
        sender.send(1).unwrap();
        let mut long = Patience::new(Span::from_secs(1_000_000));
        assert_eq!(long.receive(&receiver), Some(1));
        drop(sender);
        assert_eq!(long.receive(&receiver), None);
    }

    #[test]
    fn accepts_what_came_while_the_watchdog_did_not_look() {
        let (sender, receiver) = channel();
        sender.send(1).unwrap();
        assert_eq!(Patience { slice: Duration::ZERO, left: 0 }.receive(&receiver), Some(1));
    }
}
