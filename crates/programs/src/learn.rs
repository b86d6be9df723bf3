//! Programs learned from recordings.
//!
//! [`learn`] turns the records of a trace into recorded programs. [`habit()`] says whether a thread has a period,
//! and how much it needs in one. [`Proposal`] proposes guarantees for threads, and never applies itself.
//! [`Calibration`] says what an application needs.
//!
//! No floats decide anything here: shares are exact fractions, spans are nanoseconds.

mod calibrate;
mod clock;
mod cpus;
mod fit;
mod gather;
mod grid;
mod kernel;
mod pace;
mod period;
mod proposal;
mod replay;
mod select;
mod stolen;

pub use calibrate::{Calibration, Conservatism, Kind, Origin};
pub use clock::Clock;
pub use fit::{LeftOut, Wanted};
pub use period::{Habit, Need, Note, habit};
pub use proposal::{Options, Parent, Proposal, Row};
pub use replay::{
    Activation, Cause, Dropped, Learned, LearnedThread, StartsKnown, learn, learn_as,
};
pub use stolen::Stolen;
