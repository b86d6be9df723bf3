//! How well time is kept: resolution, what a look at the clock costs, how late a thread wakes, and
//! whether the processor keeps its speed.

use super::{Check, Facts, State, word};
use windfall_clocks::Samples;
use windfall_observe::fifo_priorities;
use windfall_os::clock;
use windfall_os::probe::{sleep_until, timer_resolution};
use windfall_os::sched::Attributes;
use windfall_time::Span;

const PURPOSE: &str = "timers";
/// How often a thread sleeps, and how long, to see how late it wakes.
const SLEEPS: usize = 100;
const SLEEP: Span = Span::from_nanos(500_000);
/// How often the clock is read.
const READS: usize = 10_000;

pub(super) fn checks(facts: &Facts) -> Vec<Check> {
    vec![resolution(), lateness(), clock_cost(facts), speed()]
}

fn resolution() -> Check {
    let resolution = timer_resolution();
    let state = if resolution > Span::from_nanos(1_000) { State::Limited } else { State::Yes };
    Check::new(PURPOSE, "resolution", state, resolution.to_string()).remedy(
        "boot without `highres=off`; until then budgets end at ticks (CONFIG_HIGH_RES_TIMERS)",
    )
}

fn lateness() -> Check {
    let thread = std::thread::spawn(|| {
        let real_time = Attributes::fifo(fifo_priorities::EVENTS).give(0).is_ok();
        let late = (0..SLEEPS).map(|_| {
            let due = clock::now() + SLEEP;
            sleep_until(due);
            clock::now().saturating_since(due)
        });
        (real_time, Samples::of(late.collect()))
    });
    let Ok((real_time, late)) = thread.join() else {
        return Check::new(PURPOSE, "wake-ups", State::No, "the attempt ended early".to_owned());
    };
    let class = if real_time { "SCHED_FIFO" } else { "an ordinary class" };
    let (median, most) = (late.median(), late.most());
    let found = format!("in {class}: median {median} late, at most {most}");
    let state = if most > Span::from_millis(1) { State::Limited } else { State::Yes };
    let remedy = if real_time {
        "look for firmware, a hypervisor, or drivers that keep interrupts off \
         (`rtla timerlat hist`); PREEMPT_RT helps against the last"
    } else {
        "a real-time class, see above"
    };
    Check::new(PURPOSE, "wake-ups", state, found).remedy(remedy)
}

fn clock_cost(facts: &Facts) -> Check {
    let looks = Samples::of_looks(READS, clock::now);
    let each = looks.sum().as_nanos() / u64::try_from(READS).expect("a small constant");
    let found = format!("{}, {each} ns a reading", facts.clock_source);
    // A source that needs a system call, or a device, takes ten times as long.
    let state = if each > 150 { State::Limited } else { State::Yes };
    Check::new(PURPOSE, "clock", state, found)
        .remedy("`echo tsc > /sys/devices/system/clocksource/clocksource0/current_clocksource`")
}

fn speed() -> Check {
    let governor = word("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
    let (state, found) = match governor.as_deref() {
        Some("performance") => (State::Yes, "performance".to_owned()),
        Some(other) => {
            (State::Limited, format!("{other}: the same work takes longer while the clock is low"))
        }
        None => (State::Yes, "none in this kernel".to_owned()),
    };
    Check::new("constant speed", "frequency governor", state, found)
        .remedy("`cpupower frequency-set -g performance`")
}
