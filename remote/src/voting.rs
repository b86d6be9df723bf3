//! A replica's part in votes, when messages may be lost, arrive twice or overtake each other (CMU 1982, 1.4).
//!
//! It has no clock, no thread and no transport: it is told what has arrived and when, and says what is to be sent. `turns.rs` drives it.
//!
//! Invariants. A value that is sent for an iteration never changes. A replica keeps its own values of the last `queue` iterations, so another that has lost them gets them when it asks. A replica that is
//! further behind takes a new voter that joins (`Voter::joining`), and goes on from a later vote; so does one that was killed and begins anew.

use crate::fault::{Fault, FaultKind};
use crate::message::{Kind, Message};
use crate::words::Words;
use windfall_nmr::{
    Iteration, Received, Record, ReplicaNumber, Replicas, Report, Rule, Settings, SettingsError,
    Voter,
};
use windfall_time::{Instant, Span};

/// What was voted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Vote<V = u64> {
    /// In which iteration. Later than that of the value that was offered, if this replica has missed votes meanwhile: then it goes on from there.
    pub iteration: Iteration,
    /// What.
    pub value: V,
}

/// What is known of another replica.
#[derive(Clone, Copy, Debug)]
struct Peer<V> {
    /// The last iteration that it said its value was for.
    reached: Iteration,
    /// When something came from it last, if ever.
    heard: Option<Instant>,
    /// A value of it was ahead of the vote, which nobody else has said since.
    ahead: Option<(Instant, Iteration)>,
    /// What it said was voted last.
    voted: Option<Vote<V>>,
    is_silent: bool,
    /// Its values have another size.
    has_other_size: bool,
    is_done: bool,
}

/// One replica among others.
// Fields: who it is and how it votes, what it has offered and heard, and what it knows of the others.
#[derive(Debug)]
pub(crate) struct Voting<V, R> {
    own: ReplicaNumber,
    settings: Settings,
    rule: R,
    /// How long a vote is waited for.
    patience: Span,
    begun: Instant,
    voter: Voter<V, R>,
    /// The iteration of the next value.
    pub(crate) next: Iteration,
    pub(crate) last: Option<Vote<V>>,
    newest: Option<Vote<V>>,
    /// Its own values, by iteration.
    kept: Box<[Option<(Iteration, V)>]>,
    peers: Box<[Peer<V>]>,
    found: Vec<Fault>,
}

impl<V: Words, R: Rule<V> + Clone> Voting<V, R> {
    pub(crate) fn new(
        own: ReplicaNumber,
        settings: Settings,
        rule: R,
        patience: Span,
        now: Instant,
    ) -> Result<Self, SettingsError> {
        let voter = Voter::new(&settings, rule.clone())?;
        let reached = Iteration::default();
        let peer = Peer {
            reached,
            heard: None,
            ahead: None,
            voted: None,
            is_silent: false,
            has_other_size: false,
            is_done: false,
        };
        Ok(Voting {
            own,
            rule,
            patience,
            begun: now,
            voter,
            next: Iteration(1),
            last: None,
            newest: None,
            kept: vec![None; settings.queue as usize].into(),
            peers: vec![peer; settings.replicas.into()].into(),
            found: Vec::new(),
            settings,
        })
    }

    /// All others.
    pub(crate) fn others(&self) -> Replicas {
        self.voter.active().without(self.own)
    }

    /// It offers a value for its next iteration. What all others are to be sent.
    pub(crate) fn offers(&mut self, value: V) -> Option<Message<V>> {
        let iteration = self.next;
        // What was offered before the body asked again has been sent, and others may have voted on it.
        if self.offered(iteration).is_none() {
            self.kept[self.place(iteration)] = Some((iteration, value));
            self.takes(self.own, iteration, value);
        }
        self.message(Kind::Value)
    }

    /// Its newest value, or what was voted last, if it has missed votes; `None` before the first.
    pub(crate) fn message(&self, kind: Kind) -> Option<Message<V>> {
        let before = Iteration(self.next.0 - 1);
        let voted = self.last.map(|vote| (vote.iteration, vote.value));
        let offered = self.offered(self.next).or_else(|| self.offered(before));
        let (iteration, value) = offered.or(voted)?;
        Some(Message { kind, iteration, value })
    }

    /// Its own value for this iteration, while that is kept.
    fn offered(&self, iteration: Iteration) -> Option<(Iteration, V)> {
        self.kept[self.place(iteration)].filter(|(kept, _)| *kept == iteration)
    }

