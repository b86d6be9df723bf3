//! Laws for every rt-app file, made of any bytes. Used by the tests of this folder and by the fuzz target.

use windfall_scenario::rtapp::{self, Duplicates};

/// The laws of reading rt-app's files: no panic, every refusal has a reason and a place, and what is not
/// refused is bounded.
pub(crate) fn rtapp_laws(text: &[u8]) {
    let text = String::from_utf8_lossy(text);
    for duplicates in [Duplicates::InOrder, Duplicates::JsonC] {
        match rtapp::parse_as(&text, duplicates) {
            Err(refusal) => {
                assert!((1..=101).contains(&refusal.problems.len()));
                let placed = |problem: &rtapp::EntryError| problem.line > 0 && problem.column > 0;
                assert!(refusal.problems.iter().all(placed));
            }
            Ok(file) => {
                let threads = file.tasks.iter().map(|task| u64::from(task.instance)).sum::<u64>();
                assert!(threads <= 100_000, "threads");
                let phases = file.tasks.iter().flat_map(|task| &task.phases);
                let all = phases.map(|phase| &phase.scheduling);
                let all = all.chain(file.tasks.iter().map(|task| &task.scheduling));
                assert!(all.flat_map(|own| own.cpus.iter().flatten()).all(|cpu| *cpu < 1024));
                assert!(file.warnings.len() <= 10_000, "warnings");
            }
        }
    }
}
