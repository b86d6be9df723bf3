//! Which threads are supervised, and where they come from: programs of the scenario, commands that a run starts, programs that
//! run already, and what all of these make meanwhile.

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
