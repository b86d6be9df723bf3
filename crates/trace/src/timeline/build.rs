//! Builds a [`Timeline`] record by record.
//!
//! Invariant: `threads[i]` is the line of the follower's thread `i`. A stretch or slice that goes on
//! as its predecessor did is joined to it.

use super::follow::{Closed, Follower};
use super::{CpuLine, Slice, Stretch, ThreadLine, Timeline};
use crate::{Cpu, Event, Sink};
use std::collections::BTreeMap;
use windfall_time::Instant;

/// Takes records one by one; [`Builder::finish`] gives the timeline. Also a [`Sink`].
#[derive(Clone, Debug, Default)]
pub struct Builder {
    follower: Follower,
    threads: Vec<ThreadLine>,
    cpus: BTreeMap<Cpu, Vec<Slice>>,
}

impl Builder {
    /// An empty timeline.
    #[must_use]
    pub fn new() -> Builder {
        Builder::default()
    }

    /// Adds what one record says. A time before the last one counts as a conflict and as now.
    pub fn take(&mut self, at: Instant, event: &Event) {
        self.follower.take(at, event);
        for id in self.follower.threads().skip(self.threads.len()) {
            let (name, stretches) = (format!("thread {}", id.0), Vec::new());
            self.threads.push(ThreadLine { id, name, tid: 0, pid: 0, node: None, stretches });
        }
        if let Event::Thread { thread, tid, pid, name, node } = event
            && let Some(place) = self.follower.place(*thread)
        {
            let line = &mut self.threads[place];
            (line.tid, line.pid, line.node) = (*tid, *pid, *node);
            line.name.clone_from(name);
        }
        self.keep();
    }

    /// Closes everything at the last record's time.
    #[must_use]
    pub fn finish(mut self) -> Timeline {
        self.follower.finish();
        self.keep();
        for cpu in self.follower.cpus() {
            self.cpus.entry(cpu).or_default();
        }
        let cpus = self.cpus.into_iter().map(|(cpu, slices)| CpuLine { cpu, slices }).collect();
        let Follower { from, to, lost, conflicts, .. } = self.follower;
        Timeline { from, to, threads: self.threads, cpus, lost, conflicts }
    }

    fn keep(&mut self) {
        for closed in self.follower.closed.drain(..) {
            match closed {
                Closed::Thread(place, stretch) => {
                    let stretches = &mut self.threads[place].stretches;
                    match stretches.last_mut() {
                        Some(Stretch { to, state, .. })
                            if *state == stretch.state && *to == stretch.from =>
                        {
                            *to = stretch.to;
                        }
                        _ => stretches.push(stretch),
                    }
                }
                Closed::Cpu(cpu, slice) => {
                    let slices = self.cpus.entry(cpu).or_default();
                    match slices.last_mut() {
                        Some(Slice { to, what, .. })
                            if *what == slice.what && *to == slice.from =>
                        {
                            *to = slice.to;
                        }
                        _ => slices.push(slice),
                    }
                }
            }
        }
    }
}

impl Sink for Builder {
    fn record(&mut self, at: Instant, event: &Event) {
        self.take(at, event);
    }
}
