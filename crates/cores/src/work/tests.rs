mod reference;

use super::*;

/// A digest of one kind by the reference.
type Reference = fn(u64) -> u64;

fn tables() -> [(&'static str, &'static [u64; PATTERNS], Reference); 5] {
    [
        ("INTEGER", &answers::INTEGER, reference::integer),
        ("FLOAT", &answers::FLOAT, reference::float),
        ("VECTOR", &answers::VECTOR, reference::vector),
        ("ATOMIC", &answers::ATOMIC, reference::atomic),
        ("SHARED", &answers::SHARED, reference::shared),
    ]
}

#[test]
fn law_known_answers_are_those_of_arithmetic_bit_by_bit() {
    for (name, table, of) in tables() {
        let computed = SEEDS.map(of);
        let shown: Vec<String> = computed.iter().map(|word| format!("0x{word:016X},")).collect();
        assert_eq!(*table, computed, "{name} is:\n    {}", shown.join("\n    "));
        let mut different = computed.to_vec();
        different.sort_unstable();
        different.dedup();
        assert_eq!(different.len(), PATTERNS, "{name}: two patterns are alike");
    }
}

#[test]
fn law_this_machine_yields_the_known_answers() {
    let (words, mut block) = (Words::new(9), vec![0; 1_000]);
    for kind in Kind::ALL.into_iter().filter(|kind| kind.is_here()) {
        for pattern in 0..PATTERNS {
            for number in [0, 7, 8] {
                let mut place = Place { block: &mut block, words: &words, number };
                let found = digest(kind, pattern, 0, &mut place);
                assert_eq!(found, known(kind, pattern, 1_000), "{kind}, pattern {pattern}");
            }
        }
    }
}

#[test]
fn law_one_wrong_bit_changes_every_digest() {
    let (words, mut block) = (Words::new(1), vec![0; 1_000]);
    let mut judged = 0;
    for kind in Kind::ALL.into_iter().filter(|kind| kind.is_here()) {
        // Of floating-point work, bits of the fraction only: it makes values of these.
        for bit in (0..52).step_by(3) {
            let pattern = bit % PATTERNS;
            let mut place = Place { block: &mut block, words: &words, number: 0 };
            let found = digest(kind, pattern, 1 << bit, &mut place);
            assert_ne!(found, known(kind, pattern, 1_000), "{kind}, bit {bit}");
            let after = digest(kind, pattern, 0, &mut place);
            assert_eq!(after, known(kind, pattern, 1_000), "{kind}: the fault stays");
            judged += 1;
        }
    }
    assert!(judged >= 6 * 18, "{judged}");
}

#[test]
fn law_a_march_yields_what_sums_say_for_any_size() {
    for words in [0, 1, 2, 3, 64, 1_000, 65_537] {
        let mut block = vec![7; words];
        for pattern in 0..PATTERNS {
            let found = memory::digest(&mut block, pattern, 0);
            assert_eq!(found, memory::known(words, pattern), "{words} words, pattern {pattern}");
        }
    }
}

#[test]
fn law_each_pattern_has_its_turn() {
    let turns: Vec<usize> = (1..=9).map(pattern).collect();
    assert_eq!(turns, [0, 1, 2, 3, 4, 5, 6, 7, 0]);
    assert_eq!(pattern(u64::MAX), 6);
}

#[test]
fn law_kinds_have_different_names() {
    let mut names = Kind::ALL.map(Kind::name).to_vec();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), Kind::ALL.len());
}
