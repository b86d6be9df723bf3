//! PORTS, section 4: processors that submit to each other, with and without prefetch and poststore, and with processors twice as fast over the same interconnect.

use super::{SERIES, dashed, digits, solid, with_confidence};
use crate::experiment::{Experiment, Host, LabError, Settings};
use crate::findings::{Figure, Findings, Raw, Table, Verdict, record};
use crate::processors::{Found, MACHINES, Machine, Setup, Ways, run};
use crate::statistics::{Mean, mean};
use windfall_plot::chart::{Axis, Chart, Dot, Mark};
use windfall_time::Span;

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "ports-processors",
    also: &[],
    title: "what processors refuse each other, with and without prefetch",
    source: "PORTS, 1994, sections 4 and 5",
    question: "how many tasks do two processors refuse that submit to each other, with and without prefetch and poststore, and with processors twice as fast over the same interconnect?",
    claim: "with prefetch fewer tasks are refused, and on a KSR-2 it spares more than on a KSR-1, whose processors wait for fewer cycles; poststore, with which the receiver of a task waits instead of its sender, spares nothing",
    hosts: &[Host::Sim],
    absent: "there is no KSR; and a program cannot switch off the prefetching of today's processors",
    run: findings,
};

/// The longest task, in cycles: 2, 8 and 32 ms of a KSR-1.
const LONGEST: [u64; 3] = [40_000, 160_000, 640_000];
/// Work that is offered, in hundredths of the processors.
const LOADS: [u64; 2] = [50, 80];

struct Row {
    machine: &'static Machine,
    longest: u64,
    load: u64,
    /// For each seed, as in [`Ways::ALL`].
    found: Vec<[Found; 4]>,
}

#[expect(clippy::cast_precision_loss, reason = "measured numbers, below 2^53")]
fn percent(part: u64, of: u64) -> f64 {
    part as f64 * 100.0 / of.max(1) as f64
}

fn share(time: Span, of: Span) -> f64 {
    percent(time.as_nanos(), of.as_nanos())
}

fn refused(found: &Found) -> f64 {
    percent(found.refused, found.asked)
}

impl Row {
    /// The mean of all seeds.
    fn mean(&self, ways: usize, of: impl Fn(&Found) -> f64) -> f64 {
        mean(&self.found.iter().map(|each| of(&each[ways])).collect::<Vec<_>>()).value
    }
}

/// By how many of a hundred tasks fewer are refused on a machine than with neither, with the same tasks: over all rows, with what chance does from seed to seed.
fn spared(rows: &[Row], machine: &Machine, ways: usize) -> Mean {
    let here: Vec<_> = rows.iter().filter(|row| row.machine.name == machine.name).collect();
    let seeds = here.first().map_or(0, |row| row.found.len());
    let of_seed = |seed: usize| {
        let each =
            here.iter().map(|row| refused(&row.found[seed][0]) - refused(&row.found[seed][ways]));
        mean(&each.collect::<Vec<_>>()).value
    };
    mean(&(0..seeds).map(of_seed).collect::<Vec<_>>())
}

fn machines() -> Table {
    let head = ["machine", "a line", "cycles", "analysis", "cycles", "analysis of lines"];
    let mut table = Table::new("what memory and analysis cost", 1, &head);
    for machine in &MACHINES {
        let (line, analysis) = (machine.line, machine.analysis);
        let [lines, cycles] = [line, analysis].map(|time| machine.in_cycles(time));
        let ratio = cycles / lines;
        let cells = [line.to_string(), lines.to_string(), analysis.to_string(), cycles.to_string()];
        let mut row = vec![machine.name.to_owned()];
        row.extend(cells);
        row.push(ratio.to_string());
        table.rows.push(row);
    }
    table
}

