//! Measured costs of this machine's switches, timers, interrupts, decisions and caches: a cost model for the
//! simulator.
//!
//! Everything runs at one real-time priority above all that a supervisor uses, pinned to one processor, in
//! stretches of at most 30 ms with pauses between, so that neither the throttle of real-time
//! threads nor a guardian's patience is touched. A sample that holds a gap above 200 us, which is more than any
//! interrupt takes, lost its processor meanwhile: it is counted and discarded.
//! Each measurement is repeated, and how far the repetitions' medians lie apart is part of the result.

mod bench;
mod cache;
mod date;
mod decision;
mod gaps;
mod others;
mod switch;
mod text;
mod wake;

pub use bench::{Cost, Interruption};
pub use date::today;

use crate::Facts;
use bench::{Bench, GAP, PAUSE, PRIORITY, STRETCH, clock_cost};
use windfall_os::LinuxError;
use windfall_os::probe::timer_resolution;
use windfall_time::Span;

/// How to measure.
#[derive(Clone, Copy, Debug, Default)]
pub struct Measuring {
    /// The processor; the last one that this process may use when absent.
    pub cpu: Option<u16>,
    /// Three short repetitions instead of nine.
    pub quick: bool,
}

/// The costs of a machine.
#[derive(Clone, PartialEq, Eq, Debug)]
// Fields: one for each thing that is measured.
#[non_exhaustive]
pub struct Costs {
    /// The machine in a line.
    pub machine: String,
    /// The processor that was measured.
    pub cpu: u16,
    /// Whether timers are kept finer than ticks; else how far ticks are apart.
    pub timer: Result<(), Span>,
    /// From one real-time thread to another on a processor.
    pub switch: Cost,
    /// The cost of sending a thread to another processor, if there is another.
    pub migration: Option<Cost>,
    /// One event reported to a hierarchy of two levels, with its notifications.
    pub event: Cost,
    /// Of that, without the notifications.
    pub decision: Span,
    /// Each notification.
    pub notification: Span,
    /// The cache that other threads empty, in KiB, and what filling costs for each KiB.
    pub cache: (u64, Cost),
    /// Everything else that is worth knowing, and has no place in the simulator's model.
    pub further: Vec<Cost>,
    /// Interruptions, which steal time.
    pub interruptions: Vec<Interruption>,
}

/// Measures.
///
/// # Errors
/// When the processor may not be used, or threads may not become real-time.
pub fn measure(how: Measuring) -> Result<Costs, LinuxError> {
    let facts = Facts::gather()?;
    let last = facts.allowed.last().copied().unwrap_or(0);
    let cpu = how.cpu.unwrap_or(last);
    if !facts.allowed.contains(&cpu) {
        let why = format!("this process may use {:?}", facts.allowed);
        return Err(LinuxError::unavailable(
            format!("cannot use processor {cpu}"),
            why,
            "choose among these",
        ));
    }
    let bench = Bench { cpu, repetitions: if how.quick { 3 } else { 9 } };
    // On a thread of its own, whose class and affinity end with it.
    let thread = std::thread::spawn(move || all(bench, &facts));
    thread.join().unwrap_or_else(|_| {
        Err(LinuxError::new("cannot measure", "a measuring thread ended early", "report it"))
    })
}

/// Measures everything, on the calling thread.
fn all(bench: Bench, facts: &Facts) -> Result<Costs, LinuxError> {
    bench.enter(PRIORITY)?;
    let resolution = timer_resolution();
    let (event, decision, notification) = decision::cost(bench)?;
    let elsewhere = facts.allowed.iter().copied().find(|other| *other != bench.cpu);
    let (size, refill, in_order) = cache::cost(bench);
    let further =
        vec![in_order, wake::lateness(bench), wake::interrupt(bench)?, others::raise(bench)?];
    let migration = elsewhere.map(|elsewhere| others::migrate(bench, elsewhere)).transpose()?;
    Ok(Costs {
        machine: facts.line(),
        cpu: bench.cpu,
        timer: if resolution > Span::from_nanos(1_000) { Err(resolution) } else { Ok(()) },
        switch: switch::cost(bench)?,
        migration,
        event,
        decision,
        notification,
        cache: (size, refill),
        further,
        interruptions: gaps::interruptions(bench),
    })
}
