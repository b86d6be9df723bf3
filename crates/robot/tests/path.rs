//! Ways: as short as those found from nothing, whatever became known on the way; and taken back, as if nothing had been.

use proptest::prelude::*;
use std::cell::Cell as Counter;
use std::collections::BTreeSet;
use windfall_robot::path::{NO_WAY, Plan, Planner, step};
use windfall_robot::terrain::{Cell, Random, Size};
use windfall_time::Span;

/// What the way costs, by the algorithm of Dijkstra.
fn least(size: Size, blocked: &[bool], from: Cell, goal: Cell) -> u32 {
    let mut costs = vec![NO_WAY; blocked.len()];
    let mut open = BTreeSet::from([(0, from)]);
    costs[from as usize] = 0;
    while let Some((cost, cell)) = open.pop_first() {
        if cell == goal {
            return cost;
        }
        for other in size.around(cell, 1).filter(|other| *other != cell) {
            let through =
                cost.saturating_add(step(size, |cell| blocked[cell as usize], cell, other));
            if through < costs[other as usize] {
                costs[other as usize] = through;
                open.insert((through, other));
            }
        }
    }
    NO_WAY
}

/// A robot that goes, sees, is put elsewhere, and goes back in time.
#[derive(Clone, Debug)]
enum Act {
    See(Vec<(u32, bool)>),
    Go,
    Put(u32),
    TakeBack,
}

fn act() -> impl Strategy<Value = Act> {
    prop_oneof![
        3 => prop::collection::vec((any::<u32>(), prop::bool::weighted(0.7)), 1..12).prop_map(Act::See),
        4 => Just(Act::Go),
        1 => any::<u32>().prop_map(Act::Put),
        2 => Just(Act::TakeBack),
    ]
}

#[test]
fn law_ways_are_as_short_as_those_found_from_nothing_and_are_taken_back() {
    let judged = [const { Counter::new(0_u32) }; 5];
    let count = |kind: usize| judged[kind].set(judged[kind].get() + 1);
    let config =
        ProptestConfig { cases: 1_000, failure_persistence: None, ..ProptestConfig::default() };
    let mut runner = proptest::test_runner::TestRunner::new(config);
    let drawn = (
        2_u16..14,
        2_u16..14,
        1_u32..25,
        prop::collection::vec((act(), prop::bool::weighted(0.7)), 1..30),
    );
    runner
        .run(&drawn, |(wide, high, most, acts)| {
            let size = Size { wide, high };
            let goal = size.cells() - 1;
            let mut blocked = vec![false; size.cells() as usize];
            let mut planner = Planner::new(size, 0, goal);
            for (act, finishes) in acts {
                let before = planner.clone();
                let mut was = blocked.clone();
                match &act {
                    Act::See(cells) => {
                        // Of a cell that was seen twice the last counts.
                        let mut seen: Vec<(Cell, bool)> = Vec::new();
                        for (cell, is) in cells {
                            let cell = cell % size.cells();
                            seen.retain(|(other, _)| *other != cell);
                            seen.push((cell, *is));
                            was[cell as usize] = *is;
                        }
                        planner.change(&seen);
                    }
                    Act::Go => {
                        planner.next_cell().into_iter().for_each(|next| planner.stands(next))
                    }
                    Act::Put(cell) => planner.stands(cell % size.cells()),
                    Act::TakeBack => {
                        // Somewhere else, and back again.
                        let copy = planner.clone();
                        planner.stands(goal / 2);
                        planner.change(&[(goal / 3, !blocked[goal as usize / 3])]);
                        planner.plan(most);
                        planner = copy;
                        prop_assert!(planner == before, "not as before");
                        count(0);
                    }
                }
                blocked = was;
                let (mut plan, mut looked) = planner.plan(most);
                while finishes && plan == Plan::Unfinished {
                    (plan, looked) = planner.plan(most);
                }
                prop_assert!(looked <= most);
                if plan == Plan::Unfinished {
                    // It goes on from there.
                    count(4);
                    continue;
                }
                let wanted = least(size, &blocked, planner.robot(), goal);
                prop_assert_eq!(planner.way_cost(), wanted);
                prop_assert_eq!(plan == Plan::NoWay, wanted == NO_WAY);
                count(if wanted == NO_WAY { 1 } else { 2 });
                if wanted != NO_WAY {
                    let way = planner.way();
                    let from = std::iter::once(planner.robot()).chain(way.iter().copied());
                    let costs = from
                        .zip(&way)
                        .map(|(from, to)| step(size, |cell| blocked[cell as usize], from, *to));
                    prop_assert_eq!(costs.sum::<u32>(), wanted);
                    prop_assert!(planner.robot() == goal || way.last() == Some(&goal));
                    count(3);
                }
            }
            Ok(())
        })
        .unwrap();
    assert!(judged.iter().all(|kind| kind.get() > 100), "{judged:?}");
}

#[test]
fn law_equal_seeds_make_equal_terrain_whose_corners_are_free() {
    let random = |seed| Random {
        size: Size { wide: 30, high: 20 },
        blocked: 25,
        later: 10,
        until: Span::from_secs(5),
        seed,
    };
    for seed in 0..50 {
        let terrain = random(seed).terrain();
        assert_eq!(terrain, random(seed).terrain());
        assert_ne!(terrain, random(seed + 1).terrain());
        assert!(
            !terrain.blocked[terrain.start as usize] && !terrain.blocked[terrain.goal as usize]
        );
        let blocked = terrain.blocked.iter().filter(|is| **is).count();
        assert!((150..156).contains(&blocked), "{blocked}");
        assert!(terrain.changes.is_sorted_by_key(|change| change.at));
    }
}
