//! What is said of a supply, and what becomes of promises when it fails, by few events.

use super::clocked::{Clocked, bound};
use super::machine::{Likes, Machine, Promised};
use super::{Running, supplied::END};
use std::cell::RefCell;
use std::rc::Rc;
use windfall_speculation::{Ahead, Late, Moment, ProcessNumber, Timed, Turn};
use windfall_time::{Instant, Span};

/// A run of two processes whose events are far apart, at time zero.
fn few(promised: Promised) -> (Clocked, Running<'static>) {
    let model = Clocked {
        processes: 2,
        seed: 1,
        delay: 3_000,
        undo: 2,
        tenths: 10,
        machine: Rc::new(RefCell::new(Machine::new(promised, Likes::Never, 0))),
        inputs: None,
    };
    let ahead = Ahead { most: 5, undo: Span::from_nanos(2) };
    let limit: &dyn Fn(ProcessNumber, &u64) -> Span = &|to, _| Span::from_nanos(bound(to));
    let times = (Moment::new(Instant::ZERO, Span::ZERO), Instant::from_nanos(END));
    let run = Timed::below(promised.supply(), model.clone(), times, 100, ahead, limit).unwrap();
    (model, run)
}

#[test]
fn refuses_with_the_processor_time_that_is_free_and_the_earliest_real_time() {
    let (_, mut run) = few(Promised { amount: 1, period: 4, latency: 60 });
    let mut asked = |(now, received), at| {
        let moment = Moment::new(Instant::from_nanos(now), Span::from_nanos(received));
        let answer = run.input(moment, ProcessNumber(0), Instant::from_nanos(at), 0);
        answer.map(drop).map_err(|error| error.to_string())
    };
    let says = |earliest| {
        Err(format!(
            "it needs 30ns with what it would undo, and 29ns is free before it; the earliest time for it is {earliest}ns"
        ))
    };
    // It sleeps until its first turn, so the position is a quarter of 100ns; the place of 279ns is a quarter of 219ns, rounded down: 54ns.
    assert_eq!(asked((100, 0), 279), says(280));
    assert_eq!(asked((100, 0), 400), Ok(()));
    // That has woken it: it has received 14ns since, so the position is 39ns. The place of 455ns is 98ns, of which 30ns are promised.
    assert_eq!(asked((200, 14), 455), says(456));
    assert_eq!(asked((200, 14), 456), Ok(()));
}

#[test]
fn limit_a_whole_processor_needs_no_count_of_what_was_received() {
    let mut all = [false, true].map(|counts| {
        let (model, mut run) = few(Promised::WHOLE);
        let mut turns = Vec::new();
        while model.now() < Instant::from_nanos(END) {
            let none =
                |now: Instant| if counts { now.into() } else { Moment::new(now, Span::ZERO) };
            let turn = run.turn(|| none(model.now()), |_, _| {}).unwrap();
            if let Turn::Waits(until) = turn {
                let until = until.map_or(END, Instant::as_nanos);
                model.machine.borrow_mut().sleeps(until);
            }
            turns.push((turn, run.until(), run.take_late().collect::<Vec<_>>()));
        }
        turns
    });
    let [without, with] = &mut all;
    assert!(with.len() > 20);
    assert_eq!(without, with);
}

#[test]
fn law_a_supply_that_fails_loses_what_was_promised_by_name() {
    let promised = Promised { amount: 1, period: 2, latency: 100 };
    let (_, mut run) = few(promised);
    let at = Instant::from_nanos(1_000);
    let zero = Moment::new(Instant::ZERO, Span::ZERO);
    let key = run.input(zero, ProcessNumber(0), at, 0).unwrap();
    let mut lost = None;
    // It is runnable and receives nothing.
    for now in 0..1_000 {
        let moment = Moment::new(Instant::from_nanos(now), Span::ZERO);
        run.give(moment, |_, _| {}).unwrap();
        if run.take_late().any(|late| late == Late::Lost(key)) {
            lost = Some(now);
            break;
        }
        assert!(run.promised().any(|promised| promised == key), "at {now}");
    }
    // Its slots are 30ns, and 450ns are sure until then at the beginning; at 941ns a supply that has held has given more than 420ns.
    assert_eq!(lost, Some(941));
}
