//! A record as bytes: tag, time since the last record, then what cannot be predicted.

use super::bytes::{put, put_text};
use super::memo::{Memo, tag};
use super::task;
use crate::{Cpu, Event, Figure, Note, OverheadKind, Stop, ThreadId};

/// Appends `event`, `now` nanoseconds after the origin, to a block. `now` is not before `memo.now`.
// Length: a table: how each event is written.
#[inline]
pub(super) fn encode(out: &mut Vec<u8>, memo: &Memo, now: u64, event: &Event) {
    let delta = now.saturating_sub(memo.now);
    let mut head = |tag: u8| {
        out.push(tag);
        put(out, delta);
    };
    match event {
        Event::Switch { cpu, prev, next } => switch(out, memo, delta, *cpu, *prev, *next),
        Event::Wake { thread, by } => {
            let by_bits = match by {
                None => tag::BY_NOBODY,
                Some(_) if memo.running(memo.cpu) == Some(*by) => tag::BY_RUNNING,
                Some(_) => tag::BY_NAMED,
            };
            head(tag::WAKE | by_bits);
            put(out, u64::from(thread.0));
            if let (tag::BY_NAMED, Some(by)) = (by_bits, by) {
                put(out, u64::from(by.0));
            }
        }
        Event::Thread { thread, tid, pid, name, node } => {
            head(tag::THREAD);
            put(out, u64::from(thread.0));
            put(out, u64::from(*tid));
            put(out, u64::from(*pid));
            option(out, node.map(|node| node.0.into()));
            put_text(out, name);
        }
        Event::Node { node, parent, name, kind } => {
            head(tag::NODE);
            put(out, u64::from(node.0));
            option(out, parent.map(|parent| parent.0.into()));
            put_text(out, name);
            put_text(out, kind);
        }
        Event::Promise { thread, guarantee } => {
            head(tag::PROMISE);
            put(out, u64::from(thread.0));
            option(out, guarantee.as_ref().map(|_| 0));
            if let Some(guarantee) = guarantee {
                put_text(out, guarantee);
            }
        }
        Event::Exit { thread } => {
            head(tag::EXIT);
            put(out, u64::from(thread.0));
        }
        Event::OverheadBegin { cpu, kind, number } => {
            let known = match kind {
                OverheadKind::Interrupt => 0,
                OverheadKind::Softirq => 1,
                OverheadKind::Steal => 2,
                OverheadKind::Scheduling => 3,
                OverheadKind::Switching => 4,
                OverheadKind::StationWait => {
                    return station(out, (tag::STATION_WAIT, delta), *cpu, *number);
                }
                OverheadKind::StationService => {
                    return station(out, (tag::STATION_SERVICE, delta), *cpu, *number);
                }
            };
            head(tag::OVERHEAD_BEGIN);
            put(out, u64::from(cpu.0));
            out.push(known);
            put(out, u64::from(*number));
        }
        Event::OverheadEnd { cpu } => {
            head(tag::OVERHEAD_END);
            put(out, u64::from(cpu.0));
        }
        Event::Release { thread, deadline } => {
            head(tag::RELEASE);
            put(out, u64::from(thread.0));
            // A deadline is near its release; the distance wraps, so that any pair survives.
            out.push(u8::from(deadline.is_some()));
            if let Some(deadline) = deadline {
                put(out, deadline.as_nanos().wrapping_sub(now));
            }
        }
        Event::Complete { thread, response, missed } => {
            head(if *missed { tag::MISSED } else { tag::COMPLETE });
            put(out, u64::from(thread.0));
            put(out, response.as_nanos());
        }
        Event::Abort { thread } => {
            head(tag::ABORT);
            put(out, u64::from(thread.0));
        }
        Event::Note { node, thread, what } => {
            head(tag::NOTE);
            put(out, u64::from(node.0));
            option(out, thread.map(|thread| thread.0.into()));
            note(out, *what);
        }
        Event::Control { text } => {
            head(tag::CONTROL);
            put_text(out, text);
        }
        Event::Quarantine { node, reason } => {
            head(tag::QUARANTINE);
            put(out, u64::from(node.0));
            put_text(out, reason);
        }
        Event::Lost { cpu, count } => {
            head(tag::LOST);
            option(out, cpu.map(|cpu| cpu.0.into()));
            out.push(u8::from(count.is_some()));
            put(out, count.unwrap_or(0));
        }
        Event::Mark { thread, text } => {
            head(tag::MARK);
            option(out, thread.map(|thread| thread.0.into()));
            put_text(out, text);
        }
        Event::ActivityBegins { thread, text } => {
            head(tag::ACTIVITY_BEGINS);
            later(out, |out| {
                put(out, u64::from(thread.0));
                put_text(out, text);
            });
        }
        Event::ActivityEnds { thread } => {
            head(tag::ACTIVITY_ENDS);
            later(out, |out| put(out, u64::from(thread.0)));
        }
        Event::Figure { thread, name, value } => {
            let (tag, value) = match value {
                Figure::Count(count) => (tag::COUNT, *count),
                Figure::Time(span) => (tag::TIME, span.as_nanos()),
            };
            head(tag);
            later(out, |out| {
                put(out, u64::from(thread.0));
                put(out, value);
                put_text(out, name);
            });
        }
        Event::Task { thread, task, deadline, what } => {
            head(tag::TASK);
            later(out, |out| task::encode(out, (*thread, *task), *deadline, *what));
        }
    }
}

