//! The time of a run, and the alarm that is set to what is due next.
//!
//! The kernel's events are told of some time after they have happened, so there are two times: the clock's, and, while
//! an event is applied, the event's.

use std::cell::Cell;
use windfall_observe::rings::Rings;
use windfall_os::clock;
use windfall_os::events::Timer;
use windfall_time::Instant;

/// The time since the run began.
pub(crate) struct Clock {
    /// When the run began, by the machine's clock; all instants here count from it.
    epoch: Instant,
    /// When the event has happened that is being applied.
    event: Option<Instant>,
    /// The last time that the host was told.
    last: Cell<Instant>,
}

impl Clock {
    /// The run begins now.
    pub(crate) fn begin() -> Clock {
        Clock { epoch: clock::now(), event: None, last: Cell::new(Instant::ZERO) }
    }

    /// An instant of the machine's clock.
    pub(crate) fn since_epoch(&self, at: Instant) -> Instant {
        Instant::ZERO + at.saturating_since(self.epoch)
    }

    /// What the clock shows.
    pub(crate) fn time(&self) -> Instant {
        self.since_epoch(clock::now())
    }

    /// What is said from here on happened then; now, if `None`.
    pub(crate) const fn set_event(&mut self, at: Option<Instant>) {
        self.event = at;
    }

    /// When that has happened of which is being spoken.
    pub(crate) fn at(&self) -> Instant {
        self.event.unwrap_or_else(|| self.time())
    }

    /// The last time that the host was told.
    pub(crate) const fn last(&self) -> Instant {
        self.last.get()
    }

    /// The same for the host, for which time never goes back.
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

    /// Sets it, if that changes anything.
    pub(crate) fn set(&mut self, at: Option<Instant>, clock: &Clock, rings: &Rings) {
        if at != self.set {
            self.set = at;
            let at = at.map(|at| clock.epoch + (at - Instant::ZERO));
            rings.set_alarm(&self.timer, at);
        }
    }

    /// It has gone off.
    pub(crate) fn has_gone_off(&mut self) {
        self.timer.clear();
        self.set = None;
    }
}
