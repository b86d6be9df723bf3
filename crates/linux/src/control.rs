//! Control while it runs (HLS 4.3.9, 8.7; decision 0009): requests of the scenario and of whoever has
//! the socket, carried out under the lock, each whole or not at all.

mod client;
mod clients;
mod history;
mod server;
mod view;
mod wire;

pub(crate) use client::usual_socket;
pub use client::{ask, list, trace};
pub(crate) use server::Server;
pub use windfall_scenario::listing::{
    Account, Listing, LiveStatus, Node, OwnVp, Processor, Promised, Thread,
};
pub use wire::ControlError;

use crate::supervise::supervisor::Supervisor;

/// Whether the thread of that number has that name.
fn is_called(supervisor: &Supervisor, number: usize, name: &str) -> bool {
    supervisor.host.threads.list.get(number).is_some_and(|thread| thread.outcome.name == name)
}

/// What was asked for a thread at a scheduler when it came, if that was its first one.
fn home(
    supervisor: &Supervisor,
    number: usize,
    to: &str,
) -> Option<Vec<windfall_hierarchy::Message>> {
    let thread = supervisor.host.threads.list.get(number)?;
    let entry = thread.entry().map_or(number, |entry| entry as usize);
    let planned = supervisor.host.threads.list.get(entry)?.planned();
    (supervisor.host.hierarchy.name(planned.parent) == Some(to)).then(|| planned.messages.clone())
}
