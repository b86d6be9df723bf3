//! Figure 11.4: the feedback when a stream is received for a second: stolen time, the
//! reservation that the scheduler makes of it, and what the application receives.

use super::{PAPER, SERIES, dashed, digits, solid, with_confidence};
use crate::carried_out::run;
use crate::devices::Stream;
use crate::experiment::{Experiment, Host, LabError, Settings};
use crate::findings::{ClaimStatus, Figure, Findings, Raw, Table, Verdict, record};
use crate::reservation::{AMOUNT, PERIOD, Real, Watch, network, real, scenario, watching};
use crate::statistics::{difference, mean};
use crate::supervised::{once, repeated};
use crate::units::millis;
use std::time::Duration;
use windfall_plot::chart::{Axis, Chart, Dot, Mark};
use windfall_schedulers::catalogue::Kind;
use windfall_schedulers::kinds;
use windfall_time::{Instant, Span, quantile};

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "figure-11-4",
    also: &[],
    title: "the feedback's answer to a burst",
    source: "HLS 11.6.7, figure 11.4",
    question: "how fast, and how smoothly, does Rez-FB follow a burst of stolen time?",
    claim: "of the 50 periods of the burst it misses significantly fewer than Rez, and ten periods after the \
            burst its reservation is within a tick of 4 ms, or of what it was before",
    hosts: &[Host::Sim, Host::Linux],
    absent: "it needs schedulers",
    run: findings,
};

const LENGTH: Span = Span::from_secs(3);

fn simulated(rez: &Kind, seed: u64) -> Result<Watch, LabError> {
    let at = |seconds| Instant::ZERO + Span::from_secs(seconds);
    let mut watch = Watch::default();
    let strikes = network(AMOUNT, (at(1), at(2)), seed);
    run(&scenario(rez, AMOUNT, LENGTH)?, strikes, Some(&mut watch))?;
    Ok(watch)
}

/// With real threads the burst begins a second after the request for the run, a little earlier than in the run's time.
fn supervised(rez: &Kind) -> Result<Real, LabError> {
    let scenario = real(rez, AMOUNT, LENGTH)?;
    let run = repeated(|| {
        let second = Duration::from_secs(1);
        let _stream = Stream::begin(Some((second, second)))?;
        once(&scenario, &watching(true))
    })?;
    Ok(Real { watch: Watch::of(&run.outcome), disturbed: run.disturbed })
}

/// A tick of the clock.
const TICK: Span = Span::from_nanos(244_141);

/// Periods in which more than `most` was missing.
#[expect(clippy::cast_precision_loss, reason = "150 periods")]
fn missing(watch: &Watch, most: Span) -> f64 {
    let missing = |(received, _): &&(Span, Span)| *received + most < AMOUNT;
    watch.periods.iter().filter(missing).count() as f64
}

/// A scheduler's behaviour in bursts.
struct Bursts {
    /// The first, which is drawn.
    first: Watch,
    /// Periods missed, by burst; and those in which more than a tick was missing.
    misses: Vec<f64>,
    badly: Vec<f64>,
    disturbed: Vec<String>,
}

fn bursts(host: Host, rez: &Kind, runs: u64) -> Result<Bursts, LabError> {
    let one = |seed| match host {
        Host::Linux => supervised(rez),
        _ => simulated(rez, seed).map(|watch| Real { watch, disturbed: None }),
    };
    let all = (1..=runs).map(one).collect::<Result<Vec<_>, _>>()?;
    let misses = all.iter().map(|run| missing(&run.watch, Span::ZERO)).collect();
    let badly = all.iter().map(|run| missing(&run.watch, TICK)).collect();
    let disturbed =
        all.iter().filter_map(|run| Some(format!("{rez}: {}", run.disturbed.as_ref()?)));
    let disturbed = disturbed.collect();
    let first = all.into_iter().next().map(|run| run.watch).unwrap_or_default();
    Ok(Bursts { first, misses, badly, disturbed })
}