fn refusals(rows: &[Row]) -> Table {
    let mut head = vec!["machine", "longest task", "cycles", "load, %"];
    head.extend(Ways::ALL.iter().map(|ways| ways.name()));
    head.extend(["smaller", "late"]);
    let title = "tasks of which nothing was admitted, in % of those that came up; with neither, those of which a smaller one was, and late ones of those done";
    let mut table = Table::new(title, 2, &head);
    for row in rows {
        let longest = row.machine.cycles(row.longest).to_string();
        let mut cells = vec![row.machine.name.to_owned(), longest];
        cells.extend([row.longest.to_string(), row.load.to_string()]);
        cells.extend((0..4).map(|ways| digits(row.mean(ways, refused))));
        cells.push(digits(row.mean(0, |found| percent(found.smaller, found.asked))));
        cells.push(digits(row.mean(0, |found| percent(found.late, found.done))));
        table.rows.push(cells);
    }
    table
}

fn fewer(rows: &[Row]) -> Table {
    let mut head = vec!["machine"];
    head.extend(Ways::ALL.iter().skip(1).map(|ways| ways.name()));
    let title = "by how many of a hundred tasks fewer are refused than with neither, in the mean of all rows";
    let mut table = Table::new(title, 1, &head);
    for machine in &MACHINES {
        let mut cells = vec![machine.name.to_owned()];
        cells.extend((1..4).map(|ways| with_confidence(spared(rows, machine, ways))));
        table.rows.push(cells);
    }
    table
}

fn time(rows: &[Row]) -> Table {
    let mut head = vec!["machine", "longest task", "load, %", "analysis"];
    head.extend(Ways::ALL.iter().map(|ways| ways.name()));
    let title = "time that tasks do not get, in % of the processors': for analysis, and in which a processor waits for lines";
    let mut table = Table::new(title, 2, &head);
    for row in rows {
        let longest = row.machine.cycles(row.longest).to_string();
        let mut cells = vec![row.machine.name.to_owned(), longest, row.load.to_string()];
        cells.push(digits(row.mean(0, |found| share(found.analysed, found.passed))));
        cells.extend(
            (0..4).map(|ways| digits(row.mean(ways, |found| share(found.waited, found.passed)))),
        );
        table.rows.push(cells);
    }
    table
}

/// Refusals with neither and with both against the longest task, at the highest load.
fn figure(rows: &[Row]) -> Figure {
    let (x, y) = (
        Axis::factors("longest task (cycles)", 4e4, 6.4e5),
        Axis::covering(
            "refused (%)",
            rows.iter().map(|row| row.mean(0, refused)).fold(1.0, f64::max),
        ),
    );
    let load = LOADS[LOADS.len() - 1];
    let mut chart =
        Chart::new("Refusals with and without prefetch", &format!("load {load} %"), x, y);
    for (machine, colour) in MACHINES.iter().zip(SERIES) {
        let of = |ways: usize| -> Vec<(f64, f64)> {
            let here =
                rows.iter().filter(|row| row.load == load && row.machine.name == machine.name);
            #[expect(clippy::cast_precision_loss, reason = "shown, not compared")]
            here.map(|row| (row.longest as f64, row.mean(ways, refused))).collect()
        };
        chart.line(&of(0), solid(colour), machine.name);
        chart.dots(&of(0), Dot { mark: Mark::Ring, colour }, "");
        chart.line(&of(1), dashed(colour), &format!("{}, prefetch", machine.name));
    }
    Figure {
        name: "ports-processors".to_owned(),
        caption: "The same tasks in cycles: short ones are refused for the time that analysis and waiting take from others.".to_owned(),
        picture: chart.finish(),
    }
}

