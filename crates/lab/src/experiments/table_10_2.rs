//! Table 10.2 and figure 10.1: the time between one thread's stop and another's start, as ten threads see
//! it that poll the clock all the time.
//!
//! Other events lie in some of the gaps, so that their median is taken, not their mean (10.3.1).

use super::{PAPER, SERIES, digits};
use crate::experiment::{Experiment, Host, LabError, Settings};
use crate::findings::{ClaimStatus, Figure, Findings, Raw, Table, Verdict, record};
use crate::native::{Stretch, gaps, interruptions, poll};
use crate::statistics::{histogram, median, quantile};
use crate::supervised::{Watching, supervise};
use crate::trees::{self, guarantee, reservations_first, spinners};
use std::time::Duration;
use windfall_plot::chart::{Axis, Chart};
use windfall_plot::{Paint, Stroke};
use windfall_scenario::Scenario;
use windfall_scenario::model::{Requirements, Scheduler, Thread};
use windfall_schedulers::kinds;
use windfall_schedulers::share::ProportionalShare;
use windfall_time::Span;

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "table-10-2",
    also: &["figure-10-1"],
    title: "context switch times",
    source: "HLS 10.3.1, table 10.2, figure 10.1",
    question: "how long does a switch from one thread to the next take?",
    claim: "a switch that a hierarchy decides takes less than twice the system's own, and less than the \
            paper's 11.7 us",
    hosts: &[Host::Here, Host::Linux],
    absent: "a simulated switch takes as long as its scenario says",
    run: findings,
};

const THREADS: u32 = 10;
/// Short, so that there are many switches.
const QUANTUM: Span = Span::from_millis(1);

/// A line of the table.
struct Column {
    name: &'static str,
    /// Microseconds, in 2001.
    paper: f64,
    scenario: Option<fn(Span) -> Result<Scenario, LabError>>,
}

const COLUMNS: [Column; 4] = [
    Column { name: "system", paper: 7.10, scenario: None },
    Column { name: "time sharing", paper: 11.7, scenario: Some(time_sharing) },
    Column { name: "CPU reservation", paper: 12.5, scenario: Some(reservation) },
    Column { name: "proportional share", paper: 19.9, scenario: Some(proportional_share) },
];

fn under(parent: &str, requires: Requirements) -> Vec<Thread> {
    let mut poll = spinners("poll", THREADS, parent);
    poll.requires = requires;
    vec![poll]
}

fn time_sharing(length: Span) -> Result<Scenario, LabError> {
    let schedulers = reservations_first(kinds::REZ, QUANTUM)?;
    Ok(trees::scenario(length, schedulers, under("ts", Requirements::default())))
}

fn reservation(length: Span) -> Result<Scenario, LabError> {
    let schedulers = reservations_first(kinds::REZ, QUANTUM)?;
    let (amount, period) = (Span::from_millis(2), Span::from_millis(21));
    let asks = Requirements::reserve(amount, period);
    Ok(trees::scenario(length, schedulers, under("res", asks)))
}

fn proportional_share(length: Span) -> Result<Scenario, LabError> {
    let shares = ProportionalShare::default().quantum(QUANTUM);
    let schedulers = vec![
        Scheduler::root("fp", kinds::FIXED_PRIORITY),
        Scheduler::below("ps", shares, "fp", guarantee("ALL")?),
    ];
    Ok(trees::scenario(length, schedulers, under("ps", Requirements::share(1))))
}

/// The stretches that ten polling threads see, and the disturbances of the host.
fn measure(column: &Column, length: Span) -> Result<(Vec<Stretch>, Option<String>), LabError> {
    let Some(scenario) = column.scenario else {
        let length = Duration::from_nanos(length.as_nanos());
        return Ok((poll(THREADS as usize, length)?, None));
    };
    let watching = Watching { stretches: true, ..Watching::default() };
    let run = supervise(&scenario(length)?, &watching)?;
    let mut found = Vec::new();
    for (thread, one) in run.outcome.threads.iter().enumerate() {
        let seen = one.stretches.iter();
        found.extend(seen.map(|(from, to)| Stretch {
            from: from.as_nanos(),
            to: to.as_nanos(),
            thread,
        }));
    }
    found.sort_unstable();
    Ok((found, run.disturbed))
}

