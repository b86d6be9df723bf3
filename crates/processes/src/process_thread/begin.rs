//! The thread of a process, from its first moment to its last.

use super::ProcessThread;
use crate::Failed;
use crate::system::System;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use windfall_os::sched::Attributes;
use windfall_programs::{Code, Kind, Node, ProcessError, ProcessHandle, ProcessParams};

/// Starts a process.
pub(crate) fn begin<C: Code>(
    system: &Arc<System>,
    node: Node,
    params: ProcessParams,
    code: C,
) -> Result<ProcessHandle, ProcessError> {
    let cpus = system.controller(node)?.cpus;
    if params.priority > ProcessParams::MOST_PRIORITY {
        return Err(ProcessError::NoPriority { priority: params.priority });
    }
    let mine = system.exchange.enter().map_err(|_| ProcessError::NoRoom { kind: Kind::Process })?;
    let me = ProcessHandle::from_handle(system.seal(Kind::Process, node, mine.name()));
    system.has_begun();
    let shared = system.clone();
    // If no thread can be made, this is dropped, and the process has never been.
    let process_thread = ProcessThread::new(system.clone(), me, mine);
    let life = move || {
        let _ = cpus.give(0); // it was found to be allowed, and so was this
        if let Some(lowest) = shared.real_time {
            let _ = Attributes::fifo(lowest + u32::from(params.priority)).give(0);
        }
        live(&shared, me, process_thread, code);
        shared.has_ended();
    };
    let thread = std::thread::Builder::new().name(C::NAME.to_owned()).spawn(life);
    thread.map(|_| me).map_err(|_| {
        system.has_ended();
        ProcessError::NotAdmitted { node }
    })
}

/// The life of a process: its body is polled once, since nothing in it ever waits otherwise than by blocking.
fn live<C: Code>(system: &System, process: ProcessHandle, process_thread: ProcessThread, code: C) {
    let lived = catch_unwind(AssertUnwindSafe(|| {
        let life = pin!(code.run(process_thread));
        life.poll(&mut Context::from_waker(Waker::noop()))
    }));
    let why = match lived {
        Ok(Poll::Ready(Ok(()))) => return,
        Ok(Poll::Ready(Err(error))) => error.to_string(),
        Ok(Poll::Pending) if system.sleepers.is_closed() => return,
        Ok(Poll::Pending) => {
            "it waits for something that is not its process's; nobody would wake it".to_owned()
        }
        Err(_) => "it panicked".to_owned(),
    };
    system.has_failed(Failed { process, name: C::NAME, why });
}
