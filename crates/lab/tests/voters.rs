//! The voter experiments of CMU 1982, each in its quick form: what its claim comes to, and numbers that a model in another language has, too.
#![expect(clippy::unwrap_used, reason = "a test stops at what it did not expect")]

mod common;

use common::{quick, stands};
use windfall_lab::{ClaimStatus, Findings, Host, Verdict};

/// A row of a table by its first cells.
fn row<'a>(findings: &'a Findings, table: &str, first: &[&str]) -> &'a [String] {
    let table = findings.tables.iter().find(|one| one.title.starts_with(table)).unwrap();
    table.rows.iter().find(|row| row.iter().zip(first).all(|(cell, word)| cell == word)).unwrap()
}

#[test]
fn paper_a_subtask_that_is_always_slower_is_bounded_by_a_linear_search_alone() {
    let findings = quick("nmr-slower", Host::Sim);
    let Verdict { standing, why } = &findings.verdict;
    assert_eq!(*standing, ClaimStatus::Refuted, "{why}");
    assert!(why.starts_with("granularity 1024 + 50 % ends at 40 rows"), "{why}");
    assert!(!why.contains("granularity 256") && !why.contains("16384"), "{why}");
    let names = ["nmr-figure-1-4", "nmr-figure-1-5", "nmr-figure-1-6", "nmr-figure-1-7"];
    assert!(findings.figures.iter().map(|figure| figure.name.as_str()).eq(names));
    let long = |granularity: &str, percent: &str| {
        row(&findings, "linear", &[granularity, percent])[4..6].join(", ")
    };
    assert_eq!(long("256", "50"), "1, 1");
    assert_eq!(long("1024", "50"), "32, 40");
    assert_eq!(long("16384", "10"), "17, 105");
    assert_eq!(row(&findings, "constant", &["1024", "50"])[3], "325");
}

#[test]
fn paper_an_oscillating_subtask_catches_up_at_every_granularity() {
    let findings = quick("nmr-oscillating", Host::Sim);
    let Verdict { standing, why } = &findings.verdict;
    assert_eq!(*standing, ClaimStatus::Refuted, "{why}");
    assert!(why.starts_with("at 16384 and 50 % it returns to one row"), "{why}");
    assert_eq!((findings.tables.len(), findings.figures.len()), (3, 5));
    for row in &findings.tables[0].rows {
        assert!(row[2..].iter().all(|rows| rows.starts_with('1')), "{row:?}");
    }
    let at = |cause: &str| row(&findings, "what would", &[cause])[5].clone();
    assert_eq!(at("none: as 1.6 describes it"), "none");
    assert_eq!(at("its processor is 2 % slower"), "16384");
    assert_eq!(at("its processor is 3 % slower"), "4096, 16384");
    assert_eq!(at("a queue of 4 rows"), "none");
}

#[test]
fn paper_a_subtask_that_is_as_fast_again_catches_up_by_what_the_voter_costs() {
    let findings = stands("nmr-recovering");
    assert_eq!((findings.tables.len(), findings.figures.len()), (2, 3));
    assert_eq!(row(&findings, "least", &["1024", "50"])[2..], ["12 to 17", "16 to 20"]);
    let slow = |voter: &str| row(&findings, "slower", &[voter, "16384"])[7].clone();
    let [linear, constant] =
        ["40 + 5 a row", "130"].map(|voter| slow(voter).parse::<u32>().unwrap());
    assert!(linear > constant && constant > 100, "{linear} {constant}");
    assert_eq!(slow("0"), "never");
}

#[test]
fn paper_1_9_its_four_conclusions_stand() {
    let findings = stands("nmr-conclusions");
    assert!(findings.tables[0].rows.iter().map(|row| row[1].as_str()).eq(["stands"; 4]));
    assert_eq!(findings.tables.len(), 5);
    let hidden = findings.tables[1].rows.iter().map(|row| row[3].as_str());
    assert!(hidden.eq(["150", "38", "9", "2"]));
}

#[test]
fn law_real_voters_are_measured_and_decide_nothing_in_a_quick_run() {
    let findings = quick("nmr-slower", Host::Here);
    let Verdict { standing, why } = &findings.verdict;
    assert!(
        *standing == ClaimStatus::Open
            && why.ends_with("too short to judge the order of real threads"),
        "{why}"
    );
    assert_eq!((findings.tables.len(), findings.tables[0].rows.len()), (1, 4));
    assert_eq!(findings.raw[0].text.lines().count(), 1 + 4 * 40);
}
