//! Response times under earliest deadline first (Spuri 1996, with release jitter).
//!
//! Assumptions as for the demand (A1, A2, A4 of `edf.rs`), and:
//! A5 Ties between deadlines go against the analysed job.
//!
//! A job takes longest in a window that starts with the critical instant of all other tasks and reaches at
//! most a busy period far. The worst moment of that job's arrival is not known beforehand, so each moment is tried at
//! which the job's deadline equals another's. As that moment moves on, the work before the job only grows: one sweep
//! through a window serves all of them.

use crate::{Task, UnboundedError};
use windfall_time::Span;

/// The instant from which a deadline, and with it a response, counts. The variants differ where releases jitter.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Deadlines {
    /// From the job's arrival, as the demand has it (Spuri 1996).
    FromArrival,
    /// From the job's release: the scheduler learns of the job only then (Bozhko and Brandenburg 2020).
    FromRelease,
}

/// The longest response time of each task, from where its deadline counts.
///
/// All have a bound, or none has. Exact for [`Deadlines::FromArrival`] and where there is no jitter.
#[must_use]
pub fn response_times(tasks: &[Task], deadlines: Deadlines) -> Vec<Result<Span, UnboundedError>> {
    let busy = super::busy(tasks);
    let worst = |task| busy.map(|busy| Span::from_nanos(worst(tasks, task, busy, deadlines)));
    (0..tasks.len()).map(worst).collect()
}

/// The jobs of one task that are not counted yet.
struct Stream {
    arrival: u64,
    period: u64,
    work: u64,
    deadline: u64,
    earliest: u64,
}

impl Stream {
    /// The deadline of the next job.
    fn due(&self) -> u64 {
        self.arrival.max(self.earliest) + self.deadline
    }

    fn take(&mut self) -> u64 {
        self.arrival += self.period;
        self.work
    }
}

fn worst(tasks: &[Task], own: usize, busy: u64, deadlines: Deadlines) -> u64 {
    // Jobs arrive up to a jitter before the window starts; the clock starts earlier still.
    let start = tasks.iter().map(|task| task.jitter.as_nanos()).max().unwrap_or(0);
    let stream = |task: &Task| Stream {
        arrival: start - task.jitter.as_nanos(),
        period: task.period.as_nanos(),
        work: task.work.as_nanos(),
        deadline: task.deadline.as_nanos(),
        earliest: match deadlines {
            Deadlines::FromArrival => 0,
            Deadlines::FromRelease => start,
        },
    };
    let mut streams: Vec<Stream> = tasks.iter().map(stream).collect();
    let (mut now, mut worst, mut due) = (start, 0, streams[own].due());
    // The analysed job is due at `due`, and arrived its relative deadline before that.
    while due - streams[own].deadline < start + busy {
        while streams[own].due() <= due {
            now += streams[own].take();
        }
        loop {
            let before = now;
            for stream in &mut streams {
                if stream.arrival < now && stream.due() <= due {
                    now += stream.take();
                }
            }
            if now == before {
                break;
            }
        }
        worst = worst.max(now.saturating_sub(due - streams[own].deadline));
        let later = streams.iter().map(Stream::due).filter(|other| *other > due);
        due = later.min().unwrap_or(u64::MAX);
    }
    worst
}
