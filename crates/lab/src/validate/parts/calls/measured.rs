//! The times of calls: in batches back to back, or one by one with a sleep before each, on some processors at once.

use super::kinds::{Call, NOTHING, Objects};
use crate::experiment::LabError;
use crate::validate::machine::{Core, Machine};
use std::io;
use windfall_clocks::Samples;
use windfall_time::Span;

/// A batch is to last so long, and its processor is left alone for half as long then.
const BATCH: Span = Span::from_nanos(400_000);
const MOST: u64 = 2_000;
/// From one call to the next, where they are one by one.
pub(super) const EVERY: Span = Span::from_nanos(100_000);

/// The owner of the objects that calls are about.
#[derive(Clone, Copy)]
pub(super) enum Owner<'a> {
    /// Each thread's own, made on its processor.
    Own,
    /// These, which all share.
    Shared(&'a Objects),
}

fn refused(why: &io::Error) -> LabError {
    LabError::Machine {
        asked: "make a file in memory and open /dev/zero and /dev/null".to_owned(),
        why: why.to_string(),
    }
}

/// Objects that are made, and used first, on a processor.
///
/// # Errors
/// When the kernel refuses them, or the thread cannot be kept there.
pub(super) fn objects_on(
    machine: &dyn Machine,
    processor: u16,
    calls: &[&Call],
) -> Result<Objects, LabError> {
    let (made, _) = machine.gather(&[processor], |_, _| {
        let objects = Objects::new()?;
        calls.iter().filter(|call| call.has_object).for_each(|call| _ = (call.once)(&objects));
        Ok(objects)
    })?;
    let one = made.into_iter().next().expect("a processor yields one");
    one.map_err(|why| refused(&why))
}

/// A call in picoseconds back to back, the time that a quarter of so many batches did not exceed: the most on any of these processors, on all of which it is called at once.
///
/// # Errors
/// When the kernel refuses the objects, or a thread cannot be kept on its processor.
pub(super) fn back_to_back(
    machine: &dyn Machine,
    on: &[u16],
    owner: Owner<'_>,
    call: &Call,
    batches: u32,
) -> Result<u64, LabError> {
    on_each(machine, on, owner, &|core, objects| batches_typical(core, call, objects, batches))
}

/// The same where it is called after a sleep each time; what measuring adds is taken off.
///
/// # Errors
/// As [`back_to_back`].
pub(super) fn one_by_one(
    machine: &dyn Machine,
    on: u16,
    call: &Call,
    count: u32,
) -> Result<u64, LabError> {
    let body = |core: &mut dyn Core, objects: &Objects| {
        // In turn, so that both see the same load.
        let (mut calls, mut nothing) = (Vec::new(), Vec::new());
        for _ in 0..count {
            calls.push(after_sleep(core, call, objects));
            nothing.push(after_sleep(core, NOTHING, objects));
        }
        let (calls, nothing) = (Samples::of(calls).median(), Samples::of(nothing).median());
        calls.saturating_sub(nothing).as_nanos().saturating_mul(1_000)
    };
    on_each(machine, &[on], Owner::Own, &body)
}

type Timed<'a> = dyn Fn(&mut dyn Core, &Objects) -> u64 + Sync + 'a;

fn on_each(
    machine: &dyn Machine,
    on: &[u16],
    owner: Owner<'_>,
    timed: &Timed<'_>,
) -> Result<u64, LabError> {
    let (took, _) = machine.gather(on, |_, core| match owner {
        Owner::Shared(objects) => Ok(timed(core, objects)),
        Owner::Own => Objects::new().map(|own| timed(core, &own)),
    })?;
    took.into_iter().try_fold(0, |most, took| Ok(took.map_err(|why| refused(&why))?.max(most)))
}

fn batches_typical(core: &mut dyn Core, call: &Call, objects: &Objects, batches: u32) -> u64 {
    let (mut count, mut times) = (1, Vec::new());
    // The first ones are for the length of others.
    for number in 0..batches + 2 {
        let begun = core.now();
        for _ in 0..count {
            std::hint::black_box((call.once)(objects));
        }
        let ended = core.now();
        let took = ended.saturating_since(begun);
        if number > 1 {
            times.push(Span::from_nanos(took.as_nanos().saturating_mul(1_000) / count));
        }
        count = (count * BATCH.as_nanos() / took.as_nanos().max(1)).clamp(1, MOST);
        core.sleep_until(ended + Span::from_nanos(took.as_nanos() / 2));
    }
    // Picoseconds each. What interrupts a batch only makes it longer.
    Samples::of(times).quantile(1, 4).as_nanos()
}

fn after_sleep(core: &mut dyn Core, call: &Call, objects: &Objects) -> Span {
    let next = core.now() + EVERY;
    core.sleep_until(next);
    let begun = core.now();
    std::hint::black_box((call.once)(objects));
    core.now().saturating_since(begun)
}
