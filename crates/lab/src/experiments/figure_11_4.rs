//! Figure 11.4: what the feedback does when a stream is received for a second: stolen time, the
//! reservation that the scheduler makes of it, and what the application receives.

use super::{PAPER, SERIES, UNSUPERVISED, dashed, digits, solid, with_confidence};
use crate::carried_out::run;
use crate::experiment::{Experiment, Host, Settings, Trouble};
use crate::findings::{Figure, Findings, Raw, Standing, Table, Verdict};
use crate::reservation::{AMOUNT, PERIOD, Watch, network, scenario};
use crate::statistics::{difference, mean};
use windfall_plot::chart::{Axis, Chart, Dot, Mark};
use windfall_schedulers::catalogue::find;
use windfall_time::{Instant, Span};

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "figure-11-4",
    also: &[],
    title: "the feedback's answer to a burst",
    source: "HLS 11.6.7, figure 11.4",
    question: "how fast, and how smoothly, does Rez-FB follow a burst of stolen time?",
    claim: "of the 50 periods of the burst it misses significantly fewer than Rez, and ten periods after the \
            burst its reservation is within a tick of 4 ms",
    hosts: &[Host::Sim],
    absent: UNSUPERVISED,
    run: findings,
};

const LENGTH: Span = Span::from_secs(3);

fn burst(rez: &str, seed: u64) -> Result<Watch, Trouble> {
    let at = |seconds| Instant::ZERO + Span::from_secs(seconds);
    let mut watch = Watch::default();
    let strikes = network(AMOUNT, (at(1), at(2)), seed);
    run(&scenario(rez, AMOUNT, LENGTH)?, strikes, Some(&mut watch))?;
    Ok(watch)
}

#[expect(clippy::cast_precision_loss, reason = "150 periods")]
fn misses(watch: &Watch) -> f64 {
    watch.periods.iter().filter(|(received, _)| *received < AMOUNT).count() as f64
}

/// Twenty bursts; the first is drawn.
fn bursts(rez: &str) -> Result<(Watch, Vec<f64>), Trouble> {
    let first = burst(rez, 1)?;
    let misses = (1..=20).map(|seed| burst(rez, seed).map(|watch| misses(&watch)));
    Ok((first, misses.collect::<Result<_, _>>()?))
}

fn findings(settings: &Settings<'_>) -> Result<Findings, Trouble> {
    (settings.progress)("Rez");
    let rez = bursts("rez")?;
    let present = find("rez-fb").is_some();
    let fb = if present {
        (settings.progress)("Rez-FB");
        Some(bursts("rez-fb")?)
    } else {
        None
    };
    let mut table =
        Table::new("periods missed of 150, 50 of them in the burst", 1, &["", "paper", "sim"]);
    let count = |bursts: &(Watch, Vec<f64>)| with_confidence(mean(&bursts.1));
    let dash = || "-".to_owned();
    table.rows.push(vec!["Rez".to_owned(), "most of the burst".to_owned(), count(&rez)]);
    table.rows.push(vec![
        "Rez-FB".to_owned(),
        "22".to_owned(),
        fb.as_ref().map_or_else(dash, count),
    ]);
    let shown = &fb.as_ref().unwrap_or(&rez).0;
    let name = if present { "Rez-FB" } else { "Rez" };
    let rows = shown.periods.iter().enumerate().map(|(number, (received, stolen))| {
        let begin = Instant::ZERO + PERIOD.checked_mul(number as u64).unwrap_or(Span::ZERO);
        let asked = asked(shown, begin).map_or_else(dash, |budget| budget.as_nanos().to_string());
        format!("{number},{},{},{asked}", received.as_nanos(), stolen.as_nanos())
    });
    let raw = vec![Raw::csv("figure-11-4", "period,received_ns,stolen_ns,asked_ns", rows)];
    let mut notes = vec![
        "The paper counts 500 periods between the times 1000 and 2000; with periods of 20 ms there are 50 in a \
         second. Its axis is in ms."
            .to_owned(),
    ];
    let verdict = match &fb {
        Some(fb) => verdict(&rez, fb),
        None => {
            notes.push(
                "No scheduler `rez-fb` is in the catalogue; the figure shows `rez`.".to_owned(),
            );
            Verdict { standing: Standing::Open, why: "there is no feedback to look at".to_owned() }
        }
    };
    Ok(Findings {
        circumstances: vec![format!(
            "sim: {LENGTH}, with a stream from 1 s to 2 s, which is a model; means of 20 runs, the first is drawn"
        )],
        tables: vec![table],
        figures: figures(name, shown),
        raw,
        notes,
        verdict,
    })
}

