//! What an admission costs in the steady state, beside other structures, all in one run: rounds of all structures follow each other, and ratios are of
//! their medians. `cargo bench -p windfall-admission`; see `docs/benchmarks/admission.md`.
//!
//! A task's work is even between 1 ns and 200 us, its deadline even up to 1.7 times the work of all slots later. An operation is a query, an admission if it fits,
//! and collection of the first slot while more are there than there should be.

#[path = "admission/arrays.rs"]
mod arrays;
#[path = "admission/btree_map.rs"]
mod btree_map;
#[path = "../tests/common/mod.rs"]
mod common;
#[path = "admission/treap.rs"]
mod treap;

use common::Random;
use std::hint::black_box;
use windfall_admission::{
    Admission, BPlusTree, HashPointerList, ImprovedList, Key, List, Structure,
};
use windfall_clocks::{Lap, Samples, median};
use windfall_time::{Instant, Span};

const ROUNDS: usize = 5;
/// Operations that are timed together.
const BATCH: usize = 200;

/// What can be built at once from slots in order.
pub(crate) trait Peer: Structure {
    fn restore(now: Instant, slots: &[(Key, Span)]) -> Self;
}

/// The lists of the crate.
macro_rules! lists {
    ($($list:ty),+) => {$(
        impl Peer for $list {
            fn restore(now: Instant, slots: &[(Key, Span)]) -> Self {
                <$list>::restore(now, slots)
            }
        }
    )+};
}

lists!(List, ImprovedList, HashPointerList);

pub(crate) fn ns(at: Instant) -> i64 {
    at.as_nanos().cast_signed()
}

pub(crate) fn span(ns: i64) -> Span {
    Span::from_nanos(ns.cast_unsigned())
}

#[derive(Clone, Copy, PartialEq)]
enum Load {
    Steady,
    /// Each deadline follows the last by a little.
    Follows,
}

struct Bench<S> {
    list: Admission<S>,
    slots: u64,
    load: Load,
    last: Instant,
    draws: Vec<(u64, u64)>,
    next: usize,
    asked: u64,
}

impl<S: Structure> Bench<S> {
    fn new(list: Admission<S>, slots: u64, load: Load, last: Instant) -> Self {
        let mut random = Random(7);
        let draws = (0..1 << 15).map(|_| match load {
            Load::Steady => (1 + random.uniform(199_999), random.uniform(170_000 * slots)),
            Load::Follows => (1 + random.uniform(159_999), 1 + random.uniform(199_999)),
        });
        Bench { list, slots, load, last, draws: draws.collect(), next: 0, asked: 0 }
    }

    fn draw(&mut self) -> (Span, Instant) {
        let (work, after) = self.draws[self.next];
        self.next = (self.next + 1) % self.draws.len();
        let from = match self.load {
            Load::Steady => self.list.now() + Span::from_nanos(work),
            Load::Follows => self.last.max(self.list.now()),
        };
        self.last = from + Span::from_nanos(after);
        (Span::from_nanos(work), self.last)
    }

    fn operate(&mut self) {
        let (work, deadline) = self.draw();
        let _ = black_box(self.list.admit(work, deadline));
        self.asked += 1;
        while self.list.len() as u64 > self.slots {
            let Some(head) = self.list.head() else { return };
            let _ = self.list.advance(self.list.now() + head.left);
        }
    }
}

/// What is measured, whatever the structure is.
trait Measured {
    fn name(&self) -> &'static str;
    /// Nanoseconds an operation.
    fn operations(&mut self, batches: usize) -> f64;
    fn queries(&mut self, batches: usize) -> f64;
    /// Of single operations, one in a thousand takes longer.
    fn slowest(&mut self, operations: usize) -> f64;
    fn bytes(&self) -> f64;
    fn accepted(&self) -> f64;
}

/// The median of so many batches of calls, ns a call; of none, what few calls take one with another. What is prepared for a call is not measured.
fn batches<B, A>(
    bench: &mut B,
    (count, few): (usize, usize),
    prepare: impl Fn(&mut B) -> A,
    call: impl Fn(&mut B, A),
) -> f64 {
    let batch = if count == 0 { few } else { BATCH };
    let each = (0..count.max(1)).map(|_| {
        let prepared: Vec<A> = (0..batch).map(|_| prepare(bench)).collect();
        let lap = Lap::begin();
        for one in prepared {
            call(bench, one);
        }
        lap.each(batch as u64)
    });
    median(each.collect())
}

