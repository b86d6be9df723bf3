//! When a list is collected: the relation of section 3 against counting, and a list that is run by it.

mod common;

use common::Random;
use proptest::prelude::*;
use windfall_admission::{
    Admission, BPlusTree, Bound, Collector, Costs, Limits, List, PagedList, Pool, PoolError,
};
use windfall_time::{Instant, Span};

fn costs() -> impl Strategy<Value = Costs> {
    let short = || prop_oneof![Just(0), 0..2_000_u64, 0..400_000_u64];
    let between = prop_oneof![Just(None), (1..3_000_000_u64).prop_map(Some)];
    let work = (0..1_500_000_u64, prop_oneof![Just(0), 0..500_000_u64]);
    let parts = (work, short(), prop_oneof![Just(0), 0..5_000_u64], short(), short());
    (parts, between).prop_map(|((work, admission, growth, fixed, each), between)| Costs {
        execution: work.0,
        speculation: work.1,
        admission,
        growth,
        fixed,
        each,
        between,
    })
}

fn limits() -> impl Strategy<Value = Limits> {
    (0..3_000_u64, prop_oneof![0..3_000_u64, 0..200_000_u64], 0..300_u32).prop_map(
        |(longest, apart, slots)| Limits {
            longest: Span::from_nanos(longest),
            apart: Span::from_nanos(apart),
            slots,
        },
    )
}

/// By the definition: what a slot after the other costs, and what a collection takes then, `(C B + k u) / (B - k)` with `n = 1 / B`.
fn by_definition(costs: &Costs, slots: u32) -> Option<(u128, u128)> {
    let task = u128::from(costs.execution) + u128::from(costs.speculation);
    let [admission, growth, fixed, each] =
        [costs.admission, costs.growth, costs.fixed, costs.each].map(u128::from);
    let used = (0..u128::from(slots)).map(|taken| task + admission + growth * taken).sum();
    let Some(between) = costs.between.map(u128::from) else { return Some((used, fixed)) };
    let takes = fixed * between + each * used;
    (between > each).then(|| (used, takes.div_ceil(between - each)))
}

/// What a slot costs on average, times the slots, twice: for comparisons of fractions. Without what is equal for all pools.
fn cost_of(costs: &Costs, slots: u32) -> (u128, u128) {
    let slots = u128::from(slots);
    let searches = (0..slots).map(|taken| u128::from(costs.growth) * taken).sum::<u128>();
    (u128::from(costs.fixed) + searches, slots)
}

/// By trying each pool.
fn by_trying(costs: &Costs, limits: &Limits) -> Option<u32> {
    let within = |slots: &u32| {
        let Some((used, takes)) = by_definition(costs, *slots) else { return false };
        takes <= u128::from(limits.longest.as_nanos()) * 1_000
            && used + takes >= u128::from(limits.apart.as_nanos()) * 1_000
    };
    (1..=limits.slots).filter(within).min_by(|one, other| {
        let ((a, x), (b, y)) = (cost_of(costs, *one), cost_of(costs, *other));
        (a * y).cmp(&(b * x))
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3_000, failure_persistence: None, ..Default::default() })]

    #[test]
    fn law_the_pool_is_the_best_of_all_that_are_within_the_limits(costs in costs(), limits in limits()) {
        let (found, best) = (costs.pool(&limits), by_trying(&costs, &limits));
        match (found, best) {
            (Ok(pool), Some(best)) => {
                let ((a, x), (b, y)) = (cost_of(&costs, pool.slots), cost_of(&costs, best));
                prop_assert_eq!(a * y, b * x, "{:?}, by trying {}", pool, best);
            }
            (Err(_), None) => {}
            (found, best) => prop_assert!(false, "{found:?}, by trying {best:?}"),
        }
    }

    #[test]
    fn law_the_limit_that_is_named_cannot_be_met(costs in costs(), limits in limits()) {
        let alone = |longest, apart| costs.pool(&Limits { longest, apart, slots: limits.slots });
        match costs.pool(&limits) {
            Err(PoolError::Longest { .. }) => prop_assert!(alone(limits.longest, Span::ZERO).is_err()),
            Err(PoolError::Apart { .. }) => prop_assert!(alone(Span::MAX, limits.apart).is_err()),
            Err(PoolError::Both { .. }) => {
                prop_assert!(alone(limits.longest, Span::ZERO).is_ok());
                prop_assert!(alone(Span::MAX, limits.apart).is_ok());
            }
            Err(PoolError::Behind { .. }) => prop_assert!(alone(Span::MAX, Span::ZERO).is_err()),
            Err(other) => prop_assert!(false, "{other:?}"),
            Ok(Pool { slots, bound, .. }) => match bound {
                Bound::Cost => prop_assert_eq!(costs.optimum(limits.slots), Some(slots)),
                Bound::Apart => prop_assert!(alone(limits.longest, Span::ZERO).unwrap().slots < slots),
                Bound::Longest | Bound::Slots => {
                    prop_assert!(costs.optimum(slots).is_none());
                }
            },
        }
    }
}