/// The last budget that was given by the middle of the period that begins then.
fn asked(watch: &Watch, begin: Instant) -> Option<Span> {
    let middle = begin + Span::from_millis(10);
    watch.budgets.iter().rev().find(|(at, _)| *at <= middle).map(|(_, budget)| *budget)
}

fn verdict(rez: &(Watch, Vec<f64>), fb: &(Watch, Vec<f64>)) -> Verdict {
    let mut against = Vec::new();
    let fewer = difference(&rez.1, &fb.1);
    if fewer.value <= fewer.confidence {
        against.push(format!("{} fewer misses than Rez", with_confidence(fewer)));
    }
    let later = Instant::ZERO + Span::from_millis(2_200);
    let calm = asked(&fb.0, later).unwrap_or(Span::ZERO);
    if calm.as_nanos().abs_diff(AMOUNT.as_nanos()) > 244_141 {
        against.push(format!("ten periods after the burst it asks for {calm}"));
    }
    let why = format!("{} fewer misses than Rez, and calm after the burst", with_confidence(fewer));
    Verdict::by(&against, &why)
}

/// Stolen, asked for, received: one below the other, as in the paper.
#[expect(clippy::cast_precision_loss, reason = "places on a picture")]
fn figures(name: &str, watch: &Watch) -> Vec<Figure> {
    let ms = |span: Span| span.as_nanos() as f64 / 1e6;
    let at = |number: usize| number as f64 * ms(PERIOD);
    let all = || watch.periods.iter().enumerate();
    let stolen: Vec<_> = all().map(|(n, one)| (at(n), ms(one.1) / ms(AMOUNT) * 100.0)).collect();
    let begin =
        |number: usize| Instant::ZERO + PERIOD.checked_mul(number as u64).unwrap_or(Span::ZERO);
    let control: Vec<_> = all()
        .filter_map(|(number, _)| Some((at(number), ms(asked(watch, begin(number))?))))
        .collect();
    let received: Vec<_> = all().map(|(n, one)| (at(n), ms(one.0))).collect();
    let parts = [
        ("stolen", "stolen time (% of 4 ms)", stolen, None, SERIES[1]),
        ("asked", "C: reserved (ms)", control, Some(4.0), SERIES[2]),
        ("received", "P: received (ms)", received, Some(4.0), SERIES[0]),
    ];
    let figure =
        |(part, axis, points, wanted, colour): (&str, &str, Vec<(f64, f64)>, Option<f64>, _)| {
            let most = points.iter().map(|point| point.1).fold(1.0, f64::max);
            let least = points.iter().map(|point| point.1).fold(f64::INFINITY, f64::min);
            let y = match wanted {
                Some(wanted) => {
                    Axis::between(axis, least.min(wanted) - 0.2, most.max(wanted) + 0.2)
                }
                None => Axis::covering(axis, most),
            };
            let mut chart = Chart::new(
                &format!("{name} during a burst: {axis}"),
                &format!("figure 11.4, by period of 20 ms; {}", facts(part)),
                Axis::until("time (ms)", ms(LENGTH)),
                y,
            );
            if let Some(wanted) = wanted {
                let line = [(0.0, wanted), (ms(LENGTH), wanted)];
                chart.line(&line, dashed(PAPER), &format!("R: {} ms are wanted", digits(wanted)));
            }
            if part == "asked" {
                chart.line(&points, solid(colour), "");
            }
            chart.dots(&points, Dot { mark: Mark::Diamond, colour }, name);
            Figure {
                name: format!("figure-11-4-{part}"),
                caption: facts(part).to_owned(),
                picture: chart.finish(),
            }
        };
    parts.into_iter().map(figure).collect()
}

fn facts(part: &str) -> &'static str {
    match part {
        "stolen" => "in 2001 a small base, and much more, noisily, from 1000 to 2000",
        "asked" => {
            "in 2001 it was higher during the stream, and fell back to about 4 abruptly at 2000"
        }
        _ => "in 2001, 22 points lay below 4 ms",
    }
}
