//! The keeper: a thread of ours that moves threads off claimed processors if they come there after the claim.

use super::log::Log;
use super::threads::KeptNoted;
use crate::restore::log::RestoreLog;
use std::sync::Arc;
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::JoinHandle;
use std::time::Duration;
use windfall_os::{process, usage};

/// Shortest time between two looks.
const PAUSE: Duration = Duration::from_millis(100);
/// The keeper uses at most one part in this many of a processor's time.
const SHARE: u64 = 20;

/// A running keeper. Dropping it ends the thread; no thread is moved after that.
pub(crate) struct Keeper {
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Keeper {
    /// Starts the keeper, on the caller's processor and in its class. Where nothing is claimed it moves nobody.
    pub(crate) fn start(
        restore_log: Arc<RestoreLog>,
        kept: Option<KeptNoted>,
    ) -> std::io::Result<Keeper> {
        let (stop, stopped) = mpsc::channel::<()>();
        let thread = std::thread::Builder::new().name("claims".to_owned()).stack_size(crate::STACK);
        let thread = thread.spawn(move || {
            process::name_thread("claims");
            let mut pause = PAUSE;
            while stopped.recv_timeout(pause) == Err(RecvTimeoutError::Timeout) {
                let begun = usage::of_this_thread();
                look(restore_log.claim(), kept.as_ref());
                let took = usage::of_this_thread().saturating_sub(begun).as_nanos();
                pause = PAUSE.max(Duration::from_nanos(took.saturating_mul(SHARE - 1)));
            }
        })?;
        Ok(Keeper { stop: Some(stop), thread: Some(thread) })
    }
}

fn look(log: &Log, kept: Option<&KeptNoted>) {
    if let (Some(claimed), Some(kept)) = (log.claimed(), kept) {
        // Threads that cannot be moved were reported when the claim began, or have chosen the processor since.
        kept.move_off(log, &claimed, &mut Vec::new());
    }
}

impl Drop for Keeper {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join(); // even if it panicked, the log has what it moved
        }
    }
}
