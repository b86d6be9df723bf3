//! How late a sleeping thread wakes, and what the interrupt of a timer takes from one that runs.

use super::{Bench, Cost, clock_cost};
use windfall_clocks::poll;
use windfall_os::LinuxError;
use windfall_os::clock;
use windfall_os::events::Timer;
use windfall_os::probe::sleep_until;
use windfall_time::{Instant, Span};

/// How long a thread sleeps.
const SLEEP: Span = Span::from_nanos(300_000);
/// When the timer expires, and until when its interrupt is waited for.
const DUE: Span = Span::from_nanos(50_000);
const LOOK: Span = Span::from_nanos(120_000);

pub(super) fn lateness(bench: Bench) -> Cost {
    bench.repeat("wake-up after its time", 200, 1, || {
        let due = clock::now() + SLEEP;
        sleep_until(due);
        clock::now().saturating_since(due)
    })
}

/// The largest gap between two looks at the clock around a timer's time.
pub(super) fn interrupt(bench: Bench) -> Result<Cost, LinuxError> {
    let timer =
        Timer::new().map_err(|e| LinuxError::of("cannot make a timer", &e, "raise `ulimit -n`"))?;
    let looks = clock_cost();
    let cost = bench.repeat("timer interrupt", 200, 1, || {
        let begun = clock::now();
        timer.set(Some(begun + DUE));
        let mut largest = Span::ZERO;
        let gap = |from, to: Instant| largest = largest.max(to.saturating_since(from));
        poll(clock::now, clock::now(), begun + LOOK, Span::ZERO, gap);
        timer.clear();
        largest.max(looks)
    });
    Ok(cost)
}
