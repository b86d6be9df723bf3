//! Events are handled ahead only as far as all can be undone and handled again in time; and what is given away is what a run in order gives.
#![expect(clippy::unwrap_used, reason = "a test stops at what it did not expect")]

mod clocked;
#[path = "../common/mod.rs"]
mod common;
mod few;
mod machine;
mod supplied;

use clocked::{Clocked, bound};
use common::mix;
use machine::{Likes, Machine, Promised};
use proptest::prelude::*;
use proptest::test_runner::{Config, RngSeed, TestRunner};
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::Rc;
use windfall_speculation::{Ahead, InputError, Key, Late, ProcessNumber, Sequential, Timed, Turn};
use windfall_time::{Instant, Span};

/// A whole processor.
fn whole() -> Rc<RefCell<Machine>> {
    Rc::new(RefCell::new(Machine::new(Promised::WHOLE, Likes::Never, 0)))
}

fn clocked() -> impl Strategy<Value = Clocked> {
    let all = (1_u32..7, any::<u64>(), 200_u64..3_000, 0_u64..8, 3..=10_u64);
    all.prop_map(|(processes, seed, delay, undo, tenths)| Clocked {
        processes,
        seed,
        delay,
        undo,
        tenths,
        machine: whole(),
        inputs: None,
    })
}

#[derive(Debug, Default)]
struct Tally {
    admitted: usize,
    past: usize,
    refused: usize,
    ahead: usize,
    due: usize,
    undone: u64,
    late: usize,
    in_time: usize,
    /// Runs in which nothing was late.
    calm: usize,
    /// How often nothing came before a time any longer, and what was given away without a turn.
    closed: usize,
    given: usize,
}

const END: Instant = Instant::from_nanos(10_000);
type Running<'a> = Timed<Clocked, &'a dyn Fn(ProcessNumber, &u64) -> Span>;

/// Undoing all that is done and not certain, and handling all that is promised, meets every deadline.
fn redo_fits(
    run: &Running<'_>,
    now: Instant,
    (most, undo): (u32, u64),
) -> Result<(), TestCaseError> {
    let counts = run.counts();
    // One that was due is done, too, and not undone any longer.
    let done = (counts.handled - counts.undone - counts.committed).min(most.into());
    let mut at = now + Span::from_nanos(done * undo);
    for key in run.promised() {
        at = at + Span::from_nanos(bound(key.to));
        prop_assert!(at <= key.at, "{key} would be done at {at}; it is {now}");
    }
    Ok(())
}

/// Submits something at random, and if it does not fit, the same at the earliest time that is said.
fn input(
    run: &mut Running<'_>,
    model: &Clocked,
    draw: u64,
    inputs: &mut Vec<(ProcessNumber, Instant, u64)>,
    tally: &mut Tally,
) -> Result<(), TestCaseError> {
    let (to, told) = (model.process(draw), draw % 5);
    let mut at = model.now() + Span::from_nanos((draw >> 16) % 2_000);
    let mut again = false;
    while at < END {
        match run.input(model.now(), to, at, told) {
            Ok(key) => {
                prop_assert_eq!((key.at, key.to, key.number), (at, to, inputs.len() as u64));
                prop_assert!(at > run.until());
                tally.admitted += 1;
                inputs.push((to, at, told));
                return Ok(());
            }
            Err(InputError::Past { until }) => {
                prop_assert!(at <= until && !again);
                tally.past += 1;
                return Ok(());
            }
            Err(InputError::NoTime { work, idle, earliest }) => {
                prop_assert!(idle < work && !again, "{work}, {idle}");
                tally.refused += 1;
                again = true;
                at = earliest.unwrap();
            }
            Err(other) => return Err(TestCaseError::fail(other.to_string())),
        }
    }
    Ok(())
}

