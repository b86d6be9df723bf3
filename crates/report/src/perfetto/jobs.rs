//! Jobs of threads as slices, from release to completion, on lanes under each thread.
//!
//! Slices of one track must nest, but a thread's next job can be released before the last is done:
//! so each open job has a lane of its own, the lowest free one. Invariant: jobs end in the order of
//! their release. When a deadline passes, the rest of the job is a slice `LATE` inside it.
//!
//! At most [`LANES`] open jobs of a thread are drawn; the others are counted.

use super::out::{Out, Track};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::io::Write;
use windfall_time::{Instant, Span};
use windfall_trace::ThreadId;

/// How many open jobs of one thread are drawn at most.
pub(super) const LANES: u8 = 8;

#[derive(Debug)]
struct Job {
    lane: Option<u8>,
    /// Not before the release.
    deadline: Option<Instant>,
    late: bool,
}

#[derive(Debug, Default)]
struct Line {
    released: u64,
    open: VecDeque<Job>,
}

/// How a job ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Outcome {
    Done { response: Span, missed: bool },
    GivenUp,
}

/// The open jobs of all threads.
#[derive(Debug, Default)]
pub(super) struct Jobs {
    lines: BTreeMap<ThreadId, Line>,
    /// Deadlines of open jobs that are drawn and not late yet.
    due: BTreeSet<(Instant, ThreadId, u8)>,
}

impl Jobs {
    /// Begins the late part of each job whose deadline lies before `at`.
    pub(super) fn advance(&mut self, out: &mut Out<impl Write>, at: Instant) {
        while let Some(&(deadline, thread, lane)) = self.due.first()
            && deadline < at
        {
            self.due.pop_first();
            out.begin(deadline, Track::Jobs(thread, lane), "LATE", &[]);
            let jobs = self.lines.get_mut(&thread).map(|line| line.open.iter_mut());
            for job in jobs.into_iter().flatten().filter(|job| job.lane == Some(lane)) {
                job.late = true;
            }
        }
    }

    pub(super) fn release(
        &mut self,
        out: &mut Out<impl Write>,
        at: Instant,
        thread: ThreadId,
        deadline: Option<Instant>,
    ) {
        let line = self.lines.entry(thread).or_default();
        line.released += 1;
        // A deadline that has passed would put the late part before the job.
        let deadline = deadline.map(|deadline| deadline.max(at));
        let lane = (0..LANES).find(|lane| line.open.iter().all(|job| job.lane != Some(*lane)));
        line.open.push_back(Job { lane, deadline, late: false });
        let Some(lane) = lane else { return };
        let track = Track::Jobs(thread, lane);
        if !out.is_described(track) {
            let name = if lane == 0 { "jobs".to_owned() } else { format!("jobs behind ({lane})") };
            out.describe(track, &name, Some(Track::Thread(thread)));
        }
        let name = format!("job {}", line.released);
        match deadline {
            Some(deadline) => {
                out.begin(at, track, &name, &[("deadline", &deadline.to_string())]);
                self.due.insert((deadline, thread, lane));
            }
            None => out.begin(at, track, &name, &[]),
        }
    }

    pub(super) fn end(
        &mut self,
        out: &mut Out<impl Write>,
        at: Instant,
        thread: ThreadId,
        outcome: Outcome,
    ) {
        let job = self.lines.get_mut(&thread).and_then(|line| line.open.pop_front());
        let lane = job.as_ref().and_then(|job| job.lane);
        let track = lane.map_or(Track::Thread(thread), |lane| Track::Jobs(thread, lane));
        match outcome {
            Outcome::Done { missed: true, .. } => out.instant(at, track, "miss", "deadline MISSED"),
            Outcome::GivenUp => out.instant(at, track, "miss", "job given up"),
            Outcome::Done { .. } => {}
        }
        let (Some(job), Some(lane)) = (job, lane) else {
            return;
        };
        if let Some(deadline) = job.deadline {
            self.due.remove(&(deadline, thread, lane));
        }
        if job.late {
            out.end(at, track, &[]);
        }
        match outcome {
            Outcome::Done { response, missed } => {
                let (response, missed) = (response.to_string(), if missed { "yes" } else { "no" });
                out.end(at, track, &[("response", &response), ("missed", missed)]);
            }
            Outcome::GivenUp => out.end(at, track, &[("given up", "yes")]),
        }
    }
}
