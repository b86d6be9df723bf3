//! What was admitted is done in time, in random worlds with a simulated clock.

#![expect(clippy::unwrap_used, reason = "a test stops at what it did not expect")]
#![expect(clippy::cast_possible_truncation, reason = "numbers that were drawn to be small")]

mod world;

use world::{Tally, World};

/// So many tasks are admitted in each of both laws: a million where it is optimised.
const ADMITTED: u64 = if cfg!(debug_assertions) { 30_000 } else { 1_000_000 };

fn run(steals: bool, kinds: &[&'static str]) {
    let (mut tally, mut admitted, mut seed) = (Tally::default(), 0, 0);
    while admitted < ADMITTED {
        let mut world = World::new(seed, steals);
        for _ in 0..4_000 {
            world.step(&mut tally);
        }
        world.check_counts();
        admitted += world.processor.counts().admitted;
        seed += 1;
    }
    eprintln!("{admitted} admitted in {seed} worlds: {:?}", tally.0);
    for kind in kinds {
        let seen = tally.0.get(kind).copied().unwrap_or(0);
        assert!(seen * 1_000 > ADMITTED, "`{kind}` was seen {seen} times only");
    }
}

const KINDS: [&str; 14] = [
    "admitted",
    "cancelled",
    "cancelled when it had begun",
    "earliest deadline is exact",
    "early",
    "exceeded",
    "laxity moved",
    "laxity not moved",
    "preempted",
    "primary",
    "ranked",
    "refused",
    "secondary",
    "to its bound",
];

#[test]
fn law_admitted_is_done_in_time() {
    run(false, &KINDS);
}

#[test]
fn law_admitted_is_late_by_at_most_what_was_stolen_since() {
    let more = ["admitted in debt", "late by what was stolen", "late timer"];
    run(true, &[KINDS.as_slice(), &more].concat());
}

#[test]
fn law_the_same_seed_gives_the_same_trace() {
    let trace = |seed| {
        let (mut world, mut tally) = (World::new(seed, true), Tally::default());
        (0..2_000).for_each(|_| world.step(&mut tally));
        world.trace
    };
    for seed in 0..20 {
        assert_eq!(trace(seed), trace(seed));
        assert_ne!(trace(seed), trace(seed + 100));
    }
}
