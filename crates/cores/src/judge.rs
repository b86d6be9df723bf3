//! The judgement: the digests of all processors are voted, and each is compared with the known answer.
//!
//! Voting is synchronous (a queue of one row; CMU 1982, 1.9): all processors end a batch of rounds before any of it is judged. A voter takes 64 processors; more are several groups of nearly equal size.

use crate::report::{CommonCause, KindResult, MOST_KEPT, Votes, WrongDigest};
use crate::work::Kind;
use windfall_nmr::{Iteration, Majority, ReplicaNumber, Report, Settings, SettingsError, Voter};
use windfall_time::Span;

/// The digest of a processor in a round; `None` where it panicked, or did not work any longer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Digest {
    Of(u64),
    Panicked,
    Absent,
}

impl Digest {
    const fn word(self) -> Option<u64> {
        match self {
            Digest::Of(word) => Some(word),
            Digest::Panicked | Digest::Absent => None,
        }
    }
}

/// The judge of one kind of work.
pub(crate) struct Judge {
    kind: Kind,
    processors: Vec<u16>,
    groups: Vec<Group>,
    pub(crate) votes: Votes,
    pub(crate) common: Option<CommonCause>,
    /// By processor.
    pub(crate) results: Vec<KindResult>,
}

/// Processors that vote together.
struct Group {
    members: core::ops::Range<usize>,
    /// None for a single processor.
    voter: Option<Voter<u64, Majority>>,
    /// Rounds in which any member had a digest.
    turn: u64,
}

impl Judge {
    pub(crate) fn new(kind: Kind, processors: &[u16]) -> Result<Judge, SettingsError> {
        let count = processors.len().div_ceil(usize::from(ReplicaNumber::MOST)).max(1);
        let begin = |group: usize| group * processors.len() / count;
        let groups = (0..count).map(|group| Group::new(begin(group)..begin(group + 1)));
        let result = KindResult {
            kind,
            rounds: 0,
            wrong: 0,
            outvoted: 0,
            common: 0,
            first: Vec::new(),
            time: Span::ZERO,
        };
        Ok(Judge {
            kind,
            processors: processors.to_vec(),
            groups: groups.collect::<Result<_, _>>()?,
            votes: Votes { kind, voted: 0, without: 0 },
            common: None,
            results: vec![result; processors.len()],
        })
    }

    /// A round is over: what each processor had, and what it must be.
    pub(crate) fn weigh(&mut self, round: u64, digests: &[Digest], known: u64) {
        for group in 0..self.groups.len() {
            let members = self.groups[group].members.clone();
            let has_voter = self.groups[group].voter.is_some();
            let voted = self.groups[group].vote(&digests[members.clone()]);
            if has_voter {
                let count =
                    if voted.is_some() { &mut self.votes.voted } else { &mut self.votes.without };
                *count += 1;
            }
            if let Some(voted) = voted.filter(|voted| *voted != known) {
                self.is_common(round, voted, known, members.clone(), digests);
            }
            for place in members {
                let result = &mut self.results[place];
                let found = match digests[place] {
                    Digest::Absent => continue,
                    Digest::Of(word) => Some(word),
                    Digest::Panicked => None,
                };
                result.rounds += 1;
                if found == Some(known) {
                    continue;
                }
                if found.is_some() && found == voted {
                    result.common += 1;
                } else {
                    result.wrong += 1;
                    result.outvoted += u64::from(voted == Some(known));
                }
                if result.first.len() < MOST_KEPT {
                    result.first.push(WrongDigest { round, found, known, voted });
                }
            }
        }
    }

    fn is_common(
        &mut self,
        round: u64,
        voted: u64,
        known: u64,
        members: core::ops::Range<usize>,
        digests: &[Digest],
    ) {
        let (kind, numbers) = (self.kind, &self.processors);
        let those = || members.filter(|place| digests[*place] == Digest::Of(voted));
        let common = self.common.get_or_insert_with(|| CommonCause {
            kind,
            rounds: 0,
            first: round,
            voted,
            known,
            processors: those().map(|place| numbers[place]).collect(),
        });
        common.rounds += 1;
    }
}

impl Group {
    fn new(members: core::ops::Range<usize>) -> Result<Group, SettingsError> {
        let replicas = u8::try_from(members.len()).unwrap_or(0);
        let voter = match replicas {
            1 => None,
            _ => Some(Voter::new(&Settings::new(replicas).queue(1), Majority::EXACT)?),
        };
        Ok(Group { members, voter, turn: 0 })
    }

    /// The digest of a majority.
    fn vote(&mut self, digests: &[Digest]) -> Option<u64> {
        let voter = self.voter.as_mut()?;
        if digests.iter().all(|digest| digest.word().is_none()) {
            return None;
        }
        self.turn += 1;
        let mut voted = None;
        let mut hear = |report: Report<'_, u64>| {
            if let Report::Voted { value, .. } = report {
                voted = Some(*value);
            }
        };
        for (number, digest) in (0..).zip(digests) {
            if let Some(word) = digest.word() {
                voter.receive(ReplicaNumber(number), Iteration(self.turn), word, &mut hear);
            }
        }
        voter.give_up(Iteration(self.turn), &mut hear);
        voted
    }
}

#[cfg(test)]
mod tests;