/// The evidence against the claim, and its numbers.
fn judge(rows: &[Row]) -> (Vec<String>, String) {
    let mut against = Vec::new();
    let of = |machine: &Machine, ways: usize| spared(rows, machine, ways);
    for machine in &MACHINES {
        let (prefetch, poststore) = (of(machine, 1), of(machine, 2));
        if prefetch.value <= prefetch.confidence {
            against.push(format!(
                "{}: prefetch spares {} %",
                machine.name,
                with_confidence(prefetch)
            ));
        }
        if poststore.value > poststore.confidence {
            against.push(format!(
                "{}: poststore spares {} %",
                machine.name,
                with_confidence(poststore)
            ));
        }
    }
    let [first, second] = [&MACHINES[0], &MACHINES[1]].map(|machine| of(machine, 1));
    if second.value - first.value <= second.confidence + first.confidence {
        let [first, second] = [first, second].map(with_confidence);
        against.push(format!("prefetch spares {second} % on the KSR-2 and {first} % on the KSR-1"));
    }
    let words: Vec<_> = MACHINES
        .iter()
        .map(|machine| format!("{} {} %", machine.name, with_confidence(of(machine, 1))))
        .collect();
    (against, format!("of a hundred tasks fewer are refused with prefetch: {}", words.join(", ")))
}

fn notes() -> Vec<String> {
    vec![
        "Two processors with one scheduler each, by deadline with admission (crate `ports`), over a simulated interconnect. Tasks come up on each; half are for the other processor. \
         A task's bound is even up to the longest, it uses half to all of it, and its deadline is up to four times the longest after the bound. A sender whose task was refused submits a \
         smaller one of the idle time that the answer names, if that is a quarter of it at least."
            .to_owned(),
        "A sender waits for two lines, the lock and the head of the incoming list; with prefetch for none, which is the most that prefetch can spare. The receiver waits for two, the head and the task. \
         The answer is waited for once: by the sender who reads it, or by the receiver who stores it where the sender is (poststore). While a processor waits or analyses, its tasks get nothing, as \
         where time is stolen: so tasks can be late that were admitted before."
            .to_owned(),
        "A line takes 150 cycles of a KSR-1 and analysis 10,000: the least of the paper's table 2. The KSR-2's interconnect is the KSR-1's. Tasks are equal in cycles on all machines.".to_owned(),
    ]
}

fn record_of(row: &Row, seed: u32, ways: Ways, found: &Found) -> Vec<String> {
    let Found { asked, refused, smaller, done, late, waited, analysed, passed } = found;
    let [waited, analysed, passed] = [waited, analysed, passed].map(|time| time.as_nanos());
    let (name, ways) = (row.machine.name, ways.name());
    record![
        name,
        row.longest,
        row.load,
        seed,
        ways,
        asked,
        refused,
        smaller,
        done,
        late,
        waited,
        analysed,
        passed
    ]
}

fn findings(settings: &Settings<'_>) -> Result<Findings, LabError> {
    let (tasks, seeds) = (settings.either(10_000, 800), settings.either(10, 3));
    let mut rows = Vec::new();
    for machine in &MACHINES {
        (settings.progress)(machine.name);
        for longest in LONGEST {
            for load in LOADS {
                let of_seed = |seed| {
                    Ways::ALL.map(|ways| run(Setup { machine, ways, longest, load, tasks, seed }))
                };
                let found = (1..=seeds).map(of_seed).collect();
                rows.push(Row { machine, longest, load, found });
            }
        }
    }
    let (against, why) = judge(&rows);
    let mut raw = Vec::new();
    for row in &rows {
        for (seed, each) in (1..).zip(&row.found) {
            raw.extend(
                Ways::ALL.iter().zip(each).map(|(ways, found)| record_of(row, seed, *ways, found)),
            );
        }
    }
    let head = "machine,longest_cycles,load_percent,seed,ways,asked,refused,smaller,done,late,waited_ns,analysed_ns,passed_ns";
    Ok(Findings {
        circumstances: vec![format!(
            "sim: {tasks} tasks come up in a run, and {seeds} runs make a row; equal tasks with each way"
        )],
        tables: vec![machines(), refusals(&rows), fewer(&rows), time(&rows)],
        figures: vec![figure(&rows)],
        raw: vec![Raw::csv("ports-processors", head, raw)],
        notes: notes(),
        verdict: Verdict::by(&against, &why).calibrated(),
    })
}
