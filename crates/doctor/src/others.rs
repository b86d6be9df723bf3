//! Other real-time threads: those of our priorities and above run before a granted thread.

use super::{Check, State};
use std::collections::BTreeSet;
use windfall_observe::{fifo_priorities, rivals, supervision};

pub(super) fn checks() -> Vec<Check> {
    const PURPOSE: &str = "no rivals";
    // A supervisor's threads are on our priorities.
    let least = if supervision::is_under_way() {
        fifo_priorities::GUARDIAN + 1
    } else {
        fifo_priorities::FROZEN
    };
    let rivals = rivals::at(least..=99, &BTreeSet::from([std::process::id().cast_signed()]));
    let (state, found) = match rivals.as_slice() {
        [] => (State::Yes, format!("no thread at priority {} or above", fifo_priorities::FROZEN)),
        some => (State::Limited, rivals::named(some)),
    };
    let threads = Check::new(PURPOSE, "real-time threads", state, found)
        .remedy(format!("`chrt -f -p PRIORITY TID` with less than {}", fifo_priorities::FROZEN));
    let (state, found) = if supervision::is_under_way() {
        (State::Limited, "`windfall run` is under way".to_owned())
    } else {
        (State::Yes, "no other supervisor".to_owned())
    };
    let another = Check::new(PURPOSE, "supervisors", state, found)
        .remedy("wait for it, or `windfall ctl stop`");
    vec![threads, another, leavings()]
}

/// Settings that an earlier run did not restore, and why the last one ended if its guardian ended
/// it.
fn leavings() -> Check {
    let words = std::fs::read_to_string(supervision::last_words()).ok();
    let (state, found) =
        match (supervision::is_under_way(), supervision::restore_log().exists(), words) {
            (false, true, _) => (
                State::Limited,
                "a run and its guardian ended, and what the run had changed was not restored"
                    .to_owned(),
            ),
            (_, _, Some(words)) => {
                let words = words.trim().trim_start_matches("windfall: ");
                (State::Yes, format!("none; the last run did not end normally: {words}"))
            }
            (..) => (State::Yes, "none".to_owned()),
        };
    Check::new("no rivals", "left by an earlier run", state, found)
        .remedy("`windfall restore` as root; the next `windfall run` does so first")
}
