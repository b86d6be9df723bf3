#![doc = include_str!("../README.md")]
//!
//! # Inside
//!
//! `terrain.rs` is where the robot is, `path.rs` how a way is found, `deliberation.rs` the part that runs ahead.
#![forbid(unsafe_code)]

pub mod deliberation;
pub mod path;
pub mod terrain;
