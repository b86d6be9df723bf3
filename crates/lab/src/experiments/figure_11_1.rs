//! Figures 11.1 and 11.2: a reservation alone, and with gaps where the kernel takes time from it.

use super::digits;
use crate::devices::Stream;
use crate::execution_trace::Traced;
use crate::experiment::{Experiment, Host, LabError, Settings};
use crate::findings::{Figure, Findings, Raw, Table, Verdict, record};
use crate::reservation::{AMOUNT, network, real, scenario};
use windfall_scenario::Scenario;
use windfall_schedulers::kinds;
use windfall_time::{Instant, Span};

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "figure-11-1",
    also: &["figure-11-2"],
    title: "a reservation alone, and with stolen time",
    source: "HLS 11.2, figures 11.1 and 11.2",
    question: "how much of a reservation of 4 ms in 20 ms does a thread receive while the machine receives a stream?",
    claim: "alone it receives at least its 4 ms in each period; under the stream about 82 % of that, and \
            misses most periods",
    hosts: &[Host::Sim, Host::Linux],
    absent: "it needs schedulers",
    run: findings,
};

const LENGTH: Span = Span::from_secs(1);

fn simulated(alone: bool) -> Result<Traced, LabError> {
    let end = Instant::ZERO + LENGTH;
    let strikes = if alone { Vec::new() } else { network(AMOUNT, (Instant::ZERO, end), 112) };
    Traced::simulated(LENGTH, strikes)
}

/// With real threads; what is not reserved is left idle under the stream, as beside a receiver that waits for packets.
fn supervised(alone: bool) -> Result<Traced, LabError> {
    let mut scenario = real(kinds::REZ, AMOUNT, LENGTH)?;
    if alone {
        scenario.threads = scenario_of_both()?.threads;
    }
    let _stream = (!alone).then(|| Stream::begin(None)).transpose()?;
    Traced::supervised(&scenario, !alone)
}

fn scenario_of_both() -> Result<Scenario, LabError> {
    scenario(kinds::REZ, AMOUNT, LENGTH)
}

fn findings(settings: &Settings<'_>) -> Result<Findings, LabError> {
    let host = settings.host.unwrap_or(Host::Sim);
    let (name, on_linux) = (host.name(), host == Host::Linux);
    let head = ["", "paper", name];
    let mut table = Table::new("a reservation of 4 ms in 20 ms", 1, &head);
    let (mut figures, mut rows, mut disturbed) = (Vec::new(), Vec::new(), Vec::new());
    let mut found = Vec::new();
    for (figure, what, paper) in [("figure-11-1", "alone", "0"), ("figure-11-2", "receiving", "18")]
    {
        (settings.progress)(what);
        let alone = what == "alone";
        let seen = if on_linux { supervised(alone)? } else { simulated(alone)? };
        let (missed, stolen) = (seen.watch.missed(), seen.watch.stolen());
        let mut row = |what: String, paper: &str, found: f64| {
            table.rows.push(vec![what, paper.to_owned(), digits(found)]);
        };
        row(format!("{what}: stolen (%)"), if alone { "-" } else { paper }, stolen);
        row(format!("{what}: periods missed (%)"), if alone { "0" } else { "most" }, missed);
        found.push((missed, stolen));
        disturbed.extend(seen.disturbed.iter().map(|why| format!("{what}: {why}")));
        let periods = seen.watch.periods.iter().enumerate();
        rows.extend(periods.map(|(number, (received, stolen))| {
            record![name, what, number, received.as_nanos(), stolen.as_nanos()]
        }));
        figures.push(Figure {
            name: if on_linux { format!("{figure}-linux") } else { figure.to_owned() },
            caption: caption(host, alone).to_owned(),
            picture: seen.block(&format!("A reservation of 4 ms in 20 ms, {what}")),
        });
    }
    let machine = if on_linux { crate::machine::this() } else { "one processor".to_owned() };
    let stream = if on_linux { super::REAL_STREAM } else { MODEL };
    Ok(Findings {
        circumstances: vec![format!("{name}: {machine}; clock of 4096 Hz, {LENGTH}")],
        tables: vec![table],
        figures,
        raw: vec![Raw::csv("figure-11-1", "host,load,period,received_ns,stolen_ns", rows)],
        notes: vec![stream.to_owned()],
        verdict: super::modelled(
            settings,
            Verdict::of_runs(
                &contradictions(host, found[0], found[1]),
                &disturbed,
                "under the stream most periods are missed, and not alone",
            ),
        ),
    })
}

const MODEL: &str = "The stream is a model. How much it steals is fitted to the paper's 18 %; where the gaps lie, and that \
                     periods are missed, follows.";

/// The evidence against the claim, from missed periods and stolen time in per cent. The time that a stream takes depends on the machine.
fn contradictions(host: Host, alone: (f64, f64), receiving: (f64, f64)) -> Vec<String> {
    let most = if host == Host::Linux { 10.0 } else { 0.0 };
    let mut against = Vec::new();
    if alone.0 > most {
        against.push(format!("alone it misses {:.1} % of its periods", alone.0));
    }
    let stolen = match host {
        Host::Linux => receiving.1 > 2.0 * alone.1,
        _ => (13.0..23.0).contains(&receiving.1),
    };
    if receiving.0 <= 50.0 || !stolen {
        against.push(format!(
            "receiving, {:.1} % is stolen and {:.1} % missed",
            receiving.1, receiving.0
        ));
    }
    against
}

const fn caption(host: Host, alone: bool) -> &'static str {
    match (host, alone) {
        (Host::Linux, true) => {
            "As both threads saw it themselves: the block in the middle is reserved; interrupts are gaps."
        }
        (Host::Linux, false) => {
            "As the thread saw it itself: packets take time from its block. The receiver runs on another processor, and is not drawn."
        }
        (_, true) => {
            "The block in the middle is reserved; the clock interrupt cuts a millisecond in four."
        }
        (_, false) => {
            "Packets take time from the block until the sender stops for want of acknowledgement; the paper's \
             trace shows the same quiet end."
        }
    }
}
