//! The result of calibration, thread by thread of a program.

use crate::habit;
use crate::plural::count;
use crate::proposal::{PER_WAKE_UP, reservation};
use crate::terminal::{hundredths, quantiles, short, table, threads};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use windfall_observe::routines::language_of;
use windfall_programs::learn::{Calibration, Conservatism, Kind};
use windfall_record::Recorded;
use windfall_time::Span;

/// How the threads were observed.
#[derive(Clone, Copy, Debug)]
pub struct Watched {
    /// Whether they existed before.
    pub joined: bool,
    /// Whether the processors' clock varies.
    pub clock_varies: bool,
}

/// For people: a line for each kind of thread, and what there is to know of all.
#[must_use]
pub fn text(
    calibration: &Calibration,
    recorded: &Recorded,
    watched: Watched,
    width: Option<usize>,
) -> String {
    let head =
        ["THREAD", "STARTS AT", "MADE BY", "PERIOD", "CONF", "NEED p50/p99/max", "SUGGEST", "NOTE"];
    let rows = calibration.kinds.iter().map(row).collect();
    let mut text = table(&head, head.len(), rows, width);
    text.push_str(PER_WAKE_UP);
    text.push_str(&format!(
        "{}; nothing is applied automatically\n",
        chosen(calibration.conservatism)
    ));
    match &recorded.no_routines {
        None => text.push_str(
            "threads are distinguished by start routine, name and maker; `-` started without the C library's \
             `pthread_create`, or is not known\n",
        ),
        Some(why) => text.push_str(&format!(
            "threads are distinguished by name and maker: their start routines are not known ({why})\n"
        )),
    }
    let routines = calibration.kinds.iter().filter_map(|kind| kind.routine.as_deref());
    let common: BTreeMap<_, _> =
        routines.filter_map(|routine| Some((routine, language_of(routine)?))).collect();
    for (routine, language) in common {
        text.push_str(&format!(
            "`{routine}` starts every thread of {language}: only name and maker distinguish them\n"
        ));
    }
    if watched.joined {
        text.push_str("makers and start routines of threads that existed before are not known\n");
    }
    if watched.clock_varies {
        text.push_str("the processors' clock varies: the same work takes longer when it is low\n");
    }
    text
}

fn row(kind: &Kind) -> Vec<String> {
    let dash = || "-".to_owned();
    let habit = &kind.habit;
    let parent = kind.parent.clone().unwrap_or_else(dash);
    let routine = kind.routine.as_deref().map_or_else(dash, in_short);
    let need = quantiles(&[kind.need.p50, kind.need.p99, kind.need.max]);
    let name = threads(&kind.name, kind.count);
    let Some((period, amount)) = habit.period.zip(kind.amount) else {
        let perhaps = habit.period.map_or_else(String::new, |period| {
            format!(
                " (perhaps {}, {} of them on time)",
                short(period),
                hundredths(habit.confidence)
            )
        });
        let note = format!("{}{perhaps}, {}", kind.why_not, count(habit.wakeups, "wake-up"));
        return vec![name, routine, parent, dash(), dash(), need, dash(), note];
    };
    let cut = if kind.cut { ", cut to the period" } else { "" };
    vec![
        name,
        routine,
        parent,
        format!("{} \u{b1}{}", short(period), short(habit.jitter)),
        hundredths(habit.confidence),
        need,
        reservation("RESBS", amount, period),
        format!("{} periods{cut}", habit.periods),
    ]
}

/// How amounts were chosen, in words.
#[must_use]
pub fn chosen(conservatism: Conservatism) -> String {
    match conservatism {
        Conservatism::Max(margin) => {
            format!(
                "amounts: the most that a period took x {}, rounded up to 1us",
                hundredths(margin)
            )
        }
        Conservatism::P99 => {
            "amounts: the 99th percentile of what periods took, rounded up to 1us".to_owned()
        }
    }
}

/// A name of at most 32 characters; of a longer one, as compilers make them, the beginning and the end.
fn in_short(name: &str) -> String {
    let all: Vec<char> = name.chars().collect();
    match all.as_slice() {
        all if all.len() <= 32 => name.to_owned(),
        all => [&all[..14], &['.', '.'], &all[all.len() - 16..]].concat().into_iter().collect(),
    }
}

/// For programs: all kinds of threads, beside what was recorded; times in nanoseconds.
#[must_use]
pub fn json(calibration: &Calibration, recorded: &Recorded) -> Value {
    let (events, gaps) = calibration.lost;
    let conservatism = match calibration.conservatism {
        Conservatism::Max(margin) => margin.to_string(),
        Conservatism::P99 => "p99".to_owned(),
    };
    json!({
        "conservatism": conservatism,
        "lost": { "events": events, "gaps": gaps },
        "recorded": crate::record::json(recorded),
        "threads": calibration.kinds.iter().map(kind).collect::<Vec<_>>(),
    })
}

fn kind(kind: &Kind) -> Value {
    json!({
        "name": kind.name,
        "routine": kind.routine,
        "parent": kind.parent,
        "count": kind.count,
        "habit": habit::json(&kind.habit),
        "need_ns": habit::need(&kind.need),
        "amount_ns": kind.amount.map(Span::as_nanos),
        "cut": kind.cut,
        "why_not": Some(&kind.why_not).filter(|why| !why.is_empty()),
    })
}
