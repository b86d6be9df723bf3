//! A replica on a thread, as its body sees it: it offers a value, and goes on with what is voted.

use super::event::Event;
use super::links::Links;
use super::outcome::VoteError;
use super::shelf::Served;
use super::{since, span};
use crate::accuser::Accuser;
use crate::injected::{Injected, Plan};
use crate::participant::{Found, Link, Participant, Peer, Vote};
use crate::remedies::Heard;
use crate::rule::Rule;
use crate::value::Value;
use crate::{Digest, Iteration, ReplicaNumber, Replicas, Settings};
use std::sync::Arc;
use std::sync::mpsc::Sender;
use std::time::{Duration, Instant};
use windfall_time::Span;

/// How often rings are looked at before the thread sleeps; the model checker need not try so many.
const LOOKS: u32 = if cfg!(loom) { 1 } else { 100 };

/// How long a replica waits until it looks for room in the ring of another.
const ROOM: Duration = Duration::from_millis(1);

/// How long a replica that is to hang or to be slow takes to see that it counts no longer.
const HELD: Span = Span::from_millis(10);

/// A replica of a redundant run ([`Redundant::run`](super::Redundant::run)).
#[derive(Debug)]
pub struct Replica<V, R> {
    life: u32,
    part: Participant<V, R>,
    links: Arc<Links>,
    patience: Duration,
    manager: Sender<Event>,
    injected: Arc<[Plan]>,
    /// When it began.
    begun: Instant,
    accuser: Accuser,
}

/// How the life of a replica begins.
pub(super) struct NewReplica<R> {
    pub(super) number: ReplicaNumber,
    pub(super) life: u32,
    pub(super) active: Replicas,
    pub(super) is_joining: bool,
    pub(super) links: Vec<(ReplicaNumber, Link)>,
    pub(super) rule: R,
}

impl<V: Value, R: Rule<V> + Clone> Replica<V, R> {
    pub(super) fn new(
        new: NewReplica<R>,
        settings: &Settings,
        patience: Duration,
        (links, manager, injected): (Arc<Links>, Sender<Event>, Arc<[Plan]>),
    ) -> Self {
        let NewReplica { number, life, active, is_joining, links: to_others, rule } = new;
        let part = Participant::new(number, (settings, rule), active, is_joining, to_others);
        links.is_run_here(number);
        let (begun, accuser) = (Instant::now(), Accuser::default());
        Replica { life, part, links, patience, manager, injected, begun, accuser }
    }

    /// Which replica this is.
    #[must_use]
    pub const fn number(&self) -> ReplicaNumber {
        self.part.number
    }

    /// The iteration of the next value that it offers; 1 at the beginning.
    #[must_use]
    pub const fn iteration(&self) -> Iteration {
        self.part.next
    }

    /// The last vote; that of the others, where this replica comes back; `None` before the first.
    #[must_use]
    pub const fn last(&self) -> Option<Vote<V>> {
        self.part.last
    }

    /// The knowledge of another replica.
    #[must_use]
    pub fn record(&self, of: ReplicaNumber) -> Option<&crate::Record> {
        self.part.voter.record(of)
    }

    /// Offers a value, and waits until a majority agrees, be it with this value or not.
    ///
    /// If this replica was too slow to take part, the vote is a later one: `value` is what its body is to go on with, and [`iteration`](Self::iteration) says where. A body whose value is its whole
    /// state needs to do nothing else.
    ///
    /// # Errors
    /// When no majority agrees in time, or this replica is to end: then its body must return. An iteration without a majority is over, so another value for it comes to nothing, either.
    pub fn vote(&mut self, value: V) -> Result<Vote<V>, VoteError> {
        let iteration = self.part.next;
        if iteration > Iteration::LAST {
            return Err(VoteError::LastIteration);
        }
        self.takes_mail()?;
        let fault = self.fault(iteration)?;
        let links = &self.links;
        self.part.sends(value, fault, |other| links.wake(other));
        self.waits(iteration)
    }

    /// Waits for a vote of the others, without a value of its own.
    pub(super) fn joins(&mut self) -> Result<(), VoteError> {
        self.waits(Iteration(1))?;
        self.send(Event::Heard(Heard::Joined { replica: self.number(), life: self.life }));
        Ok(())
    }

    fn waits(&mut self, iteration: Iteration) -> Result<Vote<V>, VoteError> {
        let (begun, mut looks) = (Instant::now(), 0_u32);
        loop {
            let vote = self.part.polls(iteration);
            self.accuses(iteration);
            if let Some(vote) = vote {
                return Ok(vote);
            }
            if self.part.voter.is_without_vote(iteration) {
                return Err(VoteError::NoMajority { iteration });
            }
            self.takes_mail()?;
            looks += 1;
            if looks < LOOKS {
                std::hint::spin_loop();
                continue;
            }
            let waited = begun.elapsed();
            if waited >= self.patience {
                return self.part.gives_up(iteration).ok_or(VoteError::NoMajority { iteration });
            }
            let (part, longest) = (&mut self.part, self.patience.saturating_sub(waited));
            self.links.sleep((part.number, self.life), longest, || part.looks());
        }
    }

