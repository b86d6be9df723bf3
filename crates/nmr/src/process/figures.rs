//! Figures that a replica as a process tells of itself and of each other one, as its voter knows them. Each is told again whenever it has changed, so whoever watches the run sees them.

use super::voting::Part;
use crate::ReplicaNumber;
use windfall_programs::{Annotation, Process};

/// Of each replica and spare: values that were wrong, iterations without a value, and the iteration since which it sent nothing right (0 if its last value was), as voters say; and, as the manager says, how often it was begun anew, or in the place of another, which spare took its place, whether it takes part no longer, and whether the run ended because of it.
pub(super) struct Names {
    wrong: &'static str,
    absent: &'static str,
    since: &'static str,
    pub(super) begun: &'static str,
    pub(super) replaced_by: &'static str,
    pub(super) retired: &'static str,
    pub(super) ended_the_run: &'static str,
}

macro_rules! names {
    ($($number:literal)*) => {
        &[$(Names {
            wrong: concat!("replica-", $number, "-wrong"),
            absent: concat!("replica-", $number, "-absent"),
            since: concat!("replica-", $number, "-wrong-since"),
            begun: concat!("replica-", $number, "-begun"),
            replaced_by: concat!("replica-", $number, "-replaced-by"),
            retired: concat!("replica-", $number, "-retired"),
            ended_the_run: concat!("replica-", $number, "-ended-the-run"),
        }),*]
    };
}

/// By number; more replicas and spares than these a scenario cannot have.
pub(super) const NAMES: &[Names] =
    names!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31);

#[derive(Default)]
pub(super) struct Figures {
    pub(super) votes: u64,
    pub(super) missed: u64,
    pub(super) longest: u64,
    told: Vec<(&'static str, u64)>,
}

impl Figures {
    /// Reports what has changed.
    pub(super) async fn annotate(&mut self, me: &mut impl Process, part: &Part) {
        let mut sums = [0; 4];
        let mut changed = Vec::new();
        for (number, names) in (0..).zip(NAMES) {
            let Some(record) = part.voter.record(ReplicaNumber(number)) else { break };
            let all = [record.wrong, record.absent, record.late, record.ahead];
            sums.iter_mut().zip(all).for_each(|(sum, one)| *sum += one);
            let since = record.since.map_or(0, |since| since.0);
            for (name, count) in
                [(names.wrong, record.wrong), (names.absent, record.absent), (names.since, since)]
            {
                // Nothing is said of one with which nothing was wrong.
                self.changes(name, count, Some(0), &mut changed);
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
            self.changes(name, count, None, &mut changed);
        }
        for (name, count) in changed {
            me.annotate(Annotation::Count(name, count)).await;
        }
    }

    /// A figure is so now; it need not be told if it is what was told last, or `before` if nothing was.
    fn changes(
        &mut self,
        name: &'static str,
        count: u64,
        before: Option<u64>,
        changed: &mut Vec<(&'static str, u64)>,
    ) {
        let told = self.told.iter_mut().find(|(told, _)| *told == name);
        if told.as_ref().map_or(before, |(_, last)| Some(*last)) == Some(count) {
            return;
        }
        match told {
            Some((_, last)) => *last = count,
            None => self.told.push((name, count)),
        }
        changed.push((name, count));
    }
}
