//! PHOLD in integers, as in the reference `phold_oracle.py`: each event changes its process and sends another.

use windfall_speculation::{Context, Model, ProcessNumber, Saving};
use windfall_time::{Instant, Span};

pub(crate) const PRIME: u64 = 0x0100_0000_01b3;
const BASIS: u64 = 0xcbf2_9ce4_8422_2325;
const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

#[derive(Clone, Debug)]
pub(crate) struct Phold {
    pub(crate) processes: u32,
    /// Of a thousand events, for other processes.
    pub(crate) remote: u64,
    /// Events of each process at the beginning.
    pub(crate) start: u32,
    pub(crate) seed: u64,
    pub(crate) saving: Saving,
    /// Steps of work in each event, one after the other.
    pub(crate) grain: u64,
}

/// A process; a change is undone by what it was before.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct State {
    pub(crate) hash: u64,
    pub(crate) random: u64,
}

impl State {
    pub(crate) fn step(&mut self) -> u64 {
        self.random = self.random.wrapping_add(GOLDEN);
        let z = (self.random ^ (self.random >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub(crate) fn uniform(&mut self, below: u64) -> u64 {
        u64::try_from((u128::from(self.step()) * u128::from(below)) >> 64).unwrap_or(0)
    }

    pub(crate) fn delay(&mut self) -> Span {
        Span::from_nanos(100 + self.uniform(1_800))
    }
}

/// Work that nobody needs, and no compiler leaves out.
#[inline]
pub(crate) fn work(steps: u64, from: u64) {
    let worked = (0..steps).fold(from, |all, step| (all ^ step).wrapping_mul(PRIME));
    std::hint::black_box(worked);
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
        let me = context.me();
        let random = self.seed ^ u64::from(me.0).wrapping_mul(GOLDEN);
        let random = State { hash: BASIS, random }.step();
        let mut state = State { hash: BASIS, random };
        for _ in 0..self.start {
            context.send(me, Instant::ZERO + state.delay(), 0);
        }
        state
    }

    fn handle(&self, state: &mut State, event: &u64, context: &mut Context<'_, Self>) {
        context.log(*state);
        work(self.grain, state.hash);
        let (now, from) = (context.now(), u64::from(context.from().0));
        let said = now.as_nanos().wrapping_mul(31).wrapping_add(from);
        state.hash = (state.hash ^ said).wrapping_mul(PRIME);
        let remote = state.uniform(1_000) < self.remote;
        let to = if remote { state.uniform(self.processes.into()) } else { context.me().0.into() };
        let at = now + state.delay();
        context.send(ProcessNumber(u32::try_from(to).unwrap_or(0)), at, *event);
    }

    fn undo(&self, state: &mut State, before: State) {
        *state = before;
    }

    fn saving(&self, _: ProcessNumber) -> Saving {
        self.saving
    }
}

/// FNV-1a of all hashes, in order of processes.
pub(crate) fn digest<'a>(states: impl Iterator<Item = &'a State>) -> String {
    let bytes = states.flat_map(|state| state.hash.to_le_bytes());
    let digest = bytes.fold(BASIS, |all, byte| (all ^ u64::from(byte)).wrapping_mul(PRIME));
    format!("{digest:016x}")
}
