//! Figure 11.6: a reserved block from which a disk's driver takes time that moves each word itself.
//!
//! The simulated disk is a model: 8 KiB are moved at a time, which come every 3.49 ms from a disk of 2.35 MB/s (11.8.2), and
//! moving them takes so long that the paper's 49 % are stolen.

use super::digits;
use crate::devices::Reading;
use crate::execution_trace::Traced;
use crate::experiment::{Experiment, Host, LabError, Settings};
use crate::findings::{Figure, Findings, Raw, Table, Verdict, record};
use crate::reservation::{AMOUNT, real};
use windfall_scenario::model::Claim;
use windfall_scenario::{PlannedInterrupts, PlannedPattern};
use windfall_schedulers::kinds;
use windfall_time::{Instant, Span};
use windfall_trace::OverheadKind;

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "figure-11-6",
    also: &[],
    title: "a block of a reservation beside a disk",
    source: "HLS 11.8.2, figure 11.6",
    question: "what does a disk's driver take from one block of a reservation of 4 ms in 20 ms?",
    claim: "a driver that moves each word itself leaves a large gap in the block, and takes 49 ± 3.5 % of the reservation; a \
            disk that transfers by itself, as every disk today, takes less than 10 %",
    hosts: &[Host::Sim, Host::Linux],
    absent: "it needs schedulers",
    run: findings,
};

/// The paper's figure, and its confidence, in per cent.
const PAPER: (f64, f64) = (49.0, 3.5);
/// How often 8 KiB come at 2.35 MB/s, and how long moving them takes.
const EVERY: Span = Span::from_nanos(3_486_000);
const MOVING: Span = Span::from_nanos(1_640_000);
const LENGTH: Span = Span::from_secs(2);

fn simulated() -> Result<Traced, LabError> {
    let pattern = PlannedPattern::Periodic { offset: Instant::ZERO, period: EVERY, cost: MOVING };
    let disk = PlannedInterrupts::new(0, OverheadKind::Interrupt, 14, pattern);
    Traced::simulated(LENGTH, vec![disk])
}

fn supervised() -> Result<Traced, LabError> {
    let _disk = Reading::begin()?;
    let mut scenario = real(kinds::REZ, AMOUNT, LENGTH)?;
    scenario.machine.claim = Claim::None; // the disk's interrupts stay where they are
    Traced::supervised(&scenario, true)
}

/// The evidence against the claim, from the stolen time in per cent.
fn contradictions(host: Host, stolen: f64) -> Vec<String> {
    let (paper, confidence) = PAPER;
    let expected = match host {
        Host::Linux => stolen < 10.0,
        _ => (stolen - paper).abs() <= confidence,
    };
    Vec::from_iter((!expected).then(|| format!("{}: {} % are stolen", host.name(), digits(stolen))))
}

fn findings(settings: &Settings<'_>) -> Result<Findings, LabError> {
    let host = settings.host.unwrap_or(Host::Sim);
    let (name, on_linux) = (host.name(), host == Host::Linux);
    (settings.progress)(&format!("{name}, {LENGTH}"));
    let seen = if on_linux { supervised()? } else { simulated()? };
    let (stolen, missed) = (seen.watch.stolen(), seen.watch.missed());
    let paper = if on_linux { "1.1 ± 0.28 (DMA)" } else { "49 ± 3.5 (PIO)" };
    let mut table =
        Table::new("a reservation of 4 ms in 20 ms beside a disk", 1, &["", "paper", name]);
    for (what, paper, found) in [("stolen (%)", paper, stolen), ("periods missed (%)", "-", missed)]
    {
        table.rows.push(vec![what.to_owned(), paper.to_owned(), digits(found)]);
    }
    let rows = seen.watch.periods.iter().enumerate().map(|(number, (received, stolen))| {
        record![name, number, received.as_nanos(), stolen.as_nanos()]
    });
    let machine = if on_linux { crate::machine::this() } else { "one processor".to_owned() };
    let (note, caption) = if on_linux { REAL } else { MODEL };
    let disturbed: Vec<String> = seen.disturbed.iter().cloned().collect();
    Ok(Findings {
        circumstances: vec![format!("{name}: {machine}; Rez, clock of 4096 Hz, {LENGTH}")],
        tables: vec![table],
        raw: vec![Raw::csv("figure-11-6", "host,period,received_ns,stolen_ns", rows)],
        figures: vec![Figure {
            name: if on_linux { "figure-11-6-linux" } else { "figure-11-6" }.to_owned(),
            caption: caption.to_owned(),
            picture: seen.block("A reservation of 4 ms in 20 ms, a disk is read"),
        }],
        notes: vec![note.to_owned()],
        verdict: super::modelled(
            settings,
            Verdict::of_runs(
                &contradictions(host, stolen),
                &disturbed,
                &format!("{} % are stolen", digits(stolen)),
            ),
        ),
    })
}

/// A note and the figure's caption.
const MODEL: (&str, &str) = (
    "The disk is a model: 8 KiB at a time, which come every 3.49 ms at the paper's 2.35 MB/s. How long moving them takes is \
     fitted to its 49 %; that this is one large gap, and that periods are missed, follows.",
    "The block in the middle is reserved: while the driver moves data, nobody runs. The paper's trace shows one such gap in \
     its block.",
);
const REAL: (&str, &str) = (
    "The disk is read directly on another processor, past the page cache. Today's disks transfer by themselves, so the \
     paper's line for those stands beside it; nothing here can show what a driver takes that moves each word.",
    "As the thread saw its block itself; gaps are what took time from it. In the paper's trace a driver that moves each word \
     leaves one large gap.",
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paper_a_disk_without_dma_takes_half_of_a_reservation() {
        assert_eq!(contradictions(Host::Sim, 49.0), Vec::<String>::new());
        assert_eq!(contradictions(Host::Sim, 45.0).len(), 1);
        assert_eq!(contradictions(Host::Linux, 1.1), Vec::<String>::new());
        assert_eq!(contradictions(Host::Linux, 49.0).len(), 1, "the host that ran decides");
        let seen = simulated();
        let missed = seen.as_ref().map(|seen| seen.watch.missed());
        assert!(missed.is_ok_and(|missed| missed > 90.0), "{missed:?}");
    }
}