/// The KSR-1's 3.55 us a slot, with tasks of 60 ms and 15 deadlines a second.
const KSR_1: Costs = Costs {
    execution: 59_000_000_000,
    speculation: 1_000_000_000,
    admission: 1_130_000_000,
    growth: 0,
    fixed: 0,
    each: 3_550_000,
    between: Some(66_666_666_666),
};

#[test]
fn paper_section_3_gives_the_slots_that_last_from_one_collection_to_the_next() {
    // x = 1 / (g (e + r + s) (k n + 1)), with all times in seconds.
    let (task, kn) = (0.06113, 3.55e-6 * 15.0);
    for apart in [1_u32, 5, 60] {
        let x = f64::from(apart) / (task * (kn + 1.0));
        let limits = Limits { longest: Span::MAX, apart: Span::from_secs(apart), slots: 1_000_000 };
        // Collections cost the same whenever they are made, so that the least pool is the best.
        let Pool { slots, bound, .. } = KSR_1.pool(&limits).unwrap();
        assert_eq!(bound, Bound::Apart);
        assert!((f64::from(slots) - x.ceil()).abs() < 1.0, "{slots}, by the paper {x}");
        // In the long run as many slots are taken as deadlines pass: n of them in a second.
        let between = KSR_1.execution + KSR_1.speculation + KSR_1.admission;
        let both = Costs { between: Some(between), ..KSR_1 };
        let (n, slots) = (1.0 / task, both.pool(&limits).unwrap().slots);
        assert!((f64::from(slots) - (f64::from(apart) * n).ceil()).abs() < 1.0, "{slots}: n / g");
    }
}

#[test]
fn limit_both_limits_can_be_met_only_if_the_longest_is_the_part_that_collection_takes() {
    // k n = 1 / 4: in a second a quarter is collection, where the paper's sum has a fifth, k n / (k n + 1).
    let costs = Costs {
        execution: 1_000,
        speculation: 0,
        admission: 0,
        growth: 1,
        fixed: 0,
        each: 500,
        between: Some(2_000),
    };
    let limits = |longest: u64| Limits {
        longest: Span::from_nanos(longest),
        apart: Span::from_nanos(1_000_000),
        slots: u32::MAX,
    };
    assert!(matches!(costs.pool(&limits(249_999)), Err(PoolError::Both { .. })));
    let pool = costs.pool(&limits(250_050)).unwrap();
    assert_eq!(pool.bound, Bound::Apart);
    let took = costs.collection(pool.slots).unwrap();
    assert!((249_999_000..=250_050_000).contains(&took), "{took} ps");
}

/// Slots become collectable at a steady rate; each collection takes those that are there when it begins.
#[test]
fn law_collection_settles_where_the_relation_says() {
    for between in [8_000_u32, 1_300, 500] {
        let (used, fixed, each) = (50_000.0, 700.0, 400.0);
        let (rate, mut took) = (1.0 / f64::from(between), 0.0);
        for _ in 0..300 {
            took = fixed + each * rate * (used + took);
        }
        let costs = Costs {
            execution: 1_000,
            speculation: 0,
            admission: 0,
            growth: 0,
            fixed: 700,
            each: 400,
            between: Some(between.into()),
        };
        let found = costs.collection(50).unwrap() as f64;
        assert!((found / took - 1.0_f64).abs() < 0.01, "{found}, settles at {took}");
        let paper = each * rate * used;
        assert!(took > paper, "more than the paper's k n x (e + r + s)");
    }
}

