use super::*;
use crate::validate::machine::Distance;

fn measured(one: u16, other: u16, distance: Distance, ns: u64) -> Measured {
    let of = |ns| Samples::of(vec![Span::from_nanos(ns)]);
    Measured { pair: Pair { one, other, distance }, word: of(ns), wake: Some(of(ns * 50)) }
}

#[test]
fn law_the_nearest_and_the_farthest_pair_are_named() {
    let all = [
        measured(0, 1, Distance::Core, 25),
        measured(0, 2, Distance::Nodes, 310),
        measured(1, 2, Distance::Nodes, 290),
    ];
    let mut found = Found::default();
    says_near(&mut found, &all);
    says_far(&mut found, &all);
    let said: Vec<_> = found.sentences.iter().map(|one| one.text.as_str()).collect();
    assert_eq!(
        said,
        [
            "A word is handed over fastest between processors 0 and 1 (on one core, 25 ns), and slowest between processors 0 and 2 (on two memory nodes, 310 ns)."
        ]
    );
    says_near(&mut found, &all[..1]);
    assert_eq!(found.sentences.len(), 1);
}

#[test]
fn law_a_pair_is_far_only_beside_others_of_its_distance() {
    for (ns, is_far) in [(400, false), (401, true)] {
        let all = [
            measured(0, 1, Distance::Cache, 100),
            measured(0, 2, Distance::Cache, 120),
            measured(1, 2, Distance::Cache, ns),
            measured(1, 3, Distance::Nodes, 9_000),
        ];
        let mut found = Found::default();
        says_far(&mut found, &all);
        assert_eq!(found.sentences.len(), usize::from(is_far), "{ns}");
        for said in &found.sentences {
            assert!(said.level == Level::Warning && !said.remedies.is_empty());
            let text = "A word takes 401 ns between processors 1 and 2, and 100 ns between processors 0 and 1, which are with one last cache as well.";
            assert_eq!(said.text, text);
        }
    }
}

#[test]
fn law_tables_are_a_matrix_of_few_pairs_and_a_list_of_some_of_many() {
    let all = [
        measured(0, 1, Distance::Core, 25),
        measured(0, 2, Distance::Cache, 80),
        measured(1, 2, Distance::Cache, 90),
    ];
    let distance = |one, other| if one + other == 1 { Distance::Core } else { Distance::Cache };
    let tables = shown::tables(&Chosen::new(&[0, 1, 2], distance, 9), &all, &[0, 1, 2]);
    assert_eq!(tables.len(), 3);
    assert_eq!(
        tables[0].rows[1][..6],
        ["with one last cache", "2", "2", "80 ns", "80 ns", "90 ns"]
    );
    assert_eq!(tables[1].rows[2], ["2", "80 ns", "90 ns", "-"]);
    assert_eq!(tables[2].rows[0], ["0", "-", "1.25 us", "4 us"]);
    let tables = shown::tables(&Chosen::new(&[0, 1, 2], distance, 2), &all[..2], &[0, 1, 2]);
    assert_eq!(tables.len(), 2);
    assert_eq!(tables[1].rows[1], ["0 and 2", "with one last cache", "80 ns", "4 us"]);
}

#[test]
fn limit_some_nanoseconds_more_make_no_pair_far() {
    for (ns, is_far) in [(220, false), (221, true)] {
        let all = [measured(0, 1, Distance::Cache, 20), measured(0, 2, Distance::Cache, ns)];
        let mut found = Found::default();
        says_far(&mut found, &all);
        assert_eq!(found.sentences.len(), usize::from(is_far), "{ns}");
    }
}
