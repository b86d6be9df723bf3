//! What needs only threads of this process: polling the clock, working in an array, on one processor,
//! under the system's own scheduler.

mod pin;
mod poll;
mod work;

pub(crate) use pin::{on_one_processor, pin, processors};
pub(crate) use poll::{Stretch, gaps, interruptions, poll};
pub(crate) use work::{Spent, spend};