/// Writes content that a reader which does not know the kind skips: its length, then the content.
fn later(out: &mut Vec<u8>, write: impl FnOnce(&mut Vec<u8>)) {
    let mut content = Vec::new();
    write(&mut content);
    put(out, content.len() as u64);
    out.append(&mut content);
}

#[inline]
fn switch(
    out: &mut Vec<u8>,
    memo: &Memo,
    delta: u64,
    cpu: Cpu,
    prev: Option<(ThreadId, Stop)>,
    next: Option<ThreadId>,
) {
    let leaves = prev.map(|(thread, _)| thread);
    let foreseen = memo.running(cpu) == Some(leaves);
    let same = cpu == memo.cpu;
    let next_bits = match next {
        None => tag::NEXT_IDLE,
        Some(_) if next == memo.woken => tag::NEXT_WOKEN,
        Some(_) => tag::NEXT_NAMED,
    };
    let mut first = tag::SWITCH | next_bits;
    first |= prev.map_or(tag::NOBODY, |(_, why)| stop(why));
    first |= if foreseen { tag::FORESEEN } else { 0 };
    first |= if same { tag::SAME_CPU } else { 0 };
    out.push(first);
    put(out, delta);
    if !same {
        put(out, u64::from(cpu.0));
    }
    if let (false, Some(thread)) = (foreseen, leaves) {
        put(out, u64::from(thread.0));
    }
    if let (tag::NEXT_NAMED, Some(thread)) = (next_bits, next) {
        put(out, u64::from(thread.0));
    }
}

/// Nothing as 0, a number as its successor; the numbers are of 32 bits at most.
fn option(out: &mut Vec<u8>, value: Option<u64>) {
    put(out, value.map_or(0, |value| value.saturating_add(1)));
}

fn stop(why: Stop) -> u8 {
    match why {
        Stop::Preempted => 0,
        Stop::Blocked => 1,
        Stop::Uninterruptible => 2,
        Stop::Stopped => 3,
        Stop::Exited => 4,
    }
}

/// The beginning of an overhead of a kind that was added later.
fn station(out: &mut Vec<u8>, (tag, delta): (u8, u64), cpu: Cpu, number: u16) {
    out.push(tag);
    put(out, delta);
    later(out, |out| {
        put(out, u64::from(cpu.0));
        put(out, u64::from(number));
    });
}

/// A note. Numbers 0 to 13 alone have no length; one from [`tag::LATER_NOTE`] on is written by [`later`].
fn note(out: &mut Vec<u8>, what: Note) {
    let (number, span) = match what {
        Note::Budget(span) => (0, Some(span)),
        Note::Exhausted => (1, None),
        Note::Replenished(span) => (2, Some(span)),
        Note::Boosted => (3, None),
        Note::Rescued => (4, None),
        Note::Late => (5, None),
        Note::Expired => (6, None),
        Note::Received(span) => (7, Some(span)),
        Note::Reserved(span) => (8, Some(span)),
        Note::Admitted(span) => (9, Some(span)),
        Note::Refused(span) => (10, Some(span)),
        Note::Absorbed(span) => (11, Some(span)),
        Note::Lost(span) => (12, Some(span)),
        Note::Moved(span) => (13, Some(span)),
    };
    out.push(number);
    if let Some(span) = span {
        put(out, span.as_nanos());
    }
}
