//! Suggested promises, and what they would have changed.

use crate::plural::count;
use crate::proposal::wanted;
use crate::terminal::{hundredths, processors, quantiles, short, table};
use serde_json::{Value, json};
use windfall_guarantees::Guarantee;
use windfall_programs::learn::{Note, Parent, Proposal, Row};
use windfall_time::Span;
use windfall_trace::timeline::LostCount;

/// Everything that was found.
#[derive(Clone, Debug)]
pub struct Suggestions {
    /// Reservations that the recording would justify.
    pub proposal: Proposal,
    /// The suggested promises.
    pub promises: Vec<Suggested>,
    /// Time that threads without a promise got in all, without the promises and with them; nothing if none is suggested.
    pub others: Option<[Span; 2]>,
    /// Doubts about the recording and gaps in it, in words.
    pub remarks: String,
    /// Why the recording ends early, if it does.
    pub cut: Option<String>,
    /// Events that are missing in it.
    pub lost: LostCount,
}

/// A promise that is suggested.
#[derive(Clone, Debug)]
pub struct Suggested {
    /// The thread, and what was learnt of it.
    pub row: Row,
    /// The suggested guarantee.
    pub guarantee: Guarantee,
    /// Its longest response: as recorded, without the promises, and with them.
    pub longest: [Option<Span>; 3],
}

impl Suggested {
    /// The longest response without the promises and with them, if that is longer.
    fn worse(&self) -> Option<(Span, Span)> {
        let [_, without, with] = self.longest;
        without.zip(with).filter(|(without, with)| with > without)
    }
}

/// For people.
#[must_use]
pub fn text(found: &Suggestions, width: Option<usize>) -> String {
    let Suggestions { proposal, promises, others, remarks, .. } = found;
    let mut text = String::new();
    if promises.is_empty() {
        text.push_str("no thread has a period with enough confidence for a promise\n");
    } else {
        let head =
            ["THREAD", "PERIOD", "CONF", "NEED p99/max", "PROMISE", "RECORDED", "WITHOUT", "WITH"];
        text.push_str(&table(&head, 1, promises.iter().map(row).collect(), width));
        text.push_str(
            "RECORDED, WITHOUT, WITH: the longest response as recorded, and simulated under Linux's policy without the \
             promises and with them\n",
        );
        text.push_str(&format!(
            "{}: together {} of {}, at most {} of each; a promise is the most that a period took x {}\n",
            match promises.len() {
                1 => "1 promise fits".to_owned(),
                number => format!("{number} promises fit"),
            },
            processors(proposal.share),
            count(proposal.processors, "processor"),
            hundredths(proposal.options.most),
            hundredths(proposal.options.margin),
        ));
        for suggested in promises {
            let Some((without, with)) = suggested.worse() else { continue };
            let (row, [without, with]) = (&suggested.row, [without, with].map(short));
            text.push_str(&format!(
                "worse with the promises: {} {} took {with}, and {without} without them; the promise whose period ends first goes \
                 first\n",
                row.name, row.tid,
            ));
        }
    }
    if let Some([before, after]) = others.map(|others| others.map(short)) {
        text.push_str(&format!(
            "all other threads together: {before} without, {after} with them\n"
        ));
    }
    for row in left_out(found) {
        let Some(why) = row.left_out else { continue };
        let wanted = wanted(why.wanted());
        text.push_str(&format!("not promised: {} {} {wanted}: {why}\n", row.name, row.tid));
    }
    text.push_str(&without_period(found).text());
    text.push_str(remarks);
    text
}

/// Threads with nothing that could be promised in a period, most processor time first.
struct WithoutPeriod<'a> {
    threads: Vec<&'a Row>,
    too_few_periods: usize,
    not_periodic: usize,
    not_sure: usize,
}

