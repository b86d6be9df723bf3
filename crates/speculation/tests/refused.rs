//! What a model must not do is named, with the process and the event, and what was committed stays.
#![expect(clippy::unwrap_used, reason = "a test stops at what it did not expect")]

use std::sync::atomic::{AtomicU64, Ordering};
use windfall_speculation::{
    Cancellation, CheckError, Context, Key, Model, Parallel, Prices, ProcessNumber, RunError,
    Saving, Sequential, Speculative, What, check,
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

/// The first process tells the second something that comes before what that has done; taking that back panics.
struct Stuck;

impl Model for Stuck {
    type State = ();
    type Event = ();
    type Output = ();
    type Change = ();

    fn processes(&self) -> u32 {
        2
    }

    fn start(&self, context: &mut Context<'_, Self>) {
        let after = [ns(10), ns(30)][context.me().0 as usize];
        context.send(context.me(), Instant::ZERO + after, ());
    }

    fn handle(&self, (): &mut (), (): &(), context: &mut Context<'_, Self>) {
        context.log(());
        if context.me() == ProcessNumber(0) {
            context.send(ProcessNumber(1), context.now() + ns(10), ());
        }
    }

    fn undo(&self, (): &mut (), (): ()) {
        std::panic::resume_unwind(Box::new(()));
    }

    fn saving(&self, _: ProcessNumber) -> Saving {
        Saving::Log
    }
}

#[test]
fn refuses_to_go_on_after_a_panic_while_it_goes_back() {
    let [zero, one] = [0, 1].map(ProcessNumber);
    let mut run = Speculative::new(Stuck, END, 10, Cancellation::Aggressive).unwrap();
    assert!(run.step(one).unwrap().is_some_and(|key| key.at == Instant::from_nanos(30)));
    let error = run.step(zero).unwrap_err();
    let says = "undoing, cloning or comparing what process 1 has panicked at event 0 of process 1 for process 1 at 30ns: without words";
    assert_eq!(error.to_string(), says);
    assert_eq!(run.step(one), Err(error.clone()));
    assert_eq!(run.commit(|_, ()| ()), Err(error));
}

#[test]
fn refuses_to_go_on_after_a_panic_while_a_thread_goes_back() {
    // Whether the second goes ahead of the first depends on how threads come.
    let mut interrupted = 0;
    for _ in 0..2_000 {
        let mut run = Parallel::new(Stuck, END, 10, Cancellation::Aggressive, 2).unwrap();
        let ran = run.run(|_, ()| ());
        let is_named = match &ran {
            Err(RunError::StatePanicked { event, .. }) => event.at == Instant::from_nanos(30),
            ran => *ran == Ok(3),
        };
        assert!(is_named, "{ran:?}");
        interrupted += usize::from(ran.is_err());
    }
    eprintln!("{interrupted} of 2,000 were interrupted");
}

/// What a process must not do with its state or its events.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Fragile {
    Nothing,
    CloneState,
    CopyBack,
    CompareEvents,
}

/// A state that counts its events; from so many on it cannot be copied, or not copied back.
#[derive(PartialEq, Debug)]
struct Counter(u64, Fragile);

impl Clone for Counter {
    fn clone(&self) -> Counter {
        assert!(self.0 < 2 || self.1 != Fragile::CloneState, "too large");
        Counter(self.0, self.1)
    }

    fn clone_from(&mut self, other: &Counter) {
        assert!(self.1 != Fragile::CopyBack, "no way back");
        *self = Counter(other.0, other.1);
    }
}

/// An event, which cannot be compared in that case; whether another follows it.
#[derive(Clone, Debug)]
struct Touchy(Fragile, bool);

impl PartialEq for Touchy {
    fn eq(&self, _: &Touchy) -> bool {
        assert!(self.0 != Fragile::CompareEvents, "beyond compare");
        true
    }
}

/// The first process has one event, whose message comes before the third of the second, which has one each 10 ns.
struct Copied(Fragile, u32);

impl Model for Copied {
    type State = Counter;
    type Event = Touchy;
    type Output = u64;
    type Change = ();

    fn processes(&self) -> u32 {
        2
    }

    fn start(&self, context: &mut Context<'_, Self>) -> Counter {
        let after = [ns(24), ns(10)][context.me().0 as usize];
        context.send(context.me(), Instant::ZERO + after, Touchy(self.0, true));
        Counter(0, self.0)
    }

    fn handle(&self, count: &mut Counter, event: &Touchy, context: &mut Context<'_, Self>) {
        count.0 += 1;
        context.output(count.0);
        let to_other = context.me() == ProcessNumber(0);
        let after = if to_other { ns(1) } else { ns(10) };
        if event.1 {
            let next = Touchy(self.0, !to_other);
            context.send(ProcessNumber(1), context.now() + after, next);
        }
    }

    fn undo(&self, _: &mut Counter, (): ()) {}

    fn saving(&self, _: ProcessNumber) -> Saving {
        Saving::Copies { every: self.1 }
    }
}

/// Three events of the second process ahead of the first's, which undoes the last, and that again. How it ended, and what was given away.
fn ahead(fragile: Fragile, every: u32) -> (Result<(), RunError>, Vec<u64>) {
    let [zero, one] = [0, 1].map(ProcessNumber);
    let model = Copied(fragile, every);
    let mut run = Speculative::new(model, END, 10, Cancellation::Lazy).unwrap();
    let mut given = Vec::new();
    let mut go = || {
        for process in [one, one, one, zero, one, one] {
            run.step(process)?;
        }
        run.commit(|_, count| given.push(count)).map(|_| ())
    };
    (go(), given)
}

#[test]
fn refuses_to_go_on_after_a_panic_of_clone_or_compare_and_names_process_and_event() {
    assert_eq!(ahead(Fragile::Nothing, 2), (Ok(()), vec![1, 2, 1, 3, 4]));
    let panicked = |fragile, every| {
        let (ended, given) = ahead(fragile, every);
        let Err(RunError::StatePanicked { event, message }) = ended else { panic!("{ended:?}") };
        assert_eq!(event.to, ProcessNumber(1));
        (event.at.as_nanos(), message, given)
    };
    // A copy is taken before the third event; without it, it is not handled, and what is before it is certain.
    let (at, message, given) = panicked(Fragile::CloneState, 1);
    assert_eq!((at, message.as_str(), given), (25, "too large", vec![1, 2, 1]));
    // The third goes back to the copy before the first.
    let (at, message, given) = panicked(Fragile::CopyBack, 9);
    assert_eq!((at, message.as_str(), given), (10, "no way back", vec![]));
    // Handled again, the third sends what it sent before, and it is asked whether that is equal.
    let (at, message, given) = panicked(Fragile::CompareEvents, 1);
    assert_eq!((at, message.as_str(), given), (30, "beyond compare", vec![]));
}

#[test]
fn refuses_to_go_on_after_a_panic_of_clone_on_simulated_threads_and_names_the_event() {
    let prices = Prices { handle: ns(1), undo: ns(1), message: ns(1), turn: ns(1) };
    let model = Copied(Fragile::CloneState, 1);
    let mut run = Parallel::new(model, END, 10, Cancellation::Aggressive, 2).unwrap();
    let error = run.simulate(&prices, |_, _| ()).unwrap_err();
    assert!(error.to_string().ends_with("for process 1 at 25ns: too large"), "{error}");
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
