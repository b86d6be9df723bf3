//! A replica, as its body sees it: it offers a value, and goes on with what is voted.
//!
//! Each replica has a voter of its own (CMU 1982, 1.4), on its own thread, so no part of a vote is there once only. It reads its rings round robin, one value each.

use super::injected::{Injected, Plan, spoilt};
use super::links::{Control, Link, Links};
use super::manager::Event;
use super::outcome::VoteError;
use super::peer::{Peer, Peers};
use crate::rule::Rule;
use crate::word::Word;
use crate::{Iteration, Received, ReplicaNumber, Replicas, Report, Settings, Voter};
use std::sync::Arc;
use std::sync::mpsc::Sender;
use std::time::{Duration, Instant};

/// How often rings are looked at before the thread sleeps.
const LOOKS: u32 = 100;

/// How long a replica waits until it looks for room in the ring of another.
const ROOM: Duration = Duration::from_millis(1);

/// What was voted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Vote<V> {
    /// In which iteration. Later than that of the value that was offered, if this replica has missed votes meanwhile: then it goes on from there.
    pub iteration: Iteration,
    /// What.
    pub value: V,
}

/// A replica of a redundant run ([`Redundant::run`](super::Redundant::run)).
// Fields: who it is, how it reaches the others, its voter, and where it is.
#[derive(Debug)]
pub struct Replica<V, R> {
    number: ReplicaNumber,
    life: u32,
    links: Arc<Links>,
    peers: Peers,
    voter: Voter<V, R>,
    settings: Settings,
    rule: R,
    /// The iteration of the next value.
    next: Iteration,
    last: Option<Vote<V>>,
    patience: Duration,
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
            peers: Peers::new(number, peers, patience, manager),
            voter,
            settings: settings.clone(),
            rule,
            next: Iteration(1),
            last: None,
            patience,
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
        self.peers.accuse_silent(self.next);
        let word = self.sends(iteration, value.to_word())?;
        self.offers(self.number, iteration, word);
        self.waits(iteration)
    }

    /// Waits for a vote of the others, without a value of its own.
    pub(super) fn joins(&mut self) -> Result<(), VoteError> {
        self.waits(Iteration(1))?;
        self.peers.tells(Event::Joined { replica: self.number, life: self.life });
        Ok(())
    }

    /// Its body has returned: looks at what others still send for its last iterations, so that errors in these are reported, too.
    pub(super) fn finishes(&mut self) {
        let begun = Instant::now();
        let last = self.last.map(|vote| vote.iteration);
        while self.takes_mail().is_ok() {
            self.sends_last();
            // In this order: what it sent before its end is there once that is seen.
            let (links, active) = (self.links.clone(), self.voter.active());
            let comes = |peer: &Peer| {
                let more = peer.seen < last || peer.unsent.is_some();
                more && active.has(peer.replica) && !links.is_over(peer.replica, peer.link.life)
            };
            let (waits, waited) = (self.peers.all.iter().any(comes), begun.elapsed());
            if self.looks() {
                continue;
            }
            if !waits || waited >= self.patience {
                return;
            }
            let unsent = self.peers.all.iter().any(|peer| peer.unsent.is_some());
            // Nobody says that there is room again.
            let soon = if unsent { ROOM } else { self.patience };
            let longest = self.patience.saturating_sub(waited).min(soon);
            let is_over = |peer: &Peer| links.is_over(peer.replica, peer.link.life);
            let over = self.peers.all.iter().filter(|peer| is_over(peer)).count();
            links.sleep(self.number, longest, || {
                self.looks() || self.peers.all.iter().filter(|peer| is_over(peer)).count() != over
            });
        }
    }

    /// Those that were too far behind for its last value get it once they have read what was before.
    fn sends_last(&mut self) {
        for peer in &mut self.peers.all {
            if let Some([iteration, word, skips]) = peer.unsent
                && peer.link.to.write(&[[iteration, word, skips]]) == 1
            {
                peer.unsent = None;
                self.links.wake(peer.replica);
            }
        }
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
        let mut vote = None;
        let peers = &mut self.peers;
        self.voter.give_up(iteration, |report| match report {
            Report::Voted { iteration, value, .. } => {
                vote = Some(Vote { iteration, value: *value })
            }
            report => peers.reports(&report),
        });
        let vote = vote.ok_or(VoteError::NoMajority { iteration })?;
        (self.next, self.last) = (iteration.next(), Some(vote));
        Ok(vote)
    }

    /// Reads a value of each other replica. Whether there was any that could be offered.
    fn looks(&mut self) -> bool {
        let mut any = false;
        for place in 0..self.peers.all.len() {
            let peer = &mut self.peers.all[place];
            let mut read = [[0; 3]];
            let message = match peer.held.take() {
                Some(held) => held,
                None if peer.link.from.read(&mut read) == 1 => read[0],
                None => continue,
            };
            let (from, iteration) = (peer.replica, Iteration(message[0]));
            let is_joining = self.voter.is_joining();
            if !is_joining && peer.follows(message) && iteration > self.voter.last_taken() {
                peer.held = Some(message);
                continue;
            }
            let received = self.offers(from, iteration, message[1]);
            let peer = &mut self.peers.all[place];
            if is_joining && received == Received::Ahead {
                // It counts once the voter knows where the others are.
                peer.held = Some(message);
                continue;
            }
            any = true;
            peer.seen = Some(iteration.min(Iteration::LAST));
            (peer.skipped, peer.silent) = (message[2], None);
        }
        any
    }

    fn offers(&mut self, from: ReplicaNumber, iteration: Iteration, word: u64) -> Received {
        let peers = &mut self.peers;
        let value = V::from_word(word);
        self.voter.receive(from, iteration, value, |report| peers.reports(&report))
    }

    /// Whether a majority of the others has gone on, so that nothing comes any longer of what it waits for: a vote in this iteration, or in any that its voter takes.
    fn has_missed(&self, iteration: Iteration) -> bool {
        let waits_for =
            if self.voter.keeps(iteration) { iteration } else { self.voter.last_taken() };
        let active = self.voter.active();
        let weight = |replica: ReplicaNumber| u64::from(self.settings.weights[replica.index()]);
        let total: u64 = active.iter().map(weight).sum();
        let is_past = |peer: &&Peer| {
            let said = peer.held.map_or(peer.seen, |[held, ..]| Some(Iteration(held)));
            active.has(peer.replica) && said > Some(waits_for)
        };
        let past: u64 =
            self.peers.all.iter().filter(is_past).map(|peer| weight(peer.replica)).sum();
        !self.voter.is_joining() && past * 2 > total
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
        for peer in &mut self.peers.all {
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
            peer.unsent = (peer.link.to.write(&[sent]) == 0).then_some(sent);
            peer.skips += u64::from(peer.unsent.is_some());
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
                    self.peers.link(replica, link);
                }
                Control::Retired(replica) => {
                    let peers = &mut self.peers;
                    // Two voters may hear of it in different orders; one that has heard is right.
                    _ = self.voter.retire(replica, |report| peers.reports(&report));
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