fn judge(
    model: &Clocked,
    (most, mut draw, rare): (u32, u64, u64),
    tally: &mut Tally,
) -> Result<(), TestCaseError> {
    *model.machine.borrow_mut() = Machine::new(Promised::WHOLE, Likes::Never, 0);
    let ahead = Ahead { most, undo: Span::from_nanos(model.undo) };
    let limit: &dyn Fn(ProcessNumber, &u64) -> Span = &|to, _| Span::from_nanos(bound(to));
    let mut run = Timed::new(model.clone(), (model.now(), END), 10_000, ahead, limit).unwrap();
    let (mut inputs, mut outputs, mut late) = (Vec::new(), Vec::new(), BTreeSet::new());
    let mut unfit = 0;
    while model.now() < END {
        draw = mix(draw, 1);
        if draw.is_multiple_of(rare) {
            input(&mut run, model, draw >> 8, &mut inputs, tally)?;
        }
        if draw.rotate_left(7).is_multiple_of(23) {
            let until = model.now() + Span::from_nanos((draw >> 20) % 400);
            run.close_until(until);
            prop_assert!(run.until() >= until);
            tally.closed += 1;
        }
        if draw.rotate_left(11).is_multiple_of(5) {
            let before = outputs.len();
            run.give(model.now(), |key, output| outputs.push((key, output, model.now()))).unwrap();
            tally.given += outputs.len() - before;
            redo_fits(&run, model.now(), (most, model.undo))?;
        }
        let turn = run.turn(|| model.now(), |key, output| outputs.push((key, output, model.now())));
        for one in run.take_late() {
            unfit += usize::from(matches!(one, Late::Unfit(_)));
            prop_assert!(unfit > 0, "{one:?}, and all bounds were kept");
            late.insert(one.event());
        }
        redo_fits(&run, model.now(), (most, model.undo))?;
        match turn.unwrap() {
            Turn::Worked { ahead: true, .. } => tally.ahead += 1,
            Turn::Worked { ahead: false, .. } => tally.due += 1,
            Turn::Waits(until) => {
                // Or something comes from outside before.
                let until =
                    until.unwrap_or(END).min(model.now() + Span::from_nanos(1 + draw % 300));
                // Whoever sleeps wakes a little late.
                model.machine.borrow_mut().sleeps(until.as_nanos() + (draw >> 32) % 6);
            }
            other => prop_assert!(false, "{other:?}"),
        }
    }
    run.close_until(Instant::MAX);
    while run.turn(|| model.now(), |key, output| outputs.push((key, output, model.now()))).unwrap()
        != Turn::Waits(None)
    {}
    tally.undone += run.counts().undone;
    tally.late += late.len();
    tally.calm += usize::from(late.is_empty());
    for (key, _, given) in outputs.iter().filter(|(key, ..)| !late.contains(key)) {
        prop_assert!(*given <= key.at || *given >= END, "{key} is given at {given}");
        tally.in_time += 1;
    }
    let all = Clocked { inputs: Some(inputs), ..model.clone() };
    let mut in_order = Sequential::new(all, 10_000).unwrap();
    let mut expected: Vec<(Key, u64)> = Vec::new();
    in_order.run_until(END, |key, output| expected.push((key, output))).unwrap();
    let found: Vec<(Key, u64)> = outputs.iter().map(|(key, output, _)| (*key, *output)).collect();
    prop_assert_eq!(found, expected);
    Ok(())
}

#[test]
fn law_redo_fits() {
    let cases = if cfg!(debug_assertions) { 200 } else { 3_000 };
    let config = Config {
        cases,
        rng_seed: RngSeed::Fixed(5),
        failure_persistence: None,
        ..Config::default()
    };
    let tally = RefCell::new(Tally::default());
    let what = (clocked(), (0..12_u32, any::<u64>(), 1..12_u64));
    let judged = TestRunner::new(config)
        .run(&what, |(model, drawn)| judge(&model, drawn, &mut tally.borrow_mut()));
    judged.unwrap_or_else(|why| panic!("{why}"));
    let tally = tally.into_inner();
    eprintln!("{tally:?}");
    let Tally { admitted, past, refused, ahead, due, late, in_time, undone, calm, closed, given } =
        tally;
    assert!(closed > 100 && given > 100, "{closed} closed, {given} given");
    let counts = [admitted, past, refused, ahead, due, late, in_time];
    assert!(counts.iter().all(|count| *count > 100), "{counts:?}");
    assert!(undone > 100 && calm > 10, "{undone} undone, {calm} runs in which nothing was late");
}

#[test]
fn refuses_what_no_run_could_do_and_says_what_it_could() {
    let model = Clocked {
        processes: 2,
        seed: 1,
        delay: 3_000,
        undo: 2,
        tenths: 10,
        machine: whole(),
        inputs: None,
    };
    let ahead = Ahead { most: 5, undo: Span::from_nanos(2) };
    let limit: &dyn Fn(ProcessNumber, &u64) -> Span = &|to, _| Span::from_nanos(bound(to));
    let mut run = Timed::new(model.clone(), (model.now(), END), 10, ahead, limit).unwrap();
    let now = Instant::from_nanos(100);
    let mut asked = |process, at| {
        let refused = run.input(now, ProcessNumber(process), Instant::from_nanos(at), 0);
        refused.unwrap_err().to_string()
    };
    assert_eq!(asked(0, 100), "all until 100ns is certain; an event must come after that");
    assert_eq!(asked(0, 10_000), "the run ends at 10us; an event must come before that");
    // 10 of its own, and twice 5 times 2 to undo.
    let says = "it needs 30ns with what it would undo, and 29ns is free before it; the earliest time for it is 130ns";
    assert_eq!(asked(0, 129), says);
    let nobody = asked(2, 200);
    assert!(nobody.ends_with("there are 2 processes, from 0"), "{nobody}");
    let mut run = Timed::new(model, (now, END), 3, ahead, limit).unwrap();
    let mut all = (0..3)
        .map(|number| run.input(now, ProcessNumber(1), Instant::from_nanos(9_000 + number), 0));
    assert!(all.next().unwrap().is_ok());
    let full = all.next().unwrap().unwrap_err().to_string();
    assert!(full.starts_with("all 3 events wait, and process 2 sent one more"), "{full}");
}
