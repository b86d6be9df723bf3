//! Table 10.1: times of control operations: creating and destroying schedulers, moving threads,
//! beginning and ending reservations.
//!
//! Each is done 60 times, and the first 10 are thrown away, as in the paper: as calls within one process, and from user level, as requests to a
//! run that is under way (`table_10_1/served.rs`).

mod served;

use super::{digits, with_confidence};
use crate::experiment::{Experiment, Host, LabError, Settings};
use crate::findings::{ClaimStatus, Findings, Raw, Table, Verdict, record};
use crate::machine::OPTIMISED;
use crate::statistics::mean;
use crate::trees::{all_ready, reservations_first, scenario, spinners};
use windfall_clocks::Lap;
use windfall_hierarchy::{Hierarchy, HierarchyError, Message, NodeId, NodeSpec, Parent, ThreadId};
use windfall_schedulers::catalogue::Settings as Written;
use windfall_schedulers::kinds;
use windfall_time::{Instant, Span};

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "table-10-1",
    also: &[],
    title: "control operations",
    source: "HLS 10.2, table 10.1",
    question: "how long do the operations take that change a hierarchy?",
    claim: "each operation but loading takes less than the paper's, and none more than 40 us",
    hosts: &[Host::Here],
    absent: "no simulated machine has user level",
    run: findings,
};

/// The number of repetitions, and of the first ones that do not count.
const TIMES: usize = 60;
const THROWN_AWAY: usize = 10;

/// The paper's times and confidences, in microseconds.
const PAPER: [(&str, f64, f64); 9] = [
    ("load scheduler", 59_700.0, 553.0),
    ("unload scheduler", 57_600.0, 53.0),
    ("create scheduler instance", 25.0, 1.63),
    ("destroy scheduler instance", 18.0, 0.0518),
    ("move thread between schedulers", 13.3, 0.0215),
    ("begin CPU reservation (same process)", 15.4, 0.0311),
    ("end CPU reservation (same process)", 13.5, 0.0272),
    ("begin CPU reservation (different process)", 36.4, 0.0376),
    ("end CPU reservation (different process)", 35.0, 0.0649),
];

struct Tree {
    /// The time of a lap in which nothing happens, which counts beside a lap of an operation.
    nothing: Span,
    hierarchy: Hierarchy,
    now: Instant,
    ts: NodeId,
    rez: NodeId,
    thread: ThreadId,
}

impl Tree {
    /// Reservations above time sharing, where ten threads are ready.
    fn new() -> Result<Tree, LabError> {
        let schedulers = reservations_first(kinds::REZ, Span::from_millis(10))?;
        let scenario = scenario(Span::from_secs(1), schedulers, vec![spinners("a", 10, "ts")]);
        let mut plan = scenario.build()?;
        let thread = all_ready(&mut plan)?.last().copied();
        let thread = thread.ok_or_else(|| LabError::Run("no thread".to_owned()))?;
        let node = |name: &str| {
            let found = plan.nodes.iter().find(|(other, _)| other == name);
            found.map(|(_, node)| *node).ok_or_else(|| LabError::Run(format!("no `{name}`")))
        };
        let (ts, rez) = (node("ts")?, node("res")?);
        let (hierarchy, nothing) = (plan.hierarchy, Lap::of_nothing());
        Ok(Tree { nothing, hierarchy, now: Instant::ZERO, ts, rez, thread })
    }

    /// The time of an operation in nanoseconds, until every processor knows its thread.
    #[expect(clippy::cast_precision_loss, reason = "shown, not compared")]
    fn time<T>(
        &mut self,
        operation: impl FnOnce(&mut Hierarchy, Instant) -> Result<T, HierarchyError>,
    ) -> Result<(f64, T), LabError> {
        self.now = self.now + Span::from_nanos(50_000);
        while self.hierarchy.next_timer().is_some_and(|due| due <= self.now) {
            self.hierarchy.timer_due(self.now)?;
        }
        let lap = Lap::begin();
        let done = operation(&mut self.hierarchy, self.now);
        while self.hierarchy.next_changed().is_some() {}
        let ns = lap.passed().saturating_sub(self.nothing).as_nanos() as f64;
        Ok((ns, done?))
    }

    /// Each operation once: create, destroy, move, begin, end.
    fn round(&mut self) -> Result<[f64; 5], LabError> {
        let (ts, rez, thread) = (self.ts, self.rez, self.thread);
        let kind = kinds::TIME_SHARING;
        let (create, other) = self.time(|tree, now| {
            let scheduler = kind.build(&Written(&[])).map_err(|_| HierarchyError::NoParent)?;
            let owns: &[(Parent, &[Message])] = &[(Parent::Node(ts), &[])];
            tree.create(now, NodeSpec::new("another", kind.name, scheduler, owns))
        })?;
        let (moved, ()) = self.time(|tree, now| tree.move_thread(now, thread, other, &[]))?;
        self.time(|tree, now| tree.move_thread(now, thread, ts, &[]))?;
        let (destroy, ()) = self.time(|tree, now| tree.destroy(now, other))?;
        let reserve =
            Message::Reserve { amount: Span::from_millis(4), period: Span::from_millis(20) };
        let (begin, ()) = self.time(|tree, now| tree.move_thread(now, thread, rez, &[reserve]))?;
        let (end, ()) = self.time(|tree, now| tree.move_thread(now, thread, ts, &[]))?;
        Ok([create, destroy, moved, begin, end])
    }
}

