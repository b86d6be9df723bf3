//! Loadable schedulers, one file each.
//!
//! The head of each file says what it takes from its parent, gives to its children, admits, assumes
//! and costs. Events stand in the same order in all files, so that two can be read side by side.
//! `pool.rs` is what those share that keep the best of several ready children running.
//!
//! ```
//! use windfall_hierarchy::{Hierarchy, NodeSpec, Parent};
//! use windfall_schedulers::catalogue::{Settings, Value, find};
//! use windfall_time::{Instant, Span};
//!
//! let kind = find("round-robin").expect("it is in the catalogue");
//! let quantum = [("quantum", Value::Span(Span::from_millis(10)))];
//! let scheduler = kind.build(&Settings(&quantum)).map_err(|why| why.to_string())?;
//! let mut tree = Hierarchy::new(1);
//! let owns = &[(Parent::Top, &[][..])];
//! let spec = NodeSpec { name: "root", kind: kind.name, scheduler, owns };
//! let root = tree.create(Instant::ZERO, spec).map_err(|why| why.to_string())?;
//! let thread = tree.create_thread(Instant::ZERO, root, &[]).map_err(|why| why.to_string())?;
//! tree.ready(Instant::ZERO, thread).map_err(|why| why.to_string())?;
//! let processor = tree.next_changed().expect("a processor has another thread");
//! assert_eq!(tree.running(processor), Some(thread));
//! assert!(kind.build(&Settings(&[("quantums", Value::Bool(true))])).is_err());
//! # Ok::<(), String>(())
//! ```
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;

mod activity;
mod admission;
mod ahead;
mod bandwidth;
mod best_effort;
mod briefly_blocked;
mod budgeted;
mod budgets;
mod bvt;
pub mod catalogue;
mod cbs;
mod constraints;
mod deadline_reporter;
mod deferrable;
mod drawn;
mod edf;
mod eevdf;
mod eligible;
mod epoch;
mod epoch_accounts;
mod epoch_process;
mod epoch_promises;
mod epoch_queues;
mod epoch_ways;
mod fc_edf;
mod feedback;
mod fixed_priority;
mod fluid;
mod funds;
mod gang;
mod gang_matrix;
mod join;
mod limit;
mod linux_counter;
mod linux_eevdf;
mod llf;
mod long_run;
mod lottery;
mod nice;
mod overrun;
mod own_set;
mod pieces;
mod plan;
mod pool;
mod proportional_share;
mod pshed;
mod quantum;
mod quantum_ends;
mod rate_monotonic;
mod reservation;
mod reserved;
mod reserves;
mod resource_kernel;
mod rez;
mod rez_c;
mod rez_fb;
mod round_robin;
mod search;
mod sfs;
mod smart;
mod spring;
mod starvation;
mod stolen;
mod stride;
mod swift;
mod table;
mod tbs;
mod ticks;
mod time_line;
mod time_sharing;
mod time_table;
mod tournament;
mod turns;
mod virtual_time;
mod windows_time_sharing;
mod working_schedule;

pub use activity::Activity;
pub use briefly_blocked::BrieflyBlocked;
pub use bvt::Bvt;
pub use edf::{Edf, Late};
pub use eevdf::needed_share;
pub use fc_edf::{FcEdf, FcEdfSpec};
pub use fixed_priority::FixedPriority;
pub use gang::Gang;
pub use join::Join;
pub use limit::Limit;
pub use linux_counter::{LinuxCounter, Version};
pub use linux_eevdf::{EevdfSpec, LinuxEevdf};
pub use llf::Llf;
pub use overrun::Overrun;
pub use proportional_share::ProportionalShare;
pub use rate_monotonic::{Order, RateMonotonic};
pub use round_robin::RoundRobin;
pub use sfs::Sfs;
pub use swift::{Swift, SwiftSpec};
pub use time_line::TimeLine;
pub use time_sharing::{Mode, TimeSharing, TimeSharingSpec};
pub use windows_time_sharing::{Edition, WindowsSpec, WindowsTimeSharing};
