//! Table 11.1: the time that interrupts of this machine's devices take from a reservation. Only real
//! devices do.

use super::{REAL_STREAM, digits, with_confidence};
use crate::carried_out::stolen;
use crate::devices::{Counters, Reading, Stream};
use crate::experiment::{Experiment, Host, LabError, Settings};
use crate::findings::{Findings, Raw, Table, Verdict, record};
use crate::native::processors;
use crate::reservation::{AMOUNT, Watch, real, watching};
use crate::statistics::{Mean, mean};
use crate::supervised::supervise;
use windfall_clocks::Lap;
use windfall_scenario::Scenario;
use windfall_scenario::model::Claim;
use windfall_schedulers::kinds;
use windfall_time::Span;

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "table-11-1",
    also: &[],
    title: "time stolen by device drivers",
    source: "HLS 11.8.2, table 11.1",
    question: "how much of a reservation of 4 ms in 20 ms do the interrupts of this machine's devices take?",
    claim: "a disk that transfers by itself takes at most 5 % more than the clock alone, as in 2001 (0.55 to 1.1 %)",
    hosts: &[Host::Linux],
    absent: "only devices of a real machine take time, and only from supervised threads",
    run: findings,
};

/// The device that is kept busy.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Device {
    Clock,
    Disk,
    Network,
}

const DEVICES: [(Device, &str, &str); 3] = [
    (Device::Clock, "nothing but the clock", "-"),
    (Device::Disk, "disk, direct reads", "0.55 to 1.1 (DMA), 49 (PIO)"),
    (Device::Network, "a stream received", "18"),
];

/// One run.
struct Sample {
    /// Of the reserved time, as the application sees it, in per cent.
    stolen: f64,
    /// Of the whole run, as the host counts it, in per cent.
    interrupts: f64,
    /// Millions of bytes a second.
    rate: f64,
    counters: Counters,
    seconds: f64,
    disturbed: Option<String>,
}

/// Interrupts stay on their processor, because the time that they take is measured.
fn beside_devices(length: Span) -> Result<Scenario, LabError> {
    let mut scenario = real(kinds::REZ, AMOUNT, length)?;
    scenario.machine.claim = Claim::None;
    Ok(scenario)
}

#[expect(clippy::cast_precision_loss, reason = "shown, not compared")]
fn sample(device: Device, length: Span) -> Result<Sample, LabError> {
    let disk = (device == Device::Disk).then(Reading::begin).transpose()?;
    let stream = (device == Device::Network).then(|| Stream::begin(None)).transpose()?;
    let bytes =
        || disk.as_ref().map_or(0, Reading::bytes) + stream.as_ref().map_or(0, Stream::bytes);
    let (cpu, _) = processors()?;
    let (before, carried) = (Counters::now(cpu), bytes());
    let lap = Lap::begin();
    let run = supervise(&beside_devices(length)?, &watching(device != Device::Clock))?;
    let (counters, carried) = (Counters::now(cpu).since(&before), bytes() - carried);
    let seconds = lap.passed().as_secs_f64();
    if carried == 0 && device != Device::Clock {
        let why = "nothing was transferred".to_owned();
        return Err(LabError::Machine { asked: "keep a device busy".to_owned(), why });
    }
    Ok(Sample {
        stolen: Watch::of(&run.outcome).stolen(),
        interrupts: stolen(&run.outcome),
        rate: carried as f64 / seconds / 1e6,
        counters,
        seconds,
        disturbed: run.disturbed,
    })
}

fn empty_table() -> Table {
    let title = "time taken from a reservation of 4 ms in 20 ms, and what the kernel counts meanwhile, a second";
    let head = [
        "device",
        "paper (%)",
        "stolen of it (%)",
        "of the processor (%)",
        "MB/s",
        "interrupts",
        "NET_RX",
        "BLOCK",
        "TIMER",
    ];
    Table::new(title, 1, &head)
}

fn mean_of(samples: &[Sample], what: &dyn Fn(&Sample) -> f64) -> Mean {
    mean(&samples.iter().map(what).collect::<Vec<_>>())
}

