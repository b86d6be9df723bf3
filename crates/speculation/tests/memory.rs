//! The memory of a run is taken when it starts: afterwards none is, however far threads get ahead of each other.
#![allow(clippy::unwrap_used, reason = "what fails here fails the test")]

mod common;

use common::mix;
use std::sync::{Mutex, MutexGuard, PoisonError};
use windfall_allocations::{Counting, count_in_total, take_total};
use windfall_speculation::phold::Phold;
use windfall_speculation::{
    Ahead, Cancellation, Context, InputError, Model, Parallel, Prices, ProcessNumber, RunError,
    Saving, Sequential, Speculative, Timed, Turn,
};
use windfall_time::{Instant, Span};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// One test counts at a time.
static ALONE: Mutex<()> = Mutex::new(());

/// Its thread is not counted any longer when it ends.
struct Alone {
    _alone: MutexGuard<'static, ()>,
}

impl Drop for Alone {
    fn drop(&mut self) {
        _ = take_total();
    }
}

fn alone() -> Alone {
    Alone { _alone: ALONE.lock().unwrap_or_else(PoisonError::into_inner) }
}

/// PHOLD whose processes give something away now and then; states are saved in one way or the other.
struct Giving(Phold);

impl Model for Giving {
    type State = windfall_speculation::phold::State;
    type Event = u64;
    type Output = u64;
    type Change = windfall_speculation::phold::State;

    fn processes(&self) -> u32 {
        self.0.processes
    }

    fn start(&self, context: &mut Context<'_, Self>) -> Self::State {
        self.0.begin(context.me(), |to, at, event| context.send(to, at, event))
    }

    fn handle(&self, state: &mut Self::State, event: &u64, context: &mut Context<'_, Self>) {
        count_in_total();
        context.log(*state);
        if mix(*event, context.now().as_nanos()).is_multiple_of(5) {
            context.output(*event);
        }
        let (to, at) = self.0.go(state, context.me(), context.from(), context.now());
        context.send(to, at, *event + 1);
    }

    fn undo(&self, state: &mut Self::State, before: Self::State) {
        *state = before;
    }

    fn saving(&self, process: ProcessNumber) -> Saving {
        if process.0.is_multiple_of(2) { Saving::Log } else { self.0.saving }
    }
}

/// Nothing, with events of which no machine has memory for four thousand million.
#[derive(Clone)]
struct Large {
    saving: Saving,
}

impl Model for Large {
    type State = ();
    type Event = [u64; 8_192];
    type Output = ();
    type Change = ();

    fn processes(&self) -> u32 {
        1
    }

