//! Chrysalis, the last test of 4.3: throughput as a model of the epoch's phases has it, against what is observed.
//!
//! The model. A generator and a sink share a node. As long as the generator is on its normal queue the two take turns, a
//! slice of messages at a time; on its low queue it is preempted by the sink for every message. It goes there when
//! its need is satisfied and the critical scheduling period has begun, and returns at the epoch's end. When that
//! period begins follows from what is used until then (2.4).

use super::digits;
use crate::bsat::{Operator, Part, Role};
use crate::butterfly::{Butterfly, EPOCH, GENERATES, POST, SINKS, SWAP, TIMER, params};
use crate::experiment::{Experiment, Host, LabError, Settings};
use crate::findings::{Findings, Raw, Table, Verdict, record};
use crate::units::millis;
use windfall_programs::Node;
use windfall_programs::bsat::Tally;
use windfall_time::Span;

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "chrysalis-phases",
    also: &[],
    title: "throughput predicted from the phases of an epoch",
    source: "Chrysalis, BBN report 5285, 2.4, 3.3 and 4.3",
    question: "does a process run on its normal queue in uncommitted time, on its low queue after its need, and is it \
               preempted there?",
    claim: "the model predicts throughput within 3 %, and the time on the low queue within 3 % of the epoch",
    hosts: &[Host::Sim],
    absent: "a real machine's swaps take so little of these messages that every model predicts the same",
    run: findings,
};

/// The generator's need, and that of a process that never uses it, in ms.
const CASES: [(u32, u32); 8] =
    [(0, 0), (0, 30), (0, 60), (15, 45), (30, 0), (30, 30), (45, 15), (60, 0)];
/// The sink's need, more than it uses.
const SINK_NEEDS: u32 = 30;
/// The length of slices, in ms. A process with longer slices borrows more uncommitted time while one lasts.
const SLICE: u32 = 3;

/// The results of an epoch.
#[derive(Clone, Copy, Debug)]
struct Epoch {
    messages: f64,
    /// Of the generator's time, in ms.
    low: f64,
}

/// The model's prediction for needs in ms.
fn predicted((generator, absent): (f64, f64)) -> Epoch {
    let (epoch, slice) = (millis(EPOCH), millis(Span::from_millis(SLICE)));
    let (works, sinks, swap) = (millis(GENERATES), millis(SINKS), millis(SWAP));
    // A turn: the generator's slice, in which it is put on and wakes the sink, and which the timer's routine prolongs; and the
    // sink's, until nothing is left.
    let of_a_slice = (slice - swap - millis(POST)) / works;
    let turn = slice + swap + millis(TIMER) + of_a_slice * sinks;
    let share = (slice + millis(TIMER)) / turn;
    // Both use their needs up in proportion; what is left of all needs is what the critical period is for.
    let left = |need: f64, share: f64, at: f64| (need - share * at).max(0.0);
    let sink = f64::from(SINK_NEEDS);
    let owed = |at: f64| left(generator, share, at) + left(sink, 1.0 - share, at) + absent;
    let begins = |at: &f64| epoch - at <= owed(*at);
    let critical = (0..9_600).map(|step| f64::from(step) / 100.0).find(begins).unwrap_or(epoch);
    let normal = critical.max(generator / share).min(epoch);
    // A message on the low queue: the post and the swap to the sink, its work, and the swap back.
    let alone = works + millis(POST) + swap;
    let preempted = alone + swap + sinks;
    let turns = (epoch - normal) / preempted;
    Epoch { messages: normal / turn * of_a_slice + turns, low: turns * alone }
}

/// The results of an epoch on the simulated node.
fn observed((generator, absent): (u32, u32), length: Span) -> Result<Epoch, LabError> {
    let part = |role, need, slice, work| {
        let params = params(Span::from_millis(need), slice);
        Part { role, node: Node(0), params, work, tally: Tally::default() }
    };
    let parts = vec![
        part(Role::Generator { to: Some(0) }, generator, Span::from_millis(SLICE), GENERATES),
        part(Role::Sink { from: 0 }, SINK_NEEDS, Span::from_millis(SLICE), SINKS),
        part(Role::Sink { from: 1 }, absent, EPOCH, Span::ZERO),
    ];
    let operator = Operator { queues: vec![(Node(0), 10_000), (Node(0), 1)], parts, monitor: None };
    let butterfly = Butterfly { nodes: 1, overcommit: false, operator, length };
    let seen = butterfly.run(Host::Sim)?;
    let each = millis(EPOCH) / 1_000.0;
    Ok(Epoch { messages: seen.parts[1].rate * each, low: seen.parts[0].low * each })
}

fn findings(settings: &Settings<'_>) -> Result<Findings, LabError> {
    let length = Span::from_secs(settings.either(60, 5));
    let head = [
        "need (ms)",
        "absent (ms)",
        "messages: predicted",
        "observed",
        "off (%)",
        "on low queue (ms): predicted",
        "observed",
    ];
    let mut table = Table::new("in an epoch of 96 ms", 0, &head);
    let (mut against, mut raw) = (Vec::new(), Vec::new());
    for case in CASES {
        let (need, absent) = case;
        (settings.progress)(&format!("need {need} ms, {absent} ms of an absent process"));
        let model = predicted((need.into(), absent.into()));
        let seen = observed(case, length)?;
        let off = (seen.messages - model.messages) / model.messages * 100.0;
        let apart = (seen.low - model.low) / millis(EPOCH) * 100.0;
        if off.abs() > 3.0 || apart.abs() > 3.0 {
            against.push(format!(
                "need {need}, absent {absent}: {} messages and {} ms where {} and {} are predicted",
                digits(seen.messages),
                digits(seen.low),
                digits(model.messages),
                digits(model.low)
            ));
        }
        let cells = [model.messages, seen.messages, off, model.low, seen.low].map(digits);
        table.rows.push([need.to_string(), absent.to_string()].into_iter().chain(cells).collect());
        raw.push(record![need, absent, model.messages, seen.messages, model.low, seen.low]);
    }
    Ok(Findings {
        circumstances: vec![format!(
            "sim: one node with the report's costs; slices of {SLICE} ms, the sink's need {SINK_NEEDS} ms"
        )],
        tables: vec![table],
        figures: Vec::new(),
        raw: vec![Raw::csv(
            "chrysalis-phases",
            "need_ms,absent_ms,messages_predicted,messages_observed,low_ms_predicted,low_ms_observed",
            raw,
        )],
        notes: vec![
            "The report prints no numbers for this test: \"there was excellent agreement\"."
                .to_owned(),
        ],
        verdict: Verdict::by(&against, "every line agrees"),
    })
}
