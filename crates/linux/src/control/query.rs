//! Queries about the free capacity of a scheduler that admits jobs (PORTS 2.2, 2.4). They change nothing.

use super::tasks::told;
use super::wire::ControlError;
use crate::supervise::locked::Locked;
use crate::supervise::settle::settle;
use serde_json::Value;
use windfall_time::Span;

/// Whether so much work, submitted now, would be done by a time from now; the idle time before that, and the earliest time for it.
///
/// # Errors
/// When there is no such scheduler, or it admits nothing.
pub(super) fn answer(
    host: &Locked,
    scheduler: &str,
    work: Span,
    by: Span,
) -> Result<Value, ControlError> {
    let wanted = scheduler.to_owned();
    let found = host.call(move |s| {
        settle(s);
        let now = s.time();
        Some((now, s.host.temporal_query(&wanted, work, now.saturating_add(by))?))
    });
    let Some((now, found)) = found else {
        let why = "no scheduler of this name admits jobs";
        let help = "`windfall ctl list` shows the schedulers; those of kind `ports` admit jobs";
        return Err(ControlError::new(format!("`{scheduler}`"), why, help));
    };
    Ok(told(now, work, by, found))
}
