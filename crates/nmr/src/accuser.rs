//! A replica's reports about others to the manager: the findings of its voter, and replicas that are behind and silent.

use crate::participant::{Found, Participant};
use crate::redundant::FaultKind;
use crate::rule::Rule;
use crate::value::Value;
use crate::{Iteration, ReplicaNumber};
use windfall_time::{Instant, Span};

#[derive(Debug, Default)]
pub(crate) struct Accuser {
    /// Those that are too far behind, since when, and what had come from them.
    silent: Vec<(ReplicaNumber, Instant, Option<Iteration>)>,
    /// The reports about others, with their times.
    said: Vec<(ReplicaNumber, FaultKind, Instant)>,
}

impl Accuser {
    /// Says what its voter has found; of those that are behind, who is silent as well: a replica that waits for a processor is behind, too, but not for so long. `say`: which life has this fault.
    pub(crate) fn accuses<V: Value, R: Rule<V> + Clone>(
        &mut self,
        (part, found): (&Participant<V, R>, &[Found]),
        iteration: Iteration,
        (now, patience): (Instant, Span),
        mut say: impl FnMut(u32, Found),
    ) {
        let seen = |part: &Participant<V, R>, replica| {
            part.peers.iter().find(|peer| peer.replica == replica).and_then(|peer| peer.seen)
        };
        for &found in found {
            if found.kind != FaultKind::Lagging {
                self.accuse(part, found, (now, patience), &mut say);
            } else if self.silent.iter().all(|(replica, ..)| *replica != found.replica) {
                self.silent.push((found.replica, now, seen(part, found.replica)));
            }
        }
        let is_behind =
            |replica| part.voter.record(replica).is_some_and(|record| record.is_lagging);
        self.silent.retain(|(replica, ..)| is_behind(*replica));
        for place in 0..self.silent.len() {
            let (replica, since, heard) = self.silent[place];
            let last = seen(part, replica);
            if last != heard {
                self.silent[place] = (replica, now, last);
            } else if now.saturating_since(since) >= patience {
                // Again and again, since others may notice it later.
                let found = Found { replica, kind: FaultKind::Lagging, iteration };
                self.accuse(part, found, (now, patience), &mut say);
            }
        }
    }

    /// Says so, a few times only while it is waited for others to say it, too. A replica does not accuse itself.
    fn accuse<V, R>(
        &mut self,
        part: &Participant<V, R>,
        found: Found,
        (now, patience): (Instant, Span),
        say: &mut impl FnMut(u32, Found),
    ) {
        let often = Span::from_nanos(patience.as_nanos() / 8);
        let peer = part.peers.iter().find(|peer| peer.replica == found.replica);
        let Some(life) = peer.map(|peer| peer.link.life) else { return };
        self.said.retain(|(.., at)| now.saturating_since(*at) < often);
        let is_same = |(whose, what, _): &(ReplicaNumber, FaultKind, Instant)| {
            (*whose, *what) == (found.replica, found.kind)
        };
        if !self.said.iter().any(is_same) {
            self.said.push((found.replica, found.kind, now));
            say(life, found);
        }
    }
}
