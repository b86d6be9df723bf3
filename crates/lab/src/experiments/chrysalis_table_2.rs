//! Chrysalis, table 2: how many messages a second the programs of the satellite IMP pass on, each on a node of its own
//! and together on one.

use super::digits;
use crate::bsat::{Operator, Part, Role};
use crate::butterfly::{Butterfly, DELIVERS, EPOCH, GENERATES, SINKS, params};
use crate::experiment::{Experiment, Host, LabError, Settings};
use crate::findings::{Findings, Raw, Table, Verdict, record};
use crate::units::{seconds, us};
use windfall_programs::Node;
use windfall_programs::bsat::Tally;
use windfall_time::Span;

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "chrysalis-table-2",
    also: &[],
    title: "messages a second, alone and combined",
    source: "Chrysalis, BBN report 5285, 4.3, table 2",
    question: "how many messages a second do generator, sinks and delivery pass on, each alone and on one node?",
    claim: "with what each takes alone, and the scheduler's costs of table 1, the simulated node gives the report's \
            throughput within 5 %; on a real machine with the same work each passes on as much alone within 5 %, and \
            together at least what the report has and at most what their work allows",
    hosts: &[Host::Sim, Host::Linux],
    absent: "it needs schedulers",
    run: findings,
};

/// The work of the complex sink: the time that the report's last line leaves for it.
const COMPLEX: Span = us(1_453 - 552 - 478 - 54);
/// The slice of processes that share a node: the report does not give it.
const SLICE: u32 = 5;
const SLICES: [u32; 6] = [1, 2, 5, 10, 24, 96];
/// The process that feeds one that is to be always busy.
const FEEDS: Span = us(100);

const HERE: Node = Node(0);
const THERE: Node = Node(1);

/// A line of the table: messages a second, and which part's are counted.
struct Line {
    what: &'static str,
    paper: u32,
    /// The generators' slice, in ms.
    slice: u32,
    /// Processes, with their nodes and their work for a message.
    parts: &'static [(Role, Node, Span)],
    counted: usize,
}

const LINES: [Line; 6] = [
    Line {
        what: "generator, queue on the same node",
        paper: 1_811,
        slice: 96,
        parts: &[
            (Role::Generator { to: Some(0) }, HERE, GENERATES),
            (Role::Drain { from: 0, every: Span::from_millis(10) }, THERE, Span::ZERO),
        ],
        counted: 0,
    },
    Line {
        what: "generator, queue on another node",
        paper: 1_633,
        slice: 96,
        parts: &[
            (Role::Generator { to: Some(1) }, HERE, GENERATES),
            (Role::Sink { from: 1 }, THERE, SINKS),
        ],
        counted: 0,
    },
    Line {
        what: "simple sink",
        paper: 6_580,
        slice: 96,
        parts: &[
            (Role::Generator { to: Some(0) }, THERE, FEEDS),
            (Role::Sink { from: 0 }, HERE, SINKS),
        ],
        counted: 1,
    },
    Line {
        what: "local delivery",
        paper: 2_095,
        slice: 96,
        parts: &[
            (Role::Generator { to: Some(0) }, THERE, FEEDS),
            (Role::Delivery { from: 0, to: 2 }, HERE, DELIVERS),
            (Role::Drain { from: 2, every: Span::from_millis(10) }, THERE, Span::ZERO),
        ],
        counted: 1,
    },
    Line { what: "generator, simple sink", paper: 1_345, slice: SLICE, parts: PAIR, counted: 1 },
    Line {
        what: "generator, local delivery, complex sink",
        paper: 688,
        slice: SLICE,
        parts: &[
            (Role::Generator { to: Some(0) }, HERE, GENERATES),
            (Role::Delivery { from: 0, to: 2 }, HERE, DELIVERS),
            (Role::Sink { from: 2 }, HERE, COMPLEX),
        ],
        counted: 2,
    },
];

const PAIR: &[(Role, Node, Span)] =
    &[(Role::Generator { to: Some(0) }, HERE, GENERATES), (Role::Sink { from: 0 }, HERE, SINKS)];

/// Messages a second of one of these processes.
fn rate(
    (parts, counted): (&[(Role, Node, Span)], usize),
    slice: u32,
    host: Host,
    length: Span,
) -> Result<(f64, Option<String>), LabError> {
    let part = |(role, node, work): &(Role, Node, Span)| {
        // Generators have their turns; processes that take messages continue until there are none.
        let slice = match role {
            Role::Generator { .. } => Span::from_millis(slice),
            _ => EPOCH,
        };
        let (role, node, work) = (*role, *node, *work);
        Part { role, node, params: params(EPOCH, slice), work, tally: Tally::default() }
    };
    let nodes = parts.iter().map(|(_, node, _)| node.0 + 1).max().unwrap_or(1);
    let queues = [HERE, Node(nodes - 1), HERE].map(|node| (node, 10_000)).to_vec();
    let parts = parts.iter().map(part).collect();
    let operator = Operator { queues, parts, monitor: None };
    let butterfly = Butterfly { nodes: nodes.into(), overcommit: true, operator, length };
    let seen = butterfly.run(host)?;
    Ok((seen.parts[counted].rate, seen.disturbed))
}

