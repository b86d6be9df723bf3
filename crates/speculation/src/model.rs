//! A model: logical processes, and a handler of events for each.

use crate::{Context, ProcessNumber};
use core::fmt::Debug;

/// A number of logical processes, each a state and a handler of events (Time Warp; PORTS 1). They know each other by events alone.
///
/// The same model runs in every way that there is, and does not know in which: an event may be handled before others that should come first, is undone then, and handled again. So a handler
/// depends on nothing but state, event and context; random numbers belong to the state. Ahead of time it may meet states that in order never are: it may panic then, which is undone with the rest, but must
/// end. Effects that cannot be undone are left to the receiver of [outputs](Context::output), which come when their event is
/// certain.
///
/// ```
/// use core::convert::Infallible;
/// use windfall_speculation::{Context, Model, Sequential};
/// use windfall_time::{Instant, Span};
///
/// /// One process that sends itself an event in each millisecond, and counts them.
/// #[derive(Clone)]
/// struct Ticks;
///
/// impl Model for Ticks {
///     type State = u32;
///     type Event = ();
///     type Output = u32;
///     type Change = Infallible;
///
///     fn processes(&self) -> u32 {
///         1
///     }
///     fn start(&self, context: &mut Context<'_, Self>) -> u32 {
///         context.send(context.me(), context.now() + Span::from_millis(1), ());
///         0
///     }
///     fn handle(&self, count: &mut u32, (): &(), context: &mut Context<'_, Self>) {
///         *count += 1;
///         context.output(*count);
///         context.send(context.me(), context.now() + Span::from_millis(1), ());
///     }
///     fn undo(&self, _: &mut u32, change: Infallible) {
///         match change {}
///     }
/// }
///
/// let mut counts = Vec::new();
/// let mut run = Sequential::new(Ticks, 4)?;
/// run.run_until(Instant::ZERO + Span::from_millis(4), |_, count| counts.push(count))?;
/// assert_eq!(counts, [1, 2, 3]);
/// # Ok::<(), windfall_speculation::RunError>(())
/// ```
pub trait Model {
    /// The state of a process.
    type State: Clone + PartialEq + Debug;
    /// The content of an event. No handler may distinguish equal ones: with lazy cancellation an equal one that was sent before stays.
    type Event: Clone + PartialEq + Debug;
    /// The output of the model.
    type Output: PartialEq + Debug;
    /// How a handler's change of a state is taken back; [`Infallible`](core::convert::Infallible) where no process has a [log](Saving::Log).
    type Change: Debug;

    /// How many processes there are; they are numbered from 0.
    fn processes(&self) -> u32;

    /// The state of a process at the beginning. Its events come after that.
    fn start(&self, context: &mut Context<'_, Self>) -> Self::State;

    /// Handles an event.
    fn handle(&self, state: &mut Self::State, event: &Self::Event, context: &mut Context<'_, Self>);

    /// Takes back a change that a handler has [logged](Context::log). The last one is taken back first. A value that is set back is right also if the handler panicked before it made the change; one that is
    /// counted back is not.
    fn undo(&self, state: &mut Self::State, change: Self::Change);

    /// How a process's state is saved before events that may have to be undone.
    fn saving(&self, process: ProcessNumber) -> Saving {
        let _ = process;
        Saving::Copies { every: 16 }
    }
}

/// How a state is saved.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Saving {
    /// It is cloned before each so many events, which are kept until the next copy is certain. After a rollback to the middle, those since the copy are handled once more. With a persistent structure a clone is cheap, and 1 is best.
    Copies {
        /// With 0 or 1 before each event.
        every: u32,
    },
    /// The handler logs how each of its changes is taken back.
    Log,
}