/// A line of the table.
fn row(name: &str, paper: &str, samples: &[Sample]) -> Vec<String> {
    #[expect(clippy::cast_precision_loss, reason = "shown, not compared")]
    let rate = |count: &dyn Fn(&Counters) -> u64| {
        digits(mean_of(samples, &|one| count(&one.counters) as f64 / one.seconds).value)
    };
    let mut row = vec![
        name.to_owned(),
        paper.to_owned(),
        with_confidence(mean_of(samples, &|one| one.stolen)),
    ];
    row.push(with_confidence(mean_of(samples, &|one| one.interrupts)));
    row.push(digits(mean_of(samples, &|one| one.rate).value));
    row.push(rate(&|counters| counters.interrupts));
    row.extend(["NET_RX", "BLOCK", "TIMER"].map(|softirq| rate(&|one| one.softirq(softirq))));
    row
}

/// A run, with all that was counted.
fn raw(name: &str, sample: &Sample) -> Vec<String> {
    let Sample { stolen, interrupts, rate, counters, seconds, .. } = sample;
    let mut row = record![name, stolen, interrupts, rate, seconds, counters.interrupts];
    let softirqs = ["NET_RX", "BLOCK", "TIMER"].map(|name| counters.softirq(name));
    row.extend(softirqs.map(|count| count.to_string()));
    row
}

fn findings(settings: &Settings<'_>) -> Result<Findings, LabError> {
    let (runs, seconds) = settings.either((10, 5), (2, 2));
    let length = Span::from_secs(seconds);
    let mut table = empty_table();
    let (mut rows, mut disturbed) = (Vec::new(), Vec::new());
    let mut found: Vec<(Device, Mean)> = Vec::new();
    for (device, name, paper) in DEVICES {
        (settings.progress)(name);
        let samples = (0..runs).map(|_| sample(device, length)).collect::<Result<Vec<_>, _>>()?;
        let share = mean_of(&samples, &|one| one.stolen);
        let mut row = row(name, paper, &samples);
        let why = samples.iter().find_map(|one| one.disturbed.clone());
        match why {
            None => found.push((device, share)),
            Some(why) => {
                row[0].push_str(" (disturbed)");
                disturbed.push(format!("{name}: {why}"));
            }
        }
        table.rows.push(row);
        rows.extend(samples.iter().map(|one| raw(name, one)));
    }
    let share = |device| found.iter().find(|one| one.0 == device).map(|one| one.1.value);
    let at = table.rows.get(1).map_or(String::new(), |row| format!(", at {} MB/s", row[4]));
    let more = share(Device::Disk).zip(share(Device::Clock)).map(|(disk, clock)| disk - clock);
    let more = more
        .map(|more| (more, format!("the disk takes {} % more than the clock{at}", digits(more))));
    let against: Vec<_> =
        more.iter().filter(|more| more.0 > 5.0).map(|more| more.1.clone()).collect();
    let names =
        "device,stolen_percent,interrupts_percent,mb_per_s,seconds,interrupts,net_rx,block,timer";
    Ok(Findings {
        circumstances: vec![format!(
            "linux: {}; means of {runs} runs of {length} each, Rez",
            crate::machine::this()
        )],
        tables: vec![table],
        figures: Vec::new(),
        raw: vec![Raw::csv("table-11-1", names, rows)],
        notes: vec![
            "`Stolen of it`: gaps that the application sees in its reserved time, whoever made them. `Of the \
             processor`: interrupts in the whole run, as the kernel's tracepoints tell the host. The kernel's counts \
             are of the supervised processor, preparations and repetitions of a run included."
                .to_owned(),
            "The disk is read on another processor in pieces of 64 KiB past the page cache; its interrupts come where \
             the kernel has them come, which is not always the supervised processor: see BLOCK."
                .to_owned(),
            REAL_STREAM.to_owned(),
        ],
        verdict: Verdict::of_runs(&against, &disturbed, &more.map_or(String::new(), |more| more.1)),
    })
}