    /// Its body has returned: looks at what others still send for its last iterations, so that errors in these are reported, too.
    pub(super) fn finishes(&mut self) {
        let begun = Instant::now();
        let last = self.last().map(|vote| vote.iteration);
        while self.takes_mail().is_ok() {
            let (links, active) = (&self.links, self.part.voter.active());
            let has_unsent = self.part.sends_last(|other| links.wake(other));
            // In this order: what it sent before its end is there once that is seen.
            let is_over = |peer: &&Peer| links.is_over(peer.replica, peer.link.life);
            let comes = |peer: &Peer| peer.is_before(last) && active.has(peer.replica);
            let waits = self.part.peers.iter().any(|peer| comes(peer) && !is_over(&peer));
            let over = self.part.peers.iter().filter(is_over).count();
            let (looked, waited) = (self.part.looks(), begun.elapsed());
            if !looked && !waits || waited >= self.patience {
                break;
            }
            if !looked {
                // Nobody says that there is room again.
                let soon = if has_unsent { ROOM } else { self.patience };
                let longest = self.patience.saturating_sub(waited).min(soon);
                let (number, part) = (self.part.number, &mut self.part);
                let is_there = || part.looks() || part.peers.iter().filter(is_over).count() != over;
                links.sleep((number, self.life), longest, is_there);
            }
            self.accuses(self.part.next);
        }
        self.accuses(self.part.next);
    }

    /// The fault that it is to show now.
    pub(super) fn shows(&self, iteration: Iteration) -> Option<Injected> {
        let due = |plan: &&Plan| plan.is_due(self.number(), self.life, iteration);
        self.injected.iter().find(due).map(|plan| plan.fault)
    }

    /// The same, shown as far as it is shown before a value is sent. It may not come back from here.
    fn fault(&self, iteration: Iteration) -> Result<Option<Injected>, VoteError> {
        let (number, fault) = (self.number(), self.shows(iteration));
        if fault == Some(Injected::Crash) {
            panic!("{number} crashes in {iteration}, as it was told");
        }
        let until = match fault {
            Some(Injected::Hang) => None,
            Some(Injected::Slow { by }) => Some(since(self.begun).saturating_add(by)),
            _ => return Ok(fault),
        };
        let left = || until.map(|until| until.saturating_since(since(self.begun)));
        while self.links.life(number) == self.life {
            match left().map_or(HELD, |left| left.min(HELD)) {
                Span::ZERO => return Ok(fault),
                longest => std::thread::park_timeout(Duration::from_nanos(longest.as_nanos())),
            }
        }
        Err(VoteError::Replaced)
    }

    fn takes_mail(&mut self) -> Result<(), VoteError> {
        let mail = self.links.take_mail(self.number(), self.life);
        for control in mail.ok_or(VoteError::Replaced)? {
            control.reaches(&mut self.part);
        }
        Ok(())
    }

    fn send(&self, event: Event) {
        // Without a manager the run is over, and nobody wants to know.
        _ = self.manager.send(event);
    }

    /// Reports to the manager what was found.
    fn accuses(&mut self, iteration: Iteration) {
        let (by, manager) = (self.part.number, &self.manager);
        let times = (since(self.begun), span(self.patience));
        let found = self.part.take_found();
        self.accuser.accuses((&self.part, &found), iteration, times, |life, found| {
            let Found { replica, kind, iteration } = found;
            let accused = Heard::Accused { by, replica, life, kind, iteration };
            // Without a manager the run is over, and nobody wants to know.
            _ = manager.send(Event::Heard(accused));
        });
    }
}

/// Data of a replica with states, beside votes (`stateful.rs`).
impl<R: Rule<Digest> + Clone> Replica<Digest, R> {
    pub(super) const fn patience(&self) -> Duration {
        self.patience
    }

    /// The replicas whose hashes agreed with the last vote.
    pub(super) fn agreed(&self) -> Replicas {
        self.part.agreed.without(self.number())
    }

    pub(super) fn others(&self) -> Replicas {
        self.part.voter.active().without(self.number())
    }

    pub(super) fn serves(&self, served: Served) {
        self.links.serves(self.number(), self.life, served);
    }

    pub(super) fn served(&self, by: ReplicaNumber, digest: Digest) -> Option<Arc<Served>> {
        self.links.served(by, digest)
    }

    /// The next vote, if it is there, without a value of its own.
    pub(super) fn goes_on_without(&mut self) -> Result<Option<Vote<Digest>>, VoteError> {
        self.takes_mail()?;
        let next = self.part.next;
        let vote = self.part.polls(next);
        if vote.is_some() {
            self.part.leaves_out();
        }
        self.accuses(next);
        Ok(vote)
    }

    pub(super) fn sleeps(&self, longest: Duration) {
        self.links.sleep((self.number(), self.life), longest, || false);
    }

    /// Another serves a state that does not have the hash which it says.
    pub(super) fn disproves(&self, replica: ReplicaNumber, served: Arc<Served>) {
        let peer = self.part.peers.iter().find(|peer| peer.replica == replica);
        if let (Some(peer), Some(vote)) = (peer, self.part.last) {
            let (life, iteration) = (peer.link.life, vote.iteration);
            self.send(Event::Disproved { replica, life, iteration, served });
        }
    }
}
