//! Panics while a state is undone, cloned or compared.

use super::*;
use windfall_speculation::Prices;

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
