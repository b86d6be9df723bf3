//! Table 10.4: the share of a user with one thread beside a user with many, with one level of schedulers and with two.

use super::{CLOSE, PAPER, SERIES, apart, dashed, digits, solid};
use crate::carried_out::{percent, run};
use crate::experiment::{Experiment, Host, LabError, Settings};
use crate::findings::{Figure, Findings, Raw, Table, Verdict, record};
use crate::supervised::{Watching, supervise};
use crate::trees::{self, guarantee, spinners};
use windfall_plot::chart::{Axis, Chart, Dot, Mark};
use windfall_scenario::Scenario;
use windfall_scenario::model::Scheduler;
use windfall_scenario::outcome::Outcome;
use windfall_schedulers::share::ProportionalShare;
use windfall_time::Span;

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "table-10-4",
    also: &["figure-10-5"],
    title: "isolation of resource principals",
    source: "HLS 10.5.1, table 10.4, figure 10.5",
    question: "what share does a user with one thread receive when another user has up to 256?",
    claim: "with a level of schedulers for the users each gets 50 % ± 1, however many threads the other has; \
            without it the one thread gets its share among all threads",
    hosts: &[Host::Sim, Host::Linux],
    absent: "it needs schedulers",
    run: findings,
};

/// A line of the table.
#[derive(Clone, Copy, PartialEq, Debug)]
#[non_exhaustive]
pub struct Case {
    /// Threads of the second user; the first has one.
    pub others: u32,
    /// Whether each user has a scheduler of its own.
    pub isolated: bool,
    /// The first user's share in 2001, in per cent.
    pub paper: f64,
}

/// The table's lines.
pub const CASES: [Case; 10] = [
    Case { others: 1, isolated: false, paper: 50.0 },
    Case { others: 4, isolated: false, paper: 19.9 },
    Case { others: 16, isolated: false, paper: 6.10 },
    Case { others: 64, isolated: false, paper: 1.56 },
    Case { others: 256, isolated: false, paper: 0.313 },
    Case { others: 1, isolated: true, paper: 50.0 },
    Case { others: 4, isolated: true, paper: 50.0 },
    Case { others: 16, isolated: true, paper: 50.1 },
    Case { others: 64, isolated: true, paper: 50.1 },
    Case { others: 256, isolated: true, paper: 50.2 },
];

/// The scenario of a line: thread `one-1` of the first user, `many-1` and so on of the second.
///
/// # Errors
/// None for the table's own lines.
pub fn scenario(case: &Case, length: Span) -> Result<Scenario, LabError> {
    let kind = ProportionalShare::default().quantum(Span::from_millis(10));
    let mut schedulers = vec![Scheduler::root("ps", kind.clone())];
    let (mut first, mut second) = ("ps", "ps");
    if case.isolated {
        (first, second) = ("user1", "user2");
        for user in [first, second] {
            let half = guarantee("PS 1/2")?;
            schedulers.push(Scheduler::below(user, kind.clone(), "ps", half));
        }
    }
    let threads = vec![spinners("one", 1, first), spinners("many", case.others, second)];
    Ok(trees::scenario(length, schedulers, threads))
}

/// The shares of the first user and of the other, in per cent.
fn shares(outcome: &Outcome) -> (f64, f64) {
    (percent(outcome, "one"), percent(outcome, "many"))
}

/// The shares of simulated and of real users, and the disturbances of the host.
struct Found {
    simulated: (f64, f64),
    real: Option<((f64, f64), Option<String>)>,
}

impl Found {
    fn of(case: &Case, host: Host, length: Span) -> Result<Found, LabError> {
        let scenario = scenario(case, length)?;
        let simulated = shares(&run(&scenario, Vec::new(), None)?);
        let real = match host {
            Host::Linux => {
                let run = supervise(&scenario, &Watching::default())?;
                Some((shares(&run.outcome), run.disturbed))
            }
            _ => None,
        };
        Ok(Found { simulated, real })
    }

    /// The shares of real users, or of simulated ones where there are none.
    fn shown(&self) -> (f64, f64) {
        self.real.as_ref().map_or(self.simulated, |real| real.0)
    }

    fn disturbed(&self) -> Option<&String> {
        self.real.as_ref()?.1.as_ref()
    }

