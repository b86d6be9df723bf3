//! What every way of running PHOLD must commit, as another program computed it.
#![allow(clippy::unwrap_used, reason = "a test stops at what it did not expect")]

use serde_json::Value;
use windfall_speculation::phold::{Phold, digest};
use windfall_speculation::{
    Adaptive, Cancellation, Parallel, Prices, ProcessNumber, Saving, Sequential, Speculative, check,
};
use windfall_time::{Instant, Span};

/// Each case, with the end of its run, how many events are committed, and the digest of all states.
fn cases() -> Vec<(Phold, Instant, u64, String)> {
    let text = include_str!("reference/phold-committed.json");
    let Ok(Value::Array(cases)) = serde_json::from_str(text) else { panic!("an array") };
    let number = |case: &Value, name: &str| case[name].as_u64().unwrap_or_else(|| panic!("{name}"));
    let cases = cases.iter().map(|case| {
        let short = |name| u32::try_from(number(case, name)).unwrap_or_else(|_| panic!("{name}"));
        let mut model = Phold::new(short("processes"), number(case, "remote_thousandths"));
        (model.start, model.seed) = (short("start"), number(case, "seed"));
        let end = Instant::from_nanos(number(case, "end"));
        let digest = case["digest"].as_str().unwrap_or_default().to_owned();
        (model, end, number(case, "committed"), digest)
    });
    cases.collect()
}

/// The same, with states saved in this way.
fn saved(model: &Phold, saving: Saving) -> Phold {
    let mut model = model.clone();
    model.saving = saving;
    model
}

#[test]
fn law_a_run_in_order_commits_what_another_program_does() {
    let cases = cases();
    assert_eq!(cases.len(), 48);
    for (model, end, committed, expected) in cases {
        let mut run = Sequential::new(model.clone(), model.waiting()).unwrap();
        let handled = run.run_until(end, |_, ()| ()).unwrap();
        assert_eq!((handled, digest(run.states())), (committed, expected), "{model:?}");
    }
}

#[test]
fn law_each_event_of_it_can_be_undone_and_done_again() {
    for (model, end, committed, _) in cases().into_iter().filter(|(.., many, _)| *many < 50_000) {
        for saving in [Saving::Log, Saving::Copies { every: 1 }] {
            let model = saved(&model, saving);
            assert_eq!(check(model.clone(), end, model.waiting()), Ok(committed));
        }
    }
}

#[test]
fn law_a_run_that_undoes_commits_it_too() {
    let cancellations = [Cancellation::Aggressive, Cancellation::Lazy, Cancellation::WithoutRisk];
    let few = cases().into_iter().filter(|(model, ..)| model.processes <= 64);
    let mut undone = [0; 3];
    let apart = if cfg!(debug_assertions) { 4 } else { 1 };
    for (case, (model, end, committed, expected)) in few.step_by(apart).enumerate() {
        let (which, every) = (case % 3, [1, 4, 16][case / 3 % 3]);
        let saving = if case % 2 == 0 { Saving::Log } else { Saving::Copies { every } };
        let model = saved(&model, saving);
        let mut run =
            Speculative::new(model.clone(), end, model.waiting(), cancellations[which]).unwrap();
        let (mut draw, mut certain) = (7_u32, 0);
        while run.next().is_some() {
            // Any of those that are next to each other, so that some go ahead.
            for _ in 0..40 {
                draw = draw.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                run.step(ProcessNumber((draw >> 8) % model.processes)).unwrap();
            }
            certain += run.commit(|_, ()| ()).unwrap();
        }
        certain += run.commit(|_, ()| ()).unwrap();
        assert_eq!((certain, digest(run.states())), (committed, expected), "{model:?}");
        undone[which] += run.counts().undone;
    }
    let least = if cfg!(debug_assertions) { 1 } else { 1_000 };
    assert!(undone.iter().all(|undone| *undone >= least), "{undone:?}");
}

#[test]
fn law_threads_commit_it_too() {
    let cancellations = [Cancellation::Aggressive, Cancellation::Lazy, Cancellation::WithoutRisk];
    let all =
        cases().into_iter().filter(|(.., many, _)| cfg!(not(debug_assertions)) || *many < 20_000);
    for (case, (model, end, committed, expected)) in all.enumerate() {
        let (which, threads) = (case % 3, [2, 1, 3, 8][case / 3 % 4]);
        let saving = if case % 2 == 0 { Saving::Log } else { Saving::Copies { every: 16 } };
        let model = saved(&model, saving);
        let cancellation = cancellations[which];
        let run = Parallel::new(model.clone(), end, model.waiting(), cancellation, threads);
        let mut run = run.unwrap();
        assert_eq!(run.run(|_, ()| ()), Ok(committed), "{model:?}");
        assert_eq!(digest(run.states()), expected, "{model:?}");
    }
}

#[test]
fn law_a_run_that_chooses_is_in_order_where_events_are_short_and_commits_the_same() {
    let end = Instant::from_nanos(400_000);
    for (grain, is_on_threads) in [(0, false), (50_000, true)] {
        let mut model = Phold::new(64, 250);
        model.grain = if cfg!(debug_assertions) { grain / 10 } else { grain };
        let mut in_order = Sequential::new(model.clone(), model.waiting()).unwrap();
        let committed = in_order.run_until(end, |_, ()| ()).unwrap();
        let new = |model: Phold, threads| {
            let waiting = model.waiting();
            Adaptive::new(model, end, waiting, Cancellation::Aggressive, threads).unwrap()
        };
        let mut run = new(model.clone(), 2);
        assert_eq!(run.run(|_, ()| ()), Ok(committed));
        assert_eq!(digest(run.states()), digest(in_order.states()));
        // A debugging build takes long for every event.
        if cfg!(not(debug_assertions)) || is_on_threads {
            assert_eq!(run.is_on_threads(), is_on_threads, "{grain}");
        }
        let mut alone = new(model, 1);
        assert_eq!((alone.run(|_, ()| ()), alone.is_on_threads()), (Ok(committed), false));
    }
}

#[test]
fn law_simulated_threads_commit_it_too_and_equal_runs_are_equal() {
    let prices = |handle| {
        let [handle, undo, message, turn] = [handle, 100, 80, 200].map(Span::from_nanos);
        Prices { handle, undo, message, turn }
    };
    let few = cases().into_iter().filter(|(model, ..)| model.processes > 8);
    let (mut undone, mut faster) = (0, 0);
    let apart = if cfg!(debug_assertions) { 5 } else { 1 };
    for (model, end, committed, expected) in few.step_by(apart) {
        let run = |threads| {
            let aggressive = Cancellation::Aggressive;
            let run = Parallel::new(model.clone(), end, model.waiting(), aggressive, threads);
            let mut run = run.unwrap();
            let (events, took) = run.simulate(&prices(2_000), |_, ()| ()).unwrap();
            assert_eq!((events, digest(run.states())), (committed, expected.clone()), "{model:?}");
            assert_eq!(run.simulate(&prices(1), |_, ()| ()), Ok((0, Span::ZERO)), "it is over");
            (took, run.counts())
        };
        let (alone, eight) = (run(1), run(8));
        assert_eq!(run(8), eight, "{model:?}");
        assert!(alone.0 >= Span::from_nanos(2_000 * committed), "{model:?}");
        undone += eight.1.undone;
        faster += u32::from(eight.0 < alone.0);
    }
    assert!(undone > 100 && faster > 3, "{undone} undone, {faster} were faster on eight");
}
