//! Bytes as a record; the mirror of `encode.rs`, in its order. `None` for what no writer writes.

use super::bytes::Bytes;
use super::memo::{Memo, tag};
use super::task;
use crate::{Cpu, Event, Figure, NodeId, Note, OverheadKind, Record, Stop, ThreadId};
use windfall_time::{Instant, Span};

/// An item read from a block.
pub(super) enum Decoded {
    /// A record.
    Record(Record),
    /// One of a kind that only later versions know, and when.
    Later(u64),
}

/// Takes one record off a block.
#[inline]
pub(super) fn decode(bytes: &mut Bytes<'_>, memo: &Memo) -> Option<Decoded> {
    let first = bytes.byte()?;
    let now = memo.now.checked_add(bytes.number()?)?;
    if (tag::LATER..tag::WAKE).contains(&first) {
        let Some(event) = later(&mut Bytes(content(bytes)?), first)? else {
            return Some(Decoded::Later(now));
        };
        return Some(Decoded::Record(Record { at: Instant::from_nanos(now), event }));
    }
    let event = if first & tag::SWITCH != 0 {
        switch(bytes, memo, first)?
    } else if first & tag::WAKE != 0 {
        let by_bits = first & tag::BY_BITS;
        if first & !(tag::WAKE | tag::BY_BITS) != 0 {
            return None;
        }
        let thread = ThreadId(bytes.small()?);
        let by = match by_bits {
            tag::BY_NOBODY => None,
            tag::BY_RUNNING => Some(memo.running(memo.cpu)??),
            tag::BY_NAMED => Some(ThreadId(bytes.small()?)),
            _ => return None,
        };
        Event::Wake { thread, by }
    } else if first == tag::NOTE {
        let (node, thread) = (NodeId(bytes.small()?), option(bytes)?.map(ThreadId));
        let Some(what) = note(bytes)? else {
            return Some(Decoded::Later(now));
        };
        Event::Note { node, thread, what }
    } else {
        rare(bytes, first, now)?
    };
    Some(Decoded::Record(Record { at: Instant::from_nanos(now), event }))
}

#[inline]
fn switch(bytes: &mut Bytes<'_>, memo: &Memo, first: u8) -> Option<Event> {
    let cpu = if first & tag::SAME_CPU != 0 { memo.cpu } else { Cpu(bytes.small()?) };
    let why = match first & tag::STOP_BITS {
        tag::NOBODY => None,
        number => Some(stop(number)?),
    };
    let prev = if first & tag::FORESEEN != 0 {
        match (why, memo.running(cpu)?) {
            (Some(why), Some(thread)) => Some((thread, why)),
            (None, None) => None,
            _ => return None,
        }
    } else {
        match why {
            Some(why) => Some((ThreadId(bytes.small()?), why)),
            None => None,
        }
    };
    let next = match first & tag::NEXT_BITS {
        tag::NEXT_IDLE => None,
        tag::NEXT_WOKEN => Some(memo.woken?),
        tag::NEXT_NAMED => Some(ThreadId(bytes.small()?)),
        _ => return None,
    };
    Some(Event::Switch { cpu, prev, next })
}

/// Content behind its length, which a reader skips if it does not know it.
fn content<'a>(bytes: &mut Bytes<'a>) -> Option<&'a [u8]> {
    let length: usize = bytes.small()?;
    let (content, rest) = bytes.0.split_at_checked(length)?;
    bytes.0 = rest;
    Some(content)
}

/// A record of a kind that was added later; inside, `None` for one that this version does not know.
#[expect(clippy::option_option, reason = "damaged, unknown and known are three answers")]
fn later(bytes: &mut Bytes<'_>, first: u8) -> Option<Option<Event>> {
    let event = match first {
        tag::ACTIVITY_BEGINS => {
            Event::ActivityBegins { thread: ThreadId(bytes.small()?), text: bytes.text()? }
        }
        tag::ACTIVITY_ENDS => Event::ActivityEnds { thread: ThreadId(bytes.small()?) },
        tag::COUNT | tag::TIME => {
            let (thread, value) = (ThreadId(bytes.small()?), bytes.number()?);
            let is_count = first == tag::COUNT;
            let time = Figure::Time(Span::from_nanos(value));
            let value = if is_count { Figure::Count(value) } else { time };
            Event::Figure { thread, name: bytes.text()?, value }
        }
        tag::STATION_WAIT | tag::STATION_SERVICE => {
            let waits = first == tag::STATION_WAIT;
            let kind = if waits { OverheadKind::StationWait } else { OverheadKind::StationService };
            Event::OverheadBegin { cpu: Cpu(bytes.small()?), kind, number: bytes.small()? }
        }
        tag::TASK => match task::decode(bytes)? {
            Some(event) => event,
            None => return Some(None),
        },
        _ => return Some(None),
    };
    bytes.0.is_empty().then_some(Some(event))
}

