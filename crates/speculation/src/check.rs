//! A checker: each event of a model is handled, undone and handled again, and what differs then is named.

use crate::context::{Context, Effects};
use crate::{Difference, Key, Model, ProcessNumber, RunError, Saving, Sequential};
use core::fmt::{self, Debug};
use windfall_time::Instant;

/// Why a model's events cannot be undone.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum CheckError {
    /// An event did not come to the same when it was undone or handled again.
    Differs {
        /// The event, with the process that handled it.
        event: Key,
        /// The difference.
        what: What,
        /// Where.
        difference: Difference,
    },
    /// The run ended before.
    Run(RunError),
}

/// The difference.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum What {
    /// The state after the event was undone, from the one before it: a change was not logged, or not taken back.
    Undone,
    /// The state after the event was handled again: the handler depends on something else.
    State,
    /// The events that it sent when it was handled again.
    Sent,
    /// Its outputs when it was handled again.
    Outputs,
}

impl fmt::Display for CheckError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CheckError::Differs { event, what, difference } => {
                let what = match what {
                    What::Undone => "the state is not as before when it is undone",
                    What::State => "the state is another when it is handled again",
                    What::Sent => "it sends something else when it is handled again",
                    What::Outputs => "it gives something else when it is handled again",
                };
                write!(f, "{event}: {what}: {difference}")
            }
            CheckError::Run(error) => fmt::Display::fmt(error, f),
        }
    }
}

impl core::error::Error for CheckError {}

/// Runs a model in order, and undoes and redoes each of its events. At most so many events may wait. Returns how many events it handled.
///
/// # Errors
/// The first event that does not come to the same, or why the run ended.
pub fn check<M: Model>(model: M, end: Instant, most: usize) -> Result<u64, CheckError> {
    let mut found = None;
    let mut run = Sequential::new(Twice(model), most).map_err(CheckError::Run)?;
    while let Some(next) = run.next().filter(|next| *next < end) {
        let until = Instant::from_nanos(next.as_nanos() + 1);
        run.run_until(until, |_, output| {
            if let Output::Differs(error) = output {
                found.get_or_insert(error);
            }
        })
        .map_err(CheckError::Run)?;
        if let Some(found) = found {
            return Err(found);
        }
    }
    Ok(run.handled())
}

/// A model that handles each event twice.
struct Twice<M>(M);

#[derive(PartialEq, Debug)]
enum Output<O> {
    Given(O),
    Differs(CheckError),
}

impl<M: Model> Twice<M> {
    fn run(
        &self,
        (state, event): (&mut M::State, &M::Event),
        key: Key,
        effects: &mut Effects<M>,
        logs: bool,
    ) {
        effects.clear();
        self.0.handle(state, event, &mut Context::new(key, effects, logs));
    }
}

impl<M: Model> Model for Twice<M> {
    type State = M::State;
    type Event = M::Event;
    type Output = Output<M::Output>;
    type Change = M::Change;

    fn processes(&self) -> u32 {
        self.0.processes()
    }

    fn start(&self, context: &mut Context<'_, Self>) -> M::State {
        let mut effects = Effects::new();
        let state = self.0.start(&mut Context::new(context.key(), &mut effects, false));
        forward(effects, context);
        state
    }

    fn handle(&self, state: &mut M::State, event: &M::Event, context: &mut Context<'_, Self>) {
        let (key, before) = (context.key(), state.clone());
        let logs = self.0.saving(key.to) == Saving::Log;
        let [mut first, mut second] = [Effects::new(), Effects::new()];
        self.run((state, event), key, &mut first, logs);
        let after = state.clone();
        let mut differ = |what, difference| {
            let error = CheckError::Differs { event: key, what, difference };
            context.output(Output::Differs(error));
        };
        if logs {
            for change in first.changes.drain(..).rev() {
                self.0.undo(state, change);
            }
            if *state != before {
                differ(What::Undone, Difference::of(state, &before));
            }
        }
        *state = before;
        self.run((state, event), key, &mut second, logs);
        if *state != after {
            differ(What::State, Difference::of(state, &after));
        }
        if second.sent != first.sent {
            differ(What::Sent, Difference::of(&second.sent, &first.sent));
        }
        if second.outputs != first.outputs {
            differ(What::Outputs, Difference::of(&second.outputs, &first.outputs));
        }
        forward(second, context);
    }

    fn undo(&self, state: &mut M::State, change: M::Change) {
        self.0.undo(state, change);
    }

    fn saving(&self, process: ProcessNumber) -> Saving {
        self.0.saving(process)
    }
}

/// Does what a handler did.
fn forward<M: Model>(effects: Effects<M>, context: &mut Context<'_, Twice<M>>) {
    for sent in effects.sent {
        context.send(sent.to, sent.at, sent.event);
    }
    for output in effects.outputs {
        context.output(Output::Given(output));
    }
}
