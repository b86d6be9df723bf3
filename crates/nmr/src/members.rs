//! The members: who takes part, how far each has come, and its faults.

use crate::report::Record;
use crate::{Iteration, ReplicaNumber, Replicas, Settings};
use core::fmt;

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Members {
    pub(crate) active: Replicas,
    pub(crate) weights: Box<[u32]>,
    /// The weight of the active ones.
    pub(crate) total: u64,
    pub(crate) records: Box<[Record]>,
    /// Those whose `since` is set.
    unsure: Replicas,
}

impl Members {
    pub(crate) fn new(settings: &Settings) -> Members {
        let weights: Box<[u32]> = settings.weights.clone().into();
        let records = vec![Record::default(); weights.len()].into();
        let mut members = Members {
            active: Replicas::first(settings.replicas),
            weights,
            total: 0,
            records,
            unsure: Replicas::NONE,
        };
        members.weigh();
        members
    }

    fn weigh(&mut self) {
        self.total = self.active.iter().map(|replica| self.weight(replica)).sum();
    }

    #[inline]
    pub(crate) fn weight(&self, replica: ReplicaNumber) -> u64 {
        u64::from(self.weights[replica.index()])
    }

    #[inline]
    pub(crate) fn record(&mut self, replica: ReplicaNumber) -> &mut Record {
        &mut self.records[replica.index()]
    }

    /// A replica takes part no longer.
    pub(crate) fn retire(&mut self, replica: ReplicaNumber) -> Result<(), MembersError> {
        if !self.active.has(replica) {
            return Err(MembersError::NotActive { replica });
        }
        if self.active.count() <= 2 {
            return Err(MembersError::TooFew { active: self.active });
        }
        self.active = self.active.without(replica);
        self.weigh();
        Ok(())
    }

    /// A replica or spare takes part, as one that has reached this iteration.
    pub(crate) fn admit(
        &mut self,
        replica: ReplicaNumber,
        reached: Iteration,
    ) -> Result<(), MembersError> {
        if replica.index() >= self.weights.len() {
            return Err(MembersError::Unknown { replica, places: self.weights.len() });
        }
        if self.active.has(replica) {
            return Err(MembersError::Active { replica });
        }
        self.active = self.active.with(replica);
        self.weigh();
        let record = self.record(replica);
        (record.reached, record.is_lagging, record.since) = (reached, false, None);
        self.unsure = self.unsure.without(replica);
        Ok(())
    }

    /// The last iteration that replicas of more than half of the weight have reached. One of these is correct, so no faulty minority moves it ahead.
    pub(crate) fn frontier(&self) -> Iteration {
        let reached = |replica: ReplicaNumber| self.records[replica.index()].reached;
        let have = |least: Iteration| -> u64 {
            let there = self.active.iter().filter(|other| reached(*other) >= least);
            there.map(|other| self.weight(other)).sum()
        };
        let all = self.active.iter().map(reached);
        all.filter(|least| have(*least) * 2 > self.total).max().unwrap_or_default()
    }

    /// Whether a replica is so far behind this iteration.
    #[inline]
    pub(crate) fn is_any_behind(&self, iteration: Iteration, lag: u64) -> bool {
        let reached = |replica: ReplicaNumber| self.records[replica.index()].reached.0;
        self.active.iter().any(|replica| reached(replica).saturating_add(lag) < iteration.0)
    }

    /// How far each active replica is behind, once it is behind too far; told once.
    pub(crate) fn lags(&mut self, lag: u64, mut report: impl FnMut(ReplicaNumber, u64)) {
        let frontier = self.frontier();
        for replica in self.active.iter() {
            let record = self.record(replica);
            let behind = frontier.0.saturating_sub(record.reached.0);
            if behind > lag && !record.is_lagging {
                record.is_lagging = true;
                record.lagged += 1;
                report(replica, behind);
            }
        }
    }

    /// A value of this replica was for this iteration.
    #[inline]
    pub(crate) fn reaches(&mut self, replica: ReplicaNumber, iteration: Iteration) {
        let record = self.record(replica);
        if iteration > record.reached {
            record.reached = iteration;
        }
    }

    /// Nobody is behind this iteration.
    pub(crate) fn begin_after(&mut self, begun: Iteration) {
        for record in &mut self.records {
            // Whatever it claimed.
            record.reached = begun;
        }
    }

    /// Whether nothing was wrong with these lately, so that one right value more changes nothing.
    #[inline]
    pub(crate) const fn is_sure_of(&self, right: Replicas) -> bool {
        right.and(self.unsure).is_empty()
    }

    /// The findings of an iteration.
    #[inline]
    pub(crate) fn judge(
        &mut self,
        iteration: Iteration,
        right: Replicas,
        wrong: Replicas,
        absent: Replicas,
    ) {
        for replica in right.and(self.unsure).iter() {
            let record = self.record(replica);
            // Rows may close in another order.
            if record.last < Some(iteration) {
                record.since = None;
                self.unsure = self.unsure.without(replica);
            }
        }
        for (replicas, is_wrong) in [(wrong, true), (absent, false)] {
            for replica in replicas.iter() {
                let record = self.record(replica);
                record.wrong += u64::from(is_wrong);
                record.absent += u64::from(!is_wrong);
                record.first = Some(record.first.map_or(iteration, |first| first.min(iteration)));
                record.last = record.last.max(Some(iteration));
                record.since = Some(record.since.map_or(iteration, |since| since.min(iteration)));
                self.unsure = self.unsure.with(replica);
            }
        }
    }
}

/// Why a replica cannot come or go.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum MembersError {
    /// It takes no part.
    NotActive {
        /// Which.
        replica: ReplicaNumber,
    },
    /// It takes part already.
    Active {
        /// Which.
        replica: ReplicaNumber,
    },
    /// There is no such replica or spare.
    Unknown {
        /// Which.
        replica: ReplicaNumber,
        /// How many there are.
        places: usize,
    },
    /// One that is left could not vote.
    TooFew {
        /// Those that take part.
        active: Replicas,
    },
}

impl fmt::Display for MembersError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MembersError::NotActive { replica } => write!(f, "{replica} takes no part"),
            MembersError::Active { replica } => write!(f, "{replica} takes part already"),
            MembersError::Unknown { replica, places } => {
                write!(f, "{replica} is none of the {places} replicas and spares, counted from 0")
            }
            MembersError::TooFew { active } => write!(
                f,
                "only replicas {active} take part; one that is left cannot vote, so none of them may go"
            ),
        }
    }
}

impl core::error::Error for MembersError {}
