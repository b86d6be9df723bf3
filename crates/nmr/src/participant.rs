//! One replica's part in votes: it sends its values to the others, reads theirs round robin, one each, and offers all to a voter of its own (CMU 1982, 1.4). No part of a vote is there once only.
//!
//! It allocates only when it is made, and where it has missed votes: then it makes a voter that joins the others anew.
//! It has no clock and no thread: whoever drives it waits (`redundant/replica.rs` on threads, `process/body.rs` in processes).

#[cfg(test)]
mod tests;

use crate::injected::{Injected, nonsense, spoilt};
use crate::redundant::FaultKind;
use crate::rule::Rule;
use crate::value::{Value, WORDS};
use crate::{Iteration, Received, ReplicaNumber, Replicas, Report, Settings, Voter};
use windfall_exchange::{Reader, Writer, ring};

/// A value on its way. In a ring it is one record.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Message {
    pub(crate) iteration: u64,
    pub(crate) value: [u64; WORDS],
    /// How many values before it were not sent, since the ring was full.
    pub(crate) skipped: u64,
}

/// Words of a message.
const MESSAGE: usize = WORDS + 2;

impl Message {
    const fn to_record(self) -> [u64; MESSAGE] {
        let [one, two, three, four] = self.value;
        [self.iteration, self.skipped, one, two, three, four]
    }

    const fn from_record(record: [u64; MESSAGE]) -> Message {
        let [iteration, skipped, one, two, three, four] = record;
        Message { iteration, value: [one, two, three, four], skipped }
    }
}

/// The ends of a replica, to and from another.
#[derive(Debug)]
pub(crate) struct Link {
    /// Which life of the other this is about.
    pub(crate) life: u32,
    from: Reader<MESSAGE>,
    to: Writer<MESSAGE>,
}

/// The ends of two replicas in these lives, with room for two queues.
pub(crate) fn link(one: u32, other: u32, settings: &Settings) -> (Link, Link) {
    let room = settings.ring();
    let ((to_other, from_one), (to_one, from_other)) = (ring(room), ring(room));
    let here = Link { life: other, from: from_other, to: to_other };
    (here, Link { life: one, from: from_one, to: to_one })
}

/// The voted value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Vote<V> {
    /// In which iteration. Later than that of the value that was offered, if this replica has missed votes meanwhile: then it goes on from there.
    pub iteration: Iteration,
    /// The value.
    pub value: V,
}

/// A vote, and whose values agreed with it at that moment.
#[derive(Clone, Copy, Debug)]
struct Heard<V> {
    vote: Vote<V>,
    agreed: Replicas,
}

/// A fault of another replica, as the voter here sees it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Found {
    pub(crate) replica: ReplicaNumber,
    pub(crate) kind: FaultKind,
    pub(crate) iteration: Iteration,
}

/// One of the other replicas.
#[derive(Debug)]
pub(crate) struct Peer {
    pub(crate) replica: ReplicaNumber,
    pub(crate) link: Link,
    /// The iteration of the last value that was no mistake; `None` before the first.
    pub(crate) seen: Option<Iteration>,
    /// So many values it said it had not sent, and so many were not sent to it, since there was no room.
    skipped: u64,
    skips: u64,
    /// The last value that was not sent.
    unsent: Option<Message>,
    /// A value that is ahead of the vote, and offered after it.
    held: Option<Message>,
}

impl Peer {
    /// One of which a value was seen for this iteration; for any, if it is `None`.
    fn new(replica: ReplicaNumber, link: Link, seen: Option<Iteration>) -> Peer {
        let (unsent, held) = (None, None);
        Peer { replica, link, seen, skipped: 0, skips: 0, unsent, held }
    }

    /// Whether this is the next value of it, so that its number is no mistake.
    fn follows(&self, Message { iteration, skipped, .. }: Message) -> bool {
        let left_out = skipped.saturating_sub(self.skipped);
        self.seen.is_none_or(|seen| iteration == seen.next().0.saturating_add(left_out))
    }

    /// Whether it has not come to this iteration, or has not been told of it.
    pub(crate) fn is_before(&self, iteration: Option<Iteration>) -> bool {
        self.seen < iteration || self.unsent.is_some()
    }
}

/// A replica: its voter, its peers, and what it has heard.
// Fields: what it is, whom it knows, how far it is, and what came of that.
#[derive(Debug)]
pub(crate) struct Participant<V, R> {
    pub(crate) number: ReplicaNumber,
    pub(crate) voter: Voter<V, R>,
    pub(crate) peers: Vec<Peer>,
    settings: Settings,
    rule: R,
    /// The iteration of the next value.
    pub(crate) next: Iteration,
    pub(crate) last: Option<Vote<V>>,
    /// The replicas whose values agreed with the last vote when that was heard.
    pub(crate) agreed: Replicas,
    /// The votes of its voter in the next iteration, and in the last of all. Rows may be gone before their votes are asked for, and a replica that has missed votes goes on from the last.
    heard: Option<Heard<V>>,
    newest: Option<Heard<V>>,
    /// Each replica and kind once.
    found: Vec<Found>,
}

