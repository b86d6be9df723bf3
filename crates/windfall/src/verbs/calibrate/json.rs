//! What calibration found, for programs: times in nanoseconds.

use serde_json::{Value, json};
use windfall_programs::learn::{Calibration, Conservatism, Habit, Kind, Need};
use windfall_time::Span;

/// All kinds of threads, beside what was recorded.
pub(super) fn all(calibration: &Calibration, recorded: Value) -> Value {
    let (events, gaps) = calibration.lost;
    let conservatism = match calibration.conservatism {
        Conservatism::Max(margin) => margin.to_string(),
        Conservatism::P99 => "p99".to_owned(),
    };
    json!({
        "conservatism": conservatism,
        "lost": { "events": events, "gaps": gaps },
        "recorded": recorded,
        "threads": calibration.kinds.iter().map(kind).collect::<Vec<_>>(),
    })
}

fn kind(kind: &Kind) -> Value {
    json!({
        "name": kind.name,
        "routine": kind.routine,
        "parent": kind.parent,
        "count": kind.count,
        "habit": habit(&kind.habit),
        "need_ns": need(&kind.need),
        "amount_ns": kind.amount.map(Span::as_nanos),
        "cut": kind.cut,
        "why_not": Some(&kind.why_not).filter(|why| !why.is_empty()),
    })
}

/// What was found out about how a thread works.
pub(crate) fn habit(habit: &Habit) -> Value {
    json!({
        "period_ns": habit.period.map(Span::as_nanos),
        "jitter_ns": habit.jitter.as_nanos(),
        "confidence": habit.confidence.to_f64(),
        "periods": habit.periods,
        "wakeups": habit.wakeups,
        "need_ns": need(&habit.need),
    })
}

fn need(need: &Need) -> Value {
    let [p50, p99, max] = [need.p50, need.p99, need.max].map(Span::as_nanos);
    json!({ "p50": p50, "p99": p99, "max": max })
}
