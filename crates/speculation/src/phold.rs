//! PHOLD, by which engines of this kind are compared: each event changes its process and sends another, to any process or to its own. In integers alone, so that every machine commits the same.
//!
//! ```
//! use windfall_speculation::phold::{Phold, digest};
//! use windfall_speculation::{Cancellation, Parallel, Sequential};
//! use windfall_time::Instant;
//!
//! let (model, end) = (Phold::new(64, 250), Instant::from_nanos(20_000));
//! let mut in_order = Sequential::new(model.clone(), model.waiting())?;
//! let events = in_order.run_until(end, |_, ()| ())?;
//! let waiting = model.waiting();
//! let mut threads = Parallel::new(model, end, waiting, Cancellation::Aggressive, 2)?;
//! assert_eq!(threads.run(|_, ()| ())?, events);
//! assert_eq!(digest(threads.states()), digest(in_order.states()));
//! # Ok::<(), windfall_speculation::RunError>(())
//! ```

mod bare;

use crate::{Context, Model, ProcessNumber, Saving};
pub use bare::Bare;
use windfall_time::{Instant, Span};

const PRIME: u64 = 0x0100_0000_01b3;
const BASIS: u64 = 0xcbf2_9ce4_8422_2325;
const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

/// The model.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Phold {
    /// How many processes.
    pub processes: u32,
    /// How many of a thousand events are for any process; others are for the one that sends them.
    pub remote: u64,
    /// Events of each process at the beginning.
    pub start: u32,
    /// Equal seeds commit the same.
    pub seed: u64,
    /// How states are saved.
    pub saving: Saving,
    /// Steps of work in each event, one after the other; none is of use.
    pub grain: u64,
}

impl Phold {
    /// So many processes with one event each, without work, saved by a log.
    #[must_use]
    pub const fn new(processes: u32, remote: u64) -> Phold {
        Phold { processes, remote, start: 1, seed: 1, saving: Saving::Log, grain: 0 }
    }

    /// How many events wait in order, at any time.
    #[must_use]
    pub const fn waiting(&self) -> usize {
        (self.processes as usize).saturating_mul(self.start as usize)
    }
}

/// A process; a change is undone by what it was before.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct State {
    hash: u64,
    random: u64,
}

impl State {
    fn step(&mut self) -> u64 {
        self.random = self.random.wrapping_add(GOLDEN);
        let z = (self.random ^ (self.random >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn uniform(&mut self, below: u64) -> u64 {
        u64::try_from((u128::from(self.step()) * u128::from(below)) >> 64).unwrap_or(0)
    }

    fn delay(&mut self) -> Span {
        Span::from_nanos(100 + self.uniform(1_800))
    }
}

/// Work that nobody needs, and no compiler leaves out.
#[inline]
fn work(steps: u64, from: u64) {
    let worked = (0..steps).fold(from, |all, step| (all ^ step).wrapping_mul(PRIME));
    std::hint::black_box(worked);
}

impl Phold {
    /// A process before it has sent anything.
    fn state(&self, process: u32) -> State {
        let random = self.seed ^ u64::from(process).wrapping_mul(GOLDEN);
        let random = State { hash: BASIS, random }.step();
        State { hash: BASIS, random }
    }

    /// A process begins: it sends itself its first events. For models around this one.
    pub fn begin(
        &self,
        me: ProcessNumber,
        mut send: impl FnMut(ProcessNumber, Instant, u64),
    ) -> State {
        let mut state = self.state(me.0);
        for _ in 0..self.start {
            send(me, Instant::ZERO + state.delay(), 0);
        }
        state
    }

    /// Handles an event: to which process it sends the next one, and when. For models around this one.
    #[inline]
    pub fn go(
        &self,
        state: &mut State,
        me: ProcessNumber,
        from: ProcessNumber,
        now: Instant,
    ) -> (ProcessNumber, Instant) {
        work(self.grain, state.hash);
        let said = now.as_nanos().wrapping_mul(31).wrapping_add(from.0.into());
        state.hash = (state.hash ^ said).wrapping_mul(PRIME);
        let remote = state.uniform(1_000) < self.remote;
        let to = if remote { state.uniform(self.processes.into()) } else { me.0.into() };
        (ProcessNumber(u32::try_from(to).unwrap_or(0)), now + state.delay())
    }
}

impl Model for Phold {
    type State = State;
    /// Nothing of use: so an entry is of 32 bytes.
    type Event = u64;
    type Output = ();
    type Change = State;

    fn processes(&self) -> u32 {
        self.processes
    }

    fn start(&self, context: &mut Context<'_, Self>) -> State {
        self.begin(context.me(), |to, at, event| context.send(to, at, event))
    }

    fn handle(&self, state: &mut State, event: &u64, context: &mut Context<'_, Self>) {
        context.log(*state);
        let (to, at) = self.go(state, context.me(), context.from(), context.now());
        context.send(to, at, *event);
    }

    fn undo(&self, state: &mut State, before: State) {
        *state = before;
    }

    fn saving(&self, _: ProcessNumber) -> Saving {
        self.saving
    }
}

/// FNV-1a of all hashes, in order of processes.
#[must_use]
pub fn digest<'a>(states: impl Iterator<Item = &'a State>) -> String {
    let bytes = states.flat_map(|state| state.hash.to_le_bytes());
    let digest = bytes.fold(BASIS, |all, byte| (all ^ u64::from(byte)).wrapping_mul(PRIME));
    format!("{digest:016x}")
}
