//! Requests of programs for their own threads (decision 0024): which thread is meant, and what it may ask.

use super::wire::ControlError;
use crate::supervise::locked::Locked;
use crate::supervise::supervisor::Supervisor;
use serde_json::{Map, Value};

/// The number and the name of a supervised thread.
///
/// # Errors
/// When it is not supervised.
pub(super) fn thread(host: &Locked, tid: i32) -> Result<(u32, String), ControlError> {
    let found = host.call(move |s| {
        let number = *s.host.machine.threads.tids.get(&tid)?;
        let thread = s.host.threads.list.get(number as usize)?;
        thread.id().map(|_| (number, thread.outcome.name.clone()))
    });
    found.ok_or_else(|| {
        let help = "name one that `windfall ctl list` shows; a thread that was just made is there some milliseconds later";
        ControlError::new("a request", format!("thread {tid} is not supervised"), help)
    })
}

/// Whether a thread may ask that for itself. Reservations are guarded by the scheduler that gives them.
///
/// # Errors
/// Why not.
pub(super) fn may(
    host: &Locked,
    number: u32,
    verb: &str,
    request: &Map<String, Value>,
) -> Result<(), ControlError> {
    let to = request.get("to").and_then(Value::as_str).map(str::to_owned);
    if let ("move", Some(to)) = (verb, to) {
        let answer = host.call(move |s| s.host.may_move(number, &to));
        return answer.map_err(|why| ControlError::new("`move`", why.to_string(), ""));
    }
    Ok(())
}

/// The scheduler that a thread of this name came from for its reservation.
pub(super) fn former(s: &mut Supervisor, name: &str) -> Option<String> {
    let number = s.host.threads.list.iter().position(|thread| thread.outcome.name == name)?;
    s.host.former(u32::try_from(number).ok()?).map(str::to_owned)
}

/// Whether a thread of this name stands below another scheduler than this one.
pub(super) fn stands_elsewhere(host: &Locked, name: &str, parent: &str) -> bool {
    let name = name.to_owned();
    let now = host.call(move |s| {
        let thread = s.host.threads.list.iter().find(|thread| thread.outcome.name == name)?;
        s.host.parent(thread.id())
    });
    now.as_deref() != Some(parent)
}
