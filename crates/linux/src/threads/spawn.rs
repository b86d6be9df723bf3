//! Processes that others make while a run lasts: each is a thread of ours, and begins when that is at its gate.

use crate::supervise::locked::Locked;
use crate::threads::body::Kind;

/// Makes the thread of a process.
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
