//! Decisions of a manager of replicas: who takes part, which faults count, and the remedy for each (`redundant/manager.rs` on threads, `process/manager.rs` as processes), without a thread or clock.
//!
//! It takes no part in votes. **The line that decides whether an accusation counts** is in `Remedies::is_accused`: more than half of the active replicas say so within the time that a vote is waited for.

use crate::redundant::{Ending, Fault, FaultKind, Remedy, Summary, VoteError};
use crate::{Iteration, ReplicaNumber, Replicas, Settings};
use windfall_time::{Instant, Span};

/// Accusations of a replica, by accuser, each with its last time.
#[derive(Default)]
struct Accused(Vec<(FaultKind, ReplicaNumber, Instant)>);

impl Accused {
    /// Adds an accusation. Returns the accusers of the last `patience`.
    fn by(&mut self, by: ReplicaNumber, kind: FaultKind, now: Instant, patience: Span) -> Replicas {
        self.0.retain(|(.., at)| now.saturating_since(*at) < patience);
        self.0.push((kind, by, now));
        self.0.iter().filter(|(of, ..)| *of == kind).map(|(_, by, _)| *by).collect()
    }

    fn forget(&mut self, kind: FaultKind) {
        self.0.retain(|(of, ..)| *of != kind);
    }
}

/// Reports of replicas about each other and themselves.
#[derive(Debug)]
pub(crate) enum Heard {
    /// A voter has found a fault of another replica.
    Accused {
        by: ReplicaNumber,
        replica: ReplicaNumber,
        life: u32,
        kind: FaultKind,
        iteration: Iteration,
    },
    /// A replica that came back knows the state of the others.
    Joined { replica: ReplicaNumber, life: u32 },
    /// A life is over.
    Ended { replica: ReplicaNumber, life: u32, how: Ending },
}

/// A report's effect, for the manager.
pub(crate) enum Reported {
    /// This one takes part.
    Joined(ReplicaNumber),
    /// Something is to be done about this.
    Fault(Fault),
}

/// The state of a replica or spare.
struct Place {
    summary: Summary,
    life: u32,
    accused: Accused,
    returned: bool,
    is_joining: bool,
}

/// The actions of a remedy, in this order.
#[derive(Default)]
pub(crate) struct Consequences {
    /// The replica that was faulty takes part no longer.
    pub(crate) retires: bool,
    /// Nothing is waited for from it.
    pub(crate) abandons: bool,
    /// This one begins a life beside the others.
    pub(crate) begins: Option<ReplicaNumber>,
}

pub(crate) struct Remedies {
    settings: Settings,
    patience: Span,
    places: Vec<Place>,
    pub(crate) active: Replicas,
    is_ending: bool,
}

impl Remedies {
    pub(crate) fn new(settings: &Settings, patience: Span) -> Remedies {
        let place = |number| Place {
            summary: Summary {
                replica: ReplicaNumber(number),
                lives: 0,
                ending: None,
                faults: Vec::new(),
            },
            life: 0,
            accused: Accused::default(),
            returned: false,
            is_joining: false,
        };
        Remedies {
            places: (0..u8::MAX).take(settings.places()).map(place).collect(),
            active: Replicas::first(settings.replicas),
            settings: settings.clone(),
            patience,
            is_ending: false,
        }
    }

    /// Which life of a replica counts; 0 if it had none.
    pub(crate) fn life(&self, replica: ReplicaNumber) -> u32 {
        self.places[replica.index()].life
    }

    /// Those that have begun.
    pub(crate) fn begun(&self) -> Replicas {
        let begun = self.places.iter().filter(|place| place.life > 0);
        begun.map(|place| place.summary.replica).collect()
    }

    /// A life of a replica begins.
    pub(crate) fn begins(&mut self, replica: ReplicaNumber, life: u32, is_joining: bool) {
        let place = &mut self.places[replica.index()];
        (place.life, place.accused, place.returned) = (life, Accused::default(), false);
        place.is_joining = is_joining;
        place.summary.lives += 1;
        place.summary.ending = None;
    }

    /// Nothing is waited for from a replica: only this life, which has no body, counts.
    pub(crate) fn abandons(&mut self, replica: ReplicaNumber, life: u32) {
        let place = &mut self.places[replica.index()];
        place.life = life;
        place.summary.ending.get_or_insert(Ending::Abandoned);
    }

    pub(crate) fn hears(&mut self, heard: Heard, now: Instant) -> Option<Reported> {
        match heard {
            Heard::Accused { by, replica, life, kind, iteration } => {
                let is_accused = self.is_accused(by, (replica, life), kind, now);
                is_accused.then(|| Reported::Fault(self.fault(replica, kind, iteration, false)))
            }
            Heard::Joined { replica, life } => {
                self.joins(replica, life).then_some(Reported::Joined(replica))
            }
            Heard::Ended { replica, life, how } => {
                let (kind, iteration) = self.ends(replica, life, how)?;
                Some(Reported::Fault(self.fault(replica, kind, iteration, true)))
            }
        }
    }

    /// A voter has found a fault of another replica. Whether enough have.
    fn is_accused(
        &mut self,
        by: ReplicaNumber,
        (replica, life): (ReplicaNumber, u32),
        kind: FaultKind,
        now: Instant,
    ) -> bool {
        if !self.counts(replica, life) || !self.active.has(by) {
            return false;
        }
        let accused = &mut self.places[replica.index()].accused;
        let accusers = accused.by(by, kind, now, self.patience).and(self.active);
        let are_enough = self.weight(accusers) * 2 > self.weight(self.active);
        if are_enough {
            self.places[replica.index()].accused.forget(kind);
        }
        are_enough
    }

