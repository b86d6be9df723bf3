//! A replica, as its body sees it: it offers a value, and goes on with what is voted.
//!
//! Each replica has a voter of its own (CMU 1982, 1.4), on its own thread, so no part of a vote is there once only. It reads its rings round robin, one value each.

use super::injected::{Injected, Plan, spoilt};
use super::links::{Control, Link, Links, Message};
use super::manager::Event;
use super::outcome::{FaultKind, VoteError};
use crate::rule::Rule;
use crate::word::Word;
use crate::{Iteration, ReplicaNumber, Replicas, Report, Settings, Voter};
use std::sync::Arc;
use std::sync::mpsc::Sender;
use std::time::{Duration, Instant};

/// How often rings are looked at before the thread sleeps.
const LOOKS: u32 = 100;

/// What was voted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Vote<V> {
    /// In which iteration. Later than that of the value that was offered, if this replica has missed votes meanwhile: then it goes on from there.
    pub iteration: Iteration,
    /// What.
    pub value: V,
}

/// One of the other replicas.
#[derive(Debug)]
struct Peer {
    replica: ReplicaNumber,
    link: Link,
    /// The iteration of the last value that was read.
    seen: Iteration,
    /// So many values it said it had not sent, and so many were not sent to it, since there was no room.
    skipped: u64,
    skips: u64,
    /// A value that is ahead of the vote, and offered after it.
    held: Option<Message>,
    /// It is too far behind, and nothing has come from it since then.
    silent: Option<Instant>,
}

impl Peer {
    fn new(replica: ReplicaNumber, link: Link) -> Peer {
        Peer {
            replica,
            link,
            seen: Iteration::default(),
            skipped: 0,
            skips: 0,
            held: None,
            silent: None,
        }
    }
}

/// A replica of a redundant run ([`Redundant::run`](super::Redundant::run)).
// Fields: who it is, how it reaches the others, its voter, and where it is.
#[derive(Debug)]
pub struct Replica<V, R> {
    number: ReplicaNumber,
    life: u32,
    links: Arc<Links>,
    peers: Vec<Peer>,
    voter: Voter<V, R>,
    settings: Settings,
    rule: R,
    /// The iteration of the next value.
    next: Iteration,
    last: Option<Vote<V>>,
    patience: Duration,
    manager: Sender<Event>,
    injected: Arc<[Plan]>,
}

/// How the life of a replica begins.
pub(super) struct Birth<R> {
    pub(super) number: ReplicaNumber,
    pub(super) life: u32,
    pub(super) active: Replicas,
    pub(super) is_joining: bool,
    pub(super) peers: Vec<(ReplicaNumber, Link)>,
    pub(super) rule: R,
}

impl<V: Word, R: Rule<V> + Clone> Replica<V, R> {
    pub(super) fn new(
        birth: Birth<R>,
        settings: &Settings,
        patience: Duration,
        (links, manager, injected): (Arc<Links>, Sender<Event>, Arc<[Plan]>),
    ) -> Self {
        let Birth { number, life, active, is_joining, peers, rule } = birth;
        let voter = voter(settings, rule.clone(), active, is_joining);
        links.is_run_here(number);
        Replica {
            number,
            life,
            links,
            peers: peers.into_iter().map(|(replica, link)| Peer::new(replica, link)).collect(),
            voter,
            settings: settings.clone(),
            rule,
            next: Iteration(1),
            last: None,
            patience,
            manager,
            injected,
        }
    }

    /// Which replica this is.
    #[must_use]
    pub const fn number(&self) -> ReplicaNumber {
        self.number
    }

    /// The iteration of the next value that it offers; 1 at the beginning.
    #[must_use]
    pub const fn iteration(&self) -> Iteration {
        self.next
    }

    /// The last vote; that of the others, where this replica comes back; `None` before the first.
    #[must_use]
    pub const fn last(&self) -> Option<Vote<V>> {
        self.last
    }

    /// What is known here of another replica.
    #[must_use]
    pub fn record(&self, of: ReplicaNumber) -> Option<&crate::Record> {
        self.voter.record(of)
    }

    /// Offers a value, and waits until a majority agrees, be it with this value or not.
    ///
    /// If this replica was too slow to take part, the vote is a later one: `value` is what its body is to go on with, and [`iteration`](Self::iteration) says where. A body whose value is its whole
    /// state needs to do nothing else.
    ///
    /// # Errors
    /// When no majority agrees in time, or this replica is to end.
    pub fn vote(&mut self, value: V) -> Result<Vote<V>, VoteError> {
        let iteration = self.next;
        if iteration > Iteration::LAST {
            return Err(VoteError::LastIteration);
        }
        self.takes_mail()?;
        self.hears_nothing();
        let word = self.sends(iteration, value.to_word())?;
        self.offers(self.number, iteration, word);
        self.waits(iteration)
    }

