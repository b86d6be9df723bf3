//! Proposed reservations for the threads of a recording, as a table.
//!
//! Absent on purpose: one line for each of hundreds of compilers. Threads of one name that get no
//! reservation share a line, which says how many they are.

use crate::habit;
use crate::plural::count;
use crate::terminal::{hundredths, processors, quantiles, short, table, threads};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use windfall_programs::learn::{Need, Note, Parent, Proposal, Row, Wanted};
use windfall_schedulers::kinds;
use windfall_time::Span;

/// The meaning of the column NEED.
pub(crate) const PER_WAKE_UP: &str =
    "NEED: what a period took; without a period, what a wake-up took\n";

const HEAD: [&str; 6] = ["THREAD", "PERIOD", "CONF", "NEED p50/p99/max", "SUGGEST", "NOTE"];

/// For people: a table of all threads, and what the promises come to.
#[must_use]
pub fn text(proposal: &Proposal, width: Option<usize>) -> String {
    let mut named: BTreeMap<&str, Vec<&Row>> = BTreeMap::new();
    let mut lines = Vec::new();
    for row in &proposal.rows {
        match row.parent {
            Parent::Reservation { .. } => lines.push(alone(row)),
            Parent::TimeSharing if row.left_out.is_some() => lines.push(alone(row)),
            Parent::TimeSharing => named.entry(&row.name).or_default().push(row),
        }
    }
    let mut shared: Vec<Vec<&Row>> = named.into_values().collect();
    shared.sort_by_key(|rows| std::cmp::Reverse(work(rows)));
    lines.extend(shared.iter().map(|rows| sharing(rows)));
    table(&HEAD, HEAD.len(), lines, width) + &foot(proposal)
}

fn foot(proposal: &Proposal) -> String {
    let Proposal { rows, options, .. } = proposal;
    let share = processors(proposal.share);
    let margin = hundredths(options.margin);
    let reserved = rows.iter().filter(|row| row.parent != Parent::TimeSharing).count();
    let mut text = format!(
        "{PER_WAKE_UP}margin: max x {margin}, rounded up to 1us; {} for {share} of {}; recorded {}, {}\n",
        match reserved {
            1 => "1 reservation asks".to_owned(),
            _ => format!("{reserved} reservations ask"),
        },
        count(proposal.processors, "processor"),
        short(proposal.length),
        count(proposal.lost.gaps, "gap"),
    );
    let left_out = rows.iter().filter(|row| row.left_out.is_some()).count();
    if left_out > 0 {
        text.push_str(&format!(
            "{} no reservation: at most {} of each processor is reserved, the most certain periods \
             first\n",
            match left_out {
                1 => "1 periodic thread gets".to_owned(),
                _ => format!("{left_out} periodic threads get"),
            },
            hundredths(options.most),
        ));
    }
    text
}

/// The line of a thread that has a period.
fn alone(row: &Row) -> Vec<String> {
    let habit = &row.habit;
    let period = habit.period.unwrap_or(Span::ZERO);
    let suggest = match row.parent {
        Parent::Reservation { amount, period, soft, .. } => {
            let kind = if soft { "RESBS" } else { "RESBH" };
            reservation(kind, amount, period)
        }
        Parent::TimeSharing => kinds::TIME_SHARING.name.to_owned(),
    };
    let mut note = format!("{} periods", habit.periods);
    if let Some(waker) = &row.released_by {
        note.push_str(&format!(", released by {}", waker));
    }
    if let Some(why) = row.left_out {
        note.push_str(&format!(", no {}: {why}", wanted(why.wanted())));
    }
    unknown(&mut note, row.unknown);
    vec![
        format!("{} {}", row.name, row.tid),
        format!("{} ±{}", short(period), short(habit.jitter)),
        hundredths(habit.confidence),
        need(habit.need),
        suggest,
        note,
    ]
}

/// A reservation that gets no place.
pub(crate) fn wanted(Wanted { amount, period, .. }: Wanted) -> String {
    reservation("RESBS", amount, period)
}

/// A reservation to a microsecond.
pub(crate) fn reservation(kind: &str, amount: Span, period: Span) -> String {
    let rounded =
        |span: Span| Span::from_nanos(span.as_nanos().saturating_add(500) / 1_000 * 1_000);
    format!("{kind} {} {}", rounded(amount), rounded(period))
}

fn sharing(rows: &[&Row]) -> Vec<String> {
    let first = rows[0];
    let note = |row: &Row| match row.habit.note {
        // It has a period, but not surely enough for a promise.
        Note::Periodic | Note::ReleasedBy(_) => format!(
            "perhaps {} ({})",
            short(row.habit.period.unwrap_or(Span::ZERO)),
            hundredths(row.habit.confidence)
        ),
        note => note.to_string(),
    };
    let (name, mut text) = match rows.len() {
        1 => (format!("{} {}", first.name, first.tid), note(first)),
        many => {
            let same = rows.iter().all(|row| row.habit.note == first.habit.note);
            let why = if same { note(first) } else { "not periodic".to_owned() };
            (threads(&first.name, many), why)
        }
    };
    let wakeups: u64 = rows.iter().map(|row| row.habit.wakeups).sum();
    text.push_str(&format!(", {}, {} in all", count(wakeups, "wake-up"), short(work(rows))));
    let sum = rows.iter().fold(Span::ZERO, |sum, row| sum.saturating_add(row.unknown));
    unknown(&mut text, sum);
    let most = rows.iter().map(|row| row.habit.need).max_by_key(|need| need.max);
    let need = most.map_or_else(String::new, self::need);
    vec![name, "-".to_owned(), "-".to_owned(), need, kinds::TIME_SHARING.name.to_owned(), text]
}

