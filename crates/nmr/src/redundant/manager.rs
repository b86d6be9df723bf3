//! Who looks after the replicas of a run: it starts them, hears what their voters say of each other, and does what was asked about a fault.
//!
//! It takes no part in votes. It acts on a fault that more than half of the active replicas report, that a thread showed by ending, or that shows by itself: a state with another hash than its replica says.

use super::Redundant;
use super::links::{Control, Links};
use super::outcome::{Ending, Fault, FaultKind, Outcome, Remedy, Summary, VoteError};
use super::replica::{Birth, Replica};
use super::shelf::Served;
use crate::injected::Plan;
use crate::participant::link;
use crate::rule::Rule;
use crate::value::Value;
use crate::{Iteration, ReplicaNumber, Replicas};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// What the manager hears.
#[derive(Debug)]
pub(super) enum Event {
    /// A voter has found a fault of another replica.
    Accused {
        by: ReplicaNumber,
        replica: ReplicaNumber,
        life: u32,
        kind: FaultKind,
        iteration: Iteration,
    },
    /// A replica serves a state that does not have the hash which it says.
    Disproved { replica: ReplicaNumber, life: u32, iteration: Iteration, served: Arc<Served> },
    /// A replica that came back knows the state of the others.
    Joined { replica: ReplicaNumber, life: u32 },
    /// A life is over.
    Ended { replica: ReplicaNumber, life: u32, how: Ending },
}

/// Who said what of a replica, and when last.
#[derive(Default)]
struct Accused(Vec<(FaultKind, ReplicaNumber, Instant)>);

impl Accused {
    /// Another says so. Who did in the last `patience`.
    fn by(&mut self, by: ReplicaNumber, kind: FaultKind, patience: Duration) -> Replicas {
        let now = Instant::now();
        self.0.retain(|(.., at)| now.duration_since(*at) < patience);
        self.0.push((kind, by, now));
        self.0.iter().filter(|(of, ..)| *of == kind).map(|(_, by, _)| *by).collect()
    }

    fn forget(&mut self, kind: FaultKind) {
        self.0.retain(|(of, ..)| *of != kind);
    }
}

/// The end of a life, of which the manager hears however it comes.
struct End {
    links: Arc<Links>,
    sender: Sender<Event>,
    number: ReplicaNumber,
    life: u32,
    how: Ending,
}

impl Drop for End {
    fn drop(&mut self) {
        self.links.ends(self.number, self.life);
        // Without a manager the run is over, and nobody wants to know.
        _ = self.sender.send(Event::Ended { replica: self.number, life: self.life, how: self.how });
    }
}

/// What is known of a replica or spare.
struct Place {
    summary: Summary,
    life: u32,
    thread: Option<JoinHandle<()>>,
    accused: Accused,
    returned: bool,
    is_joining: bool,
}

// Fields: what was asked, who takes part, and how all hear of each other.
pub(super) struct Manager<V, R, F> {
    asked: Redundant<V, R>,
    body: Arc<F>,
    links: Arc<Links>,
    injected: Arc<[Plan]>,
    events: (Sender<Event>, Receiver<Event>),
    places: Vec<Place>,
    active: Replicas,
    is_ending: bool,
}