impl<V: Value, R: Rule<V> + Clone> Participant<V, R> {
    pub(crate) fn new(
        number: ReplicaNumber,
        (settings, rule): (&Settings, R),
        active: Replicas,
        is_joining: bool,
        links: Vec<(ReplicaNumber, Link)>,
    ) -> Self {
        // All begin with the first iteration, or are in the middle.
        let seen = (!is_joining).then_some(Iteration::default());
        Participant {
            number,
            voter: voter(settings, rule.clone(), active, is_joining),
            peers: links
                .into_iter()
                .map(|(replica, link)| Peer::new(replica, link, seen))
                .collect(),
            settings: settings.clone(),
            rule,
            next: Iteration(1),
            last: None,
            agreed: Replicas::NONE,
            heard: None,
            newest: None,
            found: Vec::new(),
        }
    }

    /// Another replica has begun a new life.
    pub(crate) fn link(&mut self, replica: ReplicaNumber, link: Link) {
        self.peers.retain(|peer| peer.replica != replica);
        self.peers.push(Peer::new(replica, link, None));
        self.peers.sort_by_key(|peer| peer.replica);
    }

    /// Another takes part no longer.
    pub(crate) fn retire(&mut self, replica: ReplicaNumber) {
        let found = &mut self.found;
        // Two voters may hear of it in different orders; one that has heard is right.
        _ = self.voter.retire(replica, |report| finds(found, &report));
    }

    /// Sends its value for the next iteration to all others, and offers it to its own voter. `sent`: to whom there is something to read.
    pub(crate) fn sends(
        &mut self,
        value: V,
        fault: Option<Injected>,
        mut sent: impl FnMut(ReplicaNumber),
    ) {
        let (iteration, value) = (self.next, value.to_words());
        for peer in &mut self.peers {
            let message = Message { iteration: iteration.0, value, skipped: peer.skips };
            if let Some(Injected::Babble { values }) = fault {
                for place in 0..u64::from(values) {
                    // It need not have room for nonsense.
                    peer.link.to.write(&[nonsense(message, place).to_record()]);
                }
            }
            let message = fault.map_or(message, |fault| spoilt(fault, message, peer.replica));
            // A replica whose ring is full is far behind, and goes on from a later vote.
            peer.unsent = (peer.link.to.write(&[message.to_record()]) == 0).then_some(message);
            peer.skips += u64::from(peer.unsent.is_some());
            sent(peer.replica);
        }
        let own = Message { iteration: iteration.0, value, skipped: 0 };
        let own = match fault {
            Some(fault @ Injected::Flip { .. }) => spoilt(fault, own, self.number),
            _ => own,
        };
        self.offers(self.number, own);
    }

    /// Those that were too far behind for its last value get it once they have read what was before. Whether any are still to get it.
    pub(crate) fn sends_last(&mut self, mut sent: impl FnMut(ReplicaNumber)) -> bool {
        for peer in &mut self.peers {
            if let Some(message) = peer.unsent
                && peer.link.to.write(&[message.to_record()]) == 1
            {
                peer.unsent = None;
                sent(peer.replica);
            }
        }
        self.peers.iter().any(|peer| peer.unsent.is_some())
    }

    /// Does what there is to do until there is a vote in this iteration, or a later one, if it has missed that; `None` if it must wait for others.
    pub(crate) fn polls(&mut self, iteration: Iteration) -> Option<Vote<V>> {
        // As much as may have been there at the beginning: whoever writes more says so afterwards.
        for _ in 0..=self.settings.ring() {
            if let Some(vote) = self.voted(iteration) {
                return Some(self.goes_on(vote));
            }
            if self.looks() {
                continue;
            }
            if !self.has_missed(iteration) {
                return None;
            }
            if let Some(later) = self.newest.filter(|heard| heard.vote.iteration > iteration) {
                return Some(self.goes_on(later));
            }
            let active = self.voter.active();
            self.voter = voter(&self.settings, self.rule.clone(), active, true);
        }
        None
    }

    /// No more values are waited for: the vote that comes of those that are there.
    pub(crate) fn gives_up(&mut self, iteration: Iteration) -> Option<Vote<V>> {
        let (mut heard, found) = (None, &mut self.found);
        self.voter.give_up(iteration, |report| match report {
            Report::Voted { iteration, value, agree } => {
                heard = Some(Heard { vote: Vote { iteration, value: *value }, agreed: agree });
            }
            report => finds(found, &report),
        });
        heard.map(|heard| self.goes_on(heard))
    }

