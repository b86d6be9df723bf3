#![doc = include_str!("../README.md")]
//!
//! # Inside
//!
//! `voting.rs` is a replica's part in votes, without clock and transport, **the line that decides when a replica has missed votes** is in `Voting::polls`; `message.rs` what replicas say to each other, `words.rs` what values are; `states.rs` keeps and fetches states, `stateful.rs` votes on them.
//! `turns.rs` says when it sends, asks and gives up, `replica.rs` drives that by the clock, over a `Carrier`: `udp.rs`, `shared_memory.rs` (feature `iceoryx2`).
#![forbid(unsafe_code)]

mod ballot;
mod error;
mod fault;
mod message;
pub mod program;
mod replica;
#[cfg(feature = "iceoryx2")]
pub mod shared_memory;
mod stateful;
mod states;
mod turns;
pub mod udp;
mod voting;
mod words;

pub use error::{JoinError, VoteError};
pub use fault::{Fault, FaultKind};
pub use replica::{Carrier, Replica};
pub use stateful::Stateful;
pub use voting::Vote;
pub use words::{MOST, Words};