    fn place(&self, iteration: Iteration) -> usize {
        let rows = self.kept.len() as u64;
        usize::try_from(iteration.0 % rows).unwrap_or_default()
    }

    /// A message has come. What its sender is to be sent.
    pub(crate) fn hears(
        &mut self,
        from: ReplicaNumber,
        message: Message<V>,
        now: Instant,
    ) -> Option<Message<V>> {
        if !self.others().has(from) {
            return None;
        }
        let Message { kind, iteration, value } = message;
        let peer = &mut self.peers[usize::from(from.0)];
        (peer.heard, peer.is_silent, peer.has_other_size) = (Some(now), false, false);
        if kind == Kind::Voted {
            peer.voted = Some(Vote { iteration, value });
            return None;
        }
        peer.is_done = kind == Kind::Done;
        peer.reached = peer.reached.max(iteration);
        if self.takes(from, iteration, value) == Received::Ahead {
            self.peers[usize::from(from.0)].ahead.get_or_insert((now, iteration));
        }
        if kind != Kind::Ask {
            return None;
        }
        let own = self.offered(iteration);
        let same = own.map(|(_, value)| Message { kind: Kind::Value, iteration, value });
        // A value that it has not come to yet is sent when it has.
        let voted = self.last.filter(|last| last.iteration > iteration);
        let voted =
            voted.map(|Vote { iteration, value }| Message { kind: Kind::Voted, iteration, value });
        same.or(voted)
    }

    /// A replica has sent a value of so many words.
    pub(crate) fn finds_other_size(&mut self, replica: ReplicaNumber, words: usize) {
        self.peers[usize::from(replica.0)].has_other_size = true;
        let (kind, iteration) = (FaultKind::Size { words, own: V::WORDS }, self.next);
        finds(&mut self.found, Fault { replica, kind, iteration });
    }

    /// A replica has served a state that was not voted.
    pub(crate) fn serves_wrong(&mut self, replica: ReplicaNumber) {
        let (kind, iteration) = (FaultKind::WrongState, self.next);
        finds(&mut self.found, Fault { replica, kind, iteration });
    }

    /// Those whose values have another size.
    pub(crate) fn of_other_size(&self) -> Replicas {
        self.others()
            .iter()
            .filter(|other| self.peers[usize::from(other.0)].has_other_size)
            .collect()
    }

    /// A vote that came after this one.
    pub(crate) fn later_than(&mut self, vote: Vote<V>) -> Option<Vote<V>> {
        let later = self.newest.filter(|newest| newest.iteration > vote.iteration)?;
        Some(self.goes_on(later))
    }

    fn takes(&mut self, from: ReplicaNumber, iteration: Iteration, value: V) -> Received {
        let (found, newest) = (&mut self.found, &mut self.newest);
        self.voter.receive(from, iteration, value, |report| match report {
            Report::Voted { iteration, value, .. } => {
                let vote = Vote { iteration, value: *value };
                *newest = newest.filter(|before| before.iteration > iteration).or(Some(vote));
            }
            Report::Errors { iteration, wrong, .. } => {
                for replica in wrong.iter() {
                    finds(found, Fault { replica, kind: FaultKind::Wrong, iteration });
                }
            }
            _ => {}
        })
    }

    /// The vote of this iteration, or a later one, if this replica has missed it; then it goes on from there. `None` while it must wait.
    pub(crate) fn polls(&mut self, now: Instant) -> Option<Vote<V>> {
        self.judges(now);
        let iteration = self.next;
        let voted = self.voter.voted(iteration).map(|value| Vote { iteration, value: *value });
        let is_kept = self.voter.keeps(iteration);
        let later = self.newest.filter(|vote| vote.iteration > iteration && !is_kept);
        if let Some(vote) = voted.or(later).or_else(|| self.told()) {
            return Some(self.goes_on(vote));
        }
        // What comes after these is not taken, and what came before is not sent any longer.
        let limit = if is_kept {
            Iteration(iteration.0.saturating_add(u64::from(self.settings.queue) - 1))
        } else {
            self.voter.last_taken()
        };
        if !self.voter.is_joining() && self.is_majority(|peer| peer.reached > limit) {
            let joining = Voter::joining(&self.settings, self.rule.clone());
            self.voter = joining.expect("the settings were checked before");
            // One of these may have been a wrong number.
            self.peers.iter_mut().for_each(|peer| peer.reached = Iteration::default());
        }
        None
    }

