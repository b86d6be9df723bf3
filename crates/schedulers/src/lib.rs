//! Loadable schedulers, one file each, in folders by family; `parts/` has the code that several share.
//!
//! The head of each file says what the scheduler takes from its parent, gives to its children, admits,
//! assumes and costs. Handlers come in the same order in all files, so that two can be read side by
//! side. Parts of a single kind are in a folder below its file. `kinds.rs` lists all kinds.
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

/// The source code of a kind's file, if the catalogue is to print it; else empty.
macro_rules! source {
    ($file:literal) => {
        if cfg!(feature = "sources") { include_str!($file) } else { "" }
    };
}

pub mod catalogue;
mod deadline;
mod epoch;
mod gang;
mod join;
pub mod kinds;
pub mod parameters;
mod parts;
mod planned;
mod priority;
mod reservation;
mod share;
mod time_sharing;

pub use share::eevdf::needed_share;
