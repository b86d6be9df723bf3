//! The manager of a run's replicas: it starts them, receives the reports of their voters, and applies the remedy for a fault.
//!
//! It takes no part in votes. It acts on a fault that enough replicas report (`remedies.rs`), that a thread showed by ending, or that shows by itself: a state with another hash than its replica says.

use super::event::Event;
use super::links::Links;
use super::outcome::{Ending, Fault, FaultKind, Outcome, VoteError};
use super::replica::{NewReplica, Replica};
use super::{Redundant, since, span};
use crate::ReplicaNumber;
use crate::control::Control;
use crate::injected::Plan;
use crate::participant::link;
use crate::remedies::{Heard, Remedies, Reported};
use crate::rule::Rule;
use crate::value::Value;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender};
use std::thread::JoinHandle;
use std::time::Instant;

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
        let ended = Heard::Ended { replica: self.number, life: self.life, how: self.how };
        _ = self.sender.send(Event::Heard(ended));
    }
}

// Fields: how it is to be made, who takes part, and how all hear of each other.
pub(super) struct Manager<V, R, F> {
    setup: Redundant<V, R>,
    body: Arc<F>,
    links: Arc<Links>,
    injected: Arc<[Plan]>,
    events: (Sender<Event>, Receiver<Event>),
    threads: Vec<Option<JoinHandle<()>>>,
    remedies: Remedies,
    begun: Instant,
}

impl<V, R, F> Manager<V, R, F>
where
    V: Value,
    R: Rule<V> + Clone + Send + 'static,
    F: Fn(&mut Replica<V, R>) -> Result<(), VoteError> + Send + Sync + 'static,
{
    pub(super) fn new(setup: Redundant<V, R>, body: F) -> Self {
        let all = setup.settings.places();
        let remedies = Remedies::new(&setup.settings, span(setup.patience));
        let injected = setup.injected.clone().into();
        let (events, begun) = (std::sync::mpsc::channel(), Instant::now());
        let (body, links) = (Arc::new(body), Arc::new(Links::new(all)));
        let threads = (0..all).map(|_| None).collect();
        Manager { setup, body, links, injected, events, threads, remedies, begun }
    }

    /// Runs all replicas until a majority has returned, or cannot any longer.
    pub(super) fn run(mut self) -> std::io::Result<Outcome> {
        let mut new: Vec<NewReplica<R>> =
            self.remedies.active.iter().map(|number| self.new_replica(number, false)).collect();
        for one in 0..new.len() {
            for other in one + 1..new.len() {
                let (here, there) = link(new[one].life, new[other].life, &self.setup.settings);
                let (one_is, other_is) = (new[one].number, new[other].number);
                new[one].links.push((other_is, here));
                new[other].links.push((one_is, there));
            }
        }
        for new in new {
            self.starts(new)?;
        }
        let mut leaves = None;
        while !self.remedies.is_over() {
            if self.remedies.has_majority() || self.remedies.is_hopeless() {
                leaves.get_or_insert(Instant::now() + self.setup.patience);
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
    fn new_replica(&mut self, number: ReplicaNumber, is_joining: bool) -> NewReplica<R> {
        let life = self.links.begins(number);
        self.remedies.begins(number, life, is_joining);
        let (active, rule) = (self.remedies.active.with(number), self.setup.rule.clone());
        NewReplica { number, life, active, is_joining, links: Vec::new(), rule }
    }

    fn starts(&mut self, new: NewReplica<R>) -> std::io::Result<()> {
        let (number, life, is_joining) = (new.number, new.life, new.is_joining);
        let (body, settings) = (self.body.clone(), self.setup.settings.clone());
        let (patience, sender) = (self.setup.patience, self.events.0.clone());
        let links = self.links.clone();
        let shared = (links.clone(), sender.clone(), self.injected.clone());
        let end = End { links, sender, number, life, how: Ending::Panicked };
        let run = move || {
            let mut end = end;
            let mut replica = Replica::new(new, &settings, patience, shared);
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
        self.threads[number.index()] = Some(thread);
        Ok(())
    }

    fn hears(&mut self, event: Event) {
        match event {
            Event::Heard(heard) => match self.remedies.hears(heard, since(self.begun)) {
                Some(Reported::Joined(replica)) => {
                    self.send_all(replica, || Control::Admitted(replica));
                }
                Some(Reported::Fault(fault)) => self.remedies(fault),
                None => {}
            },
            Event::Disproved { replica, life, iteration, served } => {
                // It shows by itself, so one that says so is enough.
                if self.remedies.counts(replica, life) && served.is_wrong() {
                    let kind = FaultKind::WrongState;
                    self.remedies(self.remedies.fault(replica, kind, iteration, false));
                }
            }
        }
    }

    /// A replica is faulty: asks what is to be done about it, and does that.
    fn remedies(&mut self, fault: Fault) {
        let remedy = (self.setup.on_fault)(&fault);
        let replica = fault.replica;
        let (_, follows) = self.remedies.decides(fault, remedy);
        if follows.retires {
            self.send_all(replica, || Control::Retired(replica));
        }
        if follows.abandons {
            self.abandons(replica);
        }
        if let Some(begins) = follows.begins {
            self.joins(begins);
        }
    }

    /// A replica begins a life beside those that take part.
    fn joins(&mut self, replica: ReplicaNumber) {
        let mut new = self.new_replica(replica, true);
        for other in self.remedies.active.without(replica).iter() {
            let (here, there) = link(new.life, self.remedies.life(other), &self.setup.settings);
            new.links.push((other, here));
            self.links.post(other, Control::Linked(replica, there));
        }
        // Without a thread it takes no part.
        if self.starts(new).is_err() {
            self.abandons(replica);
        }
    }

    fn abandons(&mut self, replica: ReplicaNumber) {
        let life = self.links.begins(replica);
        self.remedies.abandons(replica, life);
    }

    fn send_all(&self, about: ReplicaNumber, control: impl Fn() -> Control) {
        for other in self.remedies.begun().without(about).iter() {
            self.links.post(other, control());
        }
    }

    fn ends(mut self) -> Outcome {
        let is_whole = self.remedies.has_majority();
        let replicas = self.remedies.summaries();
        for (thread, summary) in self.threads.iter_mut().zip(&replicas) {
            // Those that were abandoned end when they ask for a vote, if ever.
            let left = summary.ending == Some(Ending::Abandoned);
            if let Some(thread) = thread.take().filter(|thread| !left || thread.is_finished()) {
                _ = thread.join();
            }
        }
        let processors = std::thread::available_parallelism().ok().map(Into::into);
        Outcome { replicas, is_whole, processors }
    }
}

impl<V, R, F> Drop for Manager<V, R, F> {
    /// Replicas that still run are to return, however this ends.
    fn drop(&mut self) {
        for replica in self.remedies.begun().iter() {
            self.links.begins(replica);
        }
    }
}
