//! Facts of a run that a test reads: how often and how long threads ran, the verdict on a promise, and the timeline of a processor.

use super::*;
use std::fmt::Write;
use windfall_guarantees::Allowance;
use windfall_guarantees::meaning::{Judge, Verdict};

impl Host {
    /// Number of dispatches, and of those on another processor than that thread's last one.
    pub(crate) fn dispatches(&self) -> (usize, usize) {
        let mut last = vec![None; self.threads.len()];
        let (mut dispatches, mut migrations) = (0, 0);
        for (_, processor, thread) in &self.log {
            let Some(thread) = *thread else { continue };
            let before = last[thread].replace(*processor);
            dispatches += 1;
            migrations += usize::from(before.is_some_and(|before| before != *processor));
        }
        (dispatches, migrations)
    }

    pub(crate) fn ran(&self, thread: T) -> u64 {
        self.threads[thread].ran
    }

    /// The verdict on a guarantee that was given at `since`, in the run so far.
    pub(crate) fn judge(&self, thread: T, since: u64, guarantee: &Guarantee) -> Verdict {
        let mut judge = Judge::new(guarantee, Allowance::lots(span(10 * MS))).unwrap();
        let story = &self.threads[thread].story;
        for (place, (from, state)) in story.iter().enumerate() {
            let to = story.get(place + 1).map_or(self.now, |(to, _)| *to);
            let from = at((*from).max(since));
            if to <= since {
                continue;
            }
            match state {
                VpState::Waiting => judge.sleeps(from),
                VpState::Ready => judge.wakes(from),
                VpState::Running(_) => {
                    judge.wakes(from);
                    judge.served(from, at(to));
                }
            }
        }
        judge.sleeps(at(self.now));
        judge.verdict()
    }

    /// Checks that a thread received what it was promised at `since`. Returns the number of windows in which that
    /// was tested.
    ///
    /// # Panics
    /// When it did not.
    pub(crate) fn keeps(&self, thread: T, since: u64, guarantee: &Guarantee) -> u64 {
        let verdict = self.judge(thread, since, guarantee);
        assert!(!verdict.is_broken(), "{guarantee}: {verdict:?}; {}", self.timeline(0));
        verdict.tested()
    }

    /// The time that a thread ran between `from` and `to`, which are past.
    pub(crate) fn ran_within(&self, thread: T, from: u64, to: u64) -> u64 {
        let story = &self.threads[thread].story;
        let ends = story.iter().skip(1).map(|(end, _)| *end).chain([self.now]);
        let runs = story.iter().zip(ends).filter(|((_, s), _)| matches!(s, VpState::Running(_)));
        runs.map(|((start, _), end)| end.clamp(from, to) - (*start).clamp(from, to)).sum()
    }

    /// The timeline of a processor, such as `0 a, 3 b, 5.5 -`, in milliseconds.
    pub(crate) fn timeline(&self, processor: u16) -> String {
        let mut text = String::new();
        let mut last = None;
        for (when, _, thread) in self.log.iter().filter(|(_, p, _)| *p == processor) {
            if last == Some(thread) {
                continue;
            }
            last = Some(thread);
            let separator = if text.is_empty() { "" } else { ", " };
            let name = thread.map_or("-", |thread| &self.threads[thread].name);
            let ms = Ms(*when);
            write!(text, "{separator}{ms} {name}").unwrap();
        }
        text
    }
}

/// Prints nanoseconds as milliseconds.
struct Ms(u64);

impl std::fmt::Display for Ms {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (whole, rest) = (self.0 / MS, self.0 % MS);
        if rest == 0 {
            return write!(f, "{whole}");
        }
        let fraction = format!("{rest:06}");
        write!(f, "{whole}.{}", fraction.trim_end_matches('0'))
    }
}
