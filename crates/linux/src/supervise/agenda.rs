//! What a run has to do when, and the alarm that is set to it.

use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use windfall_os::clock;
use windfall_os::events::Timer;
use windfall_programs::Wakeup;
use windfall_scenario::{PlannedRequest, model};
use windfall_time::Instant;

/// What is due when.
pub(crate) struct Agenda {
    /// When the run began, by the machine's clock; all instants here count from it.
    epoch: Instant,
    /// The time of the last call into the hierarchy, which never goes back.
    last_call: Instant,
    /// What own programs wait for; an entry counts if it is the one in `scheduled`.
    wakeups: BinaryHeap<Reverse<(Instant, u32, Wakeup)>>,
    scheduled: FxHashMap<(u32, Wakeup), Instant>,
    /// Members that have not started yet, the next one last.
    pub(crate) starts: Vec<(Instant, u32)>,
    /// Control requests of the scenario, the next one last.
    pub(crate) requests: Vec<(Instant, PlannedRequest)>,
    /// How exactly timers of schedulers, and sleeps of own programs, are kept.
    pub(crate) resolution: model::Timer,
    pub(crate) timer: Timer,
    armed: Option<Instant>,
}

impl Agenda {
    pub(crate) fn new(timer: Timer) -> Agenda {
        Agenda {
            epoch: clock::now(),
            last_call: Instant::ZERO,
            wakeups: BinaryHeap::new(),
            scheduled: FxHashMap::default(),
            starts: Vec::new(),
            requests: Vec::new(),
            resolution: model::Timer::Precise,
            timer,
            armed: None,
        }
    }

    /// The run begins now.
    pub(crate) fn begin(&mut self) {
        self.epoch = clock::now();
    }

    pub(crate) fn since_epoch(&self, at: Instant) -> Instant {
        Instant::ZERO + at.saturating_since(self.epoch)
    }

    /// The time of the last call into the hierarchy.
    pub(crate) const fn last_call(&self) -> Instant {
        self.last_call
    }

    /// A call into the hierarchy for something that happened at `at`: its time.
    pub(crate) fn call(&mut self, at: Instant) -> Instant {
        self.last_call = self.last_call.max(at);
        self.last_call
    }

    /// Has a wake-up given at an instant, instead of an earlier one of the same kind.
    pub(crate) fn schedule(&mut self, number: u32, wakeup: Wakeup, at: Instant) {
        let at = if wakeup == Wakeup::Wake { self.resolution.fires(at) } else { at };
        self.scheduled.insert((number, wakeup), at);
        self.wakeups.push(Reverse((at, number, wakeup)));
    }

    /// The next wake-up that was due by `now`, and whether it still counts.
    pub(crate) fn pop(&mut self, now: Instant) -> Option<(Instant, u32, Wakeup, bool)> {
        let Reverse((at, number, wakeup)) = self.wakeups.peek().copied()?;
        if at > now {
            return None;
        }
        self.wakeups.pop();
        let counts = self.scheduled.get(&(number, wakeup)) == Some(&at);
        if counts {
            self.scheduled.remove(&(number, wakeup));
        }
        Some((at, number, wakeup, counts))
    }

    /// When the alarm is to go off, by the machine's clock, if that has changed; `timer` is when the next timer of a
    /// scheduler goes off.
    pub(crate) fn rearm(&mut self, timer: Option<Instant>) -> Option<Option<Instant>> {
        let wakeup = self.wakeups.peek().map(|Reverse((at, _, _))| *at);
        let start = self.starts.last().map(|(at, _)| *at);
        let request = self.requests.last().map(|(at, _)| *at);
        let next = [wakeup, start, request, timer].into_iter().flatten().min();
        if next == self.armed {
            return None;
        }
        self.armed = next;
        Some(next.map(|at| self.epoch + (at - Instant::ZERO)))
    }

    /// The alarm has gone off.
    pub(crate) fn alarmed(&mut self) {
        self.timer.clear();
        self.armed = None;
    }
}
