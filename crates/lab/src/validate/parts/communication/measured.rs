//! The time of a message between two threads on given processors.
//!
//! Messages go in batches, before each of which both threads rest, so that neither keeps its processor from others. A batch begins with a message there and back that is not counted: it wakes the other thread.

use super::mechanism::{End, Mechanism};
use crate::experiment::LabError;
use crate::validate::machine::{Core, Machine};
use std::io;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use windfall_clocks::Samples;
use windfall_os::futex::Gate;
use windfall_time::Span;

/// A batch is to last so long.
const BATCH: Span = Span::from_nanos(1_500_000);
/// A processor is left alone for this long at least then, and for half as long as the batch took.
const PAUSE: Span = Span::from_nanos(400_000);
/// Messages of a batch: the second of these at least where they are streams, so that the last one's way counts for little.
const LEAST: [u64; 2] = [1, 4];
const MOST: u64 = 20_000;

/// How messages follow each other.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Pattern {
    /// Each is answered by one as long; it takes half of the time for both.
    Answered,
    /// One after the other.
    Stream,
}

/// Signals between the two threads, beside the messages.
#[derive(Default)]
struct Control {
    /// The messages of the next batch; 0: there is none.
    messages: AtomicU64,
    begins: Gate,
    arrived: Gate,
    has_failed: AtomicBool,
}

/// Where a message goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Way {
    pub(super) mechanism: Mechanism,
    pub(super) from: u16,
    pub(super) to: u16,
    pub(super) bytes: usize,
}

/// The time of a message, in so many batches.
///
/// # Errors
/// When a thread cannot be kept on its processor, or the kernel refuses a descriptor or a message.
pub(super) fn messages(
    machine: &dyn Machine,
    way: Way,
    pattern: Pattern,
    batches: u32,
) -> Result<Samples, LabError> {
    let failed = |why: io::Error| LabError::Machine {
        asked: format!("send {} bytes by {}", way.bytes, way.mechanism.named()),
        why: why.to_string(),
    };
    let ends = way.mechanism.ends(way.bytes).map_err(failed)?;
    let ends = ends.map(|end| Mutex::new(Some(end)));
    let (control, role) = (Control::default(), AtomicUsize::new(0));
    let result = Mutex::new(Ok(Samples::default()));
    let body = |processor: u16, core: &mut dyn Core| {
        let is_sender = if way.from == way.to {
            role.fetch_add(1, Ordering::Relaxed) == 0
        } else {
            processor == way.from
        };
        let place = &ends[usize::from(!is_sender)];
        let Some(mut end) = place.lock().unwrap_or_else(PoisonError::into_inner).take() else {
            return;
        };
        let done = if is_sender {
            let done = sends(core, &mut *end, &control, pattern, batches);
            control.messages.store(0, Ordering::Release);
            control.begins.open_and_wake();
            done.map(Some)
        } else {
            let done = answers(&mut *end, &control, pattern);
            if done.is_err() {
                control.has_failed.store(true, Ordering::Release);
                control.arrived.open_and_wake();
            }
            done.map(|()| None)
        };
        let mut result = result.lock().unwrap_or_else(PoisonError::into_inner);
        match done {
            Ok(Some(samples)) if result.is_ok() => *result = Ok(samples),
            Ok(_) => {}
            Err(why) => *result = Err(why),
        }
    };
    machine.on_each(&[way.from, way.to], &body)?;
    result.into_inner().unwrap_or_else(PoisonError::into_inner).map_err(failed)
}

/// Nothing else sends on these ends.
fn in_order(is: u64, expected: u64) -> io::Result<()> {
    if is == expected {
        return Ok(());
    }
    Err(io::Error::other(format!("message {expected} came as {is}")))
}

fn sends(
    core: &mut dyn Core,
    end: &mut dyn End,
    control: &Control,
    pattern: Pattern,
    batches: u32,
) -> io::Result<Samples> {
    let least = LEAST[usize::from(pattern == Pattern::Stream)];
    let (mut count, mut times) = (least, Vec::new());
    // The first one is for the length of others.
    for number in 0..=batches {
        control.messages.store(count, Ordering::Release);
        control.begins.open_and_wake();
        end.send(0)?;
        end.receive()?;
        let begun = core.now();
        for message in 0..count {
            end.send(message)?;
            if pattern == Pattern::Answered {
                in_order(end.receive()?, message)?;
            }
        }
        if pattern == Pattern::Stream {
            control.arrived.pass();
            if control.has_failed.load(Ordering::Acquire) {
                return Err(io::Error::other("the receiver failed"));
            }
        }
        let ended = core.now();
        let took = ended.saturating_since(begun);
        let ways = if pattern == Pattern::Answered { 2 * count } else { count };
        if number > 0 {
            times.push(Span::from_nanos(took.as_nanos() / ways));
        }
        count = next(count, took).max(least);
        core.sleep_until(ended + Span::from_nanos(took.as_nanos() / 2).max(PAUSE));
    }
    Ok(Samples::of(times))
}

/// How many messages a batch is to have after one of so many took so long.
fn next(count: u64, took: Span) -> u64 {
    (count.saturating_mul(BATCH.as_nanos()) / took.as_nanos().max(1)).min(MOST)
}

fn answers(end: &mut dyn End, control: &Control, pattern: Pattern) -> io::Result<()> {
    loop {
        control.begins.pass();
        let count = control.messages.load(Ordering::Acquire);
        if count == 0 {
            return Ok(());
        }
        end.receive()?;
        end.send(0)?;
        for message in 0..count {
            in_order(end.receive()?, message)?;
            if pattern == Pattern::Answered {
                end.send(message)?;
            }
        }
        if pattern == Pattern::Stream {
            control.arrived.open_and_wake();
        }
    }
}

/// The time of a copy of so many bytes in memory, on each of these processors at once, in their order.
///
/// # Errors
/// When a thread cannot be kept on its processor.
pub(super) fn copies(
    machine: &dyn Machine,
    on: &[u16],
    bytes: usize,
    batches: u32,
) -> Result<Vec<Samples>, LabError> {
    let body = |_: u16, core: &mut dyn Core| {
        let (from, mut to) = (vec![1_u8; bytes], vec![0_u8; bytes]);
        let (mut count, mut times) = (1, Vec::new());
        for number in 0..=batches {
            let begun = core.now();
            for _ in 0..count {
                to.copy_from_slice(std::hint::black_box(&from));
                std::hint::black_box(&mut to);
            }
            let ended = core.now();
            let took = ended.saturating_since(begun);
            if number > 0 {
                times.push(Span::from_nanos(took.as_nanos() / count));
            }
            count = next(count, took).max(1);
            core.sleep_until(ended + Span::from_nanos(took.as_nanos() / 2).max(PAUSE));
        }
        Samples::of(times)
    };
    Ok(machine.gather(on, body)?.0)
}

/// The time of a message or copy that a quarter of the batches did not exceed. Interruptions only make a batch longer.
pub(super) fn typical(batches: &Samples) -> Span {
    batches.quantile(1, 4)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn law_a_batch_lasts_as_long_as_it_is_to() {
        assert_eq!(next(10, BATCH), 10);
        assert_eq!(next(10, Span::from_nanos(150_000)), 100);
        assert_eq!(next(10, Span::from_secs(1)), 0);
        assert_eq!(next(MOST, Span::ZERO), MOST);
    }

    #[test]
    fn law_messages_out_of_order_are_found() {
        assert!(in_order(3, 3).is_ok());
        assert!(in_order(4, 3).unwrap_err().to_string().contains("message 3 came as 4"));
    }
}
