//! Tasks that a thread submitted: its scheduler's answers, and how they ended.

use crate::Note;
use windfall_time::Span;

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
    /// How many were lost after they had been admitted, because the supply failed.
    pub lost: u64,
    /// Time left to others by tasks that ended early.
    pub absorbed: Span,
}

impl Tasks {
    /// How many were submitted.
    #[must_use]
    pub const fn submitted(&self) -> u64 {
        self.admitted + self.refused
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
}
