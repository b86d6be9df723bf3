//! The memory of a run is taken when it starts: afterwards none is, however far threads get ahead of each other.
#![allow(clippy::unwrap_used, reason = "what fails here fails the test")]
#![allow(unsafe_code, reason = "counting allocations takes a global allocator")]

mod common;

use common::mix;
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use windfall_speculation::phold::Phold;
use windfall_speculation::{
    Cancellation, Context, Model, Parallel, Prices, ProcessNumber, RunError, Saving, Sequential,
    Speculative,
};
use windfall_time::{Instant, Span};

thread_local! {
    /// Whether this thread's allocations are counted. Per thread, because the test harness has threads of its own.
    static COUNTING: Cell<bool> = const { Cell::new(false) };
}
/// Those of all threads.
static COUNT: AtomicU64 = AtomicU64::new(0);
/// One test counts at a time.
static ALONE: Mutex<()> = Mutex::new(());

struct Counting;

// SAFETY: hands everything on to the system allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        COUNT.fetch_add(COUNTING.get().into(), Ordering::Relaxed);
        // SAFETY: the caller's promise.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        // SAFETY: the caller's promise.
        unsafe { System.dealloc(at, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn alone() -> MutexGuard<'static, ()> {
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// How often memory was taken by threads that have handled an event, since each one's first.
fn counted() -> u64 {
    COUNTING.set(false);
    COUNT.swap(0, Ordering::Relaxed)
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
        COUNTING.set(true);
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
        assert_eq!((committed.is_ok(), counted()), (true, 0), "{cancellation:?}");
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
        assert_eq!((took.is_ok(), counted()), (true, 0), "{cancellation:?}");
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
        assert_eq!(counted(), 0, "{cancellation:?}");
        assert!(run.counts().undone > 100, "{:?}", run.counts());
    }
    let mut run = Sequential::new(giving(), PROCESSES as usize).unwrap();
    run.run_until(end, |_, _| ()).unwrap();
    assert_eq!(counted(), 0, "in order");
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
    for ahead in [9, most] {
        let run = Parallel::new(giving(), end, most, Cancellation::Lazy, 2).unwrap();
        let mut run = run.ahead(ahead);
        let refused = run.run(|_, _| ()).unwrap_err();
        assert!(matches!(refused, RunError::NoMemory { .. }), "{refused:?}");
        assert_eq!(run.run(|_, _| ()), Err(refused), "it is over");
    }
}
