//! A proposal as a table for people (UX 3.14).
//!
//! Absent on purpose: one line for each of hundreds of compilers. Threads of one name that get no
//! reservation share a line, which says how many they are.

use super::fit::Wanted;
use super::period::{Need, Note};
use super::proposal::{Parent, Proposal, Row};
use std::collections::BTreeMap;
use std::fmt;
use windfall_time::{Ratio, Span};
use windfall_trace::escape::escaped;

const HEAD: [&str; 6] = ["THREAD", "PERIOD", "CONF", "NEED p50/p99/max", "SUGGEST", "NOTE"];

impl fmt::Display for Proposal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut lines = vec![HEAD.map(str::to_owned)];
        let mut named: BTreeMap<&str, Vec<&Row>> = BTreeMap::new();
        for row in &self.rows {
            match row.parent {
                Parent::Reservation { .. } => lines.push(alone(row)),
                Parent::TimeSharing if row.left_out.is_some() => lines.push(alone(row)),
                Parent::TimeSharing => named.entry(&row.name).or_default().push(row),
            }
        }
        let mut shared: Vec<Vec<&Row>> = named.into_values().collect();
        shared.sort_by_key(|rows| std::cmp::Reverse(work(rows)));
        lines.extend(shared.iter().map(|rows| sharing(rows)));
        let width = |column: usize| {
            lines.iter().map(|line| line[column].chars().count()).max().unwrap_or(0)
        };
        let widths: [usize; 6] = std::array::from_fn(width);
        for line in &lines {
            let mut text = String::new();
            for (cell, width) in line.iter().zip(widths) {
                text.push_str(&format!("{cell:width$}  "));
            }
            writeln!(f, "{}", text.trim_end())?;
        }
        self.foot(f)
    }
}

impl Proposal {
    fn foot(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let share = decimal(self.share);
        let margin = decimal(self.options.margin);
        let reserved = self.rows.iter().filter(|row| row.parent != Parent::TimeSharing).count();
        writeln!(
            f,
            "margin: max x {margin}, rounded up to 1us; {reserved} reservations ask for {share} of \
             {} processors; recorded {}, {} gaps",
            self.processors,
            shown(self.length),
            self.lost.gaps,
        )?;
        let left_out = self.rows.iter().filter(|row| row.left_out.is_some()).count();
        if left_out == 0 {
            return Ok(());
        }
        writeln!(
            f,
            "{left_out} periodic threads are not reserved for: at most {} of each processor is, the \
             surest periods first; the rest is for everybody else",
            decimal(self.options.most),
        )
    }
}

/// The line of a thread that has a period.
fn alone(row: &Row) -> [String; 6] {
    let habit = &row.habit;
    let period = habit.period.unwrap_or(Span::ZERO);
    let suggest = match row.parent {
        Parent::Reservation { amount, period, soft, .. } => {
            let soft = if soft { " soft" } else { " hard" };
            format!("{}/{}{soft}", shown(amount), shown(period))
        }
        Parent::TimeSharing => "time-sharing".to_owned(),
    };
    let mut note = format!("{} periods", habit.periods);
    if let Some(waker) = &row.released_by {
        note.push_str(&format!(", released by {}", escaped(waker)));
    }
    if let Some(why) = row.left_out {
        let Wanted { amount, period } = why.wanted();
        note.push_str(&format!(", {} in {} {why}", shown(amount), shown(period)));
    }
    unknown(&mut note, row.unknown);
    [
        format!("{} {}", escaped(&row.name), row.tid),
        format!("{} ±{}", shown(period), shown(habit.jitter)),
        decimal(habit.confidence),
        need(habit.need),
        suggest,
        note,
    ]
}

fn sharing(rows: &[&Row]) -> [String; 6] {
    let first = rows[0];
    let note = |row: &Row| match row.habit.note {
        // It has a period, but not surely enough for a promise.
        Note::Periodic | Note::ReleasedBy(_) => format!(
            "perhaps {} ({})",
            shown(row.habit.period.unwrap_or(Span::ZERO)),
            decimal(row.habit.confidence)
        ),
        note => note.to_string(),
    };
    let (name, mut text) = match rows.len() {
        1 => (format!("{} {}", escaped(&first.name), first.tid), note(first)),
        many => {
            let same = rows.iter().all(|row| row.habit.note == first.habit.note);
            let why = if same { note(first) } else { "not periodic".to_owned() };
            (format!("{} x {many}", escaped(&first.name)), why)
        }
    };
    let wakeups: u64 = rows.iter().map(|row| row.habit.wakeups).sum();
    text.push_str(&format!(", {wakeups} wake-ups, {} in all", shown(work(rows))));
    let sum = rows.iter().fold(Span::ZERO, |sum, row| sum.saturating_add(row.unknown));
    unknown(&mut text, sum);
    let most = rows.iter().map(|row| row.habit.need).max_by_key(|need| need.max);
    let need = most.map_or_else(String::new, |need| format!("{} per wake", self::need(need)));
    [name, "-".to_owned(), "-".to_owned(), need, "time-sharing".to_owned(), text]
}

fn unknown(note: &mut String, span: Span) {
    if !span.is_zero() {
        note.push_str(&format!(", {} unknown", shown(span)));
    }
}

fn work(rows: &[&Row]) -> Span {
    rows.iter().fold(Span::ZERO, |sum, row| sum.saturating_add(row.work))
}

fn need(need: Need) -> String {
    let part = |span: Span| thousandths(span.as_nanos().div_ceil(1_000));
    format!("{} / {} / {} ms", part(need.p50), part(need.p99), part(need.max))
}

/// To a microsecond, rounded to the nearest.
fn shown(span: Span) -> String {
    let us = span.as_nanos().saturating_add(500) / 1_000;
    match us {
        0..1_000 => format!("{us}us"),
        1_000..1_000_000 => format!("{}ms", thousandths(us)),
        _ => format!("{}s", thousandths(us / 1_000)),
    }
}

fn thousandths(n: u64) -> String {
    format!("{}.{:03}", n / 1_000, n % 1_000)
}

/// Two places, cut off: what is shown as 1.00 is 1.
fn decimal(ratio: Ratio) -> String {
    let hundredths = ratio.numerator().saturating_mul(100) / ratio.denominator();
    format!("{}.{:02}", hundredths / 100, hundredths % 100)
}
