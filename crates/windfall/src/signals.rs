//! Signals end a verb that leaves nothing changed on the machine, with a sentence that says so.
//!
//! Verbs that supervise or record hold signals themselves, and one that measures for long ends early and shows what it has. A signal that was ignored at the start stays ignored.

use crate::output::{errors_are_read, print_error, remove_unfinished};
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};
#[cfg(feature = "machine")]
use signal_hook::flag;
use signal_hook::iterator::Signals;
use signal_hook::low_level::{emulate_default_handler, signal_name};
#[cfg(feature = "machine")]
use std::sync::{Arc, atomic::AtomicBool};

/// From now on SIGINT, SIGTERM, SIGHUP and SIGQUIT end the process with a sentence, and leave no unfinished file.
pub(crate) fn explain() {
    let heard = [SIGINT, SIGTERM, SIGHUP, SIGQUIT];
    let heard = heard.into_iter().filter(|signal| !is_ignored(*signal));
    let Ok(mut signals) = Signals::new(heard) else { return };
    std::thread::spawn(move || {
        for signal in signals.forever() {
            remove_unfinished();
            if errors_are_read() {
                print_error("\n"); // a progress bar may stand in the line
            }
            let name = signal_name(signal).unwrap_or("a signal");
            print_error(&format!("windfall: ended by {name}; no unfinished file is left\n"));
            let _ = emulate_default_handler(signal);
        }
    });
}

/// A flag that the first of SIGINT, SIGTERM and SIGHUP sets; the second ends the process at once.
#[cfg(feature = "machine")]
pub(crate) fn stop_flag() -> std::io::Result<Arc<AtomicBool>> {
    let flag = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM, SIGHUP].into_iter().filter(|signal| !is_ignored(*signal)) {
        flag::register_conditional_default(signal, flag.clone())?;
        flag::register(signal, flag.clone())?;
    }
    Ok(flag)
}

/// Whether a signal is ignored, as for what a shell runs in the background, or `nohup`.
fn is_ignored(signal: i32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0);
    mask >> (signal - 1) & 1 == 1
}
