//! However events are handled, undone and handled again, what is committed is what a run in order commits.
#![expect(clippy::unwrap_used, reason = "a test stops at what it did not expect")]

mod common;

use common::mix;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use std::cell::RefCell;
use windfall_speculation::{
    Cancellation, Context, Counts, Key, Model, Parallel, ProcessNumber, RunError, Saving,
    Sequential, Speculative,
};
use windfall_time::{Instant, Span};

/// Processes that tell each other what they are; what they send, to whom and how often depends on what they were told before.
#[derive(Clone, Debug)]
struct Gossip {
    processes: u32,
    seed: u64,
    savings: Vec<Saving>,
    /// One in so many events panics, or sends what cannot be; 0 for none.
    wrong: u64,
    /// Events are so far apart, in ns.
    delay: u64,
    /// So many events may wait; often enough these are not enough.
    most: usize,
}

impl Gossip {
    fn other(&self, draw: u64) -> ProcessNumber {
        ProcessNumber(u32::try_from(draw % u64::from(self.processes)).unwrap())
    }
}

impl Model for Gossip {
    type State = u64;
    type Event = u64;
    type Output = u64;
    type Change = u64;

    fn processes(&self) -> u32 {
        self.processes
    }

    fn start(&self, context: &mut Context<'_, Self>) -> u64 {
        let state = mix(self.seed, context.me().0.into());
        for number in 0..3 {
            let draw = mix(state, number);
            let at = Instant::from_nanos(1 + draw % 20);
            context.send(self.other(draw >> 8), at, draw % 3);
        }
        state
    }

    fn handle(&self, state: &mut u64, told: &u64, context: &mut Context<'_, Self>) {
        for told in [*told, context.now().as_nanos()] {
            context.log(*state);
            *state = mix(*state, told);
        }
        // Of some events nothing comes but one other.
        if !state.is_multiple_of(3) {
            context.output(*state);
        }
        let many = [1, 1, 2, 0, 1, 1, 1, 1][(*state % 8) as usize];
        for number in 0..many {
            let draw = mix(*state, number);
            // Often the same whatever came before, so that lazy cancellation has something to keep.
            let (to, after) = if draw.is_multiple_of(3) {
                (context.me().0.into(), 7)
            } else {
                (draw >> 8, 1 + draw % self.delay)
            };
            context.send(self.other(to), context.now() + Span::from_nanos(after), draw % 3);
        }
        if self.wrong > 0 && state.is_multiple_of(self.wrong) {
            match *state >> 32 & 1 {
                // Without a word to the terminal.
                0 => std::panic::resume_unwind(Box::new(state.to_string())),
                _ => context.send(context.me(), context.now(), 0),
            }
        }
    }

    fn undo(&self, state: &mut u64, before: u64) {
        *state = before;
    }

    fn saving(&self, process: ProcessNumber) -> Saving {
        self.savings[process.0 as usize % self.savings.len()]
    }
}

fn gossip() -> impl Strategy<Value = Gossip> {
    let saving =
        prop_oneof![Just(Saving::Log), (1_u32..6).prop_map(|every| Saving::Copies { every }),];
    let wrong = prop_oneof![Just(0), 20_u64..300];
    let savings = prop::collection::vec(saving, 1..4);
    let all = (1_u32..7, any::<u64>(), savings, wrong, 2_u64..60, 2_usize..40);
    all.prop_map(|(processes, seed, savings, wrong, delay, more)| Gossip {
        processes,
        seed,
        savings,
        wrong,
        delay,
        most: 3 * processes as usize + more,
    })
}

/// What was given away; and how many events took effect, and the states, or why it ended.
type Committed = (Vec<(Key, u64)>, Result<(u64, Vec<u64>), RunError>);

fn in_order(model: &Gossip, end: Instant) -> Committed {
    let mut outputs = Vec::new();
    let mut run = Sequential::new(model.clone(), model.most).unwrap();
    let ran = run.run_until(end, |key, output| outputs.push((key, output)));
    (outputs, ran.map(|handled| (handled, run.states().copied().collect())))
}

/// Processes handle their next events in any order; every so often, what is certain is committed.
fn speculatively(
    model: &Gossip,
    end: Instant,
    (cancellation, mut draw, rare): (Cancellation, u64, u64),
    counts: &mut Counts,
) -> Committed {
    let mut outputs = Vec::new();
    let mut run = Speculative::new(model.clone(), end, model.most, cancellation).unwrap();
    let ended = loop {
        draw = mix(draw, 1);
        if draw.is_multiple_of(rare) || run.next().is_none() {
            let commit = run.commit(|key, output| outputs.push((key, output)));
            match commit {
                Err(error) => break Err(error),
                Ok(_) if run.next().is_none() => break Ok(()),
                Ok(_) => {}
            }
        }
        run.step(model.other(draw >> 7)).unwrap();
    };
    let one = run.counts();
    counts.handled += one.handled;
    counts.undone += one.undone;
    counts.committed += one.committed;
    counts.repeated += one.repeated;
    counts.cancelled += one.cancelled;
    counts.kept += one.kept;
    (outputs, ended.map(|()| (one.committed, run.states().copied().collect())))
}

