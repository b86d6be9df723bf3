#![doc = include_str!("../README.md")]
//!
//! # Inside
//!
//! `model.rs` is what a user writes and `context.rs` what its handlers may do; `event.rs` has the order of events. `sequential.rs` handles one event after the other, and says what every other
//! way must come to. `history.rs` is a process that goes back, and `part.rs` some of all processes, whose events and logs are in the pools of `store.rs`; `speculative.rs` drives all by a loop, `parallel.rs` a part by each thread, and `timed.rs` one by deadlines. `check.rs` undoes and redoes each event, and names what differs.
#![forbid(unsafe_code)]

mod adaptive;
mod cancellation;
mod check;
mod commit;
mod context;
mod counts;
mod difference;
mod error;
mod event;
mod gvt;
mod handled;
mod heap;
mod history;
mod model;
mod panics;
mod parallel;
mod part;
pub mod phold;
mod pool;
mod ready;
mod sequential;
mod speculative;
mod store;
mod sync;
mod timed;
mod unsure;
mod waiting;

pub use adaptive::Adaptive;
pub use cancellation::Cancellation;
pub use check::{CheckError, What, check};
pub use context::Context;
pub use counts::Counts;
pub use difference::Difference;
pub use error::RunError;
pub use event::{Key, ProcessNumber};
pub use model::{Model, Saving};
pub use parallel::{Parallel, Prices};
pub use sequential::Sequential;
pub use speculative::Speculative;
pub use timed::{Ahead, InputError, Late, Moment, Timed, Turn};
pub use windfall_admission::{Supply, SupplyError};
