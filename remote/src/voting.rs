//! A replica's part in votes, when messages may be lost, arrive twice or overtake each other (CMU 1982, 1.4).
//!
//! It has no clock, no thread and no transport: it is told what has arrived and when, and says what is to be sent. `turns.rs` drives it.
//!
//! Invariants. A value that is sent for an iteration never changes. A replica keeps its own values of the last `queue` iterations, so another that has lost them gets them when it asks. A replica that is
//! further behind takes a new voter that joins (`Voter::joining`), and goes on from a later vote; so does one that was killed and begins anew.

use crate::message::{Kind, Message};
use windfall_nmr::redundant::FaultKind;
use windfall_nmr::{
    Iteration, Received, Record, ReplicaNumber, Replicas, Report, Rule, Settings, SettingsError,
    Voter,
};
use windfall_time::{Instant, Span};

/// What was voted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Vote {
    /// In which iteration. Later than that of the value that was offered, if this replica has missed votes meanwhile: then it goes on from there.
    pub iteration: Iteration,
    /// What.
    pub value: u64,
}

/// A fault, as the voter here sees it. A replica that was outvoted sees its own as well.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Fault {
    /// Whose.
    pub replica: ReplicaNumber,
    /// What.
    pub kind: FaultKind,
    /// Where it was noticed.
    pub iteration: Iteration,
}

/// What is known of another replica.
#[derive(Clone, Copy, Debug)]
struct Peer {
    /// The last iteration that it said its value was for.
    reached: Iteration,
    /// When something came from it last, if ever.
    heard: Option<Instant>,
    /// A value of it was ahead of the vote, which nobody else has said since.
    ahead: Option<(Instant, Iteration)>,
    /// What it said was voted last.
    voted: Option<Vote>,
    is_silent: bool,
    is_done: bool,
}

/// One replica among others.
// Fields: who it is and how it votes, what it has offered and heard, and what it knows of the others.
#[derive(Debug)]
pub(crate) struct Voting<R> {
    own: ReplicaNumber,
    settings: Settings,
    rule: R,
    /// How long a vote is waited for.
    patience: Span,
    begun: Instant,
    voter: Voter<u64, R>,
    /// The iteration of the next value.
    pub(crate) next: Iteration,
    pub(crate) last: Option<Vote>,
    newest: Option<Vote>,
    /// Its own values, by iteration.
    kept: Box<[(Iteration, u64)]>,
    peers: Box<[Peer]>,
    found: Vec<Fault>,
}

impl<R: Rule<u64> + Clone> Voting<R> {
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
            kept: vec![(reached, 0); settings.queue as usize].into(),
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
    pub(crate) fn offers(&mut self, value: u64) -> Option<Message> {
        let (iteration, place) = (self.next, self.place(self.next));
        // What was offered before the body asked again has been sent, and others may have voted on it.
        if self.kept[place].0 != iteration {
            self.kept[place] = (iteration, value);
            self.takes(self.own, iteration, value);
        }
        self.message(Kind::Value)
    }

    /// Its newest value, or what was voted last, if it has missed votes; `None` before the first.
    pub(crate) fn message(&self, kind: Kind) -> Option<Message> {
        let offered = |iteration: Iteration| {
            let (kept, value) = self.kept[self.place(iteration)];
            (kept == iteration && iteration.0 > 0).then_some((iteration, value))
        };
        let before = Iteration(self.next.0 - 1);
        let voted = self.last.map(|vote| (vote.iteration, vote.value));
        let (iteration, value) = offered(self.next).or_else(|| offered(before)).or(voted)?;
        Some(Message { kind, iteration, value })
    }

    fn place(&self, iteration: Iteration) -> usize {
        let rows = self.kept.len() as u64;
        usize::try_from(iteration.0 % rows).unwrap_or_default()
    }

    /// A message has come. What its sender is to be sent.
    pub(crate) fn hears(
        &mut self,
        from: ReplicaNumber,
        message: Message,
        now: Instant,
    ) -> Option<Message> {
        if !self.others().has(from) {
            return None;
        }
        let Message { kind, iteration, value } = message;
        let peer = &mut self.peers[usize::from(from.0)];
        (peer.heard, peer.is_silent) = (Some(now), false);
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
        let (kept, value) = self.kept[self.place(iteration)];
        let is_kept = kept == iteration;
        let same = Message { kind: Kind::Value, iteration, value };
        // A value that it has not come to yet is sent when it has.
        let voted = self.last.filter(|last| last.iteration > iteration);
        let voted =
            voted.map(|Vote { iteration, value }| Message { kind: Kind::Voted, iteration, value });
        if is_kept { Some(same) } else { voted }
    }

    fn takes(&mut self, from: ReplicaNumber, iteration: Iteration, value: u64) -> Received {
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
    pub(crate) fn polls(&mut self, now: Instant) -> Option<Vote> {
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
    fn told(&self) -> Option<Vote> {
        let mut told = self.peers.iter().filter_map(|peer| peer.voted);
        told.find(|vote| {
            vote.iteration >= self.next && self.is_majority(|peer| peer.voted == Some(*vote))
        })
    }

    /// No more values are waited for in this iteration: the vote that comes of those that are there. Without one its row stays open, so that its body may wait for them again.
    pub(crate) fn gives_up(&mut self) -> Option<Vote> {
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

    fn goes_on(&mut self, vote: Vote) -> Vote {
        (self.next, self.last) = (vote.iteration.next(), Some(vote));
        vote
    }

    /// Whether this is so of others that weigh more than half of all.
    fn is_majority(&self, holds: impl Fn(&Peer) -> bool) -> bool {
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
