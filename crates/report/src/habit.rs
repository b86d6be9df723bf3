//! How a thread works, for programs: times in nanoseconds.

use serde_json::{Value, json};
use windfall_programs::learn::{Habit, Need};
use windfall_time::Span;

/// The working pattern learned for a thread.
pub(crate) fn json(habit: &Habit) -> Value {
    json!({
        "period_ns": habit.period.map(Span::as_nanos),
        "jitter_ns": habit.jitter.as_nanos(),
        "confidence": habit.confidence.to_f64(),
        "periods": habit.periods,
        "wakeups": habit.wakeups,
        "need_ns": need(&habit.need),
    })
}

/// Quantiles of what it needs.
pub(crate) fn need(need: &Need) -> Value {
    let [p50, p99, max] = [need.p50, need.p99, need.max].map(Span::as_nanos);
    json!({ "p50": p50, "p99": p99, "max": max })
}
