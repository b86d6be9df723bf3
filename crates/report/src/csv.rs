//! Rows as comma-separated values with a line of names: times in nanoseconds, nothing where nothing is known.

use windfall_scenario::outcome::{Outcome, ThreadOutcome};
use windfall_time::Span;

/// Records with the names of their fields. A field with a comma or a quote in it is quoted.
#[must_use]
pub fn table<'a>(
    head: impl IntoIterator<Item = &'a str>,
    rows: impl IntoIterator<Item = Vec<String>>,
) -> String {
    let mut writer = csv::WriterBuilder::new().flexible(true).from_writer(Vec::new());
    let head = head.into_iter().map(str::to_owned).collect();
    let written = std::iter::once(head).chain(rows).try_for_each(|row: Vec<String>| {
        writer.write_record(row) // of any length, into memory: it has no way to fail
    });
    debug_assert!(written.is_ok(), "{written:?}");
    String::from_utf8_lossy(&writer.into_inner().unwrap_or_default()).into_owned()
}

const HEAD: [&str; 40] = [
    "thread",
    "scheduler",
    "promised",
    "received_ns",
    "runnable_ns",
    "wakeups",
    "dispatches",
    "preemptions",
    "migrations",
    "released",
    "jobs",
    "aborted",
    "deadlines_missed",
    "gap_max_ns",
    "interval_max_ns",
    "response_min_ns",
    "response_mean_ns",
    "response_p50_ns",
    "response_p99_ns",
    "response_max_ns",
    "submitted",
    "refused_no_time",
    "refused_slots_taken",
    "refused_other",
    "tasks_late",
    "task_lateness_max_ns",
    "task_lateness_stolen_ns",
    "lost",
    "tasks_submitted",
    "tasks_refused",
    "tasks_admitted",
    "tasks_in_time",
    "tasks_unfinished",
    "tasks_lost",
    "tasks_withdrawn",
    "tasks_used_up",
    "tasks_open",
    "tasks_unknown",
    "tasks_withdrawn_late",
    "tasks_done_though_lost",
];

/// A row for each thread.
#[must_use]
pub fn threads(outcome: &Outcome) -> String {
    table(HEAD, outcome.threads.iter().map(thread))
}

fn thread(thread: &ThreadOutcome) -> Vec<String> {
    let response = &thread.response;
    let known = |span: Option<Span>| span.map_or_else(String::new, ns);
    let mut row = vec![
        thread.name.clone(),
        thread.parent.clone().unwrap_or_default(),
        thread.promised.clone().unwrap_or_default(),
        ns(thread.received),
        ns(thread.runnable),
        thread.wakeups.to_string(),
        thread.dispatches.to_string(),
        thread.preemptions.to_string(),
        thread.migrations.to_string(),
        thread.released.to_string(),
        thread.completed.to_string(),
        thread.aborted.to_string(),
        thread.missed.to_string(),
        ns(thread.gap),
        ns(thread.interval),
        known(response.least()),
        known(response.mean()),
        known(response.quantile(50)),
        known(response.quantile(99)),
        known(response.most()),
        thread.submitted.to_string(),
        thread.refusals.no_time.to_string(),
        thread.refusals.full.to_string(),
        thread.refusals.other.to_string(),
        thread.late_tasks.count.to_string(),
        ns(thread.late_tasks.most),
        ns(thread.late_tasks.stolen),
    ];
    row.extend(tasks(thread).map(|count| count.to_string()));
    row
}

fn tasks(thread: &ThreadOutcome) -> [u64; 13] {
    let (tasks, late) = (&thread.tasks, &thread.late_tasks);
    [
        thread.lost,
        tasks.submitted,
        tasks.refused,
        thread.tasks_admitted(),
        tasks.in_time,
        late.unfinished,
        tasks.lost,
        tasks.withdrawn,
        tasks.used_up,
        tasks.open,
        tasks.unknown,
        tasks.withdrawn_late,
        tasks.done_though_lost,
    ]
}

fn ns(span: Span) -> String {
    span.as_nanos().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn law_every_row_has_a_value_for_each_name_and_no_name_breaks_a_row() {
        let mut quick = ThreadOutcome::new("a, \"b\"\nc", Some("RESBH 1ms 4ms"));
        quick.response.record(Span::from_nanos(7));
        quick.late_tasks.ends(Span::from_nanos(9), Span::from_nanos(4));
        quick.late_tasks.never_ends();
        quick.tasks.open = 3;
        let mut outcome = Outcome::default();
        outcome.threads = vec![quick, ThreadOutcome::new("idle", None)];
        let text = super::threads(&outcome);
        let mut reader = csv::Reader::from_reader(text.as_bytes());
        assert_eq!(reader.headers().unwrap(), &csv::StringRecord::from(HEAD.to_vec()));
        let rows: Vec<_> = reader.records().map(Result::unwrap).collect();
        assert_eq!((rows.len(), &rows[0][0], &rows[0][19]), (2, "a, \"b\"\nc", "7"));
        assert_eq!((&rows[1][2], &rows[1][15]), ("", ""));
        assert_eq!((&rows[0][24], &rows[0][25], &rows[0][26]), ("2", "9", "4"));
        assert_eq!((&rows[0][30], &rows[0][32], &rows[0][36]), ("5", "1", "3"));
    }
}
