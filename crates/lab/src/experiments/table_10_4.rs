//! Table 10.4: what is left for a user with one thread beside a user with many, with one level of
//! schedulers and with two.

use super::{PAPER, SERIES, dashed, digits, solid};
use crate::carried_out::{percent, run, supervise};
use crate::experiment::{Experiment, Host, Settings, Trouble};
use crate::findings::{Figure, Findings, Raw, Table, Verdict};
use crate::trees::{self, guarantee, spinners};
use windfall_plot::chart::{Axis, Chart, Dot, Mark};
use windfall_scenario::Scenario;
use windfall_scenario::model::{Scheduler, Setting};
use windfall_time::Span;

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "table-10-4",
    also: &["figure-10-5"],
    title: "isolation of resource principals",
    source: "HLS 10.5.1, table 10.4, figure 10.5",
    question: "what is left for a user with one thread when another user has up to 256?",
    claim: "with a level of schedulers for the users each gets 50 % ± 1, however many threads the other has; \
            without it the one thread gets its share among all threads",
    hosts: &[Host::Sim, Host::Linux],
    absent: "it needs schedulers",
    run: findings,
};

/// A line of the table.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Case {
    /// Threads of the second user; the first has one.
    pub others: u32,
    /// Whether each user has a scheduler of its own.
    pub isolated: bool,
    /// What the first user got in 2001, in per cent.
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

/// What a host carries out for a line: thread `one-1` of the first user, `many-1` and so on of the
/// second.
///
/// # Errors
/// None for the table's own lines.
pub fn scenario(case: &Case, length: Span) -> Result<Scenario, Trouble> {
    let quantum = Setting::Span(Span::from_millis(10));
    let share = |scheduler: Scheduler| scheduler.with("quantum", quantum.clone());
    let mut schedulers = vec![share(Scheduler::root("ps", "proportional-share"))];
    let (mut first, mut second) = ("ps", "ps");
    if case.isolated {
        (first, second) = ("user1", "user2");
        for user in [first, second] {
            let half = guarantee("PS 1/2")?;
            schedulers.push(share(Scheduler::below(user, "proportional-share", "ps", half)));
        }
    }
    let threads = vec![spinners("one", 1, first), spinners("many", case.others, second)];
    Ok(trees::scenario(length, schedulers, threads))
}

fn findings(settings: &Settings<'_>) -> Result<Findings, Trouble> {
    let hosts = [Host::Sim, Host::Linux].into_iter().filter(|host| settings.on(*host));
    let hosts: Vec<Host> = hosts.collect();
    let length = |host| match host {
        Host::Linux => settings.either(Span::from_secs(10), Span::from_secs(2)),
        _ => Span::from_secs(10),
    };
    let mut head = vec!["".to_owned(), "N1".to_owned(), "N2".to_owned()];
    for part in ["%1", "%2"] {
        head.push(format!("paper {part}"));
        head.extend(hosts.iter().map(|host| format!("{} {part}", host.name())));
    }
    let title = "share of the processor for each user, in per cent";
    let mut table = Table { title: title.to_owned(), head, words: 1, rows: Vec::new() };
    let (mut rows, mut against) = (Vec::new(), Vec::new());
    let mut points = [Vec::new(), Vec::new()];
    for case in &CASES {
        let users = if case.isolated { "with isolation" } else { "without isolation" };
        let fair = if case.isolated { 50.0 } else { 100.0 / f64::from(case.others + 1) };
        let (mut first, mut second) = (vec![digits(case.paper)], vec![digits(100.0 - case.paper)]);
        for host in &hosts {
            let name = host.name();
            (settings.progress)(&format!("{name}, {users}, 1 thread against {}", case.others));
            let scenario = scenario(case, length(*host))?;
            let outcome = match host {
                Host::Linux => supervise(&scenario, None)?,
                _ => run(&scenario, Vec::new(), None)?,
            };
            let (one, many) = (percent(&outcome, "one"), percent(&outcome, "many"));
            // Of a real processor the rest of the system has a part, too.
            let share = one / (one + many) * 100.0;
            if (share - fair).abs() > 1.0 {
                let others = case.others;
                against.push(format!(
                    "{name}, {users}, {others} others: {share:.2} %, not {fair:.2} %"
                ));
            }
            points[usize::from(case.isolated)].push((f64::from(case.others), share, case.paper));
            first.push(digits(one));
            second.push(digits(many));
            rows.push(format!(
                "{name},{},{},{},{one},{many}",
                case.isolated, case.others, case.paper
            ));
        }
        let mut row = vec![users.to_owned(), "1".to_owned(), case.others.to_string()];
        row.extend(first.into_iter().chain(second));
        table.rows.push(row);
    }
    let circumstance = |host: &Host| match host {
        Host::Linux => {
            format!("linux: {}, {} a line, quantum 10 ms", crate::machine::this(), length(*host))
        }
        _ => format!("sim: one ideal processor, {} a line, quantum 10 ms", length(*host)),
    };
    let names = "host,isolated,others,paper_percent,percent,others_percent";
    Ok(Findings {
        circumstances: hosts.iter().map(circumstance).collect(),
        tables: vec![table],
        figures: vec![figure(&points, hosts[0].name())],
        raw: vec![Raw::csv("table-10-4", names, rows)],
        notes: Vec::new(),
        verdict: Verdict::by(&against, "every line is within 1 % of what is fair"),
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
