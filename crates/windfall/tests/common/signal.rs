//! Signals, without a program that sends them: not every machine has `kill`.

pub(crate) use rustix::process::Signal;
use rustix::process::{Pid, kill_process};

/// Sends it; whoever is gone has no need of it.
pub(crate) fn send(signal: Signal, pid: u32) {
    let raw = pid.cast_signed();
    let pid = Pid::from_raw(raw).expect("a process has a number above 0");
    match kill_process(pid, signal) {
        Ok(()) | Err(rustix::io::Errno::SRCH) => {}
        Err(why) => panic!("{signal:?} to {raw}: {why}"),
    }
}
