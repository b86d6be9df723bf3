//! The cost of the hierarchy itself: of one event reported to it, and of each notification of a scheduler that
//! follows.
//!
//! Two trees of different depth get the same events. Time over notifications is a line:
//! its slope is a notification, the rest a decision. That rest may be too small to measure.

use super::{Bench, Cost};
use windfall_hierarchy::{Hierarchy, ThreadId};
use windfall_os::LinuxError;
use windfall_os::clock;
use windfall_scenario::Scenario;
use windfall_time::{Instant, Span};

/// Events of one sample.
const BATCH: u64 = 64;
/// Samples a repetition.
const COUNT: usize = 300;
/// So often is the line drawn, until a notification takes any time.
const ATTEMPTS: usize = 5;
/// Levels of the deeper tree.
const DEEP: usize = 8;

/// One event in a tree of two levels, and its parts: decision, notification.
pub(super) fn cost(bench: Bench) -> Result<(Cost, Span, Span), LinuxError> {
    let mut found = line(bench)?;
    for _ in 1..ATTEMPTS {
        if !found.2.is_zero() {
            break;
        }
        found = line(bench)?; // the machine was slower for the shallow tree: the line says nothing
    }
    Ok(found)
}

fn line(bench: Bench) -> Result<(Cost, Span, Span), LinuxError> {
    let mut shallow = Tree::new(2)?;
    let mut deep = Tree::new(DEEP)?;
    let event = shallow.measure(bench, "event in a hierarchy of two levels");
    let further = deep.measure(bench, "event in a hierarchy of eight levels");
    let (few, many) = (shallow.notifications(), deep.notifications());
    // Notifications of a batch; time of an event.
    let longer = further.median.as_nanos().saturating_sub(event.median.as_nanos());
    // No more than makes up the whole event.
    let most = event.median.as_nanos() * BATCH / few.max(1);
    let notification = (longer * BATCH / many.saturating_sub(few).max(1)).min(most);
    let decision = event.median.as_nanos().saturating_sub(notification * few / BATCH);
    Ok((event, Span::from_nanos(decision), Span::from_nanos(notification)))
}

/// A chain of fixed priorities with two threads at its end, of which one comes and goes.
struct Tree {
    hierarchy: Hierarchy,
    thread: ThreadId,
    now: Instant,
}

impl Tree {
    fn new(levels: usize) -> Result<Tree, LinuxError> {
        let broken = |why: String| LinuxError::new("cannot measure a decision", why, "report it");
        let mut text = "schema = 2\nseed = 1\nlength = \"1s\"\n".to_owned();
        for level in 0..levels {
            let parent = level.checked_sub(1).map_or("top".to_owned(), |above| format!("s{above}"));
            text += &format!(
                "[schedulers.s{level}]\nscheduler = \"fixed-priority\"\nparent = \"{parent}\"\n"
            );
        }
        for thread in ["other", "coming"] {
            text += &format!("[threads.{thread}]\nparent = \"s{}\"\nrun = \"spin\"\n", levels - 1);
        }
        let plan = Scenario::parse("chain", &text).and_then(|scenario| scenario.build());
        let plan = plan.map_err(|mistakes| broken(mistakes.to_json()))?;
        let mut hierarchy = plan.hierarchy;
        let mut threads = Vec::new();
        for thread in &plan.threads {
            let made = hierarchy.create_thread(Instant::ZERO, thread.parent, &thread.messages);
            threads.push(made.map_err(|refusal| broken(refusal.to_string()))?);
        }
        let thread = *threads.last().ok_or_else(|| broken("no thread".to_owned()))?;
        Ok(Tree { hierarchy, thread, now: Instant::ZERO })
    }

    /// The thread comes and goes; every event is one decision.
    fn batch(&mut self) {
        for _ in 0..BATCH / 2 {
            self.now = self.now + Span::from_nanos(1_000);
            let _ = self.hierarchy.ready(self.now, self.thread);
            while self.hierarchy.next_changed().is_some() {}
            self.now = self.now + Span::from_nanos(1_000);
            let _ = self.hierarchy.blocked(self.now, self.thread);
            while self.hierarchy.next_changed().is_some() {}
        }
    }

    fn measure(&mut self, bench: Bench, what: &'static str) -> Cost {
        bench.repeat(what, COUNT, BATCH, || {
            let begun = clock::now();
            self.batch();
            clock::now().saturating_since(begun)
        })
    }

    /// Notifications of a batch.
    fn notifications(&mut self) -> u64 {
        let before = self.hierarchy.notifications();
        self.batch();
        self.hierarchy.notifications() - before
    }
}