    /// Waits for a vote of the others, without a value of its own.
    pub(super) fn joins(&mut self) -> Result<(), VoteError> {
        self.waits(Iteration(1))?;
        _ = self.manager.send(Event::Joined { replica: self.number, life: self.life });
        Ok(())
    }

    fn waits(&mut self, iteration: Iteration) -> Result<Vote<V>, VoteError> {
        let (begun, mut looks) = (Instant::now(), 0_u32);
        loop {
            if let Some(vote) = self.voted(iteration) {
                (self.next, self.last) = (vote.iteration.next(), Some(vote));
                return Ok(vote);
            }
            if self.looks() {
                continue;
            }
            self.takes_mail()?;
            if self.has_missed(iteration) {
                self.joins_anew();
                continue;
            }
            looks += 1;
            if looks < LOOKS {
                std::hint::spin_loop();
                continue;
            }
            let waited = begun.elapsed();
            if waited >= self.patience {
                return self.gives_up(iteration);
            }
            let (links, longest) = (self.links.clone(), self.patience.saturating_sub(waited));
            links.sleep(self.number, longest, || self.looks());
        }
    }

    /// The vote of this iteration; the first that there is, where it joins others.
    fn voted(&self, iteration: Iteration) -> Option<Vote<V>> {
        if let Some(value) = self.voter.voted(iteration) {
            return Some(Vote { iteration, value: *value });
        }
        let (later, value) = self.voter.last_vote()?;
        (later > iteration && self.is_past(iteration))
            .then_some(Vote { iteration: later, value: *value })
    }

    /// Whether rows of this iteration are no longer kept, or never were.
    fn is_past(&self, iteration: Iteration) -> bool {
        !self.voter.keeps(iteration)
    }

    fn gives_up(&mut self, iteration: Iteration) -> Result<Vote<V>, VoteError> {
        let (mut vote, number) = (None, self.number);
        let manager = &self.manager;
        self.voter.give_up(iteration, |report| match report {
            Report::Voted { iteration, value, .. } => {
                vote = Some(Vote { iteration, value: *value })
            }
            report => accuses(manager, number, &self.peers, &report),
        });
        let vote = vote.ok_or(VoteError::NoMajority { iteration })?;
        (self.next, self.last) = (iteration.next(), Some(vote));
        Ok(vote)
    }

    /// Reads a value of each other replica. Whether there was any.
    fn looks(&mut self) -> bool {
        let mut any = false;
        for place in 0..self.peers.len() {
            let peer = &mut self.peers[place];
            let mut message = [[0; 3]];
            let message = match peer.held.take() {
                Some(held) => held,
                None if peer.link.from.read(&mut message) == 1 => {
                    any = true;
                    message[0]
                }
                None => continue,
            };
            let [iteration, word, skipped] = message;
            let left_out = skipped.saturating_sub(peer.skipped);
            let follows = iteration == peer.seen.next().0.saturating_add(left_out);
            if follows && !self.voter.takes(Iteration(iteration)) {
                peer.held = Some(message);
                continue;
            }
            peer.seen = Iteration(iteration).min(Iteration::LAST);
            (peer.skipped, peer.silent) = (skipped, None);
            any = true;
            let from = peer.replica;
            self.offers(from, Iteration(iteration), word);
        }
        any
    }

    fn offers(&mut self, from: ReplicaNumber, iteration: Iteration, word: u64) {
        let (manager, number, peers) = (&self.manager, self.number, &self.peers);
        let mut lagging = None;
        self.voter.receive(from, iteration, V::from_word(word), |report| match report {
            Report::Lagging { replica, .. } => lagging = Some(replica),
            report => accuses(manager, number, peers, &report),
        });
        if let Some(peer) = self.peers.iter_mut().find(|peer| Some(peer.replica) == lagging) {
            peer.silent.get_or_insert_with(Instant::now);
        }
    }

    /// Accuses those that are behind and silent. A thread that waits for a processor is behind, too, but not for so long.
    fn hears_nothing(&mut self) {
        for peer in &mut self.peers {
            if peer.silent.is_some_and(|since| since.elapsed() >= self.patience) {
                peer.silent = None;
                let (by, iteration) = (self.number, self.next);
                let (replica, life, kind) = (peer.replica, peer.link.life, FaultKind::Lagging);
                _ = self.manager.send(Event::Accused { by, replica, life, kind, iteration });
            }
        }
    }