/// On threads, as they come, from the beginning or after a run in order until then.
fn on_threads(
    model: &Gossip,
    end: Instant,
    cancellation: Cancellation,
    (threads, window, until): (u32, u64, Option<u64>),
    undone: &mut u64,
) -> Committed {
    let mut outputs = Vec::new();
    let run = match until {
        None => Parallel::new(model.clone(), end, model.most, cancellation, threads).unwrap(),
        Some(until) => {
            let mut run = Sequential::new(model.clone(), model.most).unwrap();
            let until = Instant::from_nanos(until).min(end);
            let ran = run.run_until(until, |key, output| outputs.push((key, output)));
            if let Err(error) = ran {
                let again = run.on_threads(end, cancellation, threads).err();
                assert_eq!(again, Some(error.clone()), "it is over");
                return (outputs, Err(error));
            }
            run.on_threads(end, cancellation, threads).unwrap()
        }
    };
    let mut run = run.within(Span::from_nanos(window));
    let ran = run.run(|key, output| outputs.push((key, output)));
    *undone += run.counts().undone;
    assert_eq!(run.run(|_, _| ()), ran.clone().map(|_| 0), "it is over");
    (outputs, ran.map(|committed| (committed, run.states().copied().collect())))
}

/// It committed what a run in order does, and ended alike.
fn same(found: &Committed, expected: &Committed) -> Result<(), TestCaseError> {
    prop_assert!(found.1 == expected.1, "{:?}, in order {:?}", found.1, expected.1);
    prop_assert_eq!(found.0.len(), expected.0.len());
    let differs = found.0.iter().zip(&expected.0).find(|(one, other)| one != other);
    prop_assert_eq!(differs, None);
    Ok(())
}

#[test]
fn law_whatever_the_threads_the_same_is_committed() {
    let cases = if cfg!(debug_assertions) { 200 } else { 3_000 };
    for cancellation in [Cancellation::Aggressive, Cancellation::Lazy, Cancellation::WithoutRisk] {
        let tally = RefCell::new((0, 0, 0));
        let config = Config { cases, failure_persistence: None, ..Config::default() };
        let window = prop_oneof![Just(u64::MAX), 0..100_u64];
        let until = prop::option::of(0_u64..200);
        let what = (gossip(), (1..9_u32, window, until), 20_u64..400);
        let judged = TestRunner::new(config).run(&what, |(model, threads, end)| {
            let end = Instant::from_nanos(end);
            let expected = in_order(&model, end);
            let (undone, ended, failed) = &mut *tally.borrow_mut();
            let found = on_threads(&model, end, cancellation, threads, undone);
            *ended += usize::from(found.1.is_ok());
            *failed += usize::from(found.1.is_err());
            same(&found, &expected)
        });
        judged.unwrap_or_else(|why| panic!("{cancellation:?}: {why}"));
        let tally = tally.into_inner();
        eprintln!("{cancellation:?}: {tally:?} (undone, ended, failed)");
        let (undone, ended, failed) = tally;
        assert!(undone > 100 && ended > 50 && failed > 20, "{tally:?}");
    }
}

#[test]
fn law_whatever_the_order_the_same_is_committed() {
    let cases = if cfg!(debug_assertions) { 300 } else { 5_000 };
    for cancellation in [Cancellation::Aggressive, Cancellation::Lazy, Cancellation::WithoutRisk] {
        let tally = RefCell::new((Counts::default(), 0, 0, 0));
        let config = Config { cases, failure_persistence: None, ..Config::default() };
        let what = (gossip(), any::<u64>(), 1_u64..40, 20_u64..400);
        let judged = TestRunner::new(config).run(&what, |(model, draw, rare, end)| {
            let end = Instant::from_nanos(end);
            let expected = in_order(&model, end);
            let (counts, ended, panicked, full) = &mut *tally.borrow_mut();
            let found = speculatively(&model, end, (cancellation, draw, rare), counts);
            *ended += usize::from(found.1.is_ok());
            *panicked += usize::from(matches!(found.1, Err(RunError::Panicked { .. })));
            *full += usize::from(matches!(found.1, Err(RunError::Full { .. })));
            same(&found, &expected)
        });
        judged.unwrap_or_else(|why| panic!("{cancellation:?}: {why}"));
        let (counts, ended, panicked, full) = tally.into_inner();
        let ends = format!("{ended} ended, {panicked} panicked, {full} full");
        eprintln!("{cancellation:?}: {counts:?}, {ends}");
        assert!(ended > 50 && panicked > 8 && full > 3 && counts.undone > 500, "{ends}");
        assert!(counts.repeated > 200 && counts.committed > 5_000, "{counts:?}");
        let risk = cancellation != Cancellation::WithoutRisk;
        assert_eq!(counts.cancelled > 100, risk, "{counts:?}");
        assert_eq!(counts.kept > 100, cancellation == Cancellation::Lazy, "{counts:?}");
    }
}