fn findings(settings: &Settings<'_>) -> Result<Findings, LabError> {
    let host = settings.host.unwrap_or(Host::Here);
    let length = Span::from_secs(settings.either(100, 2));
    let head = [
        "scheduler",
        "paper median",
        "median",
        "least",
        "p99",
        "most",
        "switches",
        "interrupted only",
    ];
    let mut table =
        Table::new("from one thread's stop to another's start, in microseconds", 1, &head);
    let (mut figures, mut raw) = (Vec::new(), Vec::new());
    let (mut medians, mut disturbed) = (Vec::new(), Vec::new());
    for column in &COLUMNS {
        let mut row = vec![column.name.to_owned(), digits(column.paper)];
        if column.scenario.is_some() && host != Host::Linux {
            row.resize(head.len(), "-".to_owned());
            table.rows.push(row);
            continue;
        }
        (settings.progress)(&format!("{}: {THREADS} threads, {length}", column.name));
        let (stretches, why) = measure(column, length)?;
        let gaps = gaps(&stretches);
        row.extend([50, 0, 99, 100].map(|percent| digits(quantile(&gaps, percent))));
        row.push(gaps.len().to_string());
        row.push(digits(median(&interruptions(&stretches))));
        let short = column.name.replace(' ', "-");
        figures.push(figure(column.name, &short, &gaps));
        let rows = stretches.iter().map(|one| record![one.thread, one.from, one.to]);
        raw.push(Raw::csv(&format!("table-10-2-{short}"), "thread,from_ns,to_ns", rows));
        match why {
            None => medians.push((column, median(&gaps))),
            Some(why) => {
                row[0].push_str(" (disturbed)");
                disturbed.push(format!("{}: {why}", column.name));
            }
        }
        table.rows.push(row);
    }
    Ok(Findings {
        circumstances: vec![
            format!("{}: {}", host.name(), crate::machine::this()),
            format!("{THREADS} threads on one processor for {length} each"),
        ],
        tables: vec![table],
        figures,
        raw,
        notes: notes(host),
        verdict: verdict(&medians, &disturbed),
    })
}

fn verdict(medians: &[(&Column, f64)], disturbed: &[String]) -> Verdict {
    let system = medians.iter().find(|one| one.0.scenario.is_none()).map(|one| one.1);
    let decided = medians.iter().filter(|one| one.0.scenario.is_some());
    let told =
        |(column, median): &(&Column, f64)| format!("{}: {} us", column.name, digits(*median));
    let slow = decided
        .clone()
        .filter(|one| one.1 >= 11.7 || one.1 >= 2.0 * system.unwrap_or(f64::INFINITY));
    let (against, all): (Vec<_>, Vec<_>) = (slow.map(told).collect(), decided.map(told).collect());
    if all.is_empty() && disturbed.is_empty() {
        let why = "only the system's own switches were measured".to_owned();
        return Verdict { standing: ClaimStatus::Open, why };
    }
    let beside = format!("the system itself: {} us", system.map_or("-".to_owned(), digits));
    let against: Vec<_> = against.into_iter().map(|why| format!("{why} ({beside})")).collect();
    Verdict::of_runs(&against, disturbed, &format!("{}; {beside}", all.join("; ")))
}

fn notes(host: Host) -> Vec<String> {
    let mut notes = vec![
        "`Interrupted only` is the median gap after which the same thread goes on: the clock's interrupt \
         without a switch. The system switches in that interrupt; what is above it is the switch."
            .to_owned(),
        "The paper's first line is the released Windows 2000; its rebuilt kernel took 7.35 us.".to_owned(),
        "Whatever else this machine runs on that processor is in the tail, as in the paper.".to_owned(),
    ];
    if host == Host::Linux {
        notes.push(format!(
            "The threads are a scenario's own programs, which keep the stretches in which they see themselves \
             running; quanta of {QUANTUM}. For threads that know nothing of Windfall: \
             `cargo bench -p windfall-linux --bench decision`."
        ));
    }
    notes
}

fn figure(name: &str, short: &str, gaps: &[f64]) -> Figure {
    let most = quantile(gaps, 100).max(10.0);
    let least = quantile(gaps, 0).clamp(0.05, 1.0);
    let x = Axis::factors("context switch time (us)", least, most);
    let parts = histogram(gaps, (x.from, x.to), 160);
    let highest = parts.iter().map(|part| part.2).max().unwrap_or(1);
    #[expect(clippy::cast_precision_loss, reason = "places on a picture")]
    let y = Axis::factors("how many switches", 1.0, highest as f64);
    let (left, middle) = (x.from, median(gaps));
    let title = format!("Context switch times, {name}");
    let facts = "figure 10.1: least 5.54 us, median 7.10 us, a long tail to 1740 us, on straight axes there";
    let mut chart = Chart::new(&title, facts, x, y);
    for (from, to, count) in parts.iter().filter(|part| part.2 > 0) {
        #[expect(clippy::cast_precision_loss, reason = "places on a picture")]
        // A single one is seen, too.
        let high = if *count == 1 { 1.25 } else { *count as f64 };
        let corners = [(*from, 1.0), (*from, high), (*to, high), (*to, 1.0)];
        chart.area(&corners, Paint::Plain(SERIES[0]), "");
    }
    #[expect(clippy::cast_precision_loss, reason = "places on a picture")]
    let top = highest as f64 * 10.0;
    let at = |x: f64, colour, dash| ([(x, 1.0), (x, top)], Stroke { colour, wide: 1.8, dash });
    let (line, stroke) = at(middle, SERIES[1], None);
    chart.line(&line, stroke, &format!("median: {middle:.2} us"));
    let (line, stroke) = at(7.10_f64.max(left), PAPER, Some((8.0, 5.0)));
    chart.line(&line, stroke, "median in 2001: 7.10 us");
    Figure {
        name: if short == "system" {
            "figure-10-1".to_owned()
        } else {
            format!("figure-10-1-{short}")
        },
        caption: "A narrow peak and a long tail: in the tail other threads and interrupts ran."
            .to_owned(),
        picture: chart.finish(),
    }
}
