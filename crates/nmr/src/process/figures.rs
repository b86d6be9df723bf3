//! Figures that a replica as a process tells of itself and of others.

use super::body::Part;
use crate::ReplicaNumber;
use windfall_programs::{Process, Told};

#[derive(Default)]
pub(super) struct Figures {
    pub(super) votes: u64,
    pub(super) missed: u64,
    pub(super) longest: u64,
}

impl Figures {
    pub(super) async fn tells(&self, me: &mut impl Process, part: &Part) {
        let mut sums = [0; 4];
        for replica in (0..ReplicaNumber::MOST).map(ReplicaNumber) {
            let Some(record) = part.voter.record(replica) else { break };
            for (sum, one) in
                sums.iter_mut().zip([record.wrong, record.absent, record.late, record.ahead])
            {
                *sum += one;
            }
        }
        let [wrong, absent, late, ahead] = sums;
        for (name, count) in [
            ("votes", self.votes),
            ("votes-missed", self.missed),
            ("longest-queue", self.longest),
            ("wrong-values", wrong),
            ("absent-values", absent),
            ("late-values", late),
            ("wrong-iterations", ahead),
        ] {
            me.tell(Told::Count(name, count)).await;
        }
    }
}