#[test]
fn refuses_in_words_that_name_the_limit() {
    let costs = Costs {
        execution: 1_000_000,
        speculation: 0,
        admission: 100_000,
        growth: 1_000,
        fixed: 50_000,
        each: 10_000,
        between: Some(1_100_000),
    };
    let words = |longest: u64, apart: u64, slots: u32| {
        let [longest, apart] = [longest, apart].map(Span::from_nanos);
        costs.pool(&Limits { longest, apart, slots }).unwrap_err().to_string()
    };
    assert_eq!(words(40, 0, 9), "a collection takes at least 61ns; it may take 40ns");
    let apart =
        "9 slots last 10.078us at most, and collections must be 100us apart; allow more slots";
    assert_eq!(words(1_000, 100_000, 9), apart);
    let both = "a collection takes 963ns when it is 100us after the last one; it may take 900ns";
    assert_eq!(words(900, 100_000, 1_000), both);
    let behind = Costs { each: 2_000_000, ..costs }.pool(&Limits {
        longest: Span::MAX,
        apart: Span::ZERO,
        slots: 9,
    });
    let text = "collection takes 2us for each slot, and another one can be collected each 1.1us; admit fewer tasks";
    assert_eq!(behind.unwrap_err().to_string(), text);
}

/// A machine whose costs are known: `fixed + each` a slot to collect, `admission + growth` a slot taken to search.
struct Machine {
    now: u64,
    random: Random,
}

impl Machine {
    fn cost(&mut self, ns: u64) -> Span {
        // A third more or less.
        let ns = ns * 2 / 3 + self.random.uniform(ns * 2 / 3 + 1);
        self.now += ns;
        Span::from_nanos(ns)
    }
}

#[test]
fn law_costs_are_found_while_it_runs_and_the_pool_follows() {
    let limits = Limits { longest: Span::from_secs(1), apart: Span::ZERO, slots: 10_000 };
    for (fixed, each, admission, growth) in [(9_000, 40, 500, 20), (300, 5, 200, 12)] {
        let (mut collector, mut taken, mut due) = (Collector::new(limits), 0, 0);
        let (mut met, mut last) = (None, None);
        let mut machine = Machine { now: 0, random: Random(5) };
        assert_eq!(collector.pool(), Err(PoolError::Unmeasured));
        for _ in 0..40_000 {
            if collector.is_due() {
                let slots = machine.random.uniform(2 * taken + 1);
                let cost = machine.cost(fixed + each * slots);
                let slots = usize::try_from(slots).unwrap();
                if let Some(last) = last.replace(machine.now) {
                    let apart = Span::from_nanos(machine.now - last);
                    let (longest, least, most) = met.unwrap_or((cost, apart, taken));
                    met = Some((longest.max(cost), least.min(apart), most.max(taken)));
                }
                collector.collected(slots, cost, Instant::from_nanos(machine.now));
                (taken, due) = (0, due + 1);
            }
            let cost = machine.cost(admission + growth * taken);
            let took = machine.random.uniform(5) > 0;
            collector.searched(cost, took);
            taken += u64::from(took);
            machine.now += if took { 20_000 } else { 0 };
            // One in four is undone and done again.
            if took && machine.random.uniform(4) == 0 {
                machine.now += 8_000;
                collector.speculated(Span::from_nanos(8_000));
            }
        }
        // A fifth is refused: for each slot there are 1.25 searches.
        let known = Costs {
            execution: 20_000_000,
            speculation: 2_000_000,
            admission: admission * 1_250,
            growth: growth * 1_250,
            fixed: fixed * 1_000,
            each: each * 1_000,
            between: None,
        };
        let (found, pool) = (collector.costs().unwrap(), collector.pool().unwrap());
        let best = known.pool(&limits).unwrap();
        let cost = |slots| {
            let (cost, slots) = cost_of(&known, slots);
            cost as f64 / slots as f64
        };
        let more = cost(pool.slots) / cost(best.slots) - 1.0;
        assert!(more < 0.1, "{pool:?} costs {more:.3} more than {best:?}: {found:?}, {known:?}");
        let between = found.between.unwrap() as f64;
        for (found, known) in
            [(found.execution, known.execution), (found.speculation, known.speculation)]
        {
            assert!((found as f64 / known as f64 - 1.0).abs() < 0.04, "{found} for {known}");
        }
        assert!(between > 22e6 && between < 27e6, "about as many as are taken: {found:?}");
        assert!(due > 100, "collected {due} times");
        let found = collector.met().unwrap();
        assert_eq!(Some((found.longest, found.apart, u64::from(found.slots))), met);
    }
}

