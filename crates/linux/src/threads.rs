//! The supervised threads and where they come from: in-process programs, commands that a run starts, programs that run
//! already, and all threads that these make later.

pub(crate) mod adopt;
pub(crate) mod begin;
pub(crate) mod body;
pub(crate) mod child;
pub(crate) mod facts;
pub(crate) mod heard;
pub(crate) mod processes;
pub(crate) mod programs;
pub(crate) mod spawn;
pub(crate) mod starts;
pub(crate) mod status;
