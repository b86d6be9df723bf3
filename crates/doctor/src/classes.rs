//! Whether threads can be given classes, priorities and processors, tried on threads of our own.

use super::causes::{Call, Sign, cause};
use super::control_groups::group_time;
use super::rights::CAP_SYS_NICE;
use super::{Check, Facts, State};
use std::io;
use std::sync::{Arc, mpsc};
use windfall_observe::fifo_priorities;
use windfall_os::futex::Gate;
use windfall_os::probe;
use windfall_os::sched::{Affinity, Attributes, own_tid, set_fifo};

const PURPOSE: &str = "reservations on real threads";

pub(super) fn checks(facts: &Facts) -> Vec<Check> {
    let others = match (another(), facts.can(CAP_SYS_NICE)) {
        (Err(e), _) => refused("SCHED_FIFO for another thread", &e, &signs(facts)),
        (Ok(()), true) => {
            let found = "raised and lowered; other users' threads too".to_owned();
            Check::new(PURPOSE, "SCHED_FIFO for another thread", State::Yes, found)
        }
        (Ok(()), false) => {
            let found = "raised and lowered; not those of other users".to_owned();
            Check::new(PURPOSE, "SCHED_FIFO for another thread", State::Limited, found)
                .remedy("CAP_SYS_NICE, for programs of other users")
        }
    };
    vec![oneself(facts).needed(), others.needed(), processors(facts).needed()]
}

/// Runs something on a thread that ends at once, and with it what it has changed of itself.
fn alone<T: Send + 'static>(act: impl FnOnce() -> io::Result<T> + Send + 'static) -> io::Result<T> {
    let thread = std::thread::Builder::new().stack_size(64 * 1024).spawn(act)?;
    thread.join().map_err(|_| io::Error::other("the attempt ended early"))?
}

fn refused(subject: &'static str, error: &io::Error, signs: &[Sign]) -> Check {
    let row = cause(Call::Class, error.raw_os_error().unwrap_or(0), signs);
    let (found, remedy) = match row {
        Some(row) => (format!("{error}: {}", row.why), row.remedy),
        None => (error.to_string(), "unknown cause; report it with the kernel's version"),
    };
    Check::new(PURPOSE, subject, State::No, found).remedy(remedy)
}

/// Signs on this process that point to a cause.
fn signs(facts: &Facts) -> Vec<Sign> {
    let mut signs = Vec::new();
    if !facts.can(CAP_SYS_NICE) && probe::priority_limit() < fifo_priorities::GUARDIAN.into() {
        signs.push(Sign::NoRight);
    }
    if group_time() == Some(0) {
        signs.push(Sign::NoGroupTime);
    }
    signs
}

fn oneself(facts: &Facts) -> Check {
    match alone(|| Attributes::fifo(fifo_priorities::GUARDIAN).give(0)) {
        Ok(()) => {
            let found =
                format!("priorities {} to {}", fifo_priorities::FROZEN, fifo_priorities::GUARDIAN);
            Check::new(PURPOSE, "SCHED_FIFO for own threads", State::Yes, found)
        }
        Err(e) => refused("SCHED_FIFO for own threads", &e, &signs(facts)),
    }
}

/// Raises and lowers a thread that waits at a gate.
fn another() -> io::Result<()> {
    let gate = Arc::new(Gate::default());
    let (sender, receiver) = mpsc::channel();
    let its = gate.clone();
    let thread = std::thread::Builder::new().stack_size(64 * 1024).spawn(move || {
        let _ = sender.send(own_tid());
        its.pass();
    })?;
    let tid = receiver.recv().map_err(io::Error::other)?;
    let raised =
        set_fifo(tid, fifo_priorities::GRANTED).and_then(|()| set_fifo(tid, fifo_priorities::HELD));
    gate.open_and_wake();
    let _ = thread.join();
    raised
}

/// Goes to each processor that may be used.
fn processors(facts: &Facts) -> Check {
    let allowed = facts.allowed.clone();
    let (allowed_count, online) = (allowed.len(), facts.online.len());
    let visited = alone(move || allowed.iter().try_for_each(|cpu| Affinity::one(*cpu).give(0)));
    let isolated = super::word("/sys/devices/system/cpu/isolated");
    let isolated = isolated.map_or("none isolated".to_owned(), |cpus| format!("{cpus} isolated"));
    let (state, found) = match visited {
        Err(e) => (State::No, e.to_string()),
        Ok(()) if allowed_count < online => {
            (State::Limited, format!("{allowed_count} of {online} may be used, {isolated}"))
        }
        Ok(()) => (State::Yes, format!("{online}, all of them, {isolated}")),
    };
    Check::new(PURPOSE, "processors", state, found)
        .remedy("widen the cpuset, or the affinity of the shell (`taskset -cp`)")
}

/// SCHED_DEADLINE: Windfall does without; it is a way to have single threads served by the kernel alone.
pub(super) fn deadline(facts: &Facts) -> Vec<Check> {
    const PURPOSE: &str = "deadline class of the kernel";
    const SUBJECT: &str = "SCHED_DEADLINE";
    const MS: u64 = 1_000_000;
    let spec = || Attributes::from_words([6, 0, 0, 0, 2 * MS, 10 * MS, 10 * MS, 0]);
    let free = alone(move || spec().give(0));
    let first = facts.allowed.first().copied().unwrap_or(0);
    let pinned = alone(move || {
        Affinity::one(first).give(0)?;
        spec().give(0)
    });
    let mut known = signs(facts);
    if facts.allowed.len() < facts.online.len() {
        known.push(Sign::Pinned);
    }
    known.push(Sign::Full);
    let check = match (free, pinned) {
        (Err(e), _) => Check { purpose: PURPOSE, ..refused(SUBJECT, &e, &known) },
        (Ok(()), Ok(())) => {
            Check::new(PURPOSE, SUBJECT, State::Yes, "2ms/10ms admitted, pinned too".to_owned())
        }
        (Ok(()), Err(e)) => {
            let why = cause(Call::Class, e.raw_os_error().unwrap_or(0), &[Sign::Pinned]);
            let why = why.map_or_else(|| e.to_string(), |row| row.why.to_owned());
            let found = format!("2ms/10ms admitted; refused when pinned: {why}");
            Check::new(PURPOSE, SUBJECT, State::Limited, found)
                .remedy("a cpuset partition for each processor; Windfall itself does not need it")
        }
    };
    vec![check]
}
