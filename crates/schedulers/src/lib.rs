//! Loadable schedulers, one file each, in folders by family; `parts/` is what they are made of.
//!
//! The head of each file says what it takes from its parent, gives to its children, admits, assumes
//! and costs. Events stand in the same order in all files, so that two can be read side by side. What only one kind is made of
//! stands in a folder below it. `catalogue.rs` lists all kinds.
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;

pub mod catalogue;
mod deadline;
mod epoch;
mod gang;
mod join;
mod parts;
mod planned;
mod priority;
mod reservation;
mod share;
mod time_sharing;

pub use deadline::edf::{Edf, Late};
pub use deadline::fc_edf::{FcEdf, FcEdfSpec};
pub use deadline::llf::Llf;
pub use gang::gang::Gang;
pub use join::briefly_blocked::BrieflyBlocked;
pub use join::join::Join;
pub use join::overrun::Overrun;
pub use planned::activity::Activity;
pub use planned::time_line::TimeLine;
pub use priority::fixed_priority::FixedPriority;
pub use priority::rate_monotonic::{Order, RateMonotonic};
pub use reservation::limit::Limit;
pub use reservation::swift::{Swift, SwiftSpec};
pub use share::bvt::Bvt;
pub use share::eevdf::needed_share;
pub use share::proportional_share::ProportionalShare;
pub use share::sfs::Sfs;
pub use time_sharing::linux_counter::{LinuxCounter, Version};
pub use time_sharing::linux_eevdf::{EevdfSpec, LinuxEevdf};
pub use time_sharing::round_robin::RoundRobin;
pub use time_sharing::time_sharing::{Mode, TimeSharing, TimeSharingSpec};
pub use time_sharing::windows_time_sharing::{Edition, WindowsSpec, WindowsTimeSharing};
