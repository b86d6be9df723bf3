//! A replica in a process of its own, as its body sees it: it offers a value, and goes on with what is voted.
//!
//! Guarantee: no call waits longer than the patience that it was made with, whichever of the others are dead.

use crate::error::{JoinError, VoteError};
use crate::fault::Fault;
use crate::turns::{LEAST, Turn, Turns};
use crate::voting::Vote;
use crate::words::{MOST, Words};
use std::time::Duration;
use windfall_nmr::{Iteration, Record, ReplicaNumber, Rule, Settings};
use windfall_ports::transport::{self, Transport};
use windfall_time::{Instant, Span};

/// A transport that can be waited at.
///
/// ```
/// use std::time::Duration;
/// use windfall_ports::transport::{InProcess, Record, Transport, in_process};
/// use windfall_remote::Carrier;
/// use windfall_time::{Instant, Span};
///
/// /// Rings between threads. Nobody wakes who waits at them, so it looks again a millisecond later.
/// struct Rings(InProcess);
///
/// impl Transport for Rings {
///     fn send(&mut self, now: Instant, to: usize, record: Record) -> bool {
///         self.0.send(now, to, record)
///     }
///     fn receive(&mut self, now: Instant) -> Option<(usize, Record)> {
///         self.0.receive(now)
///     }
/// }
///
/// impl Carrier for Rings {
///     fn wait(&mut self, longest: Span) {
///         std::thread::sleep(Duration::from_nanos(longest.as_nanos()).min(Duration::from_millis(1)));
///     }
/// }
///
/// let mut two = in_process(2, 8).into_iter().map(Rings);
/// let (mut one, mut other) = (two.next().unwrap(), two.next().unwrap());
/// assert!(one.send(Instant::ZERO, 1, [7; 8]));
/// other.wait(Span::from_secs(1));
/// assert_eq!(other.receive(Instant::ZERO), Some((0, [7; 8])));
/// ```
pub trait Carrier: Transport {
    /// Sleeps until something may have arrived, and for about so long at most.
    fn wait(&mut self, longest: Span);
}

impl Transport for Box<dyn Carrier> {
    fn send(&mut self, now: Instant, to: usize, record: transport::Record) -> bool {
        (**self).send(now, to, record)
    }

    fn receive(&mut self, now: Instant) -> Option<(usize, transport::Record)> {
        (**self).receive(now)
    }
}

impl Carrier for Box<dyn Carrier> {
    fn wait(&mut self, longest: Span) {
        (**self).wait(longest);
    }
}

/// One of several replicas, which vote on values of so many words.
#[derive(Debug)]
pub struct Replica<C, R, V = u64> {
    pub(crate) carrier: C,
    pub(crate) turns: Turns<V, R>,
    begun: std::time::Instant,
}

impl<C: Carrier, R: Rule<V> + Clone, V: Words> Replica<C, R, V> {
    /// The replica of this number, which waits for a vote so long. It may be one that begins anew: then its first vote is a later one.
    ///
    /// All replicas must have the same settings, and no spares.
    ///
    /// # Errors
    /// When the settings cannot be, there is no such replica, or no vote is waited for.
    pub fn join(
        own: ReplicaNumber,
        settings: Settings,
        rule: R,
        patience: Duration,
        carrier: C,
    ) -> Result<Self, JoinError> {
        settings.check().map_err(JoinError::Settings)?;
        if settings.spares > 0 {
            return Err(JoinError::Spares { spares: settings.spares });
        }
        if own.0 >= settings.replicas {
            return Err(JoinError::NoSuchReplica { own, replicas: settings.replicas });
        }
        if !(1..=MOST).contains(&V::WORDS) {
            return Err(JoinError::Size { words: V::WORDS });
        }
        let patience = Span::saturating_from_nanos(patience.as_nanos());
        if patience < LEAST {
            return Err(JoinError::Patience { patience });
        }
        let turns = Turns::new(own, settings, rule, patience, Instant::ZERO);
        let turns = turns.map_err(JoinError::Settings)?;
        Ok(Replica { carrier, turns, begun: std::time::Instant::now() })
    }

    /// The iteration of the next value that it offers; 1 at the beginning.
    #[must_use]
    pub const fn iteration(&self) -> Iteration {
        self.turns.voting.next
    }

    /// The last vote; `None` before the first.
    #[must_use]
    pub const fn last(&self) -> Option<Vote<V>> {
        self.turns.voting.last
    }

    /// What is known here of a replica since its own voter was made.
    #[must_use]
    pub fn record(&self, of: ReplicaNumber) -> Option<&Record> {
        self.turns.voting.record(of)
    }

    /// Faults that were noticed since the last call, each replica and kind once.
    pub fn take_faults(&mut self) -> Vec<Fault> {
        self.turns.voting.take_found()
    }

    /// What carries its messages.
    pub const fn carrier(&mut self) -> &mut C {
        &mut self.carrier
    }

    /// Offers a value, and waits until a majority agrees, be it with this value or not.
    ///
    /// If this replica was too slow to take part, or has begun anew, the vote is a later one: `value` is what its body is to go on with, and [`iteration`](Self::iteration) says where. A body whose
    /// value is its whole state needs to do nothing else.
    ///
    /// # Errors
    /// When no majority agrees in time. Another value that is offered for the same iteration does not count; whose does is that which was offered first.
    pub fn vote(&mut self, value: V) -> Result<Vote<V>, VoteError> {
        let iteration = self.iteration();
        if iteration > Iteration::LAST {
            return Err(VoteError::LastIteration);
        }
        self.turns.offer(value, self.now(), &mut self.carrier);
        loop {
            let now = self.now();
            match self.turns.turn(now, &mut self.carrier) {
                Turn::Over(vote) => return Ok(vote),
                Turn::Failed { silent, other_size } => {
                    return Err(VoteError::NoMajority { iteration, silent, other_size });
                }
                Turn::Wait { until } => self.carrier.wait(until.saturating_since(now)),
            }
        }
    }

    /// Its body has all votes that it wants. Others that are behind get its values until they have theirs, too, or have been waited for in vain.
    pub fn finish(mut self) -> C {
        let begun = self.now();
        loop {
            let now = self.now();
            let Some(until) = self.turns.leave(begun, now, &mut self.carrier) else { break };
            self.carrier.wait(until.saturating_since(now));
        }
        self.carrier
    }

    pub(crate) fn now(&self) -> Instant {
        Instant::saturating_from_nanos(self.begun.elapsed().as_nanos())
    }
}
