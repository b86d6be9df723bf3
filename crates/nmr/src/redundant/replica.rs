//! A replica, as its body sees it: it offers a value, and goes on with what is voted.
//!
//! Each replica has a voter of its own (CMU 1982, 1.4), on its own thread, so no part of a vote is there once only. It reads its rings round robin, one value each.

use super::injected::{Injected, Plan, spoilt};
use super::links::{Control, Link, Links, Message};
use super::manager::Event;
use super::outcome::{FaultKind, VoteError};
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

/// One of the other replicas.
#[derive(Debug)]
struct Peer {
    replica: ReplicaNumber,
    link: Link,
    /// The iteration of the last value that was read; `None` before the first.
    seen: Option<Iteration>,
    /// So many values it said it had not sent, and so many were not sent to it, since there was no room.
    skipped: u64,
    skips: u64,
    /// The last value that was not sent.
    unsent: Option<Message>,
    /// A value that is ahead of the vote, and offered after it.
    held: Option<Message>,
    /// It is too far behind, and nothing has come from it since then.
    silent: Option<Instant>,
    /// When it was last said to be wrong, and to be in a wrong iteration.
    accused: [Option<Instant>; 2],
}

impl Peer {
    fn new(replica: ReplicaNumber, link: Link) -> Peer {
        let (seen, unsent, held, silent) = (None, None, None, None);
        let (skipped, skips) = (0, 0);
        let accused = [None; 2];
        Peer { replica, link, seen, skipped, skips, unsent, held, silent, accused }
    }

    /// Whether this is the next value of it, so that its number is no mistake.
    fn follows(&self, [iteration, _, skipped]: Message) -> bool {
        let left_out = skipped.saturating_sub(self.skipped);
        self.seen.is_none_or(|seen| iteration == seen.next().0.saturating_add(left_out))
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
            let (waits, waited) = (self.peers.iter().any(comes), begun.elapsed());
            if self.looks() {
                continue;
            }
            if !waits || waited >= self.patience {
                return;
            }
            let unsent = self.peers.iter().any(|peer| peer.unsent.is_some());
            // Nobody says that there is room again.
            let soon = if unsent { ROOM } else { self.patience };
            let longest = self.patience.saturating_sub(waited).min(soon);
            let is_over = |peer: &Peer| links.is_over(peer.replica, peer.link.life);
            let over = self.peers.iter().filter(|peer| is_over(peer)).count();
            links.sleep(self.number, longest, || {
                self.looks() || self.peers.iter().filter(|peer| is_over(peer)).count() != over
            });
        }
    }

    /// Those that were too far behind for its last value get it once they have read what was before.
    fn sends_last(&mut self) {
        for peer in &mut self.peers {
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
        let mut accuser = Accuser {
            number: self.number,
            manager: &self.manager,
            peers: &mut self.peers,
            patience: self.patience,
        };
        self.voter.give_up(iteration, |report| match report {
            Report::Voted { iteration, value, .. } => {
                vote = Some(Vote { iteration, value: *value })
            }
            report => accuser.reports(&report),
        });
        let vote = vote.ok_or(VoteError::NoMajority { iteration })?;
        (self.next, self.last) = (iteration.next(), Some(vote));
        Ok(vote)
    }

    /// Reads a value of each other replica. Whether there was any that could be offered.
    fn looks(&mut self) -> bool {
        let mut any = false;
        for place in 0..self.peers.len() {
            let peer = &mut self.peers[place];
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
            let peer = &mut self.peers[place];
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
        let mut accuser = Accuser {
            number: self.number,
            manager: &self.manager,
            peers: &mut self.peers,
            patience: self.patience,
        };
        let value = V::from_word(word);
        self.voter.receive(from, iteration, value, |report| accuser.reports(&report))
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
        let past: u64 = self.peers.iter().filter(is_past).map(|peer| weight(peer.replica)).sum();
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
                    self.peers.retain(|peer| peer.replica != replica);
                    self.peers.push(Peer::new(replica, link));
                    self.peers.sort_by_key(|peer| peer.replica);
                }
                Control::Retired(replica) => {
                    let mut accuser = Accuser {
                        number: self.number,
                        manager: &self.manager,
                        peers: &mut self.peers,
                        patience: self.patience,
                    };
                    // Two voters may hear of it in different orders; one that has heard is right.
                    _ = self.voter.retire(replica, |report| accuser.reports(&report));
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

/// Who tells the manager what a voter has found about others.
struct Accuser<'a> {
    number: ReplicaNumber,
    manager: &'a Sender<Event>,
    peers: &'a mut [Peer],
    patience: Duration,
}

impl Accuser<'_> {
    fn reports<V>(&mut self, report: &Report<'_, V>) {
        match *report {
            Report::Errors { iteration, wrong, .. } => {
                wrong.iter().for_each(|replica| self.accuses(replica, FaultKind::Wrong, iteration));
            }
            Report::Ahead { replica, iteration, .. } => {
                self.accuses(replica, FaultKind::WrongIteration, iteration);
            }
            Report::Lagging { replica, .. } => {
                if let Some(peer) = self.peer(replica) {
                    peer.silent.get_or_insert_with(Instant::now);
                }
            }
            _ => {}
        }
    }

    /// None for itself: the others accuse it.
    fn peer(&mut self, replica: ReplicaNumber) -> Option<&mut Peer> {
        self.peers.iter_mut().find(|peer| peer.replica == replica)
    }

    /// Says so, a few times only while it is waited for others to say it, too.
    fn accuses(&mut self, replica: ReplicaNumber, kind: FaultKind, iteration: Iteration) {
        let (now, often) = (Instant::now(), self.patience / 8);
        let Some(peer) = self.peer(replica) else { return };
        let (said, life) =
            (&mut peer.accused[usize::from(kind == FaultKind::WrongIteration)], peer.link.life);
        if said.is_none_or(|said| now.duration_since(said) >= often) {
            *said = Some(now);
            let by = self.number;
            _ = self.manager.send(Event::Accused { by, replica, life, kind, iteration });
        }
    }
}
