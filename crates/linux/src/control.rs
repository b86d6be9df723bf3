//! Control during a run (HLS 4.3.9, 8.7; decision 0009): requests of the scenario and of clients of the socket. Each is carried out
//! under the lock, whole or not at all.

mod client;
mod clients;
mod history;
mod notices;
mod own;
mod present;
mod query;
mod rights;
mod server;
mod tasks;
mod view;
mod wire;

pub(crate) use client::usual_socket;
pub use client::{list, send, trace};
pub(crate) use server::Server;
pub use windfall_scenario::listing::{
    Account, Listing, LiveStatus, Node, OwnVp, Processor, Promised, Thread,
};
pub use wire::ControlError;

use crate::supervise::supervisor::Supervisor;

/// Whether thread `number` is called `name`.
fn is_called(supervisor: &Supervisor, number: usize, name: &str) -> bool {
    supervisor.host.threads.list.get(number).is_some_and(|thread| thread.outcome.name == name)
}