    /// Whether a majority of the others has gone on, so that no more values come for this iteration.
    fn has_missed(&self, iteration: Iteration) -> bool {
        let active = self.voter.active();
        let weight = |replica: ReplicaNumber| u64::from(self.settings.weights[replica.index()]);
        let total: u64 = active.iter().map(weight).sum();
        let is_past = |peer: &&Peer| {
            let said = peer.held.map_or(peer.seen, |[held, ..]| Iteration(held));
            active.has(peer.replica) && said > iteration
        };
        let past: u64 = self.peers.iter().filter(is_past).map(|peer| weight(peer.replica)).sum();
        self.voter.keeps(iteration) && !self.voter.is_joining() && past * 2 > total
    }

    fn joins_anew(&mut self) {
        let active = self.voter.active();
        self.voter = voter(&self.settings, self.rule.clone(), active, true);
    }

    /// Sends a value to all others, and wakes those that sleep. What is offered to its own voter.
    fn sends(&mut self, iteration: Iteration, word: u64) -> Result<u64, VoteError> {
        let due = |plan: &&Plan| plan.is_due(self.number, self.life, iteration);
        let fault = self.injected.iter().find(due).map(|plan| plan.fault);
        match fault {
            Some(Injected::Crash) => {
                panic!("{} crashes in {iteration}, as it was told", self.number)
            }
            Some(Injected::Hang) => {
                while self.links.life(self.number) == self.life {
                    std::thread::park_timeout(Duration::from_millis(10));
                }
                return Err(VoteError::Replaced);
            }
            _ => {}
        }
        for peer in &mut self.peers {
            let message = [iteration.0, word, peer.skips];
            if let Some(Injected::Babble { values }) = fault {
                for place in 0..u64::from(values) {
                    // It need not have room for nonsense.
                    let nonsense = place.wrapping_mul(0x9e37_79b9_7f4a_7c15);
                    peer.link.to.write(&[[nonsense, word ^ place, 0]]);
                }
            }
            let sent = fault.map_or(message, |fault| spoilt(fault, message, peer.replica));
            // A replica whose ring is full is far behind, and goes on from a later vote.
            if peer.link.to.write(&[sent]) == 0 {
                peer.skips += 1;
            }
            self.links.wake(peer.replica);
        }
        Ok(match fault {
            Some(fault @ Injected::Flip { .. }) => spoilt(fault, [0, word, 0], self.number)[1],
            _ => word,
        })
    }

    fn takes_mail(&mut self) -> Result<(), VoteError> {
        if self.links.life(self.number) != self.life {
            return Err(VoteError::Replaced);
        }
        for control in self.links.take_mail(self.number) {
            match control {
                Control::Linked(replica, link) => {
                    self.peers.retain(|peer| peer.replica != replica);
                    self.peers.push(Peer::new(replica, link));
                    self.peers.sort_by_key(|peer| peer.replica);
                }
                Control::Retired(replica) => {
                    let (manager, number, peers) = (&self.manager, self.number, &self.peers);
                    let tell = |report: Report<'_, V>| accuses(manager, number, peers, &report);
                    // Two voters may hear of it in different orders; one that has heard is right.
                    _ = self.voter.retire(replica, tell);
                }
                Control::Admitted(replica) => _ = self.voter.admit(replica),
            }
        }
        Ok(())
    }
}

fn voter<V, R: Rule<V>>(
    settings: &Settings,
    rule: R,
    active: Replicas,
    is_joining: bool,
) -> Voter<V, R> {
    let made = if is_joining { Voter::joining(settings, rule) } else { Voter::new(settings, rule) };
    let mut voter = made.expect("the settings were checked before the run");
    // Those that come first, since two must be there at every moment.
    for replica in active.but(voter.active()).iter() {
        voter.admit(replica).expect("a spare of these settings");
    }
    for replica in voter.active().but(active).iter() {
        voter.retire(replica, |_| ()).expect("two are left");
    }
    voter
}

/// Tells the manager what a voter has found about others.
fn accuses<V>(manager: &Sender<Event>, by: ReplicaNumber, peers: &[Peer], report: &Report<'_, V>) {
    let life_of = |replica: ReplicaNumber| {
        peers.iter().find(|peer| peer.replica == replica).map(|peer| peer.link.life)
    };
    let accuse = |replica, kind, iteration| {
        // A replica does not accuse itself: the others do.
        if let Some(life) = life_of(replica) {
            _ = manager.send(Event::Accused { by, replica, life, kind, iteration });
        }
    };
    match *report {
        Report::Errors { iteration, wrong, .. } => {
            wrong.iter().for_each(|replica| accuse(replica, FaultKind::Wrong, iteration));
        }
        Report::Ahead { replica, iteration, .. } => {
            accuse(replica, FaultKind::WrongIteration, iteration);
        }
        _ => {}
    }
}