fn without_period(found: &Suggestions) -> WithoutPeriod<'_> {
    let rows = found.proposal.rows.iter();
    let silent = |row: &&Row| row.parent == Parent::TimeSharing && row.left_out.is_none();
    let threads: Vec<&Row> = rows.filter(silent).collect();
    let noted = |note| threads.iter().filter(|row| row.habit.note == note).count();
    let (too_few_periods, not_periodic) = (noted(Note::TooFewPeriods), noted(Note::NotPeriodic));
    let not_sure = threads.len() - too_few_periods - not_periodic;
    WithoutPeriod { threads, too_few_periods, not_periodic, not_sure }
}

impl WithoutPeriod<'_> {
    fn text(&self) -> String {
        let counts = [
            (self.not_periodic, "not periodic"),
            (self.too_few_periods, "with too few periods to tell"),
            (self.not_sure, "whose period is not sure enough"),
        ];
        let counts = counts.iter().filter(|(count, _)| *count > 0);
        let counts: Vec<String> = counts.map(|(count, what)| format!("{count} {what}")).collect();
        let most = self.threads.iter().take(3);
        let most: Vec<String> =
            most.map(|row| format!("{} {} ({})", row.name, row.tid, short(row.work))).collect();
        match self.threads.len() {
            0 => String::new(),
            1 => format!("no period found in 1 thread, {}: {}\n", counts.join(", "), most.join("")),
            all => format!(
                "no period found in {all} threads: {}; those that ran most: {}\n",
                counts.join(", "),
                most.join(", ")
            ),
        }
    }

    fn json(&self) -> Value {
        json!({
            "threads": self.threads.len(),
            "not_periodic": self.not_periodic,
            "too_few_periods": self.too_few_periods,
            "not_sure": self.not_sure,
        })
    }
}

/// Threads with a period that get no promise.
fn left_out(found: &Suggestions) -> impl Iterator<Item = &Row> {
    found.proposal.rows.iter().filter(|row| row.left_out.is_some())
}

fn row(suggested: &Suggested) -> Vec<String> {
    let Suggested { row, guarantee, longest } = suggested;
    let dash = || "-".to_owned();
    let [recorded, without, with] = longest.map(|span| span.map_or_else(dash, short));
    vec![
        format!("{} {}", row.name, row.tid),
        row.habit.period.map_or_else(dash, short),
        hundredths(row.habit.confidence),
        quantiles(&[row.habit.need.p99, row.habit.need.max]),
        guarantee.to_string(),
        recorded,
        without,
        with,
    ]
}

/// For programs.
#[must_use]
pub fn json(found: &Suggestions) -> Value {
    let ns = |span: Option<Span>| span.map(Span::as_nanos);
    let promise = |suggested: &Suggested| {
        let Suggested { row, guarantee, longest } = suggested;
        json!({
            "thread": row.name,
            "tid": row.tid,
            "period_ns": ns(row.habit.period),
            "confidence": hundredths(row.habit.confidence),
            "need_ns": {
                "p50": row.habit.need.p50.as_nanos(),
                "p99": row.habit.need.p99.as_nanos(),
                "max": row.habit.need.max.as_nanos(),
            },
            "guarantee": guarantee.to_string(),
            "longest_response_ns": {
                "recorded": ns(longest[0]), "without": ns(longest[1]), "with": ns(longest[2]),
            },
            "worse": suggested.worse().is_some(),
        })
    };
    let left_out = left_out(found).map(|row| {
        let why = row.left_out.map(|why| why.to_string());
        json!({ "thread": row.name, "tid": row.tid, "why": why })
    });
    json!({
        "promises": found.promises.iter().map(promise).collect::<Vec<_>>(),
        "not_promised": left_out.collect::<Vec<_>>(),
        "without_period": without_period(found).json(),
        "cut": found.cut,
        "lost": { "gaps": found.lost.gaps, "events": found.lost.events, "uncounted": found.lost.uncounted },
        "processors": found.proposal.processors,
        "reserved_processors": hundredths(found.proposal.share),
        "others_received_ns": found.others.map(|[without, with]| json!({ "without": without.as_nanos(), "with": with.as_nanos() })),
    })
}
