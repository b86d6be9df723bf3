//! Counts of promises and threads that were tested.

use std::collections::BTreeMap;
use std::iter::Sum;
use windfall_guarantees::Type;

/// How often promises of each type were kept where they could have been broken, and how many threads
/// kept to their bounds.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
#[non_exhaustive]
pub struct Tested {
    /// By type of promise.
    pub types: BTreeMap<Type, u64>,
    /// Counts of threads, by program: [`PROGRAMS`](super::PROGRAMS).
    pub programs: BTreeMap<&'static str, u64>,
    /// Promises of shares in the long run that no bounded error implies.
    pub long_run: u64,
    /// Threads with a bound on their response times.
    pub answered: u64,
    /// Jobs that were admitted and done in time.
    pub admitted: u64,
    /// Promises tested where the timer ticks.
    pub ticking: u64,
    /// Trees in which a thread was refused when it began, and stands where nobody has counted it.
    pub elsewhere: u64,
    /// Trees with joins on several processors that went round in circles.
    pub circles: u64,
}

impl Sum for Tested {
    fn sum<I: Iterator<Item = Tested>>(all: I) -> Tested {
        all.fold(Tested::default(), |mut sum, one| {
            let Tested {
                types,
                programs,
                long_run,
                answered,
                admitted,
                ticking,
                elsewhere,
                circles,
            } = one;
            types
                .into_iter()
                .for_each(|(kind, count)| *sum.types.entry(kind).or_default() += count);
            let by_program = programs.into_iter();
            by_program.for_each(|(name, count)| *sum.programs.entry(name).or_default() += count);
            sum.long_run += long_run;
            sum.answered += answered;
            sum.admitted += admitted;
            sum.ticking += ticking;
            sum.elsewhere += elsewhere;
            sum.circles += circles;
            sum
        })
    }
}
