//! `explain` over simulated scenarios: conservation, and the simulator's own counts.

mod explained;

use std::path::Path;
use windfall_scenario::Scenario;
use windfall_sim::Sim;
use windfall_time::{Instant, Span};
use windfall_trace::Memory;
use windfall_trace::explain::{Ending, Episode, Kind, Part};

#[test]
fn law_every_scenario_is_explained_to_the_nanosecond() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios");
    let (mut jobs, mut late, mut held) = (0, 0, Span::ZERO);
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "toml") {
            continue;
        }
        let scenario = Scenario::load(&path).unwrap();
        let mut memory = Memory::default();
        let sim = Sim::of(scenario.build().unwrap(), Some(&mut memory)).unwrap();
        let end = Instant::ZERO + scenario.length.min(Span::from_millis(700));
        let outcome = sim.run(end, |_| true);
        let name = path.display();
        explained::explained(&memory.records, &outcome).unwrap_or_else(|e| panic!("{name}: {e}"));
        for found in explained::explain(&memory.records, &outcome).threads {
            let thread = &outcome.threads[found.thread.0 as usize];
            if found.kind == Kind::Job {
                // The simulator counts what a program does before its first job as one, too.
                let before = thread.completed - found.done - found.late;
                assert!(before <= 1, "{name}: {} completes {before} more", thread.name);
                let counts = (found.given_up, found.episodes());
                assert_eq!(counts, (thread.aborted, thread.released), "{name}: {}", thread.name);
                let missed = found.late + found.given_up + found.overdue;
                assert_eq!(missed, thread.missed, "{name}: {}", thread.name);
                let ended = found
                    .kept
                    .iter()
                    .filter(|job| matches!(job.ending, Ending::Done | Ending::Late));
                let longest = ended.map(Episode::span).max();
                // A job of a `timer` step is released in the trace when its thread first runs (CAVEATS).
                let by_timer = path.ends_with("locks.toml");
                let known = longest == thread.response.most()
                    || by_timer && longest <= thread.response.most();
                assert!(before == 1 || known, "{name}: {}", thread.name);
                jobs += found.episodes();
                late += missed;
            }
            held += found.all.sum(|part| matches!(part, Part::Held(_)));
        }
    }
    assert!(jobs > 1_000 && late > 100 && held > Span::from_secs(1), "{jobs} {late} {held}");
}
