//! Measurements with threads of this process only: they poll the clock or work in an array, on one processor, under
//! the system's own scheduler.

mod pin;
mod poll;
mod work;

pub(crate) use pin::{on_one_processor, pin, processors};
pub(crate) use poll::{Stretch, gaps, interruptions, poll};
pub(crate) use work::{Spent, spend};
