//! The file a user writes, what it means, its mistakes, and what came of running it.
//!
//! A [`Scenario`] is a machine, its schedulers, its threads, what happens to them and what must come
//! of it. It is read from TOML (`docs/decisions/0003-scenario-format.md`), or made in code.
//!
//! Invariants: no input panics; all mistakes of a file are told at once, each with its place; what
//! [`Scenario::write`] writes is read back as the same scenario.
//! Absent on purpose: whether promises follow from one another (that is not decided here), and
//! running anything: a host carries out the [`Plan`] that [`Scenario::build`] makes.
//! Read next: `model.rs` (what can be said), `resolve.rs` (how it is read), `build.rs` (what becomes of it),
//! `outcome.rs` (what a host returns of a run).
//!
//! ```
//! use windfall_scenario::Scenario;
//!
//! let text = r#"
//! schema = 2
//! length = "1 s"
//!
//! [schedulers.res]
//! scheduler = "rez"
//! parent    = "top"
//!
//! [threads.audio]
//! parent    = "res"
//! guarantee = "RESBH 2ms 5ms"
//! periodic  = "2ms/10ms"
//! "#;
//! let scenario = Scenario::parse("audio.toml", text).map_err(|mistakes| mistakes.render(false))?;
//! let promises = scenario.promises();
//! assert_eq!(promises.refused().count(), 0);
//! assert_eq!(promises.deadlines(&scenario)[0].bound, Ok("8ms".parse().map_err(|_| "no time")?));
//!
//! let wrong = Scenario::parse("audio.toml", &text.replace("rez", "rezz")).expect_err("no such kind");
//! assert!(wrong.render(false).contains("did you mean `rez`?"));
//! # Ok::<(), String>(())
//! ```
#![forbid(unsafe_code)]

mod application;
mod build;
mod check;
mod deadlines;
mod decode;
mod diagnostic;
pub mod explain;
mod file;
mod import;
mod import_rtapp;
mod live;
mod migrate;
pub mod model;
mod names;
pub mod outcome;
mod overload;
mod overrides;
mod parameters;
mod plan;
mod profile;
mod promises;
mod recording;
#[cfg(feature = "schema")]
mod reference;
mod resolve;
pub mod rtapp;
#[cfg(feature = "schema")]
mod schema;
mod source;
mod suggest;
mod text;
mod together;
mod tracer;
mod tree;
mod waiting;
mod write;

pub use application::{Application, Member, Service};
pub use build::{NoRecordings, Numbers, Recordings};
pub use deadlines::Deadline;
pub use diagnostic::{Diagnostic, Diagnostics, Rendering};
pub use import::{Imported, Reserving, import};
pub use import_rtapp::{EndlessWait, ImportedRtApp, import_rtapp};
pub use live::{Live, LiveNode, LiveRequest, LiveThread};
pub use migrate::{Migrated, migrate};
pub use model::Scenario;
pub use overload::Overload;
pub use overrides::Override;
pub use plan::{
    Home, Place, Plan, PlannedInterrupts, PlannedPattern, PlannedProcesses, PlannedProgram,
    PlannedRequest, PlannedThread,
};
pub use profile::{Profile, ProfiledThread, Profiles};
pub use promises::Promises;
pub use recording::{Recording, TraceFiles};
#[cfg(feature = "schema")]
pub use reference::reference;
#[cfg(feature = "schema")]
pub use schema::schema;
pub use source::{Origin, SourceFile};
pub use suggest::near;
pub use text::{MOST_BYTES, read_text};
pub use tracer::Tracer;
pub use windfall_guarantees::Guarantee;
pub use windfall_schedulers::catalogue::Catalogue;