fn rare(bytes: &mut Bytes<'_>, first: u8, now: u64) -> Option<Event> {
    if first == tag::CONTROL {
        return Some(Event::Control { text: bytes.text()? });
    }
    if first == tag::LOST {
        let cpu = option(bytes)?.map(Cpu);
        let known = flag(bytes)?;
        let count = bytes.number()?;
        return Some(Event::Lost { cpu, count: known.then_some(count) });
    }
    if first == tag::MARK {
        return Some(Event::Mark { thread: option(bytes)?.map(ThreadId), text: bytes.text()? });
    }
    let id: u32 = bytes.small()?;
    let (thread, node) = (ThreadId(id), NodeId(id));
    Some(match first {
        tag::THREAD => {
            let (tid, pid) = (bytes.small()?, bytes.small()?);
            let node = option(bytes)?.map(NodeId);
            Event::Thread { thread, tid, pid, name: bytes.text()?, node }
        }
        tag::NODE => {
            let parent = option(bytes)?.map(NodeId);
            Event::Node { node, parent, name: bytes.text()?, kind: bytes.text()? }
        }
        tag::PROMISE => {
            let guarantee = if flag(bytes)? { Some(bytes.text()?) } else { None };
            Event::Promise { thread, guarantee }
        }
        tag::EXIT => Event::Exit { thread },
        tag::OVERHEAD_BEGIN => {
            let (cpu, kind) = (Cpu(u16::try_from(id).ok()?), overhead(bytes.byte()?)?);
            Event::OverheadBegin { cpu, kind, number: bytes.small()? }
        }
        tag::OVERHEAD_END => Event::OverheadEnd { cpu: Cpu(u16::try_from(id).ok()?) },
        tag::RELEASE => {
            let deadline = if flag(bytes)? {
                Some(Instant::from_nanos(now.wrapping_add(bytes.number()?)))
            } else {
                None
            };
            Event::Release { thread, deadline }
        }
        tag::COMPLETE | tag::MISSED => {
            let response = Span::from_nanos(bytes.number()?);
            Event::Complete { thread, response, missed: first == tag::MISSED }
        }
        tag::ABORT => Event::Abort { thread },
        tag::QUARANTINE => Event::Quarantine { node, reason: bytes.text()? },
        _ => return None,
    })
}

fn option<T: TryFrom<u64>>(bytes: &mut Bytes<'_>) -> Option<Option<T>> {
    match bytes.number()? {
        0 => Some(None),
        number => T::try_from(number - 1).ok().map(Some),
    }
}

fn flag(bytes: &mut Bytes<'_>) -> Option<bool> {
    match bytes.byte()? {
        0 => Some(false),
        1 => Some(true),
        _ => None,
    }
}

fn stop(number: u8) -> Option<Stop> {
    let all = [Stop::Preempted, Stop::Blocked, Stop::Uninterruptible, Stop::Stopped, Stop::Exited];
    all.get(usize::from(number)).copied()
}

fn overhead(number: u8) -> Option<OverheadKind> {
    let all = [
        OverheadKind::Interrupt,
        OverheadKind::Softirq,
        OverheadKind::Steal,
        OverheadKind::Scheduling,
        OverheadKind::Switching,
    ];
    all.get(usize::from(number)).copied()
}

/// A note; inside, `None` for one that this version does not know.
#[expect(clippy::option_option, reason = "damaged, unknown and known are three answers")]
fn note(bytes: &mut Bytes<'_>) -> Option<Option<Note>> {
    Some(Some(match bytes.byte()? {
        0 => Note::Budget(Span::from_nanos(bytes.number()?)),
        1 => Note::Exhausted,
        2 => Note::Replenished(Span::from_nanos(bytes.number()?)),
        3 => Note::Boosted,
        4 => Note::Rescued,
        5 => Note::Late,
        6 => Note::Expired,
        7 => Note::Received(Span::from_nanos(bytes.number()?)),
        8 => Note::Reserved(Span::from_nanos(bytes.number()?)),
        9 => Note::Admitted(Span::from_nanos(bytes.number()?)),
        10 => Note::Refused(Span::from_nanos(bytes.number()?)),
        11 => Note::Absorbed(Span::from_nanos(bytes.number()?)),
        12 => Note::Lost(Span::from_nanos(bytes.number()?)),
        13 => Note::Moved(Span::from_nanos(bytes.number()?)),
        tag::LATER_NOTE.. => {
            content(bytes)?;
            return Some(None);
        }
    }))
}
