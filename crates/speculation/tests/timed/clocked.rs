//! A model whose handling takes time, as much as its bounds say or less.

use super::common::mix;
use super::machine::Machine;
use std::cell::RefCell;
use std::rc::Rc;
use windfall_speculation::{Context, Model, ProcessNumber, Saving};
use windfall_time::{Instant, Span};

/// Processes that tell each other what they are; handling and undoing takes processor time of a machine of their own.
#[derive(Clone, Debug)]
pub(crate) struct Clocked {
    pub(crate) processes: u32,
    pub(crate) seed: u64,
    /// Events are so far apart at most, in ns.
    pub(crate) delay: u64,
    /// Undoing one takes this, in ns.
    pub(crate) undo: u64,
    /// Of its bound, an event takes so many tenths.
    pub(crate) tenths: u64,
    pub(crate) machine: Rc<RefCell<Machine>>,
    /// What another process tells them at the beginning: to whom, when, and what.
    pub(crate) inputs: Option<Vec<(ProcessNumber, Instant, u64)>>,
}

/// In ns.
pub(crate) fn bound(process: ProcessNumber) -> u64 {
    10 + u64::from(process.0 % 3) * 10
}

impl Clocked {
    pub(crate) fn process(&self, draw: u64) -> ProcessNumber {
        ProcessNumber(u32::try_from(draw % u64::from(self.processes)).unwrap())
    }

    pub(crate) fn now(&self) -> Instant {
        Instant::from_nanos(self.machine.borrow().now)
    }

    fn takes(&self, ns: u64) {
        self.machine.borrow_mut().takes(ns);
    }
}

impl Model for Clocked {
    type State = u64;
    type Event = u64;
    type Output = u64;
    type Change = u64;

    fn processes(&self) -> u32 {
        self.processes + u32::from(self.inputs.is_some())
    }

    fn start(&self, context: &mut Context<'_, Self>) -> u64 {
        if context.me().0 == self.processes {
            for (to, at, told) in self.inputs.iter().flatten() {
                context.send(*to, *at, *told);
            }
            return 0;
        }
        let state = mix(self.seed, context.me().0.into());
        context.send(context.me(), Instant::from_nanos(200 + state % self.delay), state % 3);
        state
    }

    fn handle(&self, state: &mut u64, told: &u64, context: &mut Context<'_, Self>) {
        context.log(*state);
        *state = mix(mix(*state, *told), context.now().as_nanos());
        context.output(*state);
        self.takes(bound(context.me()) * self.tenths / 10);
        let many = [1, 1, 2, 0, 1, 1, 1, 1][(*state % 8) as usize];
        for number in 0..many {
            let draw = mix(*state, number);
            let after = Span::from_nanos(self.delay / 4 + draw % self.delay);
            context.send(self.process(draw >> 8), context.now() + after, draw % 3);
        }
    }

    fn undo(&self, state: &mut u64, before: u64) {
        self.takes(self.undo);
        *state = before;
    }

    fn saving(&self, _: ProcessNumber) -> Saving {
        Saving::Log
    }
}
