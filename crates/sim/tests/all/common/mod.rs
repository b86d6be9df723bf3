//! Runs a scenario that is written in the test; random numbers; tests of one body.
#![expect(clippy::unwrap_used, reason = "a test stops at what it did not expect")]

use windfall_hierarchy::Count;
use windfall_scenario::Scenario;
use windfall_scenario::outcome::{Outcome, ThreadOutcome};
use windfall_sim::Sim;
use windfall_time::{Instant, Span};

/// Runs it; `text` lacks `schema` and `seed`.
pub(crate) fn run(text: &str) -> Outcome {
    let text = format!("schema = 2\nseed = 1\n{text}");
    let scenario = match Scenario::parse("test.toml", &text) {
        Ok(scenario) => scenario,
        Err(mistakes) => panic!("{}", mistakes.render(false)),
    };
    let plan = scenario.build().map_err(|mistakes| mistakes.render(false)).unwrap();
    let sim = Sim::of(plan, None).unwrap();
    sim.run(Instant::ZERO + scenario.length, |_| true)
}

/// The thread of that name.
pub(crate) fn thread<'a>(outcome: &'a Outcome, name: &str) -> &'a ThreadOutcome {
    outcome.threads.iter().find(|thread| thread.name == name).unwrap()
}

/// A count that a process has told of itself, by its name.
pub(crate) fn figure(outcome: &Outcome, whose: &str, figure: &str) -> u64 {
    let mut stats = thread(outcome, whose).stats.iter();
    let found = stats.find(|(name, _)| *name == figure).map(|(_, count)| *count);
    let Some(Count::Times(count)) = found else { panic!("`{figure}` of `{whose}`: {found:?}") };
    count
}

/// A span from its text.
pub(crate) fn span(text: &str) -> Span {
    text.parse().unwrap()
}

/// Random numbers of a seed.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn below(&mut self, n: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % n
    }

    pub(crate) fn within(&mut self, from: u64, to: u64) -> u64 {
        from + self.below(to - from + 1)
    }
}

/// A test for each case that other tools have computed: that `agrees` of its file holds.
macro_rules! cases {
    ($($test:ident $case:literal)*) => { $(
        #[test]
        fn $test() {
            agrees($case);
        }
    )* };
}
pub(crate) use cases;
