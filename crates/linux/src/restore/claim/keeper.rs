//! A thread of ours that moves late threads off claimed processors, for as long as it lives.

use super::log::Log;
use super::threads;
use crate::restore::log::RestoreLog;
use std::sync::Arc;
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::JoinHandle;
use std::time::Duration;
use windfall_os::{process, usage};

/// How often it looks at most.
const PAUSE: Duration = Duration::from_millis(100);
/// It takes at most one part in so many of a processor's time.
const SHARE: u64 = 20;

/// The keeper; it ends, and has moved its last thread, when this is dropped.
pub(crate) struct Keeper {
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Keeper {
    /// Begins to look, on the caller's processors and in its class.
    pub(crate) fn start(journal: Arc<RestoreLog>) -> std::io::Result<Keeper> {
        let (stop, stopped) = mpsc::channel::<()>();
        let thread = std::thread::Builder::new().name("claims".to_owned()).stack_size(crate::STACK);
        let thread = thread.spawn(move || {
            process::name_thread("claims");
            let mut pause = PAUSE;
            while stopped.recv_timeout(pause) == Err(RecvTimeoutError::Timeout) {
                let begun = usage::of_this_thread();
                look(journal.claim());
                let took = usage::of_this_thread().saturating_sub(begun).as_nanos();
                pause = PAUSE.max(Duration::from_nanos(took.saturating_mul(SHARE - 1)));
            }
        })?;
        Ok(Keeper { stop: Some(stop), thread: Some(thread) })
    }
}

fn look(log: &Log) {
    if let Some(claimed) = log.claimed() {
        // Whoever cannot be moved was reported when the claim began, or has chosen the processor since.
        threads::move_off(log, &claimed, &mut Vec::new());
    }
}

impl Drop for Keeper {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join(); // what it has moved is in the log, however it ended
        }
    }
}
