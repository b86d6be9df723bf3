//! When a replica sends, asks for what was lost, and gives up: its part in votes over a transport, at moments that it is told.
//!
//! It reads no clock and never waits, so that it runs over a simulated network as over a real one.

#[cfg(test)]
mod tests;

use crate::message::{Head, Kind, Message, Parts, Refused};
use crate::states::{Next, States};
use crate::voting::{Vote, Voting};
use crate::words::Words;
use windfall_nmr::{ReplicaNumber, Replicas, Rule, Settings, SettingsError};
use windfall_ports::transport::{Record, Transport};
use windfall_time::{Instant, Span};

/// So many messages are read in a turn, so that a replica that babbles does not hold up time.
const AT_ONCE: usize = 256;

/// A lost message is asked for after this part of the patience, if nothing shows before that it is lost.
const REPEATS: u64 = 64;

/// The least patience.
pub(crate) const LEAST: Span = Span::from_nanos(REPEATS);

/// How often it is said that a replica leaves: others that do not hear of it wait as long as their patience.
const FAREWELLS: usize = 3;

/// What a turn has come to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Turn<V> {
    /// There is a vote.
    Over(Vote<V>),
    /// There will be none.
    Failed {
        /// Of whom nothing was heard meanwhile.
        silent: Replicas,
        /// Whose values have another size.
        other_size: Replicas,
    },
    /// The next turn is due when something arrives, and at this moment at the latest.
    Wait { until: Instant },
}

#[derive(Debug)]
pub(crate) struct Turns<V, R> {
    pub(crate) voting: Voting<V, R>,
    pub(crate) states: States,
    parts: Parts<V>,
    pub(crate) patience: Span,
    repeat: Span,
    /// When the value was offered.
    begun: Instant,
    /// When something is said again.
    again: Instant,
    has_asked: bool,
}

impl<V: Words, R: Rule<V> + Clone> Turns<V, R> {
    /// With a patience of [`LEAST`] or more.
    pub(crate) fn new(
        own: ReplicaNumber,
        settings: Settings,
        rule: R,
        patience: Span,
        now: Instant,
    ) -> Result<Self, SettingsError> {
        let (parts, states) = (Parts::new(settings.replicas.into()), States::new(patience));
        let voting = Voting::new(own, settings, rule, patience, now)?;
        let repeat = Span::from_nanos(patience.as_nanos() / REPEATS);
        let (begun, again) = (now, now);
        Ok(Turns { voting, states, parts, patience, repeat, begun, again, has_asked: false })
    }

    /// Offers a value for the next iteration, and sends it to all others.
    pub(crate) fn offer(&mut self, value: V, now: Instant, transport: &mut impl Transport) {
        let offered = self.voting.offers(value);
        send(transport, now, self.voting.others(), offered);
        (self.begun, self.again, self.has_asked) = (now, now.saturating_add(self.repeat), false);
    }

    /// Takes what has arrived. Of a value that is seen to be lost it asks at once; else, and again, after a while.
    pub(crate) fn turn(&mut self, now: Instant, transport: &mut impl Transport) -> Turn<V> {
        let is_more = self.hears(now, transport);
        if let Some(vote) = self.voting.polls(now) {
            return Turn::Over(vote);
        }
        if self.voting.is_without_vote() {
            return Turn::Failed { silent: Replicas::NONE, other_size: Replicas::NONE };
        }
        if now.saturating_since(self.begun) >= self.patience {
            let other_size = self.voting.of_other_size();
            let silent = self.voting.silent_since(self.begun).but(other_size);
            return self.voting.gives_up().map_or(Turn::Failed { silent, other_size }, Turn::Over);
        }
        if now >= self.again || !self.has_asked && self.voting.is_any_past() {
            (self.again, self.has_asked) = (now.saturating_add(self.repeat), true);
            send(transport, now, self.voting.others(), self.voting.message(Kind::Ask));
        }
        Turn::Wait { until: if is_more { now } else { self.again } }
    }

    /// No more votes are wanted, since `begun`. When the next turn is due; `None` once the others want nothing any longer, or were waited for.
    pub(crate) fn leave(
        &mut self,
        begun: Instant,
        now: Instant,
        transport: &mut impl Transport,
    ) -> Option<Instant> {
        let is_more = self.hears(now, transport);
        let (at_work, done) = (self.voting.at_work(), self.voting.message(Kind::Done));
        if at_work.is_empty() || now.saturating_since(begun) >= self.patience {
            for _ in 0..FAREWELLS {
                send(transport, now, self.voting.others(), done);
            }
            return None;
        }
        if begun > self.begun || now >= self.again {
            // What was offered before is of no interest here.
            (self.begun, self.again) = (begun, now.saturating_add(self.repeat));
            send(transport, now, at_work, done);
        }
        Some(if is_more { now } else { self.again })
    }

    /// Whether there may be more than was read.
    fn hears(&mut self, now: Instant, transport: &mut impl Transport) -> bool {
        for _ in 0..AT_ONCE {
            let Some((from, record)) = transport.receive(now) else { return false };
            // A transport says who has sent a record, so only its sender can have spoilt it.
            let from = u8::try_from(from).map(ReplicaNumber);
            let (Ok(from), Some(head)) = (from, Head::read(record[0])) else { continue };
            if self.voting.others().has(from) {
                self.takes(from, head, record, now, transport);
            }
        }
        true
    }

    fn takes(
        &mut self,
        from: ReplicaNumber,
        head: Head,
        record: Record,
        now: Instant,
        transport: &mut impl Transport,
    ) {
        match head.kind {
            Kind::Want => self.states.wanted(record, now, |piece| {
                // What is lost is asked for.
                _ = transport.send(now, from.0.into(), piece);
            }),
            Kind::Piece => self.states.piece(from, head.part, record, now),
            _ => match self.parts.takes(from.0.into(), head, record) {
                Ok(Some(message)) => {
                    let answer = self.voting.hears(from, message, now);
                    send(transport, now, Replicas::NONE.with(from), answer);
                }
                Ok(None) | Err(Refused::NoMessage) => {}
                Err(Refused::Size(words)) => self.voting.finds_other_size(from, words),
            },
        }
    }

    /// Goes on fetching a state.
    pub(crate) fn fetches(&mut self, now: Instant, transport: &mut impl Transport) -> Next {
        let is_more = self.hears(now, transport);
        let wrong = std::mem::replace(&mut self.states.wrong, Replicas::NONE);
        wrong.iter().for_each(|replica| self.voting.serves_wrong(replica));
        match self.states.next(now, self.repeat) {
            Next::Ask(to, wish) => {
                _ = transport.send(now, to.0.into(), wish);
                Next::Wait(now.saturating_add(self.repeat))
            }
            Next::Wait(_) if is_more => Next::Wait(now),
            next => next,
        }
    }
}

fn send<V: Words>(
    transport: &mut impl Transport,
    now: Instant,
    to: Replicas,
    message: Option<Message<V>>,
) {
    let Some(message) = message else { return };
    for other in to.iter() {
        for record in message.records() {
            // What is lost here or on the way is asked for.
            _ = transport.send(now, other.0.into(), record);
        }
    }
}
