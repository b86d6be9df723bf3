//! Tasks that a thread submitted: its scheduler's answers, and how they ended.

use crate::{Note, TaskEnd, TaskEvent, TaskRefusal, TaskState};
use windfall_time::{Instant, Span};

/// How many tasks of a kind are kept one by one. The first ones say since when something is so.
const KEPT: usize = 8;
/// How far from the tasks that it made lost a control request may be recorded, by a host that reads its clock for each.
const MOMENT: Span = Span::from_nanos(100_000);

/// The tasks of a thread whose scheduler admits or refuses them (PORTS 2.2). A refusal is an answer, not a miss.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct Tasks {
    /// How many were admitted.
    pub admitted: u64,
    /// How many were refused.
    pub refused: u64,
    /// The most that would have been admitted instead of one that was refused.
    pub most_idle: Span,
    /// How many were lost after they had been admitted, because the supply failed or their thread left the scheduler.
    pub lost: u64,
    /// Time left to others by tasks that ended early.
    pub absorbed: Span,
    /// How many a process finished by their deadlines. Of jobs, which are tasks of their scheduler, the ends are counted as those of jobs; so they are in none of these.
    pub in_time: u64,
    /// How many it finished later.
    pub late: u64,
    /// How many it did not finish although their deadlines passed, but for those that were lost.
    pub unfinished: u64,
    /// How many were taken back, by the end of their thread as well.
    pub withdrawn: u64,
    /// How many of clients were used up.
    pub used_up: u64,
}

impl Tasks {
    /// How many were submitted.
    #[must_use]
    pub const fn submitted(&self) -> u64 {
        self.admitted + self.refused
    }

    /// Whether the trace has nothing of tasks. It may have the ends of some that were submitted before it began.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Tasks::default()
    }

    /// The scheduler said this about a task.
    pub(super) fn note(&mut self, what: Note) {
        match what {
            Note::Admitted(_) => self.admitted += 1,
            Note::Refused(idle) => {
                self.refused += 1;
                self.most_idle = self.most_idle.max(idle);
            }
            Note::Absorbed(left) => self.absorbed = self.absorbed.saturating_add(left),
            Note::Lost(_) => self.lost += 1,
            _ => {}
        }
    }

    /// A task has ended, or was left behind by its thread.
    fn count(&mut self, (at, deadline): (Instant, Instant), what: TaskEvent) {
        let late = at > deadline;
        let counter = match what {
            TaskEvent::Lost { left: None, .. } => &mut self.lost, // its scheduler says nothing of it
            TaskEvent::Ended { how: TaskEnd::Done, .. } if late => &mut self.late,
            TaskEvent::Ended { how: TaskEnd::Done, .. } => &mut self.in_time,
            TaskEvent::Ended { was: TaskState::Lost, .. } => return,
            TaskEvent::Ended { how: TaskEnd::Withdrawn, .. } => &mut self.withdrawn,
            TaskEvent::Ended { how: TaskEnd::UsedUp, .. } => &mut self.used_up,
            TaskEvent::Ended { how: TaskEnd::Left, .. } if late => &mut self.unfinished,
            _ => return,
        };
        *counter += 1;
    }
}

/// A task that was refused, lost or late, and the reason as far as the trace has it.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct TaskFinding {
    /// Its number among those of its thread.
    pub task: u32,
    /// When.
    pub at: Instant,
    /// When it should have been done by.
    pub deadline: Instant,
    /// The answer to it, or what became of it.
    pub what: TaskEvent,
    /// The control request in the moment in which it was lost.
    pub request: Option<String>,
}

/// The first tasks of each kind: those that were refused, those lost, those late.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct TaskFindings {
    /// Refused ones.
    pub refused: Vec<TaskFinding>,
    /// Lost ones.
    pub lost: Vec<TaskFinding>,
    /// Those that were finished late, or not by their deadlines.
    pub late: Vec<TaskFinding>,
    /// How many more of these were not kept.
    pub left_out: u64,
    /// The last control request that was carried out.
    request: Option<(Instant, String)>,
}

impl TaskFindings {
    /// Something happened to a task.
    pub(super) fn add(
        &mut self,
        tasks: &mut Tasks,
        task: u32,
        (at, deadline): (Instant, Instant),
        what: TaskEvent,
    ) {
        tasks.count((at, deadline), what);
        let kept = match what {
            TaskEvent::Refused { .. } => &mut self.refused,
            TaskEvent::Lost { .. } => &mut self.lost,
            TaskEvent::Ended { how: TaskEnd::Done, .. } if at > deadline => &mut self.late,
            TaskEvent::Ended { was: TaskState::Lost, .. } => return,
            TaskEvent::Ended { how: TaskEnd::Left, .. } if at > deadline => &mut self.late,
            TaskEvent::Ended { .. } => return,
        };
        if kept.len() < KEPT {
            let lost = matches!(what, TaskEvent::Lost { .. });
            let just =
                self.request.as_ref().filter(|(then, _)| at.saturating_since(*then) <= MOMENT);
            let request = just.filter(|_| lost).map(|(_, text)| text.clone());
            kept.push(TaskFinding { task, at, deadline, what, request });
        } else {
            self.left_out += 1;
        }
    }

    /// A control request was carried out: what was lost in this moment was lost by that. One that was refused changes nothing.
    pub(super) fn requested(&mut self, at: Instant, text: &str) {
        if text.contains(": refused: ") {
            return;
        }
        let just = |lost: &&mut TaskFinding| at.saturating_since(lost.at) <= MOMENT;
        for lost in self.lost.iter_mut().rev().take_while(just) {
            lost.request.get_or_insert_with(|| text.to_owned());
        }
        self.request = Some((at, text.to_owned()));
    }

    /// All of them, in order of time.
    pub fn all(&self) -> impl Iterator<Item = &TaskFinding> {
        let mut all: Vec<_> = self.refused.iter().chain(&self.lost).chain(&self.late).collect();
        all.sort_by_key(|found| found.at);
        all.into_iter()
    }
}

impl TaskFinding {
    /// The reason of a refusal for lack of time: the most that would have been admitted, and the earliest deadline.
    #[must_use]
    pub const fn instead(&self) -> Option<(Span, Option<Instant>)> {
        match self.what {
            TaskEvent::Refused { why: TaskRefusal::NoTime { idle, earliest }, .. } => {
                Some((idle, earliest))
            }
            _ => None,
        }
    }
}
