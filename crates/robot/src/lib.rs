#![doc = include_str!("../README.md")]
//!
//! # Inside
//!
//! `terrain.rs` is where the robot is, `path.rs` how a way is found, `deliberation.rs` the part that runs ahead. `body.rs` has the processes, `shared.rs` what they share: the world (`world.rs`), and the run of the deliberative part by deadlines with what it gave away (`given.rs`).
//! `settings.rs` is the kind `robot`, `reservation.rs` what its planner asks its scheduler for, and `journey.rs` what came of it.
#![forbid(unsafe_code)]

mod body;
pub mod deliberation;
mod given;
mod journey;
pub mod path;
mod reservation;
mod settings;
mod shared;
pub mod terrain;
mod world;

pub use body::{Motors, OBSTACLES, WAITING_OBSTACLES, by_hand};
pub use journey::{Journey, Report, Rollback, STANDING, STARTING, Step, Stood};
pub use reservation::Reservation;
pub use settings::{KIND, Robot};
