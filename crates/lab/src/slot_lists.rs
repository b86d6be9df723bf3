//! Lists of slots under load (PORTS 2.2 to 2.7): what an admission costs, in all and in parts.
//!
//! A list is offered one task after the other. When it has so many slots as it may, time passes until about a tenth of them is done, and they are
//! collected, as in the paper's figure 1. All structures begin with the same slots and are offered the same tasks.
//!
//! `measured.rs` has what is measured of a structure, `load.rs` the tasks, `paging.rs` a list that is collected now and then.

mod load;
mod measured;
mod paging;

pub(crate) use load::Load;
pub(crate) use measured::{Inexact, Parts, Runs};
pub(crate) use paging::{Paging, paging};

use crate::findings::record;
use crate::statistics::quantile;
use load::Begin;
use measured::{Measured, Run, clock_cost};
use windfall_admission::{BPlusTree, GuessList, HashList, HashPointerList, ImprovedList, List};
use windfall_clocks::SystemClock;
use windfall_time::Instant;

fn run<S: Measured + 'static>(begin: &Begin) -> Box<dyn Runs> {
    Box::new(Run::<S>::new(begin))
}

/// A structure of the paper, or ours.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    Original,
    Hash,
    Guess,
    Improved,
    HashPointers,
    Tree,
}

impl Kind {
    pub(crate) const ALL: [Kind; 6] =
        [Kind::Original, Kind::Hash, Kind::Guess, Kind::Improved, Kind::HashPointers, Kind::Tree];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Kind::Original => "original",
            Kind::Hash => "hash",
            Kind::Guess => "best guess",
            Kind::Improved => "improved",
            Kind::HashPointers => "hash, pointers",
            Kind::Tree => "B+-tree",
        }
    }

    fn run(self, begin: &Begin) -> Box<dyn Runs> {
        match self {
            Kind::Original => run::<List>(begin),
            Kind::Hash => run::<HashList>(begin),
            Kind::Guess => run::<GuessList>(begin),
            Kind::Improved => run::<ImprovedList>(begin),
            Kind::HashPointers => run::<HashPointerList>(begin),
            Kind::Tree => run::<BPlusTree>(begin),
        }
    }
}

/// How often rounds of all structures follow each other.
const ROUNDS: usize = 10;

/// How a number is taken from those of the rounds, in words for readers.
pub(crate) const TAKEN: &str =
    "the lower quartile of ten rounds, since neighbours only add to a round";

fn taken(rounds: &[f64]) -> f64 {
    quantile(rounds, 25)
}

/// The results of a structure.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Found {
    pub(crate) kind: Kind,
    /// Nanoseconds a task, without a clock between the parts.
    pub(crate) total: f64,
    pub(crate) parts: Parts,
}

impl Found {
    /// The columns of [`cells`](Self::cells).
    pub(crate) const COLUMNS: &str =
        "structure,total_ns,find_ns,idle_ns,insert_ns,collect_ns,admitted";

    /// The results, as raw data.
    pub(crate) fn cells(&self) -> Vec<String> {
        let Parts { find, idle, insert, collect, admitted, .. } = self.parts;
        record![self.kind.name(), self.total, find, idle, insert, collect, admitted]
    }
}

/// Measures structures with so many slots, each with so many tasks in all, once without a clock between the parts and once with it.
pub(crate) fn measure(kinds: &[(Kind, usize)], slots: u64, load: Load) -> Vec<Found> {
    let begin = Begin::steady(slots, load);
    let clock = clock_cost();
    let mut runs: Vec<_> =
        kinds.iter().map(|(kind, _)| [(); 2].map(|()| kind.run(&begin))).collect();
    let mut totals = vec![Vec::new(); kinds.len()];
    let mut rounds = vec![Vec::new(); kinds.len()];
    for _ in 0..ROUNDS {
        for (place, (_, tasks)) in kinds.iter().enumerate() {
            let ([whole, parts], tasks) = (&mut runs[place], (tasks / ROUNDS).max(1));
            totals[place].push(whole.total(tasks));
            rounds[place].push(parts.parts(tasks, clock));
        }
    }
    let found = kinds.iter().zip(&totals).zip(&rounds).map(|(((kind, _), totals), rounds)| Found {
        kind: *kind,
        total: taken(totals),
        parts: Parts::taken(rounds),
    });
    found.collect()
}

/// Exact and inexact queries of a structure with so many slots.
pub(crate) fn inexact(kind: Kind, slots: u64, load: Load, queries: usize) -> Inexact {
    kind.run(&Begin::steady(slots, load)).inexact(queries)
}

/// The clock of all that is timed here.
fn host_now() -> Instant {
    SystemClock::Monotonic.now()
}

/// Nanoseconds of a cycle of this processor, by additions and shifts that wait for each other.
#[expect(clippy::cast_precision_loss, reason = "shown, not compared")]
pub(crate) fn cycle() -> f64 {
    const STEPS: u64 = 100_000;
    let best = (0..20).map(|_| {
        let (begun, mut value) = (host_now(), std::hint::black_box(1_u64));
        for step in 0..STEPS {
            value = (value ^ step).rotate_left(1);
        }
        std::hint::black_box(value);
        host_now().saturating_since(begun).as_nanos() as f64 / (2 * STEPS) as f64
    });
    best.fold(f64::INFINITY, f64::min)
}
