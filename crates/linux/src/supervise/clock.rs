//! The time of a run, and the alarm for what is due next.
//!
//! Kernel events are read some time after they happened, so there are two times: the clock's and, while an event is applied, the
//! event's.

use std::cell::Cell;
use windfall_observe::rings::Rings;
use windfall_os::clock;
use windfall_os::events::Timer;
use windfall_time::Instant;

/// The time since the run began.
pub(crate) struct Clock {
    /// When the run began, by the machine's clock. All instants of a run count from it.
    epoch: Instant,
    /// When the event happened that is being applied.
    event: Option<Instant>,
    /// The latest time that the host was given.
    last: Cell<Instant>,
}

impl Clock {
    /// Starts a clock at the current time.
    pub(crate) fn begin() -> Clock {
        Clock { epoch: clock::now(), event: None, last: Cell::new(Instant::ZERO) }
    }

    /// Converts an instant of the machine's clock to the run's.
    pub(crate) fn since_epoch(&self, at: Instant) -> Instant {
        Instant::ZERO + at.saturating_since(self.epoch)
    }

    /// Reads the clock.
    pub(crate) fn time(&self) -> Instant {
        self.since_epoch(clock::now())
    }

    /// Sets the time of the event that is applied from here on; `None`: no event, so the clock's time.
    pub(crate) const fn set_event(&mut self, at: Option<Instant>) {
        self.event = at;
    }

    /// The time of the event that is being applied, or else the clock's.
    pub(crate) fn at(&self) -> Instant {
        self.event.unwrap_or_else(|| self.time())
    }

    /// The latest time that the host was given.
    pub(crate) const fn last(&self) -> Instant {
        self.last.get()
    }

    /// The same as `at`, but never earlier than before: the host's time does not go back.
    pub(crate) fn now(&self) -> Instant {
        let now = self.at().max(self.last.get());
        self.last.set(now);
        now
    }
}

/// The event loop's timer.
pub(crate) struct Alarm {
    pub(crate) timer: Timer,
    set: Option<Instant>,
}

impl Alarm {
    pub(crate) const fn new(timer: Timer) -> Alarm {
        Alarm { timer, set: None }
    }

    /// Sets the timer if `at` differs from its present setting; `None` stops it.
    pub(crate) fn set(&mut self, at: Option<Instant>, clock: &Clock, rings: &Rings) {
        if at != self.set {
            self.set = at;
            let at = at.map(|at| clock.epoch + (at - Instant::ZERO));
            rings.set_alarm(&self.timer, at);
        }
    }

    /// Notes that the timer has expired.
    pub(crate) fn has_gone_off(&mut self) {
        self.timer.clear();
        self.set = None;
    }
}
