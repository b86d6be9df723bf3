//! Expectations in words, as a file writes them.

use windfall_scenario::model::{Bound, Expectation, Level, Quantity, Statistic, Subject, Whole};
use windfall_time::Ratio;

/// Whose and what: `a.response.max`.
pub(crate) fn what(expectation: &Expectation) -> String {
    let subject = match &expectation.subject {
        Subject::Threads(name) | Subject::Scheduler(name) => name.as_str(),
        Subject::Machine => "machine",
    };
    let quantity = match expectation.quantity {
        Quantity::Received => "received",
        Quantity::Runnable => "runnable",
        Quantity::Wakeups => "wakeups",
        Quantity::Dispatches => "dispatches",
        Quantity::Preemptions => "preemptions",
        Quantity::Migrations => "migrations",
        Quantity::Released => "released",
        Quantity::Jobs => "jobs",
        Quantity::Missed => "missed",
        Quantity::Aborted => "aborted",
        Quantity::Response(Statistic::Min) => "response.min",
        Quantity::Response(Statistic::Mean) => "response.mean",
        Quantity::Response(Statistic::P50) => "response.p50",
        Quantity::Response(Statistic::P99) => "response.p99",
        Quantity::Response(Statistic::Max) => "response.max",
        Quantity::GapMax => "gap.max",
        Quantity::IntervalMax => "interval.max",
        Quantity::IntervalsAbove(limit) => return format!("{subject}.intervals above {limit}"),
        Quantity::Whole(Whole::Idle) => "idle",
        Quantity::Whole(Whole::Switching) => "switching",
        Quantity::Whole(Whole::Scheduling) => "scheduling",
        Quantity::Whole(Whole::Stolen) => "stolen",
        Quantity::Whole(Whole::Refused) => "refused",
        Quantity::Whole(Whole::Quarantined) => "quarantined",
    };
    format!("{subject}.{quantity}")
}

/// What it must be: `at most 17ms`.
pub(crate) fn bound(bound: &Bound) -> String {
    let mut words = Vec::new();
    if let Some(level) = bound.at_least {
        words.push(format!("at least {}", self::level(level)));
    }
    if let Some(level) = bound.at_most {
        words.push(format!("at most {}", self::level(level)));
    }
    if let Some((level, within)) = bound.equals {
        let within = within.map(|within| format!(" within {}", self::level(within)));
        words.push(format!("equal to {}{}", self::level(level), within.unwrap_or_default()));
    }
    words.join(" and ")
}

fn level(level: Level) -> String {
    let percent = |share: Ratio| {
        let percent = share.checked_mul(Ratio::whole(100)).unwrap_or(share);
        // Shares are written with at most a few places; anything else is shown as a fraction.
        match percent.checked_mul(Ratio::whole(1000)).filter(|p| p.denominator() == 1) {
            Some(thousandths) => {
                let thousandths = thousandths.numerator();
                let text = format!("{}.{:03}", thousandths / 1000, thousandths % 1000);
                text.trim_end_matches('0').trim_end_matches('.').to_owned()
            }
            None => percent.to_string(),
        }
    };
    match level {
        Level::Span(span) => span.to_string(),
        Level::OfCpu(share) => format!("{}%cpu", percent(share)),
        Level::OfMachine(share) => format!("{}%machine", percent(share)),
        Level::Count(count) => count.to_string(),
    }
}
