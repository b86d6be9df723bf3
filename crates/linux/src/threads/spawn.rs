//! Starts the threads of processes that programs make during a run. Each begins when its thread is at its gate.

use crate::supervise::locked::Locked;
use crate::threads::body::Kind;

/// Starts the thread of process `number`.
pub(crate) fn make(locked: &Locked, number: u32) {
    let own = locked.call(move |s| match &s.host.machine.body(number).kind {
        Kind::InProcess(own) => Some(own.clone()),
        Kind::External { .. } => None,
    });
    let (Some(own), Some(host)) = (own, locked.me.upgrade()) else { return };
    let life = move || crate::supervise::own::live(&host, number, &own);
    match std::thread::Builder::new().stack_size(crate::STACK).spawn(life) {
        Ok(thread) => locked.keep(thread),
        Err(error) => locked.leave(move |s| s.host.cannot_make(number, &error.to_string())),
    }
}
