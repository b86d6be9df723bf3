//! The tables and figures of PORTS: what admission costs and admits.

use super::*;

/// What times say is left to a full run: here a neighbour may disturb a millisecond.
fn is_weighed(findings: &Findings) {
    let Verdict { standing, why } = &findings.verdict;
    assert!(!why.is_empty() && *standing != ClaimStatus::Calibrated, "{why}");
    if cfg!(debug_assertions) {
        assert_eq!(*standing, ClaimStatus::Open, "{why}");
    }
}

#[test]
fn paper_ports_figure_1_has_its_five_lines() {
    let findings = quick("ports-figure-1", Host::Here);
    is_weighed(&findings);
    let head = &findings.tables[0].head;
    let lines =
        ["total, measured", "sum of the three", "find place", "idle time", "insert and update"];
    assert_eq!(head[1..6], lines.map(str::to_owned));
    assert_eq!((findings.tables[0].rows.len(), findings.figures.len()), (4, 1));
    // Beside it a load of which more is accepted.
    let head = &findings.tables[1].head;
    let accepted = head.iter().position(|name| name == "accepted, %").unwrap();
    assert_eq!(findings.tables[1].rows.len(), 4);
    for (even, all) in findings.tables[0].rows.iter().zip(&findings.tables[1].rows) {
        let [even, all] = [even, all].map(|row| row[accepted].parse::<f64>().unwrap());
        assert!(even > 70.0 && even < 90.0 && all > 95.0, "{even} and {all}");
    }
    // A list that is thirty times as long takes longer, whatever the neighbours do.
    let total = |row: usize| findings.tables[0].rows[row][1].parse::<f64>().unwrap();
    assert!(total(3) > 3.0 * total(0), "{:?}", findings.tables[0].rows);
}

#[test]
fn paper_ports_tables_stand_beside_the_ksr_1() {
    let findings = quick("ports-table-1", Host::Here);
    is_weighed(&findings);
    let row = &findings.tables[0].rows[4 + 1];
    assert_eq!(row[..5], ["1000", "hash", "284", "5680", "0.251"].map(str::to_owned));
    assert_eq!(findings.tables[0].rows.len(), 16);
    let findings = quick("ports-table-2", Host::Here);
    is_weighed(&findings);
    let row = findings.tables[0].rows.last().unwrap();
    let paper = ["100", "each follows", "500", "10000", "830", "16600", "1.66"];
    assert_eq!(row[..7], paper.map(str::to_owned));
    // What inexact analysis says yes to is part of what exact analysis does, and not all of it.
    for row in &findings.tables[3].rows {
        let [exact, inexact] = [&row[2], &row[3]].map(|cell| cell.parse::<f64>().unwrap());
        assert!(inexact <= exact && inexact > exact / 2.0, "{row:?}");
    }
}

#[test]
fn paper_ports_collection_predicts_and_tries() {
    let findings = quick("ports-collection", Host::Here);
    is_weighed(&findings);
    assert_eq!((findings.tables[0].rows.len(), findings.figures.len()), (4, 1));
    // Whatever the neighbours do, a search that passes 500 slots more takes longer.
    for row in &findings.tables[1].rows {
        let [predicted, late] = [&row[6], &row[9]].map(|cell| cell.parse::<f64>().unwrap());
        assert!(late > 1.2 && late > predicted, "{row:?}");
    }
}

#[test]
fn paper_ports_processors_refuse_fewer_with_prefetch() {
    let findings = quick("ports-processors", Host::Sim);
    assert_eq!((findings.tables[1].rows.len(), findings.figures.len()), (18, 1));
    let cycles: Vec<_> = findings.tables[0].rows.iter().map(|row| row[2].as_str()).collect();
    assert_eq!(cycles, ["150", "300", "240"]);
    // Over the same interconnect a processor twice as fast waits for twice the share of its time.
    let waited = |row: usize| findings.tables[3].rows[row][4].parse::<f64>().unwrap();
    for row in 0..6 {
        let ratio = waited(row + 6) / waited(row);
        assert!((1.8..2.2).contains(&ratio), "row {row}: {ratio}");
    }
    let spared = |row: usize| {
        let cell = &findings.tables[2].rows[row][1];
        cell.split_once(' ').unwrap().0.parse::<f64>().unwrap()
    };
    assert!(spared(1) > 0.0 && spared(1) > spared(0), "{:?}", findings.tables[2].rows);
}
