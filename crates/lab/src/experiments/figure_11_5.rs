//! Figure 11.5: how much of a reservation is stolen, against how much is reserved.

use super::{PAPER, SERIES, UNSUPERVISED, digits, solid};
use crate::carried_out::run;
use crate::experiment::{Experiment, Host, Settings, Trouble};
use crate::findings::{Figure, Findings, Raw, Table, Verdict};
use crate::reservation::{Watch, network, scenario};
use crate::statistics::{Mean, mean};
use windfall_plot::chart::{Axis, Chart, Dot, Mark};
use windfall_time::{Instant, Span};

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "figure-11-5",
    also: &[],
    title: "stolen time against amount reserved",
    source: "HLS 11.8.1, figure 11.5",
    question: "does a larger block of reserved time lose a larger or a smaller part of it?",
    claim: "a smaller part: the receiving program does not run meanwhile, so that the sender stops",
    hosts: &[Host::Sim],
    absent: UNSUPERVISED,
    run: findings,
};

/// The only number in the paper's text: 82 % of 4 ms are received (11.2).
const PAPER_AT: (u32, f64) = (4, 18.0);

fn stolen(ms: u32, seed: u64, length: Span) -> Result<f64, Trouble> {
    let reserved = Span::from_millis(ms);
    let strikes = network(reserved, (Instant::ZERO, Instant::ZERO + length), seed);
    let mut watch = Watch::default();
    run(&scenario("rez", reserved, length)?, strikes, Some(&mut watch))?;
    Ok(watch.stolen())
}

fn findings(settings: &Settings<'_>) -> Result<Findings, Trouble> {
    let (runs, seconds) = settings.either((10, 10), (2, 1));
    let length = Span::from_secs(seconds);
    let head = ["reserved of 20 ms", "paper (%)", "sim (%)"];
    let mut table = Table::new("stolen of the reserved time", 1, &head);
    let mut found: Vec<(u32, Mean)> = Vec::new();
    for ms in 1..=10 {
        (settings.progress)(&format!("{ms} ms"));
        let samples =
            (1..=runs).map(|seed| stolen(ms, seed, length)).collect::<Result<Vec<_>, _>>()?;
        let share = mean(&samples);
        let paper = if ms == PAPER_AT.0 { digits(PAPER_AT.1) } else { "-".to_owned() };
        table.rows.push(vec![format!("{ms} ms"), paper, super::with_confidence(share)]);
        found.push((ms, share));
    }
    let mut against = Vec::new();
    for pair in found.windows(2).filter(|pair| pair[0].0 >= 3) {
        let ((before, most), (after, least)) = (pair[0], pair[1]);
        if least.value > most.value + 0.5 {
            let (least, most) = (least.value, most.value);
            against.push(format!("{least:.1} % of {after} ms, {most:.1} % of {before} ms"));
        }
    }
    let rows = found.iter().map(|(ms, share)| format!("{ms},{},{}", share.value, share.confidence));
    Ok(Findings {
        circumstances: vec![format!("sim: means of {runs} runs of {length} each, Rez, clock of 4096 Hz")],
        tables: vec![table],
        raw: vec![Raw::csv("figure-11-5", "reserved_ms,stolen_percent,confidence", rows)],
        figures: vec![figure(&found)],
        notes: vec![
            "That the sender stops after 3 ms is part of the model of the stream; the shape of the line follows \
             from it. Only a real stream can refute it."
                .to_owned(),
        ],
        verdict: Verdict::by(&against, "the stolen part shrinks as the block grows"),
    })
}

fn figure(found: &[(u32, Mean)]) -> Figure {
    let points: Vec<_> = found.iter().map(|(ms, share)| (f64::from(*ms), share.value)).collect();
    let far: Vec<_> =
        found.iter().map(|(ms, share)| (f64::from(*ms), share.value, share.confidence)).collect();
    let mut chart = Chart::new(
        "Stolen time against the amount that is reserved",
        "figure 11.5: the proportion decreases as the block grows; its text has one number, 18 % of 4 ms",
        Axis::until("reserved in each 20 ms (ms)", 11.0),
        Axis::until("stolen of it (%)", 40.0),
    );
    chart.line(&points, solid(SERIES[0]), "");
    chart.spread(&far, SERIES[0]);
    chart.dots(&points, Dot { mark: Mark::Ring, colour: SERIES[0] }, "simulated, 95 % confidence");
    let paper = (f64::from(PAPER_AT.0), PAPER_AT.1);
    chart.dots(&[paper], Dot { mark: Mark::Square, colour: PAPER }, "2001");
    Figure {
        name: "figure-11-5".to_owned(),
        caption: "Towards the end of a long block there is nothing left to process.".to_owned(),
        picture: chart.finish(),
    }
}