impl<V, R, F> Manager<V, R, F>
where
    V: Value,
    R: Rule<V> + Clone + Send + 'static,
    F: Fn(&mut Replica<V, R>) -> Result<(), VoteError> + Send + Sync + 'static,
{
    pub(super) fn new(asked: Redundant<V, R>, body: F) -> Self {
        let all = asked.settings.places();
        let place = |number| Place {
            summary: Summary {
                replica: ReplicaNumber(number),
                lives: 0,
                ending: None,
                faults: Vec::new(),
            },
            life: 0,
            thread: None,
            accused: Accused::default(),
            returned: false,
            is_joining: false,
        };
        let places = (0..u8::MAX).take(all).map(place).collect();
        let active = Replicas::first(asked.settings.replicas);
        let injected = asked.injected.clone().into();
        let events = std::sync::mpsc::channel();
        let (body, links) = (Arc::new(body), Arc::new(Links::new(all)));
        Manager { asked, body, links, injected, events, places, active, is_ending: false }
    }

    /// Runs all replicas until a majority has returned, or cannot any longer.
    pub(super) fn run(mut self) -> std::io::Result<Outcome> {
        let mut births: Vec<Birth<R>> =
            self.active.iter().map(|number| self.birth(number, false)).collect();
        for one in 0..births.len() {
            for other in one + 1..births.len() {
                let (here, there) =
                    link(births[one].life, births[other].life, &self.asked.settings);
                let (one_is, other_is) = (births[one].number, births[other].number);
                births[one].links.push((other_is, here));
                births[other].links.push((one_is, there));
            }
        }
        for birth in births {
            self.starts(birth)?;
        }
        let mut leaves = None;
        while !self.is_over() {
            if self.has_majority() || self.is_hopeless() {
                leaves.get_or_insert(Instant::now() + self.asked.patience);
            }
            let event = match leaves {
                None => self.events.1.recv().map_err(|_| RecvTimeoutError::Disconnected),
                Some(end) => {
                    self.events.1.recv_timeout(end.saturating_duration_since(Instant::now()))
                }
            };
            // It holds a sender itself, so there always is one.
            let Ok(event) = event else { break };
            self.hears(event);
        }
        Ok(self.ends())
    }

    /// A new life of a replica, without links.
    fn birth(&mut self, number: ReplicaNumber, is_joining: bool) -> Birth<R> {
        let life = self.links.begins(number);
        let place = &mut self.places[number.index()];
        (place.life, place.accused, place.returned) = (life, Accused::default(), false);
        place.is_joining = is_joining;
        place.summary.lives += 1;
        let (active, rule) = (self.active.with(number), self.asked.rule.clone());
        Birth { number, life, active, is_joining, links: Vec::new(), rule }
    }

    fn starts(&mut self, birth: Birth<R>) -> std::io::Result<()> {
        let (number, life, is_joining) = (birth.number, birth.life, birth.is_joining);
        let (body, settings) = (self.body.clone(), self.asked.settings.clone());
        let (patience, sender) = (self.asked.patience, self.events.0.clone());
        let links = self.links.clone();
        let shared = (links.clone(), sender.clone(), self.injected.clone());
        let end = End { links, sender, number, life, how: Ending::Panicked };
        let run = move || {
            let mut end = end;
            let mut replica = Replica::new(birth, &settings, patience, shared);
            let whole = AssertUnwindSafe(|| {
                if is_joining {
                    replica.joins()?;
                }
                body(&mut replica)
            });
            let result = catch_unwind(whole).unwrap_or_else(|payload| {
                // It may panic once more when it is dropped.
                std::mem::forget(payload);
                Err(VoteError::Panicked)
            });
            end.links.ends(number, life);
            if result.is_ok() {
                replica.finishes();
            }
            end.how = match result {
                Ok(()) => Ending::Returned,
                Err(VoteError::Panicked) => Ending::Panicked,
                Err(error) => Ending::GaveUp(error),
            };
        };
        let thread =
            std::thread::Builder::new().name(format!("replica-{}", number.0)).spawn(run)?;
        self.places[number.index()].thread = Some(thread);
        Ok(())
    }

    /// Whether those that have returned are a majority, of all at the beginning or of those that take part.
    fn has_majority(&self) -> bool {
        let returned = self.places.iter().filter(|place| place.returned);
        let returned = self.weight(returned.map(|place| place.summary.replica).collect());
        let first = Replicas::first(self.asked.settings.replicas);
        returned * 2 > self.weight(first) || returned * 2 > self.weight(self.active)
    }

    /// Whether too few of those that take part run, or have returned: those that run have no majority any longer.
    fn is_hopeless(&self) -> bool {
        let counts = |replica: &ReplicaNumber| {
            let place = &self.places[replica.index()];
            place.returned || place.summary.ending.is_none()
        };
        let left: Replicas = self.active.iter().filter(counts).collect();
        self.weight(left) * 2 <= self.weight(self.active)
    }

    fn weight(&self, replicas: Replicas) -> u64 {
        self.asked.settings.weight_of(replicas)
    }

    fn is_over(&self) -> bool {
        // Nobody is left whom a replica that comes back could join.
        let too_late = self.has_majority();
        let runs = |place: &Place| {
            place.life > 0 && place.summary.ending.is_none() && !(place.is_joining && too_late)
        };
        self.is_ending || !self.places.iter().any(runs)
    }

    fn hears(&mut self, event: Event) {
        match event {
            Event::Accused { by, replica, life, kind, iteration } => {
                let place = &mut self.places[replica.index()];
                if place.life == life && self.active.has(replica) && self.active.has(by) {
                    let accusers = place.accused.by(by, kind, self.asked.patience);
                    let against = self.weight(accusers.and(self.active));
                    if against * 2 > self.weight(self.active) {
                        self.places[replica.index()].accused.forget(kind);
                        self.remedies(replica, kind, iteration, false);
                    }
                }
            }
            Event::Disproved { replica, life, iteration, served } => {
                let is_there =
                    self.places[replica.index()].life == life && self.active.has(replica);
                // It shows by itself, so one that says so is enough.
                if is_there && served.is_wrong() {
                    self.remedies(replica, FaultKind::WrongState, iteration, false);
                }
            }
            Event::Joined { replica, life } => {
                let place = &mut self.places[replica.index()];
                if place.life == life {
                    place.is_joining = false;
                    self.active = self.active.with(replica);
                    self.tells_all(replica, || Control::Admitted(replica));
                }
            }
            Event::Ended { replica, life, how } => {
                let place = &mut self.places[replica.index()];
                if place.life == life {
                    place.summary.ending = Some(how);
                    place.returned = how == Ending::Returned;
                    // The others have ended, and it has missed their last votes: that is no fault.
                    if matches!(how, Ending::GaveUp(error) if error.iteration().is_some())
                        && self.has_majority()
                    {
                        self.places[replica.index()].summary.ending = Some(Ending::Abandoned);
                        return;
                    }
                    let kind = match how {
                        Ending::Panicked => FaultKind::Panicked,
                        Ending::GaveUp(_) => FaultKind::GaveUp,
                        _ => return,
                    };
                    let iteration = match how {
                        Ending::GaveUp(error) => error.iteration().unwrap_or_default(),
                        _ => Iteration::default(),
                    };
                    self.remedies(replica, kind, iteration, true);
                }
            }
        }
    }

    /// A replica is faulty: asks what is to be done about it, and does that.
    fn remedies(
        &mut self,
        replica: ReplicaNumber,
        kind: FaultKind,
        iteration: Iteration,
        is_over: bool,
    ) {
        let faults = &self.places[replica.index()].summary.faults;
        let since = faults.first().map_or(iteration, |(first, _)| first.since);
        let count = faults.len() as u64 + 1;
        let fault = Fault { replica, kind, iteration, count, since, is_over };
        let mut remedy = (self.asked.on_fault)(&fault);
        let spare = self.places.iter().position(|place| place.life == 0);
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
            return;
        }
        if (is_over || remedy != Remedy::Ignore) && self.active.has(replica) {
            self.active = self.active.without(replica);
            self.tells_all(replica, || Control::Retired(replica));
        }
        match (remedy, spare) {
            (Remedy::Restart, _) => self.joins(replica),
            (Remedy::Replace, Some(spare)) => {
                self.abandons(replica);
                let spare = self.places[spare].summary.replica;
                self.joins(spare);
            }
            (Remedy::Retire, _) => self.abandons(replica),
            _ => {}
        }
    }

    /// A replica begins a life beside those that take part.
    fn joins(&mut self, replica: ReplicaNumber) {
        self.places[replica.index()].summary.ending = None;
        let mut birth = self.birth(replica, true);
        for other in self.active.without(replica).iter() {
            let (here, there) =
                link(birth.life, self.places[other.index()].life, &self.asked.settings);
            birth.links.push((other, here));
            self.links.post(other, Control::Linked(replica, there));
        }
        // Without a thread it takes no part.
        if self.starts(birth).is_err() {
            self.abandons(replica);
        }
    }

    fn abandons(&mut self, replica: ReplicaNumber) {
        let place = &mut self.places[replica.index()];
        place.life = self.links.begins(replica);
        place.summary.ending.get_or_insert(Ending::Abandoned);
    }

    fn tells_all(&self, about: ReplicaNumber, control: impl Fn() -> Control) {
        for place in &self.places {
            if place.life > 0 && place.summary.replica != about {
                self.links.post(place.summary.replica, control());
            }
        }
    }

    fn ends(mut self) -> Outcome {
        let is_whole = self.has_majority();
        for place in &mut self.places {
            if place.life > 0 {
                place.summary.ending.get_or_insert(Ending::Abandoned);
            }
            // Those that were abandoned end when they ask for a vote, if ever.
            let left = place.summary.ending == Some(Ending::Abandoned);
            if let Some(thread) = place.thread.take().filter(|thread| !left || thread.is_finished())
            {
                _ = thread.join();
            }
        }
        let replicas = self.places.iter().map(|place| place.summary.clone()).collect();
        Outcome { replicas, is_whole }
    }
}

impl<V, R, F> Drop for Manager<V, R, F> {
    /// Whoever runs on is to return, however this ends.
    fn drop(&mut self) {
        for place in self.places.iter().filter(|place| place.life > 0) {
            self.links.begins(place.summary.replica);
        }
    }
}
