//! Tasks that were late.

use windfall_time::Span;

/// Tasks of a process that it did not [finish](windfall_programs::Tasks::finish) by their deadlines (decision 0033): later, or never, whether their work was used
/// up or not. One that it took back is not late. One that was lost and never finished is [counted as that](super::TaskCounts::lost).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct LateTasks {
    /// How many.
    pub count: u64,
    /// How many of those were never finished: not by the end of the process or of the run. Nobody knows how late they would have been.
    pub unfinished: u64,
    /// How long after its deadline the latest ended, of those that were finished.
    pub most: Span,
    /// How much of that was stolen time: what was stolen from the processor of the process between the submission of that task and its end, at most all of it.
    pub stolen: Span,
}

impl LateTasks {
    /// A task ended so long after its deadline, while so much was stolen. Of equally late ones the least stolen time counts, which says least in excuse.
    pub fn ends(&mut self, late: Span, stolen: Span) {
        self.add(LateTasks { count: 1, unfinished: 0, most: late, stolen: stolen.min(late) });
    }

    /// The process or the run ended after the deadline of a task that was not finished.
    pub const fn never_ends(&mut self) {
        self.count += 1;
        self.unfinished += 1;
    }

    /// Adds those of another thread.
    pub(super) fn add(&mut self, other: LateTasks) {
        self.count += other.count;
        self.unfinished += other.unfinished;
        if other.most > self.most {
            (self.most, self.stolen) = (other.most, other.stolen);
        } else if other.most == self.most {
            self.stolen = self.stolen.min(other.stolen);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn law_the_stolen_part_is_that_of_the_latest() {
        let ns = Span::from_nanos;
        let mut late = LateTasks::default();
        for (by, stolen) in [(5, 9), (7, 3), (7, 4), (2, 2)] {
            late.ends(ns(by), ns(stolen));
        }
        late.never_ends();
        assert_eq!(late, LateTasks { count: 5, unfinished: 1, most: ns(7), stolen: ns(3) });
        let mut sum = LateTasks::default();
        sum.add(late);
        assert_eq!(sum, late);
    }
}
