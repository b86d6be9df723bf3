//! The law of all trees, over the whole catalogue (`windfall_sim::law`): what the checker grants is kept in every simulated run.
//! A failure shrinks to a scenario file that can be re-run.
//!
//! `WINDFALL_LAW_TREES` sets how many trees are drawn, `WINDFALL_LAW_SEED` which, and
//! `WINDFALL_LAW_KINDS` of which schedulers (all, when it is not set).
#![expect(clippy::unwrap_used, reason = "a test stops at what it did not expect")]

use std::path::Path;
use windfall_guarantees::Type;
use windfall_sim::law::{Law, PROGRAMS};

/// How many trees; few where nothing is optimised.
const TREES: u64 = if cfg!(debug_assertions) { 1_000 } else { 50_000 };

/// The least number of tests of each type.
const EACH: u64 = 1_000;

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).map_or(default, |text| text.parse().unwrap())
}

#[test]
fn law_what_the_checker_grants_is_kept() {
    let trees = number("WINDFALL_LAW_TREES", TREES);
    let kinds = std::env::var("WINDFALL_LAW_KINDS").unwrap_or_default();
    let kinds: Vec<&str> = kinds.split(',').filter(|name| !name.is_empty()).collect();
    let law = Law::default().only(&kinds).seed(number("WINDFALL_LAW_SEED", 0));
    let tested = law.trees(u32::try_from(trees).unwrap()).judge().unwrap_or_else(|unlawful| {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("unlawful.toml");
        std::fs::write(&path, unlawful.scenario.write()).unwrap();
        panic!("{}\nre-run: windfall simulate --judge all {}", unlawful.why, path.display());
    });
    println!("{trees} trees; promises put to the test: {tested:?}");
    if !kinds.is_empty() {
        return; // a few kinds do not put all of it to the test
    }
    let circles = tested.circles;
    assert!(circles * 1_000 <= trees, "{circles} trees with joins went round in circles");
    let elsewhere = tested.elsewhere;
    assert!(elsewhere * 20 <= trees, "{elsewhere} trees with threads that were refused");
    let answered = tested.answered;
    assert!(trees < 10_000 || answered >= EACH, "{answered} threads with bounds answered");
    let admitted = tested.admitted;
    assert!(trees < 300 || admitted > 0, "no job was admitted");
    assert!(trees < 10_000 || admitted >= EACH, "{admitted} jobs were admitted");
    let ticking = tested.ticking;
    assert!(trees < 10_000 || ticking >= EACH, "tested {ticking} times where the timer ticks");
    for program in PROGRAMS {
        let count = tested.programs.get(program).copied().unwrap_or(0);
        assert!(trees < 300 || count > 0, "no promise to a `{program}` thread was put to the test");
        assert!(trees < 10_000 || count >= EACH, "{program} was put to the test {count} times");
    }
    let count = tested.long_run;
    assert!(trees < 10_000 || count >= EACH, "shares in the long run were tested {count} times");
    for kind in Type::ALL_TYPES.into_iter().filter(|kind| *kind != Type::Null) {
        let count = tested.types.get(&kind).copied().unwrap_or(0);
        assert!(trees < 10_000 || count >= EACH, "{kind} was put to the test {count} times");
    }
}