fn findings(settings: &Settings<'_>) -> Result<Findings, LabError> {
    let paper = [
        ("Rez", "most of the burst"),
        ("Rez-FB", "22"),
        ("Rez, by more than a tick", "-"),
        ("Rez-FB, by more than a tick", "-"),
    ];
    let mut cells = paper.map(|(name, paper)| vec![name.to_owned(), paper.to_owned()]);
    let mut notes = vec![
        "The paper counts 500 periods between the times 1000 and 2000; with periods of 20 ms there are 50 in a \
         second. Its axis is in ms."
            .to_owned(),
    ];
    let host = settings.host.unwrap_or(Host::Sim);
    let (real, name) = (host == Host::Linux, host.name());
    let runs = if real { settings.either(10, 3) } else { 20 };
    (settings.progress)(&format!("{name}, Rez"));
    let rez = bursts(host, kinds::REZ, runs)?;
    (settings.progress)(&format!("{name}, Rez-FB"));
    let fb = bursts(host, kinds::REZ_FB, runs)?;
    let counts = [(&rez, &rez.misses), (&fb, &fb.misses), (&rez, &rez.badly), (&fb, &fb.badly)];
    for (cells, (bursts, misses)) in cells.iter_mut().zip(counts) {
        let mark = if bursts.disturbed.is_empty() { "" } else { " (disturbed)" };
        cells.push(format!("{}{mark}", with_confidence(mean(misses))));
    }
    let (machine, stream) = match host {
        Host::Linux => (crate::machine::this(), "for a second"),
        _ => ("one processor".to_owned(), "from 1 s to 2 s, which is a model"),
    };
    if real {
        notes.push(super::REAL_STREAM.to_owned());
        notes.push(
            "C is there how long the application had its processor in a period, what was stolen included.".to_owned(),
        );
    }
    let disturbed = [rez.disturbed.as_slice(), fb.disturbed.as_slice()].concat();
    let verdict = if disturbed.is_empty() {
        verdict(host, &rez, &fb)
    } else {
        Verdict::of_runs(&[], &disturbed, "")
    };
    let head = ["", "paper", name].map(str::to_owned).to_vec();
    let title = "periods missed of 150, 50 of them in the burst".to_owned();
    Ok(Findings {
        circumstances: vec![format!(
            "{name}: {machine}; {LENGTH}, with a stream {stream}; means of {runs} runs, the first is drawn"
        )],
        tables: vec![Table { title, head, words: 1, rows: cells.into() }],
        figures: figures(host, &fb.first),
        raw: vec![rows(host, &fb.first)],
        notes,
        verdict,
    })
}

fn rows(host: Host, watch: &Watch) -> Raw {
    let rows = watch.periods.iter().enumerate().map(|(number, (received, stolen))| {
        let begin = Instant::ZERO + PERIOD.checked_mul(number as u64).unwrap_or(Span::ZERO);
        let asked = reserved_at(watch, begin)
            .map_or("-".to_owned(), |budget| budget.as_nanos().to_string());
        record![number, received.as_nanos(), stolen.as_nanos(), asked]
    });
    Raw::csv(&named(host, "figure-11-4"), "period,received_ns,stolen_ns,asked_ns", rows)
}

/// The name of a file of the results on a host.
fn named(host: Host, name: &str) -> String {
    if host == Host::Linux { format!("{name}-linux") } else { name.to_owned() }
}

/// The last budget that was given by the middle of the period that begins then.
fn reserved_at(watch: &Watch, begin: Instant) -> Option<Span> {
    let middle = begin + Span::from_millis(10);
    watch.budgets.iter().rev().find(|(at, _)| *at <= middle).map(|(_, budget)| *budget)
}

