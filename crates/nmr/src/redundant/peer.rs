//! The other replicas, as one of them sees them: what came from each, and what is said of it.

use super::links::{Link, Message};
use super::manager::Event;
use super::outcome::FaultKind;
use crate::{Iteration, ReplicaNumber, Report};
use std::sync::mpsc::Sender;
use std::time::{Duration, Instant};

/// One of the other replicas.
#[derive(Debug)]
pub(super) struct Peer {
    pub(super) replica: ReplicaNumber,
    pub(super) link: Link,
    /// The iteration of the last value that was read; `None` before the first.
    pub(super) seen: Option<Iteration>,
    /// So many values it said it had not sent, and so many were not sent to it, since there was no room.
    pub(super) skipped: u64,
    pub(super) skips: u64,
    /// The last value that was not sent.
    pub(super) unsent: Option<Message>,
    /// A value that is ahead of the vote, and offered after it.
    pub(super) held: Option<Message>,
    /// It is too far behind, and nothing has come from it since then.
    pub(super) silent: Option<Instant>,
    /// When it was last said to be wrong, and to be in a wrong iteration.
    accused: [Option<Instant>; 2],
}

impl Peer {
    pub(super) fn new(replica: ReplicaNumber, link: Link) -> Peer {
        let (seen, unsent, held, silent) = (None, None, None, None);
        let (skipped, skips) = (0, 0);
        let accused = [None; 2];
        Peer { replica, link, seen, skipped, skips, unsent, held, silent, accused }
    }

    /// Whether this is the next value of it, so that its number is no mistake.
    pub(super) fn follows(&self, [iteration, _, skipped]: Message) -> bool {
        let left_out = skipped.saturating_sub(self.skipped);
        self.seen.is_none_or(|seen| iteration == seen.next().0.saturating_add(left_out))
    }
}

/// All others, and who hears what is said of them.
#[derive(Debug)]
pub(super) struct Peers {
    number: ReplicaNumber,
    pub(super) all: Vec<Peer>,
    patience: Duration,
    manager: Sender<Event>,
}

impl Peers {
    pub(super) fn new(
        number: ReplicaNumber,
        links: Vec<(ReplicaNumber, Link)>,
        patience: Duration,
        manager: Sender<Event>,
    ) -> Peers {
        let all = links.into_iter().map(|(replica, link)| Peer::new(replica, link)).collect();
        Peers { number, all, patience, manager }
    }

    /// Another has begun a new life.
    pub(super) fn link(&mut self, replica: ReplicaNumber, link: Link) {
        self.all.retain(|peer| peer.replica != replica);
        self.all.push(Peer::new(replica, link));
        self.all.sort_by_key(|peer| peer.replica);
    }

    pub(super) fn tells(&self, event: Event) {
        // Without a manager the run is over, and nobody wants to know.
        _ = self.manager.send(event);
    }

    /// None for itself: the others accuse it.
    fn peer(&mut self, replica: ReplicaNumber) -> Option<&mut Peer> {
        self.all.iter_mut().find(|peer| peer.replica == replica)
    }

    /// Its voter has found something.
    pub(super) fn reports<V>(&mut self, report: &Report<'_, V>) {
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

    /// Accuses those that are behind and silent. A thread that waits for a processor is behind, too, but not for so long.
    pub(super) fn accuse_silent(&mut self, iteration: Iteration) {
        for place in 0..self.all.len() {
            let peer = &mut self.all[place];
            if peer.silent.is_some_and(|since| since.elapsed() >= self.patience) {
                peer.silent = None;
                let replica = peer.replica;
                self.accuses(replica, FaultKind::Lagging, iteration);
            }
        }
    }

    /// Says so, a few times only while it is waited for others to say it, too.
    fn accuses(&mut self, replica: ReplicaNumber, kind: FaultKind, iteration: Iteration) {
        let (now, often, by) = (Instant::now(), self.patience / 8, self.number);
        let Some(peer) = self.peer(replica) else { return };
        let life = peer.link.life;
        let of_kind = match kind {
            FaultKind::Wrong => Some(&mut peer.accused[0]),
            FaultKind::WrongIteration => Some(&mut peer.accused[1]),
            _ => None,
        };
        if let Some(said) = of_kind {
            if said.is_some_and(|said| now.duration_since(said) < often) {
                return;
            }
            *said = Some(now);
        }
        self.tells(Event::Accused { by, replica, life, kind, iteration });
    }
}
