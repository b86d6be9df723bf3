//! Counts the six ways through the scheduler, by what ran before and what runs next (Chrysalis 3.1, 4.1).
//!
//! A processor that the parent took away and grants again finds the scheduler idle.

use windfall_hierarchy::{ChildVp, Count};

/// Number of passes through each way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Ways {
    /// From one process to another.
    pub(crate) switched: u64,
    /// Switches among them that led from a low queue's process, which could have continued, to a normal
    /// queue's.
    pub(crate) interrupted_low: u64,
    /// From a process to the same one.
    pub(crate) restarted: u64,
    /// From a process to idle.
    pub(crate) stopped: u64,
    /// From idle to another process than the last.
    pub(crate) started: u64,
    /// From idle to the process that ran last.
    pub(crate) resumed: u64,
    /// From idle to idle.
    pub(crate) stayed_idle: u64,
    /// The process that ran last.
    last: Option<ChildVp>,
}

impl Ways {
    /// Counts the way from the process `before` to the process `after`; `None` is idle.
    pub(crate) fn count(&mut self, before: Option<ChildVp>, after: Option<ChildVp>) {
        let way = match (before, after) {
            (Some(before), Some(after)) if before == after => &mut self.restarted,
            (Some(_), Some(_)) => &mut self.switched,
            (Some(_), None) => &mut self.stopped,
            (None, None) => &mut self.stayed_idle,
            (None, Some(after)) if self.last == Some(after) => &mut self.resumed,
            (None, Some(_)) => &mut self.started,
        };
        *way += 1;
        self.last = after.or(self.last);
    }

    /// Reports the number of passes through each way.
    pub(crate) fn stats(&self, report: &mut dyn FnMut(&'static str, Count)) {
        report("switched", Count::Times(self.switched));
        report("interrupted-low", Count::Times(self.interrupted_low));
        report("restarted", Count::Times(self.restarted));
        report("stopped", Count::Times(self.stopped));
        report("started", Count::Times(self.started));
        report("resumed", Count::Times(self.resumed));
        report("stayed-idle", Count::Times(self.stayed_idle));
    }

    /// Forgets a child that is removed, because its number may be reused.
    pub(crate) fn forget(&mut self, child: ChildVp) {
        self.last = self.last.filter(|last| *last != child);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paper_each_of_the_six_ways_is_told_from_the_others() {
        let (a, b) = (Some(ChildVp(1)), Some(ChildVp(2)));
        let mut ways = Ways::default();
        let walk =
            [(None, a), (a, a), (a, None), (None, None), (None, a), (a, b), (b, None), (None, a)];
        walk.into_iter().for_each(|(before, after)| ways.count(before, after));
        let once = (ways.restarted, ways.stayed_idle, ways.resumed, ways.switched);
        assert_eq!((once, ways.stopped, ways.started), ((1, 1, 1, 1), 2, 2));
        ways.count(a, None);
        ways.forget(ChildVp(1));
        ways.count(None, a);
        assert_eq!((ways.resumed, ways.started), (1, 3), "another of the same number");
    }
}
