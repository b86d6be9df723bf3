//! Virtual processors, the HLS protocol, and the infrastructure that enforces it on every scheduler.
//!
//! A [`Hierarchy`] shares processors among threads through a tree of [`Scheduler`]s. A host reports
//! events (a thread became ready, a timer is due), reads back which thread each processor should
//! run, and decides nothing itself. Source: HLS chapters 4 and 9.
//!
//! Invariants: every call is deterministic; every virtual processor changes state only along the
//! arrows of HLS figure 4.2; after every call each processor runs exactly one thread or idles; a
//! scheduler that breaks a rule is quarantined, and its children keep running.
//!
//! Absent on purpose: an operating system, a clock, threads, locks, `std`.
//! Read next: `scheduler.rs` (notifications of a scheduler), `context.rs` (its effects), `settle.rs`
//! (the order of delivery), `host.rs` and `control.rs` (the host's calls).
//!
//! ```
//! use windfall_hierarchy::{
//!     Answer, AnswerError, ChildVp, Context, Hierarchy, HierarchyError, Message, NodeSpec, OwnVp, Parent,
//!     Scheduler, TimerId, VpState,
//! };
//! use windfall_time::Instant;
//!
//! /// First come, first served, on one processor: a child runs until it blocks.
//! #[derive(Default)]
//! struct FirstCome(std::collections::VecDeque<ChildVp>);
//!
//! impl FirstCome {
//!     /// Grants the processor to the child that has waited longest, or releases it.
//!     fn serve(&mut self, own: OwnVp, context: &mut Context<'_>) {
//!         match self.0.pop_front() {
//!             Some(child) => context.grant(child, own),
//!             None => context.release(own),
//!         }
//!     }
//! }
//!
//! impl Scheduler for FirstCome {
//!     fn timers(&self, _: usize) -> usize {
//!         0
//!     }
//!     fn init(&mut self, _: &mut Context<'_>) {}
//!     fn register(&mut self, _: ChildVp, _: &mut Context<'_>) -> Answer {
//!         self.0.reserve(1);
//!         Ok(())
//!     }
//!     fn unregister(&mut self, _: ChildVp, _: &mut Context<'_>) {}
//!     fn request(&mut self, child: ChildVp, context: &mut Context<'_>) {
//!         self.0.push_back(child);
//!         if context.own(OwnVp(0)) == VpState::Waiting {
//!             context.request(OwnVp(0));
//!         }
//!     }
//!     fn release(&mut self, child: ChildVp, held: Option<OwnVp>, context: &mut Context<'_>) {
//!         match held {
//!             Some(own) => self.serve(own, context),
//!             None => {
//!                 self.0.retain(|other| *other != child);
//!                 if self.0.is_empty() && context.own(OwnVp(0)) == VpState::Ready {
//!                     context.release(OwnVp(0));
//!                 }
//!             }
//!         }
//!     }
//!     fn message(
//!         &mut self,
//!         _: Option<ChildVp>,
//!         message: Message,
//!         _: &mut Context<'_>,
//!     ) -> Answer {
//!         Err(AnswerError::NotUnderstood { message: message.name(), takes: "nothing" })
//!     }
//!     fn grant(&mut self, own: OwnVp, context: &mut Context<'_>) {
//!         self.serve(own, context);
//!     }
//!     fn revoke(&mut self, _: OwnVp, child: ChildVp, context: &mut Context<'_>) {
//!         context.revoke(child);
//!         self.0.push_front(child);
//!     }
//!     fn timer(&mut self, _: TimerId, _: &mut Context<'_>) {}
//! }
//!
//! let mut tree = Hierarchy::new(1);
//! let now = Instant::ZERO;
//! let (scheduler, owns) = (Box::new(FirstCome::default()), &[(Parent::Top, &[][..])]);
//! let spec = NodeSpec { name: "root", kind: "first-come", scheduler, owns };
//! let root = tree.create(now, spec)?;
//! let (one, other) = (tree.create_thread(now, root, &[])?, tree.create_thread(now, root, &[])?);
//! tree.ready(now, one)?;
//! tree.ready(now, other)?;
//! let processor = tree.next_changed().expect("a processor has another thread");
//! assert_eq!(tree.running(processor), Some(one));
//! tree.blocked(now, one)?;
//! assert_eq!(tree.running(processor), Some(other));
//! assert!(tree.quarantined().is_empty());
//! # Ok::<(), HierarchyError>(())
//! ```
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;
#[cfg(any(test, feature = "std"))]
extern crate std;

mod answer;
mod check;
mod children;
mod context;
mod control;
mod effect;
mod error;
mod fallback;
mod guard;
pub mod heap;
mod host;
mod id;
mod index;
mod journal;
mod message;
mod node;
mod peek;
mod quarantine;
mod relocate;
mod scheduler;
mod settle;
mod state;
mod timers;
mod tree;
mod vp;

pub use answer::{Answer, AnswerError};
pub use context::{Context, View};
pub use control::{LEVELS, NodeSpec, Parent};
pub use error::{HierarchyError, Rule, SchedulerError};
pub use host::Hierarchy;
pub use id::{ChildVp, NodeId, OwnVp, Processor, Target, ThreadId, TimerId};
pub use journal::{JournalEntry, JournalEvent, Note, Notification};
pub use message::{Message, ParentNotice, Value};
pub use scheduler::Scheduler;
pub use tree::{Count, NodeView, ThreadView};
pub use vp::VpState;
