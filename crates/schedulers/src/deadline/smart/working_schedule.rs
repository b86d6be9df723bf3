//! A working schedule: jobs that can all be finished in time, one after the other, by deadline.
//!
//! A job that has been inserted stays. A job is left out if its deadline, or that of one inserted before, would be
//! missed: if jobs are offered in order of importance, each is done unless that would cost a more important one
//! (best-effort EDF; Locke 1986; Nieh and Lam 1997). Of equal deadlines, the one inserted first goes first. The
//! schedule holds at most 32 jobs; an insertion is one pass over them.

use windfall_hierarchy::ChildVp;
use windfall_time::{Instant, Span};

/// The largest number of jobs.
pub(crate) const ROOM: usize = 32;

/// A job of a child.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Job {
    pub(crate) deadline: Instant,
    /// The work that is left.
    pub(crate) work: Span,
}

/// Jobs by deadline that can all be finished, one after the other from now on.
#[derive(Clone)]
pub(crate) struct WorkingSchedule {
    jobs: [(Job, ChildVp); ROOM],
    len: usize,
}

impl WorkingSchedule {
    pub(crate) const fn new() -> WorkingSchedule {
        let nothing = (Job { deadline: Instant::MAX, work: Span::ZERO }, ChildVp(0));
        WorkingSchedule { jobs: [nothing; ROOM], len: 0 }
    }

    /// Inserts a job unless a deadline would then be missed, or the schedule is full.
    pub(crate) fn insert(&mut self, job: Job, child: ChildVp, now: Instant) {
        let jobs = &self.jobs[..self.len];
        let at = jobs.partition_point(|(other, _)| other.deadline <= job.deadline);
        let work = |jobs: &[(Job, ChildVp)]| {
            jobs.iter().try_fold(now, |end, (job, _)| end.checked_add(job.work))
        };
        let mut end = work(&jobs[..at]).and_then(|end| end.checked_add(job.work));
        let mut deadline = job.deadline;
        for (next, _) in &jobs[at..] {
            if end.is_none_or(|end| end > deadline) {
                return;
            }
            end = end.and_then(|end| end.checked_add(next.work));
            deadline = next.deadline;
        }
        if end.is_some_and(|end| end <= deadline) && self.len < ROOM {
            self.jobs.copy_within(at..self.len, at + 1);
            self.jobs[at] = (job, child);
            self.len += 1;
        }
    }

    /// The child whose job is due first.
    pub(crate) fn first(&self) -> Option<ChildVp> {
        self.jobs[..self.len].first().map(|(_, child)| *child)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;
    use proptest::prelude::*;

    fn at(ns: u64) -> Instant {
        Instant::from_nanos(ns)
    }

    /// Whether EDF finishes all jobs in time from `now` on, and whose job it begins with.
    fn feasible(jobs: &[(u64, u64, u32)], now: u64) -> (bool, Option<u32>) {
        let mut jobs: Vec<_> = jobs.to_vec();
        jobs.sort_by_key(|(deadline, ..)| *deadline);
        let mut end = now;
        let in_time = jobs.iter().all(|(deadline, work, _)| {
            end += work;
            end <= *deadline
        });
        (in_time, jobs.first().map(|(.., child)| *child))
    }

    proptest! {
        /// Compares with the slow definition: sorting and summing up all jobs for each insertion.
        #[test]
        fn limit_a_job_is_left_out_only_if_a_deadline_would_be_missed(
            jobs in prop::collection::vec((0_u64..60, 0_u64..15), 0..=ROOM),
            now in 0_u64..20,
        ) {
            let (mut schedule, mut kept) = (WorkingSchedule::new(), Vec::new());
            for (child, (deadline, work)) in (0..).zip(jobs) {
                let job = Job { deadline: at(deadline), work: Span::from_nanos(work) };
                schedule.insert(job, ChildVp(child), at(now));
                kept.push((deadline, work, child));
                if !feasible(&kept, now).0 {
                    kept.pop();
                }
                prop_assert_eq!(schedule.len, kept.len());
                prop_assert_eq!(schedule.first(), feasible(&kept, now).1.map(ChildVp));
            }
        }
    }

    #[test]
    fn refuses_a_job_beyond_its_room_and_one_without_end() {
        let mut schedule = WorkingSchedule::new();
        let endless = Job { deadline: Instant::MAX, work: Span::MAX };
        schedule.insert(endless, ChildVp(0), at(1));
        assert_eq!(schedule.first(), None);
        for child in 0..40 {
            let job = Job { deadline: at(100 - u64::from(child)), work: Span::from_nanos(1) };
            schedule.insert(job, ChildVp(child), at(0));
        }
        assert_eq!((schedule.len, schedule.first()), (ROOM, Some(ChildVp(31))));
    }
}
