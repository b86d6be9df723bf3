//! Tasks that ended late.

use windfall_time::Span;

/// Tasks of a process that it [finished](windfall_programs::Tasks::finish) after their deadlines (decision 0033). A task that it never finishes ended
/// by its deadline, when its work was used up, or was lost, which its scheduler counts.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct LateTasks {
    /// How many.
    pub count: u64,
    /// How long after its deadline the latest ended.
    pub most: Span,
    /// How much of that was stolen time: what was stolen from the processor of the process between the submission of that task and its end, at most all of it.
    pub stolen: Span,
}

impl LateTasks {
    /// A task ended so long after its deadline, while so much was stolen. Of equally late ones the least stolen time counts, which says least in excuse.
    pub fn ends(&mut self, late: Span, stolen: Span) {
        self.add(LateTasks { count: 1, most: late, stolen: stolen.min(late) });
    }

    /// Adds those of another thread.
    pub(super) fn add(&mut self, other: LateTasks) {
        self.count += other.count;
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
        assert_eq!(late, LateTasks { count: 4, most: ns(7), stolen: ns(3) });
        let mut sum = LateTasks::default();
        sum.add(late);
        assert_eq!(sum, late);
    }
}