    /// Its value for the next iteration is not sent: it has no state to compute it from.
    pub(crate) fn leaves_out(&mut self) {
        for peer in &mut self.peers {
            peer.skips = peer.skips.saturating_add(1);
        }
    }

    fn goes_on(&mut self, Heard { vote, agreed }: Heard<V>) -> Vote<V> {
        // Those that it left out are no mistake of its number.
        let missed = vote.iteration.0.saturating_sub(self.next.0);
        for peer in &mut self.peers {
            peer.skips = peer.skips.saturating_add(missed);
        }
        self.heard = None;
        (self.next, self.last, self.agreed) = (vote.iteration.next(), Some(vote), agreed);
        vote
    }

    /// The vote of this iteration; where its row is not kept any longer, or never was, the last that there is.
    fn voted(&self, iteration: Iteration) -> Option<Heard<V>> {
        let is_gone = !self.voter.keeps(iteration);
        let is_later = |heard: &Heard<V>| heard.vote.iteration > iteration && is_gone;
        let heard = self.heard.filter(|heard| heard.vote.iteration == iteration);
        heard.or_else(|| self.newest.filter(is_later))
    }

    /// Reads a value of each other replica. Whether that changed anything.
    pub(crate) fn looks(&mut self) -> bool {
        let mut any = false;
        for place in 0..self.peers.len() {
            let peer = &mut self.peers[place];
            let mut read = [[0; MESSAGE]];
            let message = match peer.held.take() {
                Some(held) => held,
                None if peer.link.from.read(&mut read) == 1 => {
                    any = true;
                    Message::from_record(read[0])
                }
                None => continue,
            };
            let (from, iteration) = (peer.replica, Iteration(message.iteration));
            let is_joining = self.voter.is_joining();
            if !is_joining && peer.follows(message) && iteration > self.voter.last_taken() {
                peer.held = Some(message);
                continue;
            }
            let received = self.offers(from, message);
            let peer = &mut self.peers[place];
            if is_joining && received == Received::Ahead {
                // It counts once the voter knows where the others are.
                peer.held = Some(message);
                continue;
            }
            any = true;
            if received != Received::Ahead {
                (peer.seen, peer.skipped) = (Some(iteration), message.skipped);
            }
        }
        any
    }

    fn offers(&mut self, from: ReplicaNumber, message: Message) -> Received {
        let (value, found) = (V::from_words(message.value), &mut self.found);
        let iteration = Iteration(message.iteration);
        let (next, heard, newest) = (self.next, &mut self.heard, &mut self.newest);
        self.voter.receive(from, iteration, value, |report| {
            if let Report::Voted { iteration, value, agree } = report {
                let voted = Heard { vote: Vote { iteration, value: *value }, agreed: agree };
                if iteration == next {
                    *heard = Some(voted);
                }
                if newest.is_none_or(|before| before.vote.iteration < iteration) {
                    *newest = Some(voted);
                }
            }
            finds(found, &report);
        })
    }

    /// Whether a majority of the others has gone on, so that nothing comes any longer of what it waits for: a vote in this iteration, or in any that its voter takes.
    fn has_missed(&self, iteration: Iteration) -> bool {
        let waits_for =
            if self.voter.keeps(iteration) { iteration } else { self.voter.last_taken() };
        let is_past = |peer: &&Peer| {
            let said = peer.held.map_or(peer.seen, |held| Some(Iteration(held.iteration)));
            said > Some(waits_for)
        };
        let past: Replicas = self.peers.iter().filter(is_past).map(|peer| peer.replica).collect();
        let (active, settings) = (self.voter.active(), &self.settings);
        let is_majority = settings.weight_of(past.and(active)) * 2 > settings.weight_of(active);
        !self.voter.is_joining() && is_majority
    }

    /// The findings since the last call.
    pub(crate) fn take_found(&mut self) -> Vec<Found> {
        std::mem::take(&mut self.found)
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

/// The content of a report about others.
fn finds<V>(found: &mut Vec<Found>, report: &Report<'_, V>) {
    let mut one = |replica, kind, iteration| {
        let is_new = |of: &Found| of.replica != replica || of.kind != kind;
        if found.iter().all(is_new) {
            found.push(Found { replica, kind, iteration });
        }
    };
    match *report {
        Report::Errors { iteration, wrong, .. } => {
            wrong.iter().for_each(|replica| one(replica, FaultKind::Wrong, iteration));
        }
        Report::Ahead { replica, iteration, .. } => {
            one(replica, FaultKind::WrongIteration, iteration);
        }
        Report::Lagging { replica, behind } => {
            one(replica, FaultKind::Lagging, Iteration(behind));
        }
        _ => {}
    }
}
