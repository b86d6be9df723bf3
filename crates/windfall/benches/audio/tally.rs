//! What was missed, and whether that holds against SCHED_DEADLINE.

use crate::Class;
use crate::claimed::stretches::{Stretch, read};
use std::collections::BTreeMap;
use std::fmt;

/// What two sets of stretches share, as far as it is 1 ms or longer.
pub(crate) fn shared(one: &[Stretch], other: &[Stretch]) -> Vec<Stretch> {
    let pairs = one.iter().flat_map(|a| other.iter().map(move |b| (a.0.max(b.0), a.1.min(b.1))));
    pairs.filter(|(from, to)| to.saturating_sub(*from) >= 1_000_000).collect()
}

/// Jobs of one run.
#[derive(Clone, Copy, Default)]
pub(crate) struct Missed {
    jobs: u64,
    missed: u64,
    /// Missed beside a standstill of the whole machine, which counts for nobody.
    struck: u64,
    standstills: usize,
}

impl Missed {
    /// From what the program wrote, without those that overlap a standstill.
    pub(crate) fn of(text: &str, standstills: &[Stretch]) -> Result<Missed, String> {
        let (late, jobs) = read(text)?;
        let still =
            |job: &&Stretch| standstills.iter().any(|(from, to)| job.0 < *to && *from < job.1);
        let struck = late.iter().filter(still).count() as u64;
        let missed = late.len() as u64 - struck;
        Ok(Missed { jobs, missed, struck, standstills: standstills.len() })
    }

    /// Whether more than a hundredth was missed.
    pub(crate) const fn is_far_off(&self) -> bool {
        self.missed * 100 > self.jobs
    }
}

impl fmt::Display for Missed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Missed { jobs, missed, struck, standstills } = self;
        write!(f, "{jobs} jobs, {missed} missed; left out: {struck}, at {standstills} standstills")
    }
}

/// All runs, by class.
#[derive(Default)]
pub(crate) struct Tally(BTreeMap<&'static str, Missed>);

const fn name(class: Class) -> &'static str {
    match class {
        Class::Fifo => "SCHED_FIFO",
        Class::Deadline => "SCHED_DEADLINE",
        Class::Windfall => "Windfall",
    }
}

impl Tally {
    pub(crate) fn add(&mut self, class: Class, run: Missed) {
        let sum = self.0.entry(name(class)).or_default();
        sum.jobs += run.jobs;
        sum.missed += run.missed;
        sum.struck += run.struck;
        sum.standstills += run.standstills;
    }

    fn missed(&self, class: Class) -> u64 {
        self.0.get(name(class)).map_or(0, |sum| sum.missed)
    }

    /// Whether Windfall missed at most what SCHED_DEADLINE missed, and twice the root of their sum.
    pub(crate) fn holds(&self) -> bool {
        let (ours, theirs) = (self.missed(Class::Windfall), self.missed(Class::Deadline));
        let more = ours.saturating_sub(theirs);
        more * more <= 4 * (ours + theirs)
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (class, sum) in &self.0 {
            writeln!(f, "in all    {class:<14} {sum}")?;
        }
        let word = if self.holds() { "holds" } else { "FAILS" };
        write!(
            f,
            "{word}: Windfall misses at most what SCHED_DEADLINE misses, plus twice the root of their sum"
        )
    }
}