impl<S: Structure> Measured for Bench<S> {
    fn name(&self) -> &'static str {
        S::NAME
    }

    fn operations(&mut self, count: usize) -> f64 {
        batches(self, (count, BATCH / ROUNDS), |_| (), |bench, ()| bench.operate())
    }

    fn queries(&mut self, count: usize) -> f64 {
        let ask = |bench: &mut Self, deadline| {
            black_box(bench.list.idle_before(deadline));
        };
        batches(self, (count, 4), |bench| bench.draw().1, ask)
    }

    fn slowest(&mut self, operations: usize) -> f64 {
        let nothing = Lap::of_nothing();
        let each = (0..operations).map(|_| {
            let lap = Lap::begin();
            self.operate();
            lap.passed()
        });
        let each = Samples::of(each.collect()).quantile(999, 1_000);
        each.saturating_sub(nothing).as_nanos() as f64
    }

    fn bytes(&self) -> f64 {
        self.list.structure().bytes() as f64 / self.list.len() as f64
    }

    fn accepted(&self) -> f64 {
        let counts = self.list.counts();
        counts.admitted as f64 / (counts.admitted + counts.refused) as f64
    }
}

/// So many times as many operations as there are slots come before what is measured. Then as many tasks are accepted as later, of an even load about 82 %.
const BEFORE: u64 = 20;

/// All structures with the same slots: those that the tree has after that.
fn all(slots: u64, load: Load) -> Option<Vec<Box<dyn Measured>>> {
    let list = Admission::<BPlusTree>::new(Instant::ZERO, u32::MAX).ok()?;
    let mut ours = Bench::new(list, slots, load, Instant::ZERO);
    while ours.asked < slots * BEFORE + 10_000 {
        ours.operate();
    }
    let (now, mut copy) = (ours.list.now(), ours.list.structure().clone());
    let mut each = Vec::new();
    while let Some((key, work)) = copy.head() {
        each.push((key, work));
        copy.advance(copy.now() + work);
    }
    let last = ours.last;
    fn peer<S: Peer + 'static>(
        now: Instant,
        each: &[(Key, Span)],
        load: Load,
        last: Instant,
    ) -> Option<Box<dyn Measured>> {
        let list = Admission::over(S::restore(now, each), u32::MAX, u32::MAX / 2).ok()?;
        Some(Box::new(Bench::new(list, each.len() as u64, load, last)))
    }
    Some(vec![
        peer::<List>(now, &each, load, last)?,
        peer::<btree_map::Map>(now, &each, load, last)?,
        peer::<arrays::Arrays>(now, &each, load, last)?,
        peer::<treap::Treap>(now, &each, load, last)?,
        peer::<ImprovedList>(now, &each, load, last)?,
        peer::<HashPointerList>(now, &each, load, last)?,
        Box::new(Bench::new(ours.list, slots, load, last)),
    ])
}

/// Arguments are numbers of slots; without any, all are measured.
fn main() {
    let asked: Vec<u64> = std::env::args().filter_map(|argument| argument.parse().ok()).collect();
    let known = vec![100, 200, 500, 1_000, 3_000, 100_000, 1_000_000];
    let sizes = if asked.is_empty() { known } else { asked };
    println!(
        "load, slots, structure: ns an operation, of the treap's; ns a query; p99.9; bytes a slot; accepted"
    );
    for (load, name) in [(Load::Steady, "steady"), (Load::Follows, "follows")] {
        for slots in &sizes {
            let slots = *slots;
            let Some(mut all) = all(slots, load) else { return };
            let mut table = vec![[const { Vec::new() }; 3]; all.len()];
            for _ in 0..ROUNDS {
                for (one, cells) in all.iter_mut().zip(&mut table) {
                    let count = match (one.name(), slots) {
                        ("list" | "improved" | "BTreeMap" | "arrays", 10_000..) => 0,
                        ("list" | "improved" | "BTreeMap", 1_000..) => 20,
                        _ => 400,
                    };
                    cells[0].push(one.operations(count));
                    cells[1].push(one.queries(count));
                    if count == 400 {
                        cells[2].push(one.slowest(20_000));
                    }
                }
            }
            let found: Vec<_> = table.into_iter().map(|cells| cells.map(median)).collect();
            for (one, cells) in all.iter().zip(&found) {
                let of = cells[0] / found[3][0];
                println!(
                    "{name} {slots} {}: {:.1}, {of:.3}; {:.1}; {:.0}; {:.1}; {:.3}",
                    one.name(),
                    cells[0],
                    cells[1],
                    cells[2],
                    one.bytes(),
                    one.accepted()
                );
            }
        }
    }
}
