//! `explain` over simulated scenarios: conservation, and the simulator's own counts.

use proptest::prelude::*;
use proptest::test_runner::{RngAlgorithm, TestRng, TestRunner};
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
        crate::explained::explained(&memory.records, &outcome)
            .unwrap_or_else(|e| panic!("{name}: {e}"));
        for found in crate::explained::explain(&memory.records, &outcome).threads {
            let thread = &outcome.threads[found.thread.0 as usize];
            if found.kind == Kind::Job {
                // The simulator counts what a program does before its first job as one, too, or as two if it waits meanwhile.
                let before = thread.completed - found.done - found.late;
                assert!(before <= 2, "{name}: {} completes {before} more", thread.name);
                let counts = (found.given_up, found.episodes());
                assert_eq!(counts, (thread.aborted, thread.released), "{name}: {}", thread.name);
                let missed = found.late + found.given_up + found.overdue;
                assert_eq!(missed, thread.missed, "{name}: {}", thread.name);
                let ended = found
                    .kept
                    .iter()
                    .filter(|job| matches!(job.ending, Ending::Done | Ending::Late));
                let longest = ended.map(Episode::span).max();
                let known = longest == thread.response.most();
                assert!(before > 0 || known, "{name}: {}", thread.name);
                jobs += found.episodes();
                late += missed;
            }
            held += found.all.sum(|part| matches!(part, Part::Held(_)));
        }
    }
    assert!(jobs > 1_000 && late > 100 && held > Span::from_secs(1), "{jobs} {late} {held}");
}

/// Threads of `timer` steps, of which the less urgent wait when their timers go off.
fn timers(periods: &[u64], work: &[u64], mode: &str) -> String {
    let mut text = "schema = 2\nseed = 1\nlength = \"1s\"\n[schedulers.fp]\n\
                    scheduler = \"fixed-priority\"\nparent = \"top\"\n"
        .to_owned();
    for (number, (period, work)) in periods.iter().zip(work).enumerate() {
        let steps =
            format!("[{{ timer = \"{period}ms\", mode = \"{mode}\" }}, {{ run = \"{work}ms\" }}]");
        text += &format!("[threads.t{number}]\npriority = {}\nsteps = {steps}\n", 9 - number);
    }
    text
}

#[test]
fn law_a_job_of_a_timer_step_is_released_when_its_timer_goes_off() {
    let (mut waited, mut judged) = (0, [0; 2]);
    let drawn = (
        prop::collection::vec(5_u64..40, 2..5),
        prop::collection::vec(1_u64..8, 4),
        prop_oneof![Just("relative"), Just("absolute")],
    );
    let mut runner = TestRunner::new_with_rng(
        ProptestConfig { cases: 100, failure_persistence: None, ..ProptestConfig::default() },
        TestRng::deterministic_rng(RngAlgorithm::ChaCha),
    );
    let counts = std::cell::RefCell::new((&mut waited, &mut judged));
    let answer = runner.run(&drawn, |(periods, work, mode)| {
        let text = timers(&periods, &work, mode);
        let scenario = Scenario::parse("timers.toml", &text).unwrap();
        let mut memory = Memory::default();
        let sim = Sim::of(scenario.build().unwrap(), Some(&mut memory)).unwrap();
        let outcome = sim.run(Instant::ZERO + scenario.length, |_| true);
        let mut counts = counts.borrow_mut();
        for found in crate::explained::explain(&memory.records, &outcome).threads {
            let thread = &outcome.threads[found.thread.0 as usize];
            let late = thread.missed > 0;
            counts.1[usize::from(late)] += 1;
            // A job whose timer went off while the one before still ran is released when that is done.
            let jobs = found.kept.iter().filter(|job| job.ending == Ending::Done);
            let longest = jobs.clone().map(Episode::span).max();
            prop_assert!(late || longest == thread.response.most(), "{}: {text}", thread.name);
            *counts.0 += jobs.filter(|job| !job.account.waited().is_zero()).count();
        }
        Ok(())
    });
    answer.unwrap();
    assert!(judged.iter().all(|count| *count > 20) && waited > 1_000, "{judged:?} {waited}");
}
