//! Which threads are supervised, and where they come from: programs of the scenario, commands that a run starts, programs that
//! run already, and what all of these make meanwhile.

pub(crate) mod add_threads;
pub(crate) mod adopt;
pub(crate) mod begin;
pub(crate) mod body;
pub(crate) mod child;
pub(crate) mod facts;
pub(crate) mod spawn;
pub(crate) mod starts;