fn unknown(note: &mut String, span: Span) {
    if !span.is_zero() {
        note.push_str(&format!(", {} unknown", short(span)));
    }
}

fn work(rows: &[&Row]) -> Span {
    rows.iter().fold(Span::ZERO, |sum, row| sum.saturating_add(row.work))
}

fn need(need: Need) -> String {
    quantiles(&[need.p50, need.p99, need.max])
}

/// For programs: a row for each thread.
#[must_use]
pub fn json(proposal: &Proposal) -> Value {
    proposal.rows.iter().map(json_row).collect()
}

fn json_row(row: &Row) -> Value {
    let reservation = match row.parent {
        Parent::Reservation { amount, period, soft, processor } => json!({
            "amount_ns": amount.as_nanos(),
            "period_ns": period.as_nanos(),
            "soft": soft,
            "processor": processor,
        }),
        Parent::TimeSharing => Value::Null,
    };
    json!({
        "name": row.name,
        "tid": row.tid,
        "habit": habit::json(&row.habit),
        "released_by": row.released_by,
        "work_ns": row.work.as_nanos(),
        "unknown_ns": row.unknown.as_nanos(),
        "reservation": reservation,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use windfall_programs::learn::{LeftOut, Options, learn};
    use windfall_time::Ratio;
    use windfall_trace::timeline::LostCount;
    use windfall_trace::{Record, Source};

    const fn us(n: u64) -> Span {
        Span::from_nanos(n * 1_000)
    }

    /// The proposal for the recording of a desktop.
    fn desktop() -> Proposal {
        let path =
            concat!(env!("CARGO_MANIFEST_DIR"), "/../../scenarios/recorded/desktop.ftrace.gz");
        let source = Source::open(path.as_ref(), None).unwrap();
        let records: Vec<Record> = source.map_while(Result::ok).collect();
        Proposal::new(&learn(records), Options::default())
    }

    /// A thread that computed so much, at most, in periods of 10 ms.
    fn row(mut row: Row, name: &str, tid: u32, need: u64) -> Row {
        let (habit, need) = (&mut row.habit, us(need));
        (habit.period, habit.jitter) = (Some(us(10_000)), Span::ZERO);
        (habit.confidence, habit.periods, habit.wakeups) = (Ratio::ONE, 99, 100);
        (habit.need.p50, habit.need.p99, habit.need.max) = (need, need, need);
        habit.note = Note::Periodic;
        (row.name, row.tid) = (name.to_owned(), tid);
        (row.work, row.unknown) = (us(90_000), Span::ZERO);
        (row.released_by, row.parent, row.left_out) = (None, Parent::TimeSharing, None);
        row
    }

    #[test]
    fn law_the_table_reads_as_it_should() {
        let (amount, period) = (us(1_202), us(10_000));
        let parent = Parent::Reservation { amount, period, soft: true, processor: 0 };
        let wanted = Wanted::new(us(10_800), period);
        let left_out = Some(LeftOut::TooMuch(wanted));
        let mut proposal = desktop();
        let any = proposal.rows[0].clone();
        let mut audio = row(any.clone(), "audio", 101, 1_001);
        (audio.parent, audio.unknown) = (parent, us(3_000));
        let mut hog = row(any.clone(), "hog", 105, 9_000);
        hog.left_out = left_out;
        let mut doubtful = row(any, "few", 104, 10);
        doubtful.habit.confidence = Ratio::new(97, 100).unwrap();
        proposal.rows = vec![audio, hog, doubtful];
        (proposal.share, proposal.processors) = (Ratio::new(3, 10).unwrap(), 2);
        (proposal.length, proposal.lost) = (us(1_000_000), LostCount::default());
        let expected = "\
THREAD     PERIOD      CONF  NEED p50/p99/max         SUGGEST             NOTE
audio 101  10.00ms ±0  1.00  1.001ms/1.001ms/1.001ms  RESBS 1.202ms 10ms  99 periods, 3.000ms unknown
hog 105    10.00ms ±0  1.00  9.000ms/9.000ms/9.000ms  time-sharing        99 periods, no RESBS 10.8ms 10ms: that is more than may be reserved of a processor
few 104    -           -     10.00us/10.00us/10.00us  time-sharing        perhaps 10.00ms (0.97), 100 wake-ups, 90.00ms in all
NEED: what a period took; without a period, what a wake-up took
margin: max x 1.20, rounded up to 1us; 1 reservation asks for 0.30 of 2 processors; recorded 1.000s, 0 gaps
1 periodic thread gets no reservation: at most 0.90 of each processor is reserved, the most certain periods first
";
        assert_eq!(text(&proposal, None), expected);
    }

    #[test]
    fn law_threads_of_one_name_without_a_reservation_share_a_line_that_fits() {
        let proposal = desktop();
        let whole = text(&proposal, None);
        assert!(whole.contains("released by audio-src"), "{whole}");
        assert_eq!(whole.matches("cc1 (116 threads)").count(), 1, "{whole}");
        let narrow = text(&proposal, Some(60));
        let (table, _) = narrow.split_once("NEED: ").unwrap();
        assert!(table.lines().all(|line| line.chars().count() <= 60), "{table}");
    }
}
