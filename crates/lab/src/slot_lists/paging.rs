//! A list that is collected now and then: what a slot costs by the slots that are taken between collections, and what its collector finds.

use super::load::{Begin, Tasks};
use super::measured::clock_cost;
use super::{Load, ROUNDS, host_now, taken};
use crate::statistics::quantile;
use std::cell::RefCell;
use std::hint::black_box;
use windfall_admission::{Admission, Collector, Costs, Limits, PagedList};
use windfall_time::{Instant, Span};

/// Longer than any search: what is beyond was interrupted.
const INTERRUPTED: f64 = 50_000.0;
/// No limits but memory.
const LIMITS: Limits = Limits { longest: Span::MAX, apart: Span::ZERO, slots: 1 << 12 };

/// The findings of a list's collector, and the costs of pools.
#[derive(Clone, Debug)]
pub(crate) struct Paging {
    pub(crate) costs: Costs,
    /// The limits that collections kept to meanwhile.
    pub(crate) met: Limits,
    /// The slots of the pool that follow from the costs, the median of all rounds, and of these the least and the most.
    pub(crate) predicted: u32,
    pub(crate) from: u32,
    pub(crate) to: u32,
    /// Nanoseconds a slot with the predicted pool and with the best, measured once more, in turn.
    pub(crate) again: [f64; 2],
    /// For each pool, nanoseconds a slot that is taken, collections included.
    pub(crate) tried: Vec<(u32, f64)>,
    /// How many searches and collections were interrupted, and left out.
    pub(crate) interrupted: u32,
}

impl Paging {
    pub(crate) fn best(&self) -> (u32, f64) {
        best(&self.tried)
    }
}

/// A list under load, which works as much as it takes in.
#[derive(Clone)]
struct Run {
    list: Admission<PagedList>,
    tasks: Tasks,
    /// Of a load of speculation each fifth task is one that was undone, and is done again.
    speculates: bool,
    passed: u32,
}

impl Run {
    fn new(begin: &Begin, load: Load) -> Run {
        let mut list = Admission::new(begin.now, u32::MAX)
            .unwrap_or_else(|why| unreachable!("time begins before the horizon: {why}"));
        for (key, work) in &begin.slots {
            let _ = list.admit(*work, key.deadline);
        }
        let speculates = load == Load::Follows;
        Run { list, tasks: begin.tasks.clone(), speculates, passed: 0 }
    }

    /// Time passes in which as much work is done as was taken in, so that the list stays as long as it is. Returns how much of it was undone before, and is
    /// done again.
    fn pass(&mut self, work: Span) -> Span {
        self.passed += 1;
        let _ = self.list.advance(self.list.now() + work);
        if self.speculates && self.passed.is_multiple_of(5) { work } else { Span::ZERO }
    }

    /// Nanoseconds for each of so many slots that are taken, when the pool has so many.
    #[expect(clippy::cast_precision_loss, reason = "tasks are few")]
    fn cost(&mut self, pool: u32, slots: u32) -> f64 {
        let (begun, mut taken) = (host_now(), 0);
        while taken < slots {
            let (work, deadline) = self.tasks.draw(self.list.now());
            if black_box(self.list.admit(work, deadline)).is_ok() {
                self.pass(work);
                taken += 1;
                if taken % pool == 0 {
                    black_box(self.list.collect());
                }
            }
        }
        host_now().saturating_since(begun).as_nanos() as f64 / f64::from(slots)
    }

    /// So many slots are taken, and collected when the collector says so.
    fn collected_by(&mut self, collector: &mut Collector, clock: &RefCell<Watch>, slots: u32) {
        let mut taken = 0;
        while taken < slots {
            let (work, deadline) = self.tasks.draw(self.list.now());
            let read = || clock.borrow_mut().read();
            if collector.admit(&mut self.list, work, deadline, read).is_ok() {
                collector.speculated(self.pass(work));
                taken += 1;
            }
        }
    }
}

/// A clock without what it takes to read it, and without interruptions.
struct Watch {
    last: Instant,
    reading: f64,
    passed: f64,
    interrupted: u32,
}

impl Watch {
    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a few seconds in nanoseconds"
    )]
    fn read(&mut self) -> Instant {
        let [now, again] = [(); 2].map(|()| host_now());
        let ns = |from: Instant, to: Instant| to.saturating_since(from).as_nanos() as f64;
        // What a reading takes is its mean of late, without interruptions.
        self.reading += (ns(now, again).min(10.0 * self.reading) - self.reading) / 1_024.0;
        let ns = ns(self.last, now) - self.reading;
        self.last = again;
        if ns > INTERRUPTED {
            self.interrupted += 1;
        } else {
            self.passed += ns.max(0.0);
        }
        Instant::from_nanos(self.passed as u64)
    }
}

/// Predicts the pool of least cost of a list with so many slots, in as many rounds as everywhere, then tries that one and others.
pub(crate) fn paging(slots: u64, load: Load, pools: &[u32], tasks: u32) -> Option<Paging> {
    let run = Run::new(&Begin::steady(slots, load), load);
    let watch = Watch { last: host_now(), reading: clock_cost(), passed: 0.0, interrupted: 0 };
    let (watch, mut collector) = (RefCell::new(watch), Collector::new(LIMITS));
    let (mut collected, mut predicted) = (run.clone(), Vec::new());
    for _ in 0..ROUNDS {
        collected.collected_by(&mut collector, &watch, tasks);
        predicted.extend(collector.pool().ok().map(|pool| f64::from(pool.slots)));
    }
    let (costs, met) = (collector.costs()?, collector.met()?);
    let [from, middle, to] = [0, 50, 100].map(|part| whole(quantile(&predicted, part)));
    let mut pools = [pools, &[middle]].concat();
    pools.sort_unstable();
    pools.dedup();
    let mut runs: Vec<_> = pools.iter().map(|_| (run.clone(), Vec::new())).collect();
    for _ in 0..ROUNDS {
        for ((run, rounds), pool) in runs.iter_mut().zip(&pools) {
            rounds.push(run.cost(*pool, tasks / 5));
        }
    }
    let tried = pools.iter().zip(&runs).map(|(pool, (_, rounds))| (*pool, taken(rounds)));
    let tried: Vec<_> = tried.collect();
    let again = against_best(&mut runs, &tried, middle, tasks / 5);
    let interrupted = watch.borrow().interrupted;
    Some(Paging { costs, met, predicted: middle, from, to, again, tried, interrupted })
}

/// The least of many numbers is low by chance, too: so both pools are measured once more.
fn against_best(
    runs: &mut [(Run, Vec<f64>)],
    tried: &[(u32, f64)],
    predicted: u32,
    slots: u32,
) -> [f64; 2] {
    let best = best(tried).0;
    let both = [predicted, best];
    let mut costs = [const { Vec::new() }; 2];
    for _ in 0..3 * ROUNDS {
        for (costs, pool) in costs.iter_mut().zip(both) {
            let place = tried.iter().position(|(slots, _)| *slots == pool);
            costs.extend(place.map(|place| runs[place].0.cost(pool, slots)));
        }
    }
    costs.map(|costs| taken(&costs))
}

/// The pool that costs least.
fn best(tried: &[(u32, f64)]) -> (u32, f64) {
    let best = tried.iter().min_by(|one, other| one.1.total_cmp(&other.1));
    best.copied().unwrap_or((0, f64::NAN))
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "it was a number of slots"
)]
fn whole(slots: f64) -> u32 {
    slots.round() as u32
}
