//! What a model must not do is named, with the process and the event, and what was committed stays.
#![expect(clippy::unwrap_used, reason = "a test stops at what it did not expect")]

#[path = "refused/states.rs"]
mod states;

use std::sync::atomic::{AtomicU64, Ordering};
use windfall_speculation::{
    Cancellation, CheckError, Context, Key, Model, Parallel, ProcessNumber, RunError, Saving,
    Sequential, Speculative, What, check,
};
use windfall_time::{Instant, Span};

/// What the second process does at its third event.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Wrong {
    Nothing,
    Late,
    Nobody,
    Panic,
    Many,
    /// It changes something that it does not log.
    Unlogged,
    /// What it does depends on how often it was called.
    Elsewhere,
    SendsElsewhere,
    OutputsElsewhere,
}

/// Two processes that send a number to and fro.
struct Model2 {
    wrong: Wrong,
    calls: AtomicU64,
}

#[derive(Clone, PartialEq, Debug)]
struct State {
    seen: Vec<u64>,
    last: Last,
}

#[derive(Clone, PartialEq, Debug)]
struct Last {
    number: u64,
}

fn ns(ns: u64) -> Span {
    Span::from_nanos(ns)
}

impl Model for Model2 {
    type State = State;
    type Event = u64;
    type Output = u64;
    type Change = u64;

    fn processes(&self) -> u32 {
        2
    }

    fn start(&self, context: &mut Context<'_, Self>) -> State {
        if context.me() == ProcessNumber(0) {
            context.send(ProcessNumber(1), Instant::ZERO + ns(1), 1);
        }
        State { seen: Vec::new(), last: Last { number: 0 } }
    }

    fn handle(&self, state: &mut State, event: &u64, context: &mut Context<'_, Self>) {
        let other = ProcessNumber(1 - context.me().0);
        let wrong = if *event == 5 { self.wrong } else { Wrong::Nothing };
        let calls = self.calls.fetch_add(1, Ordering::Relaxed) + 1;
        context.log(state.last.number);
        state.seen.push(*event);
        state.last.number = *event;
        let mut at = context.now() + ns(10);
        match wrong {
            Wrong::Nothing => {}
            Wrong::Late => at = context.now(),
            Wrong::Nobody => context.send(ProcessNumber(2), at, 0),
            Wrong::Panic => panic!("no such room"),
            Wrong::Many => (0..9).for_each(|more| context.send(other, at + ns(more), 0)),
            Wrong::Unlogged => state.last.number += state.seen.remove(0),
            Wrong::Elsewhere => state.last.number = calls,
            Wrong::SendsElsewhere => at = at + ns(calls),
            Wrong::OutputsElsewhere => context.output(calls),
        }
        context.output(*event);
        context.send(other, at, event + 1);
    }

    fn undo(&self, state: &mut State, before: u64) {
        state.seen.pop();
        state.last.number = before;
    }

    fn saving(&self, _: ProcessNumber) -> Saving {
        Saving::Log
    }
}

fn model(wrong: Wrong) -> Model2 {
    Model2 { wrong, calls: AtomicU64::new(0) }
}

const END: Instant = Instant::from_nanos(1_000);

/// Runs it, and returns what was committed before it ended.
fn run(wrong: Wrong) -> (RunError, Vec<u64>) {
    let mut committed = Vec::new();
    let mut run = Sequential::new(model(wrong), 4).unwrap();
    let error = run.run_until(END, |_, output| committed.push(output)).unwrap_err();
    assert_eq!(run.run_until(END, |_, _| ()), Err(error.clone()), "it is over");
    (error, committed)
}

#[test]
fn refuses_an_event_that_is_not_later_than_its_cause_or_for_nobody_or_one_too_many() {
    let [zero, one] = [0, 1].map(ProcessNumber);
    let (late, committed) = run(Wrong::Late);
    let RunError::BeforeCause { cause: Some(cause), from, to, at } = late else { panic!("{late}") };
    assert_eq!((cause.to, from, to, at, cause.at), (one, one, zero, cause.at, at));
    assert_eq!(committed, [1, 2, 3, 4], "what was committed stays");
    let text = late.to_string();
    let says = "process 1 sent an event to process 0 at 41ns when it handled event 2 of process 0 for process 1 at 41ns; an event must be later than its cause";
    assert_eq!(text, says);
    let nobody = RunError::NoProcess { from: one, to: ProcessNumber(2), processes: 2 };
    assert_eq!(run(Wrong::Nobody).0, nobody);
    assert!(nobody.to_string().ends_with("there are 2 processes, from 0"));
    let (full, committed) = run(Wrong::Many);
    assert!(matches!(full, RunError::Full { cause: Some(_), events: 4, .. }), "{full}");
    assert_eq!(committed.len(), 4);
}

#[test]
fn refuses_to_go_on_after_a_panic_and_names_the_event() {
    let (error, committed) = run(Wrong::Panic);
    assert!(error.to_string().starts_with("the handler of process 1 panicked at event 2"));
    assert!(error.to_string().ends_with("no such room"), "{error}");
    assert_eq!(committed, [1, 2, 3, 4]);
    // A panic of whoever takes the outputs: the event has taken effect.
    let mut run = Sequential::new(model(Wrong::Nothing), 4).unwrap();
    let error = run.run_until(END, |_, output| assert!(output < 3, "full")).unwrap_err();
    let RunError::CommitPanicked { event: Key { at, .. }, .. } = error else { panic!("{error}") };
    assert_eq!((at, run.handled()), (Instant::from_nanos(21), 3));
}

