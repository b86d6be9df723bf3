//! Loadable schedulers, one file each, in folders by family; `parts/` is what they are made of.
//!
//! The head of each file says what it takes from its parent, gives to its children, admits, assumes
//! and costs. Events stand in the same order in all files, so that two can be read side by side. What only one kind is made of
//! stands in a folder below it. `kinds.rs` lists them all.
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
//! let spec = NodeSpec::new("root", kind.name, scheduler, owns);
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

/// The source of a kind's file, where the catalogue is to print it.
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
