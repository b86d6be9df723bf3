//! Tasks as bytes, within a record of a kind that was added later.

use super::bytes::{Bytes, put};
use crate::{Event, TaskEnd, TaskEvent, TaskRefusal, TaskState, ThreadId};
use windfall_time::{Instant, Span};

const NO_TIME: u8 = 0;
const SLOTS_TAKEN: u8 = 1;
const OTHER: u8 = 2;
const LOST: u8 = 3;
/// From here on: an end, and a state before it.
const ENDED: u8 = 8;

const ENDS: [TaskEnd; 4] = [TaskEnd::Done, TaskEnd::Withdrawn, TaskEnd::UsedUp, TaskEnd::Left];
const STATES: [TaskState; 3] = [TaskState::Admitted, TaskState::UsedUp, TaskState::Lost];

pub(super) fn encode(
    out: &mut Vec<u8>,
    (thread, task): (ThreadId, u32),
    deadline: Instant,
    what: TaskEvent,
) {
    for number in [u64::from(thread.0), task.into(), deadline.as_nanos()] {
        put(out, number);
    }
    match what {
        TaskEvent::Refused { work, why } => {
            let number = match why {
                TaskRefusal::NoTime { .. } => NO_TIME,
                TaskRefusal::SlotsTaken => SLOTS_TAKEN,
                TaskRefusal::Other => OTHER,
            };
            out.push(number);
            put(out, work.as_nanos());
            if let TaskRefusal::NoTime { idle, earliest } = why {
                put(out, idle.as_nanos());
                maybe(out, earliest.map(Instant::as_nanos));
            }
        }
        TaskEvent::Lost { left, stolen } => {
            out.push(LOST);
            maybe(out, left.map(Span::as_nanos));
            put(out, stolen.as_nanos());
        }
        TaskEvent::Ended { how, was, stolen } => {
            out.push(ENDED + how as u8 * 4 + was as u8);
            put(out, stolen.as_nanos());
        }
    }
}

/// `None` for one that is damaged; inside, for one that this version does not know.
#[expect(clippy::option_option, reason = "damaged, unknown and known are three answers")]
pub(super) fn decode(bytes: &mut Bytes<'_>) -> Option<Option<Event>> {
    let (thread, task) = (ThreadId(bytes.small()?), bytes.small()?);
    let deadline = Instant::from_nanos(bytes.number()?);
    let number = bytes.byte()?;
    let what = match number {
        NO_TIME | SLOTS_TAKEN | OTHER => {
            let work = Span::from_nanos(bytes.number()?);
            let why = match number {
                NO_TIME => TaskRefusal::NoTime {
                    idle: Span::from_nanos(bytes.number()?),
                    earliest: read_maybe(bytes)?.map(Instant::from_nanos),
                },
                SLOTS_TAKEN => TaskRefusal::SlotsTaken,
                _ => TaskRefusal::Other,
            };
            TaskEvent::Refused { work, why }
        }
        LOST => {
            let left = read_maybe(bytes)?.map(Span::from_nanos);
            TaskEvent::Lost { left, stolen: Span::from_nanos(bytes.number()?) }
        }
        ENDED.. => {
            let (how, was) = ((number - ENDED) / 4, (number - ENDED) % 4);
            let (Some(how), Some(was)) = (ENDS.get(usize::from(how)), STATES.get(usize::from(was)))
            else {
                return unknown(bytes);
            };
            let stolen = Span::from_nanos(bytes.number()?);
            TaskEvent::Ended { how: *how, was: *was, stolen }
        }
        _ => return unknown(bytes),
    };
    Some(Some(Event::Task { thread, task, deadline, what }))
}

/// One that only a later version knows, with all that it says.
#[expect(clippy::option_option, clippy::unnecessary_wraps, reason = "as above")]
fn unknown(bytes: &mut Bytes<'_>) -> Option<Option<Event>> {
    bytes.0 = &[];
    Some(None)
}

fn maybe(out: &mut Vec<u8>, value: Option<u64>) {
    out.push(u8::from(value.is_some()));
    if let Some(value) = value {
        put(out, value);
    }
}

#[expect(clippy::option_option, reason = "damaged, absent and present are three answers")]
fn read_maybe(bytes: &mut Bytes<'_>) -> Option<Option<u64>> {
    match bytes.byte()? {
        0 => Some(None),
        1 => Some(Some(bytes.number()?)),
        _ => None,
    }
}