#[test]
fn law_a_list_that_is_run_by_its_costs_decides_as_the_original() {
    let limits = Limits { longest: Span::from_secs(1), apart: Span::ZERO, slots: 64 };
    let mut collector = Collector::new(limits);
    let mut list = Admission::<List>::new(Instant::ZERO, 200).unwrap();
    let mut paged = Admission::<PagedList>::new(Instant::ZERO, 200).unwrap();
    let (mut random, mut clock, mut longest) = (Random(11), 0, 0);
    for _ in 0..5_000 {
        let to = list.now() + Span::from_nanos(random.uniform(200));
        list.advance(to).unwrap();
        paged.advance(to).unwrap();
        let work = Span::from_nanos(1 + random.uniform(200));
        let deadline = to + Span::from_nanos(random.uniform(8_000));
        // Each look at the clock costs as much as there are slots.
        let step = 20 + paged.len() as u64;
        let answer = collector.admit(&mut paged, work, deadline, || {
            clock += step;
            Instant::from_nanos(clock)
        });
        assert_eq!(list.admit(work, deadline).map(|_| ()), answer.map(|_| ()));
        longest = longest.max(paged.len() - list.len());
    }
    let pool = collector.pool().unwrap();
    assert!((2..=64).contains(&pool.slots), "{pool:?}");
    assert!(longest <= 100, "slots that stay are collected: {longest}");
    assert!(paged.counts().collected > 1_000);
}

/// Why the collection of a tree is no setting: it is over when time has passed.
#[test]
fn limit_a_tree_leaves_nothing_to_collect() {
    let mut tree = Admission::<BPlusTree>::new(Instant::ZERO, u32::MAX).unwrap();
    let mut paged = Admission::<PagedList>::new(Instant::ZERO, u32::MAX).unwrap();
    let (mut random, mut stayed) = (Random(3), 0);
    for _ in 0..5_000 {
        let work = Span::from_nanos(1 + random.uniform(200));
        let deadline = tree.now() + Span::from_nanos(random.uniform(8_000));
        assert_eq!(tree.admit(work, deadline).is_ok(), paged.admit(work, deadline).is_ok());
        let to = tree.now() + Span::from_nanos(random.uniform(200));
        tree.advance(to).unwrap();
        paged.advance(to).unwrap();
        assert!(tree.head().is_none_or(|head| !head.left.is_zero()));
        assert_eq!(tree.collect(), 0);
        stayed = stayed.max(paged.len() - tree.len());
    }
    assert_eq!(paged.collect(), stayed, "all of them, while nobody collects");
    assert_eq!(paged.len(), tree.len());
}

/// A clock of which each look is so much later than the one before: before a collection, after it, before a search, after it.
#[test]
fn law_what_a_collection_leads_to_is_computed_in_the_time_of_no_search() {
    let limits = Limits { longest: Span::MAX, apart: Span::ZERO, slots: 64 };
    let (mut collector, mut clock) = (Collector::new(limits), 0);
    let mut list = Admission::<PagedList>::new(Instant::ZERO, u32::MAX).unwrap();
    let work = Span::from_nanos(50);
    for _ in 0..2_000 {
        let due = collector.is_due();
        let mut steps = if due { vec![0, 40, 1_000, 7] } else { vec![0, 7] }.into_iter();
        let read = || {
            clock += steps.next().unwrap();
            Instant::from_nanos(clock)
        };
        let deadline = list.now() + work;
        collector.admit(&mut list, work, deadline, read).unwrap();
        list.advance(list.now() + work).unwrap();
    }
    let costs = collector.costs().unwrap();
    assert_eq!((costs.admission, costs.growth), (7_000, 0));
    assert_eq!((costs.fixed, costs.each), (40_000, 0));
}
