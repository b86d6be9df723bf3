//! The blocks of a reservation of 4 ms in 20 ms, drawn as the execution traces of chapter 11.

use crate::carried_out::run;
use crate::experiment::LabError;
use crate::reservation::{AMOUNT, Watch, scenario, watching};
use crate::supervised::supervise;
use windfall_plot::Scene;
use windfall_report::picture::Picture;
use windfall_report::{Story, StoryBuilder};
use windfall_scenario::outcome::Outcome;
use windfall_scenario::{PlannedInterrupts, Scenario};
use windfall_schedulers::kinds;
use windfall_time::{Instant, Span};
use windfall_trace::{Cpu, Event, OverheadKind, Sink, Stop, ThreadId};

/// The measurements of the reservation, and the data of its picture.
pub(crate) struct Traced {
    pub(crate) watch: Watch,
    story: Story,
    pub(crate) disturbed: Option<String>,
}

/// Collects the picture's data and the received time.
#[derive(Default)]
struct Both {
    watch: Watch,
    story: StoryBuilder,
}

impl Sink for Both {
    fn record(&mut self, at: Instant, event: &Event) {
        self.watch.record(at, event);
        self.story.record(at, event);
    }
}

impl Traced {
    /// On the simulated machine below Rez, beside a thread that takes what is left, with interrupts beside the clock's.
    pub(crate) fn simulated(
        length: Span,
        strikes: Vec<PlannedInterrupts>,
    ) -> Result<Traced, LabError> {
        let mut both = Both::default();
        run(&scenario(kinds::REZ, AMOUNT, length)?, strikes, Some(&mut both))?;
        Ok(Traced { watch: both.watch, story: both.story.finish(), disturbed: None })
    }

    /// With real threads of a machine whose devices are busy, or not.
    pub(crate) fn supervised(scenario: &Scenario, busy: bool) -> Result<Traced, LabError> {
        let run = supervise(scenario, &watching(busy))?;
        Ok(Traced {
            watch: Watch::of(&run.outcome),
            story: story(&run.outcome),
            disturbed: run.disturbed,
        })
    }

    /// Some milliseconds around the block of one period, as in the paper.
    pub(crate) fn block(&self, title: &str) -> Scene {
        let at = |us: u64| Instant::from_nanos(us * 1_000);
        let window = Some((at(117_500), at(126_500)));
        Picture { title: title.to_owned(), window, ..Picture::default() }.scene(&self.story)
    }
}

/// The stretches in which threads saw themselves run. A gap between two stretches of one thread, without another thread's in it, was stolen.
fn story(outcome: &Outcome) -> Story {
    let (mut story, mut stretches) = (StoryBuilder::default(), Vec::new());
    for (number, thread) in (0..).map(ThreadId).zip(&outcome.threads) {
        let name = thread.name.clone();
        let event = Event::Thread { thread: number, tid: number.0 + 1, pid: 0, name, node: None };
        story.record(Instant::ZERO, &event);
        stretches.extend(thread.stretches.iter().map(|(from, to)| (*from, *to, number)));
    }
    stretches.sort_unstable();
    let cpu = Cpu(0);
    let mut last: Option<(Instant, ThreadId)> = None;
    for (from, to, thread) in stretches {
        match last {
            Some((since, ran)) if ran == thread && from.saturating_since(since) < GAP => {
                story.record(
                    since,
                    &Event::OverheadBegin { cpu, kind: OverheadKind::Interrupt, number: 0 },
                );
                story.record(from, &Event::OverheadEnd { cpu });
            }
            _ => {
                let prev = last.map(|(_, ran)| (ran, Stop::Preempted));
                story.record(
                    last.map_or(from, |(since, _)| since),
                    &Event::Switch { cpu, prev, next: None },
                );
                story.record(from, &Event::Switch { cpu, prev: None, next: Some(thread) });
            }
        }
        last = Some((to, thread));
    }
    story.finish()
}

/// A thread that is away for longer has lost its processor to the end of its block.
const GAP: Span = Span::from_millis(2);
