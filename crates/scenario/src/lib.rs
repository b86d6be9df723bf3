#![doc = include_str!("../README.md")]
//!
//! # Inside
//!
//! A [`Scenario`] is a machine, its schedulers, its threads, the events during a run and the expected
//! results. It is read from TOML (`docs/decisions/0003-scenario-format.md`), or made in code.
//!
//! Invariants: no input panics; all mistakes of a file are reported at once, each with its place; the text that
//! [`Scenario::write`] writes reads back as the same scenario.
//! Absent on purpose: the proof of promises (crate `guarantees`), and
//! running anything: a host carries out the [`Plan`] that [`Scenario::build`] makes.
//! Read next: `model.rs` (the data), `resolve.rs` (how it is read), `build.rs` (the plan that it becomes),
//! `outcome.rs` (the results of a run).
#![forbid(unsafe_code)]

mod application;
mod assessment;
mod build;
mod catalogues;
mod check;
mod command;
mod common_cause;
mod deadlines;
mod decode;
mod diagnostic;
pub mod explain;
mod file;
mod import;
mod import_rtapp;
pub mod listing;
mod live;
mod migrate;
pub mod model;
mod names;
pub mod outcome;
mod overload;
mod overrides;
mod parameters;
mod plan;
mod processors;
mod profile;
mod promises;
mod recording;
#[cfg(feature = "schema")]
mod reference;
mod renamed;
pub mod reserve;
mod resolve;
pub mod rtapp;
#[cfg(feature = "schema")]
mod schema;
mod sections;
mod source;
mod suggest;
mod text;
mod together;
mod tracer;
mod tree;
mod waiting;
mod write;

pub use application::{Application, ApplicationError, Member, Service, SharedLock};
pub use assessment::Assessment;
pub use build::{NoRecordings, Numbers, Recordings};
pub use catalogues::Catalogues;
pub use command::{CommandPromise, CommandPromiseError};
pub use deadlines::{BoundError, Deadline};
pub use diagnostic::{Code as DiagnosticCode, Diagnostic, Diagnostics, Rendering};
pub use import::{Imported, Reserving, import};
pub use import_rtapp::{EndlessWait, ImportedRtApp, RtAppImportError, import_rtapp};
pub use live::{Live, LiveNode, LiveRequest, LiveThread, PromiseChange};
pub use migrate::{Migrated, migrate};
pub use model::Scenario;
pub use overload::{Overload, Underserved};
pub use overrides::{Override, OverrideError};
pub use plan::{
    Home, Place, Plan, PlannedInterrupts, PlannedLock, PlannedPattern, PlannedProcesses,
    PlannedProgram, PlannedRequest, PlannedThread,
};
pub use profile::{Profile, ProfileError, ProfiledThread, Profiles};
pub use promises::Promises;
pub use recording::{Recording, RecordingError, TraceFiles};
#[cfg(feature = "schema")]
pub use reference::reference;
#[cfg(feature = "schema")]
pub use schema::schema;
pub use source::{Origin, SourceFile};
pub use suggest::{near, nearest_file};
pub use text::{MOST_BYTES, TextError, read_text};
pub use tracer::Tracer;
pub use windfall_guarantees::Guarantee;
pub use windfall_schedulers::catalogue::Catalogue;
pub use windfall_schedulers::parameters::supply;
