//! Figures 11.1 and 11.2: a reservation alone, and with gaps where the kernel takes time from it.

use super::digits;
use crate::carried_out::run;
use crate::experiment::{Experiment, Host, Settings, Trouble};
use crate::findings::{Figure, Findings, Raw, Table, Verdict};
use crate::reservation::{AMOUNT, Watch, network, scenario};
use windfall_time::{Instant, Span};
use windfall_trace::export::StoryBuilder;
use windfall_trace::export::picture::Picture;
use windfall_trace::{Event, Sink};

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "figure-11-1",
    also: &["figure-11-2"],
    title: "a reservation alone, and with stolen time",
    source: "HLS 11.2, figures 11.1 and 11.2",
    question: "what becomes of a reservation of 4 ms in 20 ms while the machine receives a stream?",
    claim: "alone it receives at least its 4 ms in each period; under the stream about 82 % of that, and \
            misses most periods",
    hosts: &[Host::Sim],
    absent: "a window of a trace is drawn, and supervised threads leave none",
    run: findings,
};

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

fn findings(settings: &Settings<'_>) -> Result<Findings, Trouble> {
    let length = Span::from_secs(1);
    let end = Instant::ZERO + length;
    let head = ["", "paper", "sim"];
    let mut table = Table::new("a reservation of 4 ms in 20 ms", 1, &head);
    let (mut figures, mut rows, mut against) = (Vec::new(), Vec::new(), Vec::new());
    for (name, what, paper) in [("figure-11-1", "alone", "0"), ("figure-11-2", "receiving", "18")] {
        (settings.progress)(what);
        let alone = what == "alone";
        let strikes = if alone { Vec::new() } else { network(AMOUNT, (Instant::ZERO, end), 112) };
        let mut both = Both::default();
        run(&scenario("rez", AMOUNT, length)?, strikes, Some(&mut both))?;
        let (missed, stolen) = (both.watch.missed(), both.watch.stolen());
        let mut row = |what: String, paper: &str, found: f64| {
            table.rows.push(vec![what, paper.to_owned(), digits(found)]);
        };
        row(format!("{what}: stolen (%)"), if alone { "-" } else { paper }, stolen);
        row(format!("{what}: periods missed (%)"), if alone { "0" } else { "most" }, missed);
        if alone && missed > 0.0 {
            against.push(format!("alone it misses {missed:.1} % of its periods"));
        }
        let as_told = missed > 50.0 && (13.0..23.0).contains(&stolen);
        if !alone && !as_told {
            against.push(format!("receiving, {stolen:.1} % is stolen and {missed:.1} % missed"));
        }
        let periods = both.watch.periods.iter().enumerate();
        rows.extend(periods.map(|(number, (received, stolen))| {
            format!("{what},{number},{},{}", received.as_nanos(), stolen.as_nanos())
        }));
        let at = |us: u64| Instant::from_nanos(us * 1_000);
        let picture = Picture {
            title: format!("A reservation of 4 ms in 20 ms, {what}"),
            window: Some((at(117_500), at(126_500))),
            ..Picture::default()
        };
        let caption = if alone {
            "The block in the middle is reserved; the clock interrupt cuts a millisecond in four."
        } else {
            "Packets take time from the block until the sender stops for want of acknowledgement; the paper's \
             trace shows the same quiet end."
        };
        figures.push(Figure {
            name: name.to_owned(),
            caption: caption.to_owned(),
            picture: picture.scene(&both.story.finish()),
        });
    }
    Ok(Findings {
        circumstances: vec![format!("sim: clock of 4096 Hz, {length}; receiving is a model of a stream's packets")],
        tables: vec![table],
        figures,
        raw: vec![Raw::csv("figure-11-1", "load,period,received_ns,stolen_ns", rows)],
        notes: vec![
            "How much is stolen is fitted to the paper's 18 %; where the gaps lie, and that periods are missed, \
             follows."
                .to_owned(),
        ],
        verdict: Verdict::by(&against, "alone nothing is missed; under the stream most periods are"),
    })
}
