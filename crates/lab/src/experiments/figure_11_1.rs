//! Figures 11.1 and 11.2: a reservation alone, and with gaps where the kernel takes time from it.

use super::digits;
use crate::carried_out::run;
use crate::devices::Stream;
use crate::experiment::{Experiment, Host, Settings, Trouble};
use crate::findings::{Figure, Findings, Raw, Table, Verdict};
use crate::reservation::{AMOUNT, Watch, network, real, scenario, watching};
use crate::supervised::supervise;
use windfall_scenario::outcome::Outcome;
use windfall_time::{Instant, Span};
use windfall_trace::export::picture::Picture;
use windfall_trace::export::{Story, StoryBuilder};
use windfall_trace::{Cpu, Event, Sink, Stop, Theft, ThreadId};

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "figure-11-1",
    also: &["figure-11-2"],
    title: "a reservation alone, and with stolen time",
    source: "HLS 11.2, figures 11.1 and 11.2",
    question: "what becomes of a reservation of 4 ms in 20 ms while the machine receives a stream?",
    claim: "alone it receives at least its 4 ms in each period; under the stream about 82 % of that, and \
            misses most periods",
    hosts: &[Host::Sim, Host::Linux],
    absent: "it needs schedulers",
    run: findings,
};

const LENGTH: Span = Span::from_secs(1);

/// Draws, and watches what is received.
#[derive(Default)]
struct Both {
    watch: Watch,
    story: StoryBuilder,
}

impl Sink for Both {
    fn record(&mut self, at: Instant, event: &Event) {
        self.watch.record(at, event);
        self.story.record(at, event);
    }
}

/// What was seen of the reservation, and a picture of what happened around one of its blocks.
struct Seen {
    watch: Watch,
    story: Story,
    disturbed: Option<String>,
}

fn simulated(alone: bool) -> Result<Seen, Trouble> {
    let end = Instant::ZERO + LENGTH;
    let strikes = if alone { Vec::new() } else { network(AMOUNT, (Instant::ZERO, end), 112) };
    let mut both = Both::default();
    run(&scenario("rez", AMOUNT, LENGTH)?, strikes, Some(&mut both))?;
    Ok(Seen { watch: both.watch, story: both.story.finish(), disturbed: None })
}

/// With real threads. The receiver is an ordinary one and needs what is not reserved, so there is no other then.
fn supervised(alone: bool) -> Result<Seen, Trouble> {
    let mut scenario = real("rez", AMOUNT, LENGTH)?;
    if alone {
        scenario.threads = self::scenario("rez", AMOUNT, LENGTH)?.threads;
    }
    let _stream = (!alone).then(|| Stream::begin(None)).transpose()?;
    let run = supervise(&scenario, &watching(!alone))?;
    Ok(Seen {
        watch: Watch::of(&run.outcome),
        story: story(&run.outcome),
        disturbed: run.disturbed,
    })
}

/// What threads saw of themselves. What parts two stretches of one, with nobody's between, was stolen.
fn story(outcome: &Outcome) -> Story {
    let (mut story, mut stretches) = (StoryBuilder::default(), Vec::new());
    for (number, thread) in (0..).map(ThreadId).zip(&outcome.threads) {
        let name = thread.name.clone();
        let event = Event::Thread { thread: number, tid: number.0 + 1, pid: 0, name, node: None };
        story.record(Instant::ZERO, &event);
        stretches.extend(thread.stretches.iter().map(|(from, to)| (*from, *to, number)));
    }
    stretches.sort_unstable();
    let cpu = Cpu(0);
    let mut last: Option<(Instant, ThreadId)> = None;
    for (from, to, thread) in stretches {
        match last {
            Some((since, ran)) if ran == thread && from.saturating_since(since) < GAP => {
                story.record(since, &Event::TheftBegin { cpu, kind: Theft::Interrupt, number: 0 });
                story.record(from, &Event::TheftEnd { cpu });
            }
            _ => {
                let prev = last.map(|(_, ran)| (ran, Stop::Preempted));
                story.record(
                    last.map_or(from, |(since, _)| since),
                    &Event::Switch { cpu, prev, next: None },
                );
                story.record(from, &Event::Switch { cpu, prev: None, next: Some(thread) });
            }
        }
        last = Some((to, thread));
    }
    story.finish()
}

/// Whoever is away for longer has lost its processor to the end of its block.
const GAP: Span = Span::from_millis(2);

fn findings(settings: &Settings<'_>) -> Result<Findings, Trouble> {
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
        disturbed.extend(seen.disturbed.map(|why| format!("{what}: {why}")));
        let periods = seen.watch.periods.iter().enumerate();
        rows.extend(periods.map(|(number, (received, stolen))| {
            format!("{name},{what},{number},{},{}", received.as_nanos(), stolen.as_nanos())
        }));
        figures.push(Figure {
            name: if on_linux { format!("{figure}-linux") } else { figure.to_owned() },
            caption: caption(host, alone).to_owned(),
            picture: picture(what).scene(&seen.story),
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
        verdict: Verdict::of_runs(
            &contradictions(host, found[0], found[1]),
            &disturbed,
            "under the stream most periods are missed, and not alone",
        ),
    })
}

const MODEL: &str = "The stream is a model. How much it steals is fitted to the paper's 18 %; where the gaps lie, and that \
                     periods are missed, follows.";

/// What refutes the claim, of periods missed and time stolen, in per cent. How much a stream takes depends on the machine.
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

/// Some milliseconds around the block of one period, as in the paper.
fn picture(what: &str) -> Picture {
    let at = |us: u64| Instant::from_nanos(us * 1_000);
    Picture {
        title: format!("A reservation of 4 ms in 20 ms, {what}"),
        window: Some((at(117_500), at(126_500))),
        ..Picture::default()
    }
}

const fn caption(host: Host, alone: bool) -> &'static str {
    match (host, alone) {
        (Host::Linux, true) => {
            "As both threads saw it themselves: the block in the middle is reserved; interrupts are gaps."
        }
        (Host::Linux, false) => {
            "As the thread saw it itself: packets take time from its block. Beside it the receiver runs, and is not drawn."
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