/// Evidence of real threads against the claim: alone the scheduler hardly counts; together it may take nothing.
fn of_a_real_machine(Line { what, paper, parts, .. }: &Line, found: f64) -> Option<String> {
    let paper = f64::from(*paper);
    let here = parts.iter().filter(|(_, node, _)| *node == HERE);
    let (count, work) =
        here.fold((0, 0.0), |(count, sum), part| (count + 1, sum + seconds(part.2)));
    let most = if count > 1 { 1.0 / work } else { paper };
    let near = found >= 0.95 * paper && found <= 1.05 * most;
    (!near).then(|| {
        let (least, most) = (digits(paper), digits(most));
        format!("linux, {what}: {} where {least} to {most} are expected", digits(found))
    })
}

/// The effect of the slice on two processes.
fn of_slices(length: Span, raw: &mut Vec<Vec<String>>) -> Result<Table, LabError> {
    let mut table =
        Table::new("generator and simple sink, by the generator's slice", 1, &["slice", "sim"]);
    for slice in SLICES {
        let (sim, _) = rate((PAIR, 1), slice, Host::Sim, length)?;
        raw.push(record!["sim", "generator and simple sink", slice, sim]);
        table.rows.push(vec![format!("{slice} ms"), digits(sim)]);
    }
    Ok(table)
}

const NOTES: [&str; 3] = [
    "What each program takes alone is what it is given. What is found is what becomes of them together. The report does \
         not say which slice they had: together it is 5 ms here, and the second table has others.",
    "The complex sink takes what the report's last line leaves for it (369 us); so that line says nothing.",
    "The report's Epoch Scheduler and Remote Demon (3.1 % of a processor together) are left out, as in its own \
         account of the experiments.",
];

fn findings(settings: &Settings<'_>) -> Result<Findings, LabError> {
    let real = settings.on(Host::Linux);
    let length = Span::from_secs(settings.either(60, 5));
    let head = ["", "paper", "sim", "off (%)", "linux", "ms a message: paper", "sim"];
    let mut table = Table::new("table 2: messages a second", 1, &head);
    let (mut against, mut disturbed, mut raw) = (Vec::new(), Vec::new(), Vec::new());
    for line in &LINES {
        let Line { what, paper, slice, parts, counted } = line;
        (settings.progress)(what);
        let (sim, _) = rate((parts, *counted), *slice, Host::Sim, length)?;
        let paper = f64::from(*paper);
        let off = (sim - paper) / paper * 100.0;
        if !real && off.abs() > 5.0 {
            against.push(format!("{what}: {} where the report has {paper}", digits(sim)));
        }
        let mut cells = [paper, sim, off].map(digits).to_vec();
        raw.push(record!["sim", what, slice, sim]);
        if real {
            let length = Span::from_secs(settings.either(5, 1));
            let (found, why) = rate((parts, *counted), *slice, Host::Linux, length)?;
            match why {
                Some(why) => disturbed.push(format!("{what}: {why}")),
                None => against.extend(of_a_real_machine(line, found)),
            }
            raw.push(record!["linux", what, slice, found]);
            cells.push(digits(found));
        } else {
            cells.push("-".to_owned());
        }
        cells.extend([1_000.0 / paper, 1_000.0 / sim].map(digits));
        table.rows.push([(*what).to_owned()].into_iter().chain(cells).collect());
    }
    let of_slices = of_slices(length, &mut raw)?;
    let mut circumstances = vec!["sim: two nodes with the report's costs".to_owned()];
    circumstances.extend(real.then(|| format!("linux: {}", crate::machine::this())));
    let mut notes: Vec<String> = NOTES.iter().map(|note| (*note).to_owned()).collect();
    notes.extend((!disturbed.is_empty()).then(|| format!("Disturbed: {}.", disturbed.join("; "))));
    Ok(Findings {
        circumstances,
        tables: vec![table, of_slices],
        figures: Vec::new(),
        raw: vec![Raw::csv("chrysalis-table-2", "host,processes,slice_ms,messages_a_second", raw)],
        notes,
        verdict: if real {
            Verdict::of_runs(
                &against,
                &disturbed,
                "linux: every line is as much as its work allows",
            )
        } else {
            // What each takes alone was put in, and the slice and the complex sink are fitted.
            Verdict::by(&against, "every line is within 5 %").calibrated()
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn law_a_real_column_decides_by_itself() {
        let [alone, .., pair, _] = &LINES;
        assert_eq!(of_a_real_machine(alone, 1_789.0), None);
        assert!(of_a_real_machine(alone, 1_600.0).is_some());
        assert_eq!(of_a_real_machine(pair, 1_397.0), None, "more than in 1983");
        assert!(of_a_real_machine(pair, 1_600.0).is_some(), "more than the work allows: 1420");
        assert!(of_a_real_machine(pair, 1_200.0).is_some());
    }
}