/// The verdict by the operations that take longer. A program that was built without optimising refutes nothing by its speed.
fn verdict(against: &[String], optimised: bool) -> Verdict {
    let verdict = Verdict::by(against, "every operation takes less than in 2001");
    match verdict.standing {
        ClaimStatus::Refuted if !optimised => Verdict {
            standing: ClaimStatus::Open,
            why: format!("built without optimising; {}", verdict.why),
        },
        _ => verdict,
    }
}

/// The table, and the evidence against the claim.
fn table(rounds: &[[f64; 5]], served: Option<&served::Served>) -> (Table, Vec<String>) {
    let mut table = Table::new(
        "time of an operation, in microseconds",
        1,
        &["operation", "paper", "here", "here, from user level"],
    );
    let mut against = Vec::new();
    for (row, (name, paper, spread)) in PAPER.into_iter().enumerate() {
        let here = match row {
            0 | 1 => "n/a: schedulers are linked in".to_owned(),
            7 | 8 => "n/a: a call knows no processes".to_owned(),
            _ => {
                let samples: Vec<f64> =
                    rounds[THROWN_AWAY..].iter().map(|round| round[row - 2] / 1e3).collect();
                let found = mean(&samples);
                // What disturbs a few of the samples refutes nothing.
                if found.value - found.confidence > paper.min(40.0) {
                    against.push(format!("{name}: {:.2} us", found.value));
                }
                with_confidence(found)
            }
        };
        table.rows.push(vec![
            name.to_owned(),
            format!("{} ± {}", digits(paper), digits(spread)),
            here,
            served
                .and_then(|served| served[row].get(THROWN_AWAY..))
                .map_or_else(|| "n/a".to_owned(), |samples| with_confidence(mean(samples))),
        ]);
    }
    (table, against)
}

/// The measurements from user level.
fn raw(served: &served::Served) -> Raw {
    const NAMES: &str =
        "round,create_us,destroy_us,move_us,begin_us,end_us,begin_other_us,end_other_us";
    let rows = (0..TIMES).map(|number| {
        let mut row = record![number];
        row.extend(served[2..].iter().map(|samples| samples[number].to_string()));
        row
    });
    Raw::csv("table-10-1-user-level", NAMES, rows)
}

fn findings(settings: &Settings<'_>) -> Result<Findings, LabError> {
    (settings.progress)(&format!("{TIMES} times each operation"));
    let mut tree = Tree::new()?;
    let mut rounds = Vec::with_capacity(TIMES);
    for _ in 0..TIMES {
        rounds.push(tree.round()?);
    }
    (settings.progress)("the same from user level, as requests to a run");
    let served = served::measure();
    let (table, against) = table(&rounds, served.as_ref().ok());
    let rows = rounds.iter().enumerate().map(|(number, round)| {
        let mut row = record![number];
        row.extend(round.iter().map(ToString::to_string));
        row
    });
    Ok(Findings {
        circumstances: vec![
            crate::machine::here(),
            format!("{TIMES} times, the first {THROWN_AWAY} thrown away, 95 % confidence; ten threads, three schedulers"),
        ],
        tables: vec![table],
        figures: Vec::new(),
        raw: [Raw::csv("table-10-1", "round,create_ns,destroy_ns,move_ns,begin_ns,end_ns", rows)]
            .into_iter()
            .chain(served.as_ref().ok().map(raw))
            .collect(),
        notes: vec![
            "The paper's times include a trap into the kernel and back. As a call: within one process, until it is known who runs; the claim is about these."
                .to_owned(),
            match served {
                Ok(_) => "From user level: a request on a run's control socket, with the checks of what it would break, until its answer is there.".to_owned(),
                Err(why) => format!("From user level: not measured, because {why}"),
            },
        ],
        verdict: verdict(&against, OPTIMISED),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn law_a_program_that_is_not_optimised_refutes_no_time() {
        let slow = ["begin: 17.53 us".to_owned()];
        for (against, optimised, standing) in [
            (&slow[..], true, ClaimStatus::Refuted),
            (&slow[..], false, ClaimStatus::Open),
            (&[], true, ClaimStatus::Stands),
            (&[], false, ClaimStatus::Stands),
        ] {
            assert_eq!(verdict(against, optimised).standing, standing);
        }
    }
}
