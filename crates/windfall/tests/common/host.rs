//! Runs of this process on real threads, one at a time.

#[path = "real.rs"]
mod real;

use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use windfall_linux::Settings;
use windfall_scenario::Plan;
use windfall_scenario::outcome::Outcome;
use windfall_skips::{Needs, skip};
use windfall_trace::Sink;

/// This machine is supervised by one run at a time.
static ALONE: Mutex<()> = Mutex::new(());

/// Carries a plan out on this machine; nothing, with a word about it, where that cannot be.
pub(crate) fn run(
    plan: impl Fn() -> Plan,
    settings: &Settings,
    mut sink: Option<&mut (dyn Sink + Send)>,
) -> Option<Outcome> {
    if !real::is_ready() {
        return None;
    }
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    for _ in 0..120 {
        let sink = sink.as_mut().map(|sink| &mut **sink as &mut (dyn Sink + Send));
        match windfall_linux::run(plan(), settings, sink) {
            Ok(outcome) => return Some(outcome),
            // Another test's, or its guardian is still at work.
            Err(why) if why.to_string().contains("twice") => {
                std::thread::sleep(Duration::from_millis(500));
            }
            Err(why) => panic!("{why}"),
        }
    }
    skip(Needs::Real, "another run was under way on this machine for a minute");
    None
}
