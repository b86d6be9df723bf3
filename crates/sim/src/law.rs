//! The law of all trees: a guarantee that the checker grants is kept in every simulated run.
//!
//! Random hierarchies of the kinds of a catalogue, with all requests that each scheduler understands, threads that
//! compete with each other, several processors and, now and then, stolen time. Everything that the checker says holds at
//! any virtual processor is judged in all windows of the run. A tree in which a guarantee is broken is made as small as
//! possible, and given as a scenario.
//!
//! Invariant: the same kinds and the same seed draw the same trees, whatever the number of processors.
//! Read next: `tree.rs` (the random trees), `judged.rs` (the checks on a run).

mod amounts;
mod drawn;
mod judged;
mod often;
mod parameters;
mod parts;
mod programs;
mod requirements;
mod tested;
mod tree;

pub use programs::PROGRAMS;
pub use tested::Tested;

use core::fmt;
use drawn::Seeds;
use proptest::test_runner::{Config, RngAlgorithm, TestCaseError, TestRng, TestRunner};
use std::cell::{Cell, RefCell};
use windfall_scenario::Scenario;
use windfall_schedulers::catalogue::{Catalogue, CatalogueError, Kind};

/// Which trees are drawn: of which kinds, how many, from which seed.
///
/// ```
/// use windfall_schedulers::catalogue::{Kind, Settings};
/// use windfall_schedulers::kinds;
/// use windfall_sim::law::Law;
///
/// static MINE: Kind = Kind::new("mine", "each ready child in turn", |_| {
///     kinds::ROUND_ROBIN.build(&Settings::default()) // a scheduler of one's own
/// });
///
/// let law = Law::default().with(&MINE)?.only(&["mine", "rez", "edf"]).trees(20);
/// let tested = law.judge().unwrap_or_else(|broken| panic!("{broken}"));
/// assert!(tested.types.values().sum::<u64>() > 0);
/// # Ok::<(), windfall_schedulers::catalogue::CatalogueError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Law {
    catalogue: Catalogue,
    /// The names of the kinds that are drawn; all, where there is none.
    only: Vec<String>,
    trees: u32,
    seed: u64,
}

impl Default for Law {
    /// Draws 1,000 trees of all kinds of the catalogue, from seed 0.
    fn default() -> Law {
        Law { catalogue: Catalogue::default(), only: Vec::new(), trees: 1_000, seed: 0 }
    }
}

/// A tree in which something was promised and not kept, the smallest that was found.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct LawError {
    /// The guarantee that was broken.
    pub why: String,
    /// The tree.
    pub scenario: Scenario,
}

impl fmt::Display for LawError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, in this scenario:\n{}", self.why, self.scenario.write())
    }
}

impl std::error::Error for LawError {}

impl Law {
    /// Draws one kind more, of one's own, and more often than others. Its children have values of the parameters that it
    /// lists.
    ///
    /// # Errors
    /// When the catalogue has its name already.
    pub fn with(mut self, kind: &'static Kind) -> Result<Law, CatalogueError> {
        self.catalogue.register(kind)?;
        Ok(self)
    }

    /// Draws the kinds of these names and no others, so that many trees hold them.
    #[must_use]
    pub fn only(mut self, names: &[&str]) -> Law {
        self.only = names.iter().map(|name| (*name).to_owned()).collect();
        self
    }

    /// Draws so many trees.
    #[must_use]
    pub const fn trees(mut self, trees: u32) -> Law {
        self.trees = trees;
        self
    }

    /// Draws others.
    #[must_use]
    pub const fn seed(mut self, seed: u64) -> Law {
        self.seed = seed;
        self
    }

    /// Draws the trees and judges each; says how often each type of promise was put to the test. Look whether yours is
    /// among them: a kind that promises nothing breaks no promise.
    ///
    /// # Errors
    /// The smallest tree that was found in which a promise was broken, a scheduler was quarantined, or something that was granted
    /// was refused.
    ///
    /// # Panics
    /// When none of the kinds has one of the names that are to be drawn, or when a tree cannot be drawn.
    pub fn judge(&self) -> Result<Tested, Box<LawError>> {
        let kinds = self.kinds();
        let (mut tested, mut first) = (Vec::new(), None);
        for found in parts::all(|part, of| self.judge_part(part, of, &kinds)) {
            match found {
                Ok(one) => tested.push(one),
                Err((at, _)) if first.as_ref().is_some_and(|(before, _)| *before < at) => {}
                Err(earlier) => first = Some(earlier),
            }
        }
        first.map_or_else(|| Ok(tested.into_iter().sum()), |(_, unlawful)| Err(unlawful))
    }

    /// Draws all trees and judges one in so many; an error is with the number of its tree.
    fn judge_part(
        &self,
        part: u32,
        of: u32,
        kinds: &[&'static Kind],
    ) -> Result<Tested, (u32, Box<LawError>)> {
        let mut seed = [0; 32];
        seed[..8].copy_from_slice(&self.seed.to_le_bytes());
        let config = Config {
            cases: self.trees,
            failure_persistence: None,
            max_shrink_iters: 4_096,
            ..Config::default()
        };
        let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &seed);
        let (tested, unlawful) = (RefCell::new(Tested::default()), RefCell::new(None));
        let drawn = Cell::new(0);
        let result = TestRunner::new_with_rng(config, rng).run(&drawn::seeds(), |seeds: Seeds| {
            // What is drawn after a failure are smaller trees, which are all judged.
            if unlawful.borrow().is_none() {
                drawn.set(drawn.get() + 1);
                if (drawn.get() - 1) % of != part {
                    return Ok(());
                }
            }
            let scenario = tree::scenario(&seeds, kinds, &self.catalogue);
            let scenario = judged::supplied(judged::settled(scenario));
            let scenario = judged::lengthened(judged::admitted(scenario));
            let judged = || judged::judge(&scenario, &tested);
            let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(judged));
            let result = result.unwrap_or_else(|_| Err("it panicked".to_owned()));
            result.map_err(|why| {
                // Of those that fail, the last one is the smallest.
                unlawful.replace(Some(LawError { why: why.clone(), scenario }));
                TestCaseError::fail(why)
            })
        });
        match (result, unlawful.into_inner()) {
            (Err(_), Some(unlawful)) => Err((drawn.get(), Box::new(unlawful))),
            (Err(why), None) => panic!("no tree could be drawn: {why}"),
            (Ok(()), _) => Ok(tested.into_inner()),
        }
    }

    /// The kinds that are drawn, those more often whose guarantees are rare.
    fn kinds(&self) -> Vec<&'static Kind> {
        let meant = |kind: &&Kind| self.only.is_empty() || self.only.iter().any(|n| n == kind.name);
        let kinds = self.catalogue.kinds().filter(meant);
        let kinds: Vec<_> =
            kinds.flat_map(|kind| std::iter::repeat_n(kind, often::often(kind))).collect();
        assert!(!kinds.is_empty(), "no kind is called {}", self.only.join(" or "));
        kinds
    }
}
