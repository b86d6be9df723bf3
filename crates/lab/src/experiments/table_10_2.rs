//! Table 10.2 and figure 10.1: the time between one thread's stop and another's start, as ten threads see
//! it that look at the clock all the time.
//!
//! Other events lie in some of the gaps, so that their median is taken, not their mean (10.3.1).

use super::{PAPER, SERIES, digits};
use crate::experiment::{Experiment, Host, Settings, Trouble};
use crate::findings::{Figure, Findings, Raw, Standing, Table, Verdict};
use crate::native::{Native, Starter, Stretch, Under, gaps, interruptions, poll};
use crate::statistics::{histogram, median, quantile};
use crate::trees::{self, guarantee, reservations_first, spinners};
use std::time::Duration;
use windfall_plot::chart::{Axis, Chart};
use windfall_plot::{Paint, Stroke};
use windfall_scenario::Scenario;
use windfall_scenario::model::{Asks, Reserve, Scheduler, Thread};
use windfall_time::Span;

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "table-10-2",
    also: &["figure-10-1"],
    title: "context switch times",
    source: "HLS 10.3.1, table 10.2, figure 10.1",
    question: "how long does it take from one thread to the next?",
    claim: "a switch that a hierarchy decides takes less than twice the system's own, and less than the \
            paper's 11.7 us",
    hosts: &[Host::Here],
    absent: "no host of this build supervises threads; the system's own switches are measured on `here`",
    run: findings,
};

const THREADS: u32 = 10;

/// A line of the table.
struct Column {
    name: &'static str,
    /// Microseconds, in 2001.
    paper: f64,
    scenario: Option<fn() -> Result<Scenario, Trouble>>,
}

const COLUMNS: [Column; 4] = [
    Column { name: "system", paper: 7.10, scenario: None },
    Column { name: "time sharing", paper: 11.7, scenario: Some(time_sharing) },
    Column { name: "CPU reservation", paper: 12.5, scenario: Some(reservation) },
    Column { name: "proportional share", paper: 19.9, scenario: Some(proportional_share) },
];

fn under(parent: &str, asks: Asks) -> Vec<Thread> {
    vec![Thread { asks, ..spinners("poll", THREADS, parent) }]
}

fn time_sharing() -> Result<Scenario, Trouble> {
    let schedulers = reservations_first("rez", Span::from_millis(10))?;
    Ok(trees::scenario(Span::from_secs(1), schedulers, under("ts", Asks::default())))
}

fn reservation() -> Result<Scenario, Trouble> {
    let schedulers = reservations_first("rez", Span::from_millis(10))?;
    let (amount, period) = (Span::from_millis(2), Span::from_millis(21));
    let asks = Asks { reserve: Some(Reserve { amount, period }), ..Asks::default() };
    Ok(trees::scenario(Span::from_secs(1), schedulers, under("res", asks)))
}

fn proportional_share() -> Result<Scenario, Trouble> {
    let schedulers = vec![
        Scheduler::root("fp", "fixed-priority"),
        Scheduler::below("ps", "proportional-share", "fp", guarantee("ALL")?),
    ];
    Ok(trees::scenario(Span::from_secs(1), schedulers, under("ps", Asks::share(1))))
}

/// The stretches that ten polling threads see, started by whoever can start them under `column`.
fn measure(
    starter: &dyn Starter,
    column: &Column,
    length: Duration,
) -> Result<Vec<Stretch>, Trouble> {
    let scenario = column.scenario.map(|make| make()).transpose()?;
    poll(
        starter,
        scenario.as_ref().map_or(Under::System, Under::Hierarchy),
        THREADS as usize,
        length,
    )
}

fn findings(settings: &Settings<'_>) -> Result<Findings, Trouble> {
    let length = settings.either(Duration::from_secs(100), Duration::from_secs(2));
    let head = [
        "scheduler",
        "paper median",
        "here median",
        "least",
        "p99",
        "most",
        "switches",
        "interrupted only",
    ];
    let mut table =
        Table::new("from one thread's stop to another's start, in microseconds", 1, &head);
    let (mut figures, mut raw) = (Vec::new(), Vec::new());
    for column in &COLUMNS {
        let mut row = vec![column.name.to_owned(), digits(column.paper)];
        if column.scenario.is_some() {
            row.resize(head.len(), "-".to_owned());
        } else {
            (settings.progress)(&format!(
                "{}: {THREADS} threads, {} s",
                column.name,
                length.as_secs()
            ));
            let stretches = measure(&Native, column, length)?;
            let gaps = gaps(&stretches);
            let numbers = [0.5, 0.0, 0.99, 1.0].map(|share| digits(quantile(&gaps, share)));
            row.extend(numbers);
            row.push(gaps.len().to_string());
            row.push(digits(median(&interruptions(&stretches))));
            figures.push(figure(column.name, &gaps));
            let rows =
                stretches.iter().map(|one| format!("{},{},{}", one.thread, one.from, one.to));
            raw.push(Raw::csv("table-10-2-system", "thread,from_ns,to_ns", rows));
        }
        table.rows.push(row);
    }
    Ok(Findings {
        circumstances: vec![
            crate::machine::here(),
            format!("{THREADS} threads on one processor for {} s each", length.as_secs()),
        ],
        tables: vec![table],
        figures,
        raw,
        notes: vec![
            "`Interrupted only` is the median gap after which the same thread goes on: the clock's interrupt \
             without a switch. The system switches in that interrupt; what is above it is the switch."
                .to_owned(),
            "The paper's first line is the released Windows 2000; its rebuilt kernel took 7.35 us."
                .to_owned(),
            "Whatever else this machine runs on that processor is in the tail, as in the paper."
                .to_owned(),
        ],
        verdict: Verdict {
            standing: Standing::Open,
            why: "only the system's own switches could be measured".to_owned(),
        },
    })
}

fn figure(name: &str, gaps: &[f64]) -> Figure {
    let most = quantile(gaps, 1.0).max(10.0);
    let least = quantile(gaps, 0.0).clamp(0.05, 1.0);
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
    chart.line(&line, stroke, &format!("median here: {middle:.2} us"));
    let (line, stroke) = at(7.10_f64.max(left), PAPER, Some((8.0, 5.0)));
    chart.line(&line, stroke, "median in 2001: 7.10 us");
    Figure {
        name: "figure-10-1".to_owned(),
        caption: "A narrow peak and a long tail: in the tail other threads and interrupts ran."
            .to_owned(),
        picture: chart.finish(),
    }
}
