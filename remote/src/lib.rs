#![doc = include_str!("../README.md")]
//!
//! # Inside
//!
//! `voting.rs` is a replica's part in votes, without clock and transport, **the line that decides when a replica has missed votes** is in `Voting::polls`; `message.rs` what replicas say to each other.
//! `turns.rs` says when it sends, asks and gives up, `replica.rs` drives that by the clock, over a `Carrier`: `udp.rs`, `shared_memory.rs` (feature `iceoryx2`).
#![forbid(unsafe_code)]

mod message;
pub mod program;
mod replica;
#[cfg(feature = "iceoryx2")]
pub mod shared_memory;
mod turns;
pub mod udp;
mod voting;

pub use replica::{Carrier, JoinError, Replica, VoteError};
pub use voting::{Fault, Vote};