    /// A vote that a majority says was its last, and that is later than this replica can vote itself. Others may disagree in the iteration after it, so that no vote comes of what they send.
    fn told(&self) -> Option<Vote<V>> {
        let mut told = self.peers.iter().filter_map(|peer| peer.voted);
        told.find(|vote| {
            vote.iteration >= self.next && self.is_majority(|peer| peer.voted == Some(*vote))
        })
    }

    /// No more values are waited for in this iteration: the vote that comes of those that are there. Without one its row stays open, so that its body may wait for them again; so this asks a copy of the voter, which is allocated.
    pub(crate) fn gives_up(&mut self) -> Option<Vote<V>> {
        let (mut vote, iteration) = (None, self.next);
        let mut voter = self.voter.clone();
        voter.give_up(iteration, |report| {
            if let Report::Voted { iteration, value, .. } = report {
                vote = Some(Vote { iteration, value: *value });
            }
        });
        let vote = vote?;
        self.voter = voter;
        Some(self.goes_on(vote))
    }

    /// Whether the iteration is over, and came to no vote.
    pub(crate) fn is_without_vote(&self) -> bool {
        self.voter.is_without_vote(self.next)
    }

    /// Whether another has gone on, so that its value for this iteration was lost, or is wrong.
    pub(crate) fn is_any_past(&self) -> bool {
        self.others().iter().any(|other| self.peers[usize::from(other.0)].reached > self.next)
    }

    /// Those that want something yet.
    pub(crate) fn at_work(&self) -> Replicas {
        self.others().iter().filter(|other| !self.peers[usize::from(other.0)].is_done).collect()
    }

    /// Those of which nothing was heard since then.
    pub(crate) fn silent_since(&self, since: Instant) -> Replicas {
        let is_silent =
            |other: &ReplicaNumber| self.peers[usize::from(other.0)].heard < Some(since);
        self.others().iter().filter(is_silent).collect()
    }

    pub(crate) fn record(&self, of: ReplicaNumber) -> Option<&Record> {
        self.voter.record(of)
    }

    /// What was found since the last call, each replica and kind once.
    pub(crate) fn take_found(&mut self) -> Vec<Fault> {
        std::mem::take(&mut self.found)
    }

    fn goes_on(&mut self, vote: Vote<V>) -> Vote<V> {
        (self.next, self.last) = (vote.iteration.next(), Some(vote));
        vote
    }

    /// Whether this is so of others that weigh more than half of all.
    fn is_majority(&self, holds: impl Fn(&Peer<V>) -> bool) -> bool {
        let weight = |replica: ReplicaNumber| u64::from(self.settings.weights[replica.0 as usize]);
        let total: u64 = self.voter.active().iter().map(weight).sum();
        let others = self.others().iter();
        let so = others.filter(|other| holds(&self.peers[usize::from(other.0)]));
        so.map(weight).sum::<u64>() * 2 > total
    }

    /// Who is silent and far behind, and who has said an iteration that nobody came near since. A correct replica may be ahead of what is known here; a majority says so soon.
    fn judges(&mut self, now: Instant) {
        let last = self.voter.last_taken();
        for replica in self.others().iter() {
            let place = usize::from(replica.0);
            let peer = self.peers[place];
            if let Some((since, iteration)) = peer.ahead {
                let near = Iteration(iteration.0.saturating_sub(self.settings.queue.into()));
                if iteration <= last || self.is_majority(|peer| peer.reached >= near) {
                    self.peers[place].ahead = None;
                } else if now.saturating_since(since) >= self.patience {
                    self.peers[place].ahead = None;
                    let kind = FaultKind::WrongIteration;
                    finds(&mut self.found, Fault { replica, kind, iteration });
                }
            }
            let is_lagging = self.voter.record(replica).is_some_and(|record| record.is_lagging);
            let heard = peer.heard.unwrap_or(self.begun);
            let is_silent = now.saturating_since(heard) >= self.patience;
            if is_lagging && is_silent && !peer.is_silent {
                self.peers[place].is_silent = true;
                let (kind, iteration) = (FaultKind::Lagging, self.next);
                finds(&mut self.found, Fault { replica, kind, iteration });
            }
        }
    }
}

fn finds(found: &mut Vec<Fault>, fault: Fault) {
    let is_known = |of: &Fault| of.replica == fault.replica && of.kind == fault.kind;
    if !found.iter().any(is_known) {
        found.push(fault);
    }
}
