//! The kernel's own ring of messages, where there is no journal: records of `/dev/kmsg`, or the text of `dmesg`.
//!
//! The ring holds one start of the system, and of that what was not overwritten: it is logged from the first message on
//! that is there. It does not show how an earlier start ended.

use super::log::{Boot, Ending, Log, Logged};
use super::{SourceError, Subject};
use crate::at;
use windfall_time::{Instant, Span};

/// Reads messages: `6,339,5140900,-;TEXT` as `/dev/kmsg` has them, or `[    5.140900] TEXT` as `dmesg` does. Lines that go on with a message (they begin with a space, or have no time) are passed over.
///
/// `now`: how long the system has run. `boot`: when it was started, since 1970.
///
/// # Errors
/// With the line, where a message has another time, as a date of `dmesg -T`.
pub fn kernel_messages(text: &str, now: Span, boot: Instant) -> Result<Log, SourceError> {
    let (mut first, mut last, mut logged) = (None, Span::ZERO, Vec::new());
    for (line, number) in text.lines().zip(1..) {
        let Some((since, message)) = message(line, number)? else { continue };
        first = first.or(Some(since));
        last = last.max(since);
        let Some(subject) = Subject::of(message) else { continue };
        let at = Instant::saturating_from_nanos(
            u128::from(boot.as_nanos()) + u128::from(since.as_nanos()),
        );
        logged.push(Logged { since, at, subject, text: message.trim().to_owned() });
    }
    let Some(first) = first else { return Ok(Log::default()) };
    // The kernel's messages have a clock that is not corrected, so the last may seem to lie ahead.
    let end = now.max(last);
    let boot = Boot::new(String::new(), (first, end), Ending::Running, boot, logged);
    Ok(Log { boots: vec![boot] })
}

/// The time and the text of a line, if it begins a message.
fn message(line: &str, number: usize) -> Result<Option<(Span, &str)>, SourceError> {
    let wrong = |found: &str| SourceError::Time { line: number, found: found.to_owned() };
    let dmesg = match line.strip_prefix('<') {
        Some(rest) => rest.split_once('>').map_or(line, |(_, rest)| rest),
        None => line,
    };
    if let Some((time, text)) = dmesg.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        let since = at::seconds(time.trim()).ok_or_else(|| wrong(time))?;
        return Ok(Some((Span::from_nanos(since.as_nanos()), text)));
    }
    let Some((head, text)) = line.split_once(';') else { return Ok(None) };
    let mut fields = head.split(',');
    let is_number = |text: Option<&str>| text.is_some_and(|text| text.parse::<u64>().is_ok());
    if !is_number(fields.next()) || !is_number(fields.next()) {
        return Ok(None);
    }
    let time = fields.next().unwrap_or_default();
    let nanos = time.parse::<u64>().ok().and_then(|us| us.checked_mul(1_000));
    nanos.map(|ns| Some((Span::from_nanos(ns), text))).ok_or_else(|| wrong(time))
}
