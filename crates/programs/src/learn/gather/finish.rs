//! Completes what was learned, after the last record.

use super::{Begins, Gather, Item};
use crate::learn::replay::{Learned, LearnedThread, StartsKnown};
use crate::program::{Recorded, RecordedStep};
use windfall_time::Instant;

impl Gather {
    /// Removes the wakes that ended no wait, and numbers the threads that were active.
    pub(in crate::learn) fn finish(mut self, starts: StartsKnown) -> Learned {
        for i in 0..self.lines.len() {
            self.account(i);
            self.missed(i);
        }
        let mut learned = std::mem::take(&mut self.learned);
        learned.start = self.start;
        learned.length = self.now.saturating_since(self.start);
        learned.processors =
            u16::try_from(self.cpus.len()).expect("processors are numbered by 16 bits");
        for mut cpu in std::mem::take(&mut self.cpus) {
            cpu.finish(self.now);
            learned.interrupts.push(cpu.stolen);
        }
        for mut line in std::mem::take(&mut self.lines) {
            line.thread.jobs.truncate(line.jobs_done); // what the others need is not known
            learned.dropped.not_waiting += u64::from(line.early.is_some());
            let start = match line.begins {
                Begins::Able(_) if !self.wakes.is_empty() => Instant::ZERO,
                Begins::Woken(_) if starts == StartsKnown::ByWaker => Instant::ZERO,
                Begins::Able(at) | Begins::Woken(at) | Begins::At(at) => self.relative(at),
            };
            let mut recorded = Recorded { start, steps: Vec::new() };
            for item in line.items {
                self.report(item, &mut recorded);
            }
            learned.threads.push(LearnedThread { recorded, ..line.thread });
        }
        learned
            .retain(|thread| !(thread.recorded.steps.is_empty() && thread.activations.is_empty()));
        learned
    }

    /// Adds the step of an item, if it has one.
    fn report(&self, item: Item, recorded: &mut Recorded) {
        let step = match item {
            Item::Run(work) => RecordedStep::Run(work),
            Item::Wake(number) if self.wakes[number].taken => {
                RecordedStep::Wake(self.wakes[number].target)
            }
            Item::Wake(_) => return,
            Item::Woken => RecordedStep::Woken,
            Item::Until(at) if recorded.steps.is_empty() && self.relative(at) <= recorded.start => {
                return;
            }
            Item::Until(at) => RecordedStep::Until(self.relative(at)),
        };
        add(&mut recorded.steps, step);
    }
}

/// Adds a step; a run after a run extends it.
pub(in crate::learn) fn add(steps: &mut Vec<RecordedStep>, step: RecordedStep) {
    match (steps.last_mut(), step) {
        (Some(RecordedStep::Run(run)), RecordedStep::Run(more)) => *run = run.saturating_add(more),
        _ => steps.push(step),
    }
}