fn verdict(host: Host, rez: &Bursts, fb: &Bursts) -> Verdict {
    // A real clock's interrupts take a little of each period, which ticks do not hide: what is missing there
    // counts from a tick on.
    let (fewer, what) = match host {
        Host::Linux => (difference(&rez.badly, &fb.badly), "misses by more than a tick"),
        _ => (difference(&rez.misses, &fb.misses), "misses"),
    };
    let told = format!("{}: {} fewer {what} than Rez", host.name(), with_confidence(fewer));
    if host == Host::Linux && fewer.value.abs() <= fewer.confidence {
        let why = format!("{told}, which may be chance");
        return Verdict { standing: ClaimStatus::Open, why };
    }
    let mut against = Vec::new();
    if fewer.value <= fewer.confidence {
        against.push(told.clone());
    }
    let (before, after) = calm(host, &fb.first);
    if after.as_nanos().abs_diff(before.as_nanos()) > TICK.as_nanos() {
        against.push(format!("ten periods after the burst it requires for {after}, not {before}"));
    }
    Verdict::by(&against, &format!("{told}, and calm after the burst"))
}

/// The expected budget without a burst, and the budget after it; for a real machine, whose clock
/// takes time also then, the budget before it, in the middle of the periods.
fn calm(host: Host, watch: &Watch) -> (Span, Span) {
    let at = |ms| reserved_at(watch, Instant::ZERO + Span::from_millis(ms)).unwrap_or(Span::ZERO);
    let middle = |range: core::ops::Range<u32>| {
        let mut spans: Vec<Span> = range.map(|period| at(period * 20)).collect();
        spans.sort_unstable();
        quantile(&spans, 1, 2).unwrap_or(Span::ZERO)
    };
    match host {
        Host::Linux => (middle(10..40), middle(110..145)),
        _ => (AMOUNT, at(2_200)),
    }
}

/// Stolen, requested, received: one below the other, as in the paper.
#[expect(clippy::cast_precision_loss, reason = "places on a picture")]
fn figures(host: Host, watch: &Watch) -> Vec<Figure> {
    let at = |number: usize| number as f64 * millis(PERIOD);
    let all = || watch.periods.iter().enumerate();
    let stolen: Vec<_> =
        all().map(|(n, one)| (at(n), millis(one.1) / millis(AMOUNT) * 100.0)).collect();
    let begin =
        |number: usize| Instant::ZERO + PERIOD.checked_mul(number as u64).unwrap_or(Span::ZERO);
    let control: Vec<_> = all()
        .filter_map(|(number, _)| Some((at(number), millis(reserved_at(watch, begin(number))?))))
        .collect();
    let received: Vec<_> = all().map(|(n, one)| (at(n), millis(one.0))).collect();
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
                &format!("Rez-FB during a burst, {}: {axis}", host.name()),
                &format!("figure 11.4, by period of 20 ms; {}", facts(part)),
                Axis::until("time (ms)", millis(LENGTH)),
                y,
            );
            if let Some(wanted) = wanted {
                let line = [(0.0, wanted), (millis(LENGTH), wanted)];
                chart.line(&line, dashed(PAPER), &format!("R: {} ms are wanted", digits(wanted)));
            }
            if part == "asked" {
                chart.line(&points, solid(colour), "");
            }
            chart.dots(&points, Dot { mark: Mark::Diamond, colour }, "Rez-FB");
            Figure {
                name: named(host, &format!("figure-11-4-{part}")),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limit_a_burst_of_a_second_has_room_for_50_misses() {
        let in_the_burst = Span::from_secs(1).checked_div(PERIOD).unwrap_or(0);
        assert_eq!(in_the_burst, 50, "the paper speaks of 500");
        let run = simulated(kinds::REZ, 1)
            .map(|watch| (watch.periods.len(), missing(&watch, Span::ZERO)));
        assert!(run.as_ref().is_ok_and(|(all, missed)| *all == 150 && *missed > 25.0), "{run:?}");
        assert!(run.is_ok_and(|(_, missed)| missed <= 51.0), "and it misses most of them");
    }
}