#[test]
fn refuses_to_go_on_after_a_panic_of_whoever_takes_what_threads_committed() {
    let model = model(Wrong::Nothing);
    let mut run = Parallel::new(model, END, 4, Cancellation::Aggressive, 2).unwrap();
    let mut committed = Vec::new();
    let error = run.run(|_, output| {
        committed.push(output);
        assert!(output < 3, "full");
    });
    let error = error.unwrap_err();
    assert!(error.to_string().ends_with("at 21ns panicked: full"), "{error}");
    assert_eq!((run.run(|_, _| ()), committed), (Err(error), vec![1, 2, 3]));
}

#[test]
fn law_a_checker_names_the_process_event_and_field_that_differ() {
    let found = |wrong| match check(model(wrong), END, 40) {
        Err(CheckError::Differs { event, what, difference }) => {
            assert_eq!((event.to, event.at), (ProcessNumber(1), Instant::from_nanos(41)));
            (what, difference.to_string())
        }
        other => panic!("{other:?}"),
    };
    assert_eq!(check(model(Wrong::Nothing), END, 40), Ok(100));
    let (what, text) = found(Wrong::Unlogged);
    assert_eq!((what, text.as_str()), (What::Undone, "`seen[0]` is 3 instead of 1"));
    let (what, text) = found(Wrong::Elsewhere);
    assert_eq!((what, text.as_str()), (What::State, "`last.number` is 10 instead of 9"));
    let (what, text) = found(Wrong::SendsElsewhere);
    assert!(what == What::Sent && text.starts_with("`[0].at"), "{text}");
    let (what, text) = found(Wrong::OutputsElsewhere);
    assert_eq!((what, text.as_str()), (What::Outputs, "`[0]` is 10 instead of 9"));
    assert!(matches!(check(model(Wrong::Late), END, 40), Err(CheckError::Run(_))));
    let error = check(model(Wrong::Elsewhere), END, 40).unwrap_err().to_string();
    let says = "event 2 of process 0 for process 1 at 41ns: the state is another when it is handled again: `last.number` is 10 instead of 9";
    assert_eq!(error, says);
}

/// So many processes, each of which does nothing but give something away, at its beginning or at its only event.
struct Few {
    processes: u32,
    early: bool,
}

impl Model for Few {
    type State = ();
    type Event = ();
    type Output = ();
    type Change = ();

    fn processes(&self) -> u32 {
        self.processes
    }

    fn start(&self, context: &mut Context<'_, Self>) {
        if self.early && context.me() == ProcessNumber(1) {
            context.output(());
        }
        let last = Instant::from_nanos(u64::MAX - 1);
        context.send(context.me(), last, ());
    }

    fn handle(&self, (): &mut (), (): &(), context: &mut Context<'_, Self>) {
        context.output(());
    }

    fn undo(&self, (): &mut (), (): ()) {}
}

#[test]
fn limit_threads_end_with_few_processes_and_room_and_at_the_end_of_time() {
    for (processes, threads, room) in [(0, 2, 0), (1, 4, 1), (2, 2, 2), (5, 4, 5), (9, 8, 9)] {
        let all = [Cancellation::Aggressive, Cancellation::Lazy, Cancellation::WithoutRisk];
        for (cancellation, end) in all.into_iter().flat_map(|one| {
            [(one, Instant::MAX), (one, Instant::ZERO), (one, Instant::from_nanos(u64::MAX - 1))]
        }) {
            let few = Few { processes, early: false };
            let mut run = Parallel::new(few, end, room, cancellation, threads).unwrap();
            let run = run.run(|_, ()| ());
            let expected = if end == Instant::MAX { processes } else { 0 };
            assert_eq!(run, Ok(expected.into()), "{processes} on {threads}");
        }
    }
}

#[test]
fn refuses_what_is_given_away_at_the_beginning() {
    let few = || Few { processes: 3, early: true };
    let early = RunError::EarlyOutput { from: ProcessNumber(1) };
    assert!(early.to_string().starts_with("process 1 gave an output at the beginning"));
    assert_eq!(Sequential::new(few(), 9).err(), Some(early.clone()));
    let lazy = Cancellation::Lazy;
    assert_eq!(Parallel::new(few(), END, 9, lazy, 2).err(), Some(early.clone()));
    assert_eq!(Speculative::new(few(), END, 9, lazy).err(), Some(early.clone()));
    assert_eq!(check(few(), END, 9), Err(CheckError::Run(early)));
}

#[test]
fn limit_threads_give_away_more_of_one_time_than_they_hand_over_at_once() {
    let few = Few { processes: 500, early: false };
    let run = Parallel::new(few, Instant::MAX, 500, Cancellation::Aggressive, 2).unwrap();
    let mut given = 0;
    assert_eq!(run.ahead(1).run(|_, ()| given += 1), Ok(500));
    assert_eq!(given, 500);
}