    fn start(&self, _: &mut Context<'_, Self>) {}

    fn handle(&self, (): &mut (), _: &Self::Event, _: &mut Context<'_, Self>) {}

    fn undo(&self, (): &mut (), (): ()) {}

    fn saving(&self, _: ProcessNumber) -> Saving {
        self.saving
    }
}

const PROCESSES: u32 = 60;

fn giving() -> Giving {
    let mut model = Phold::new(PROCESSES, 400);
    model.saving = Saving::Copies { every: 3 };
    Giving(model)
}

const CANCELLATIONS: [Cancellation; 3] =
    [Cancellation::Aggressive, Cancellation::Lazy, Cancellation::WithoutRisk];

#[test]
fn law_threads_take_no_memory_after_the_start() {
    let _alone = alone();
    let end = Instant::from_nanos(if cfg!(debug_assertions) { 200_000 } else { 4_000_000 });
    for cancellation in CANCELLATIONS {
        let run = Parallel::new(giving(), end, PROCESSES as usize, cancellation, 2).unwrap();
        let mut run = run.ahead(400);
        let mut given = 0;
        let committed = run.run(|_, output| given += output);
        assert_eq!((committed.is_ok(), take_total()), (true, 0), "{cancellation:?}");
        assert!(given > 1_000 && run.counts().undone > 0, "{cancellation:?}: {:?}", run.counts());
    }
}

#[test]
fn law_threads_that_wait_long_for_a_processor_take_no_memory_either() {
    let _alone = alone();
    let prices = |turn| {
        let [handle, undo, message, turn] = [100, 100, 50, turn].map(Span::from_nanos);
        Prices { handle, undo, message, turn }
    };
    for cancellation in CANCELLATIONS {
        // A turn takes no time beside what is done in it: who has nothing to do takes many, and who goes far ahead few.
        let end = Instant::from_nanos(100_000);
        let run = Parallel::new(giving(), end, PROCESSES as usize, cancellation, 4).unwrap();
        let mut run = run.ahead(2_000);
        let took = run.simulate(&prices(1), |_, _| ());
        assert_eq!((took.is_ok(), take_total()), (true, 0), "{cancellation:?}");
        assert!(run.counts().undone > 100, "{:?}", run.counts());
    }
}

#[test]
fn law_a_loop_takes_no_memory_after_the_start() {
    let _alone = alone();
    let end = Instant::from_nanos(40_000);
    for cancellation in CANCELLATIONS {
        let mut run = Speculative::new(giving(), end, PROCESSES as usize, cancellation).unwrap();
        let mut draw = 1;
        while run.next().is_some() {
            for _ in 0..150 {
                draw = mix(draw, 1);
                let process = ProcessNumber(u32::try_from(draw % u64::from(PROCESSES)).unwrap());
                run.step(process).unwrap();
            }
            run.commit(|_, _| ()).unwrap();
        }
        assert_eq!(take_total(), 0, "{cancellation:?}");
        assert!(run.counts().undone > 100, "{:?}", run.counts());
    }
    let mut run = Sequential::new(giving(), PROCESSES as usize).unwrap();
    run.run_until(end, |_, _| ()).unwrap();
    assert_eq!(take_total(), 0, "in order");
}

type Bound = fn(ProcessNumber, &u64) -> Span;

/// A run whose events take 5 ns, and so many of which may be done ahead.
fn timed(processes: u32, most: u32, ahead: u32) -> Timed<Giving, Bound> {
    let mut model = giving();
    model.0.processes = processes;
    let all = (Instant::ZERO, Instant::from_nanos(200_000));
    let ahead = Ahead { most: ahead, undo: Span::ZERO };
    let bound: Bound = |_, _| Span::from_nanos(5);
    Timed::new(model, all, most, ahead, bound).unwrap()
}

#[test]
fn law_a_run_by_deadlines_takes_no_memory_after_the_start() {
    let _alone = alone();
    let mut run = timed(PROCESSES, 200, 100);
    let (mut draw, mut now, mut admitted, mut refused) = (1, Instant::ZERO, 0, 0);
    while run.until() < Instant::from_nanos(190_000) {
        draw = mix(draw, 1);
        if draw.is_multiple_of(20) {
            let to = ProcessNumber(u32::try_from(draw >> 8).unwrap_or(7) % PROCESSES);
            let at = now + Span::from_nanos((draw >> 40) % 1_500);
            match run.input(now, to, at, 0) {
                Ok(_) => admitted += 1,
                Err(_) => refused += 1,
            }
        }
        match run.turn(|| now + Span::from_nanos(5), |_, _| ()).unwrap() {
            Turn::Worked { .. } => now = now + Span::from_nanos(5),
            Turn::Waits(until) => now = until.unwrap().min(now + Span::from_nanos(100)),
            other => panic!("{other:?}"),
        }
        run.take_late().for_each(drop);
    }
    let counts = run.counts();
    assert_eq!(take_total(), 0, "{counts:?}, {admitted} admitted, {refused} refused");
    assert!(counts.undone > 100 && admitted > 50, "{counts:?}, {admitted} admitted");
}

#[test]
fn law_a_run_by_deadlines_waits_rather_than_go_further_ahead() {
    let _alone = alone();
    let mut run = timed(PROCESSES, 200, 5);
    let (mut now, mut most, mut waits) = (Instant::ZERO, 0, 0);
    while run.until() < Instant::from_nanos(10_000) {
        let turn = run.turn(|| now, |_, _| ()).unwrap();
        let counts = run.counts();
        let done = counts.handled - counts.undone - counts.committed;
        most = most.max(done);
        match turn {
            Turn::Worked { .. } => now = now + Span::from_nanos(1),
            Turn::Waits(until) => {
                waits += u32::from(done == 5);
                now = until.unwrap();
            }
            other => panic!("{other:?}"),
        }
    }
    // One that is due is done as well, until it is given away.
    assert!((5..=6).contains(&most), "{most}");
    assert!(waits > 100, "{waits}");
}

/// Each event of the first process sends three of the second.
struct Fan;

impl Model for Fan {
    type State = ();
    type Event = ();
    type Output = ();
    type Change = ();

    fn processes(&self) -> u32 {
        2
    }

    fn start(&self, _: &mut Context<'_, Self>) {}

    fn handle(&self, (): &mut (), (): &(), context: &mut Context<'_, Self>) {
        count_in_total();
        if context.me() == ProcessNumber(0) {
            let at = context.now() + Span::from_nanos(1_000);
            (0..3).for_each(|_| context.send(ProcessNumber(1), at, ()));
        }
    }

    fn undo(&self, (): &mut (), (): ()) {}
}

#[test]
fn law_events_whose_causes_are_undone_again_and_again_take_no_memory() {
    let _alone = alone();
    let all = (Instant::ZERO, Instant::from_nanos(10_000_000));
    let ahead = Ahead { most: 10, undo: Span::ZERO };
    let mut run = Timed::new(Fan, all, 100, ahead, |_, ()| Span::from_nanos(1)).unwrap();
    let mut waits = 0;
    // Each comes before all that were handled, which are undone, and of which what they sent stays.
    for number in 0..90 {
        let at = Instant::from_nanos(1_000_000 - number);
        run.input(Instant::ZERO, ProcessNumber(0), at, ()).unwrap();
        for _ in 0..2 {
            let turn = run.turn(|| Instant::ZERO, |_, ()| ()).unwrap();
            waits += u32::from(matches!(turn, Turn::Waits(_)));
        }
    }
    assert_eq!(take_total(), 0, "{:?}", run.counts());
    let counts = run.counts();
    assert!(waits > 50 && counts.undone > 5 && counts.handled < 20, "{waits}, {counts:?}");
}

#[test]
fn refuses_an_input_for_which_there_is_no_room() {
    let _alone = alone();
    let mut run = timed(1, 9, 5);
    let at = |number: u64| Instant::from_nanos(10_000 + number);
    let input = |run: &mut Timed<Giving, Bound>, number| {
        run.input(Instant::ZERO, ProcessNumber(0), at(number), 0)
    };
    // One waits from the beginning.
    (0..8).for_each(|number| _ = input(&mut run, number * 10).unwrap());
    let full =
        Err(InputError::Run(RunError::Full { cause: None, from: ProcessNumber(1), events: 9 }));
    assert_eq!(input(&mut run, 90), full);
    assert_eq!(input(&mut run, 90), full, "nothing has changed");
}

/// A run whose processor is away all the time: how many late events were taken, if they are at once or at the end, and how many made way.
fn late(at_once: bool) -> (usize, u64) {
    let (mut run, mut taken, mut now) = (timed(PROCESSES, 80, 5), 0, Instant::ZERO);
    for _ in 0..300 {
        _ = run.turn(|| now, |_, _| ()).unwrap();
        now = now + Span::from_nanos(500);
        if at_once {
            taken += run.take_late().len();
        }
    }
    taken += run.take_late().len();
    (taken, run.untaken())
}

#[test]
fn law_late_events_that_nobody_takes_make_way_and_are_counted() {
    let _alone = alone();
    let ((all, none), (kept, untaken)) = (late(true), late(false));
    assert!(all > 200 && none == 0, "{all}, {none}");
    // As many as may wait, and twice those ahead.
    assert_eq!((kept, untaken), (80 + 2 * 5, (all - kept) as u64));
}

#[test]
fn refuses_more_memory_than_there_is_and_says_for_how_many_events() {
    let end = Instant::from_nanos(1_000);
    let most = usize::MAX / 2;
    let in_order = Sequential::new(giving(), most).err().unwrap();
    assert!(matches!(in_order, RunError::NoMemory { events, .. } if events == most));
    assert!(in_order.to_string().starts_with(&format!("no memory for {most} events, allow fewer")));
    let run = Speculative::new(giving(), end, most, Cancellation::Lazy).err();
    assert!(matches!(run, Some(RunError::NoMemory { .. })), "{run:?}");
    let all = (Instant::ZERO, end);
    let ahead = Ahead { most: 1, undo: Span::ZERO };
    let run =
        Timed::new(Large { saving: Saving::Log }, all, u32::MAX, ahead, |_, _| Span::ZERO).err();
    assert!(matches!(run, Some(RunError::NoMemory { .. })), "{run:?}");
    for ahead in [9, most] {
        let run = Parallel::new(giving(), end, most, Cancellation::Lazy, 2).unwrap();
        let mut run = run.ahead(ahead);
        let refused = run.run(|_, _| ()).unwrap_err();
        assert!(matches!(refused, RunError::NoMemory { .. }), "{refused:?}");
        assert_eq!(run.run(|_, _| ()), Err(refused), "it is over");
    }
}

#[test]
fn refuses_copies_that_are_too_rare_and_says_so() {
    let end = Instant::from_nanos(1_000);
    let (model, rare) = (Large { saving: Saving::Copies { every: u32::MAX } }, u32::MAX);
    let refused = |run: Option<RunError>| {
        let why = run.unwrap().to_string();
        let kept = format!("no memory for {rare} events that are kept since the last copies");
        assert!(why.starts_with(&kept) && why.contains("copy these more often"), "{why}");
    };
    refused(Speculative::new(model.clone(), end, 10, Cancellation::Lazy).err());
    let mut run = Parallel::new(model.clone(), end, 10, Cancellation::Lazy, 2).unwrap();
    refused(run.run(|_, _| ()).err());
    let ahead = Ahead { most: 1, undo: Span::ZERO };
    let run = Timed::new(model, (Instant::ZERO, end), 10, ahead, |_, _| Span::ZERO);
    refused(run.err());
}