    /// Whether this life of a replica takes part.
    pub(crate) fn counts(&self, replica: ReplicaNumber, life: u32) -> bool {
        self.life(replica) == life && self.active.has(replica)
    }

    /// A replica that came back knows the state of the others. Whether it takes part from now on.
    fn joins(&mut self, replica: ReplicaNumber, life: u32) -> bool {
        let place = &mut self.places[replica.index()];
        let counts = place.life == life;
        if counts {
            place.is_joining = false;
            self.active = self.active.with(replica);
        }
        counts
    }

    /// A life is over. The fault that this shows, and where.
    fn ends(
        &mut self,
        replica: ReplicaNumber,
        life: u32,
        how: Ending,
    ) -> Option<(FaultKind, Iteration)> {
        let place = &mut self.places[replica.index()];
        if place.life != life {
            return None;
        }
        place.summary.ending = Some(how);
        place.returned = how == Ending::Returned;
        let (kind, iteration) = match how {
            Ending::Panicked => (FaultKind::Panicked, None),
            Ending::GaveUp(error) => (FaultKind::GaveUp, error.iteration()),
            _ => return None,
        };
        // The others have ended, and it has missed their last votes: that is no fault.
        if iteration.is_some() && self.has_majority() {
            self.places[replica.index()].summary.ending = Some(Ending::Abandoned);
            return None;
        }
        Some((kind, iteration.unwrap_or_default()))
    }

    /// A fault of a replica, as whoever decides on a remedy is told of it.
    pub(crate) fn fault(
        &self,
        replica: ReplicaNumber,
        kind: FaultKind,
        iteration: Iteration,
        is_over: bool,
    ) -> Fault {
        let faults = &self.places[replica.index()].summary.faults;
        let since = faults.first().map_or(iteration, |(first, _)| first.since);
        let count = faults.len() as u64 + 1;
        Fault { replica, kind, iteration, count, since, is_over }
    }

    /// Applies a remedy for a fault. Returns the remedy in effect, which may be less.
    pub(crate) fn decides(&mut self, fault: Fault, mut remedy: Remedy) -> (Remedy, Consequences) {
        let Fault { replica, is_over, .. } = fault;
        let spare = self.places.iter().find(|place| place.life == 0);
        let spare = spare.map(|place| place.summary.replica);
        if remedy == Remedy::Replace && spare.is_none() {
            remedy = Remedy::Retire;
        }
        let place = &self.places[replica.index()];
        // Nobody would be there whom it could join; it has done what it had to; or nobody could agree with the one that is left, who notices that soon enough.
        let is_too_late = is_over && place.is_joining || place.returned;
        let are_too_few = self.active.has(replica) && self.active.count() <= 2;
        if remedy != Remedy::End && (is_too_late || are_too_few) {
            remedy = Remedy::Ignore;
        }
        self.places[replica.index()].summary.faults.push((fault, remedy));
        self.is_ending |= remedy == Remedy::End;
        if is_too_late || are_too_few || self.is_ending {
            return (remedy, Consequences::default());
        }
        let retires = (is_over || remedy != Remedy::Ignore) && self.active.has(replica);
        if retires {
            self.active = self.active.without(replica);
        }
        let (abandons, begins) = match remedy {
            Remedy::Restart => (false, Some(replica)),
            Remedy::Replace => (true, spare),
            Remedy::Retire => (true, None),
            _ => (false, None),
        };
        (remedy, Consequences { retires, abandons, begins })
    }

    /// Whether those that have returned are a majority, of all at the beginning or of those that take part.
    pub(crate) fn has_majority(&self) -> bool {
        let returned = self.places.iter().filter(|place| place.returned);
        let returned = self.weight(returned.map(|place| place.summary.replica).collect());
        let first = Replicas::first(self.settings.replicas);
        returned * 2 > self.weight(first) || returned * 2 > self.weight(self.active)
    }

    /// Whether too few of those that take part run, or have returned: those that run have no majority any longer.
    pub(crate) fn is_hopeless(&self) -> bool {
        let counts = |replica: &ReplicaNumber| {
            let place = &self.places[replica.index()];
            place.returned || place.summary.ending.is_none()
        };
        let left: Replicas = self.active.iter().filter(counts).collect();
        self.weight(left) * 2 <= self.weight(self.active)
    }

    /// Whether nobody runs any longer who is waited for.
    pub(crate) fn is_over(&self) -> bool {
        // Nobody is left whom a replica that comes back could join.
        let too_late = self.has_majority();
        let runs = |place: &Place| {
            place.life > 0 && place.summary.ending.is_none() && !(place.is_joining && too_late)
        };
        self.is_ending || !self.places.iter().any(runs)
    }

    /// The outcome of each, at the end.
    pub(crate) fn summaries(&mut self) -> Vec<Summary> {
        let ended = |place: &mut Place| {
            if place.life > 0 {
                place.summary.ending.get_or_insert(Ending::Abandoned);
            }
            place.summary.clone()
        };
        self.places.iter_mut().map(ended).collect()
    }

    fn weight(&self, replicas: Replicas) -> u64 {
        self.settings.weight_of(replicas)
    }
}

impl VoteError {
    /// The iteration in which others were waited for in vain.
    const fn iteration(self) -> Option<Iteration> {
        match self {
            VoteError::NoMajority { iteration } | VoteError::NoState { iteration } => {
                Some(iteration)
            }
            _ => None,
        }
    }
}