    /// Its evidence against the claim.
    fn contradicts(&self, case: &Case) -> Option<String> {
        let fair = if case.isolated { 50.0 } else { 100.0 / f64::from(case.others + 1) };
        let (one, many) = self.shown();
        // Of a real processor the rest of the system has a part, too.
        let share = one / (one + many) * 100.0;
        let off = apart(self.simulated, (one, many));
        if (share - fair).abs() > 1.0 {
            Some(format!("{share:.2} %, not {fair:.2} %"))
        } else {
            (off > CLOSE).then(|| format!("{off:.2} % of the processor from what is simulated"))
        }
    }
}

fn findings(settings: &Settings<'_>) -> Result<Findings, LabError> {
    let host = settings.host.unwrap_or(Host::Sim);
    let real = host == Host::Linux;
    let length = if real { settings.either(10, 2) } else { 10 };
    let length = Span::from_secs(length);
    let mut head =
        ["", "N1", "N2", "paper %1", "sim %1", "paper %2", "sim %2"].map(str::to_owned).to_vec();
    if real {
        head.extend(["linux %1", "linux %2", "apart (%)", "disturbed"].map(str::to_owned));
    }
    let title = "share of the processor for each user, in per cent";
    let mut table = Table { title: title.to_owned(), head, words: 1, rows: Vec::new() };
    let (mut rows, mut against, mut disturbed) = (Vec::new(), Vec::new(), Vec::new());
    let mut points = [Vec::new(), Vec::new()];
    for case in &CASES {
        let Case { others, isolated, paper } = *case;
        let users = if isolated { "with isolation" } else { "without isolation" };
        let line = format!("{}, {users}, {others} others", host.name());
        (settings.progress)(&line);
        let found = Found::of(case, host, length)?;
        let ((one, many), simulated) = (found.shown(), found.simulated);
        match found.disturbed() {
            Some(why) => disturbed.push(format!("{line}: {why}")),
            None => against.extend(found.contradicts(case).map(|why| format!("{line}: {why}"))),
        }
        points[usize::from(isolated)].push((f64::from(others), one / (one + many) * 100.0, paper));
        let mut row = vec![users.to_owned(), "1".to_owned(), others.to_string()];
        row.extend([paper, simulated.0, 100.0 - paper, simulated.1].map(digits));
        if real {
            row.extend([one, many, apart(simulated, (one, many))].map(digits));
            row.push(if found.disturbed().is_some() { "yes" } else { "no" }.to_owned());
        }
        table.rows.push(row);
        rows.push(record![
            host.name(),
            isolated,
            others,
            paper,
            one,
            many,
            found.disturbed().is_some()
        ]);
    }
    let machine = if real { crate::machine::this() } else { "one ideal processor".to_owned() };
    let names = "host,isolated,others,paper_percent,percent,others_percent,disturbed";
    Ok(Findings {
        circumstances: vec![format!("{}: {machine}, {length} a line, quantum 10 ms", host.name())],
        tables: vec![table],
        figures: vec![figure(&points, host.name())],
        raw: vec![Raw::csv("table-10-4", names, rows)],
        notes: if real { vec![super::APART.to_owned()] } else { Vec::new() },
        verdict: Verdict::of_runs(&against, &disturbed, "every line is within 1 % of what is fair"),
    })
}

fn figure(points: &[Vec<(f64, f64, f64)>; 2], host: &str) -> Figure {
    let x = Axis::factors("threads of the second user", 1.0, 1000.0);
    let y = Axis::until("the first user's share of the processor (%)", 60.0);
    let mut chart = Chart::new(
        "What one thread gets beside many of another user",
        "table 10.4 as a picture; the paper has only the numbers",
        x,
        y,
    );
    let names = ["one level", "two levels"];
    for ((series, name), colour) in points.iter().zip(names).zip(SERIES) {
        let paper: Vec<_> = series.iter().map(|(x, _, paper)| (*x, *paper)).collect();
        let found: Vec<_> = series.iter().map(|(x, found, _)| (*x, *found)).collect();
        chart.line(&paper, dashed(PAPER), "");
        chart.dots(&paper, Dot { mark: Mark::Square, colour: PAPER }, &format!("2001, {name}"));
        chart.line(&found, solid(colour), "");
        chart.dots(&found, Dot { mark: Mark::Ring, colour }, &format!("{host}, {name}"));
    }
    Figure {
        name: "table-10-4".to_owned(),
        caption: "With two levels the line is flat; with one it falls with the number of threads."
            .to_owned(),
        picture: chart.finish(),
    }
}
