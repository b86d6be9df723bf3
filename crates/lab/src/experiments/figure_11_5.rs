//! Figure 11.5: how much of a reservation is stolen, against how much is reserved.

use super::{PAPER, SERIES, digits, solid};
use crate::carried_out::run;
use crate::experiment::{Experiment, Host, LabError, Settings};
use crate::findings::{Figure, Findings, Raw, Table, Verdict, record};
use crate::reservation::{Watch, network, scenario, supervised};
use crate::statistics::{Mean, mean};
use windfall_plot::chart::{Axis, Chart, Dot, Mark};
use windfall_schedulers::kinds;
use windfall_time::{Instant, Span};

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "figure-11-5",
    also: &[],
    title: "stolen time against amount reserved",
    source: "HLS 11.8.1, figure 11.5",
    question: "does a larger block of reserved time lose a larger or a smaller part of it?",
    claim: "a smaller part: the receiving program does not run meanwhile, so that the sender stops",
    hosts: &[Host::Sim, Host::Linux],
    absent: "it needs schedulers",
    run: findings,
};

/// The only number in the paper's text: 82 % of 4 ms are received (11.2).
const PAPER_AT: (u32, f64) = (4, 18.0);

/// The stolen part of a reservation of so many ms, in per cent, and the disturbances of the host.
fn stolen(host: Host, ms: u32, seed: u64, length: Span) -> Result<(f64, Option<String>), LabError> {
    let reserved = Span::from_millis(ms);
    if host == Host::Linux {
        let real = supervised(kinds::REZ, reserved, length, true)?;
        return Ok((real.watch.stolen(), real.disturbed));
    }
    let strikes = network(reserved, (Instant::ZERO, Instant::ZERO + length), seed);
    let mut watch = Watch::default();
    run(&scenario(kinds::REZ, reserved, length)?, strikes, Some(&mut watch))?;
    Ok((watch.stolen(), None))
}

/// Amounts of which a larger one loses a larger part, by more than 0.5 % and more than is uncertain; and whether the
/// largest does not lose a smaller part than 3 ms by as much.
fn contradictions(host: Host, found: &[(u32, Mean)]) -> Vec<String> {
    let large: Vec<(u32, Mean)> = found.iter().copied().filter(|(ms, _)| *ms >= 3).collect();
    let doubt = |one: Mean, other: Mean| match host {
        Host::Linux => (one.confidence + other.confidence).max(0.5),
        _ => 0.5,
    };
    let words = |(before, was): (u32, Mean), (after, is): (u32, Mean)| {
        let (was, is) = (was.value, is.value);
        format!("{}: {is:.1} % of {after} ms, {was:.1} % of {before} ms", host.name())
    };
    let pairs = large.windows(2).map(|pair| (pair[0], pair[1]));
    let grows = pairs.filter(|(was, is)| is.1.value > was.1.value + doubt(was.1, is.1));
    let mut against: Vec<String> = grows.map(|(was, is)| words(was, is)).collect();
    if let ([first, .., last], true) = (&large[..], against.is_empty())
        && last.1.value > first.1.value - doubt(first.1, last.1)
    {
        against.push(format!("{}: no smaller part", words(*first, *last)));
    }
    against
}

/// The stolen part of a reservation, and the disturbances of a run.
fn share(host: Host, ms: u32, runs: u64, length: Span) -> Result<(Mean, Option<String>), LabError> {
    let samples = (1..=runs).map(|seed| stolen(host, ms, seed, length));
    let samples = samples.collect::<Result<Vec<_>, _>>()?;
    let shares: Vec<f64> = samples.iter().map(|sample| sample.0).collect();
    Ok((mean(&shares), samples.into_iter().find_map(|sample| sample.1)))
}

fn findings(settings: &Settings<'_>) -> Result<Findings, LabError> {
    let hosts = [Host::Sim, Host::Linux].into_iter().filter(|host| settings.on(*host));
    let mut head = vec!["reserved of 20 ms".to_owned(), "paper (%)".to_owned()];
    let paper = |ms| if ms == PAPER_AT.0 { digits(PAPER_AT.1) } else { "-".to_owned() };
    let mut cells: Vec<_> = (1..=10).map(|ms| vec![format!("{ms} ms"), paper(ms)]).collect();
    let (mut circumstances, mut figures, mut rows) = (Vec::new(), Vec::new(), Vec::new());
    let (mut against, mut disturbed) = (Vec::new(), Vec::new());
    let mut notes = Vec::new();
    for host in hosts {
        let name = host.name();
        let (runs, seconds) = match host {
            Host::Linux => settings.either((5, 5), (2, 1)),
            _ => settings.either((10, 10), (2, 1)),
        };
        let length = Span::from_secs(seconds);
        let mut found: Vec<(u32, Mean)> = Vec::new();
        for (ms, cells) in (1..=10).zip(&mut cells) {
            (settings.progress)(&format!("{name}, {ms} ms"));
            let (share, why) = share(host, ms, runs, length)?;
            let mark = if why.is_some() { " (disturbed)" } else { "" };
            cells.push(format!("{}{mark}", super::with_confidence(share)));
            rows.push(record![name, ms, share.value, share.confidence]);
            match why {
                Some(why) => disturbed.push(format!("{name}, {ms} ms: {why}")),
                None => found.push((ms, share)),
            }
        }
        against.extend(contradictions(host, &found));
        head.push(format!("{name} (%)"));
        figures.push(figure(host, &found));
        let machine =
            if host == Host::Linux { crate::machine::this() } else { "one processor".into() };
        circumstances.push(format!(
            "{name}: {machine}; means of {runs} runs of {length} each, Rez, clock of 4096 Hz"
        ));
        notes.push(match host {
            Host::Linux => super::REAL_STREAM.to_owned(),
            _ => "That the sender stops after 3 ms is part of the model of the stream; the shape of the line \
                  follows from it. Only a real stream can refute it."
                .to_owned(),
        });
    }
    Ok(Findings {
        circumstances,
        tables: vec![Table {
            title: "stolen of the reserved time".to_owned(),
            head,
            words: 1,
            rows: cells,
        }],
        raw: vec![Raw::csv("figure-11-5", "host,reserved_ms,stolen_percent,confidence", rows)],
        figures,
        notes,
        verdict: super::modelled(
            settings,
            Verdict::of_runs(&against, &disturbed, "the stolen part shrinks as the block grows"),
        ),
    })
}

fn figure(host: Host, found: &[(u32, Mean)]) -> Figure {
    let points: Vec<_> = found.iter().map(|(ms, share)| (f64::from(*ms), share.value)).collect();
    let far: Vec<_> =
        found.iter().map(|(ms, share)| (f64::from(*ms), share.value, share.confidence)).collect();
    let most = points.iter().map(|point| point.1 * 1.1).fold(0.0, f64::max);
    let mut chart = Chart::new(
        "Stolen time against the amount that is reserved",
        "figure 11.5: the proportion decreases as the block grows; its text has one number, 18 % of 4 ms",
        Axis::until("reserved in each 20 ms (ms)", 11.0),
        Axis::until("stolen of it (%)", most.max(40.0)),
    );
    let name = format!("{}, 95 % confidence", host.name());
    chart.line(&points, solid(SERIES[0]), "");
    chart.spread(&far, SERIES[0]);
    chart.dots(&points, Dot { mark: Mark::Ring, colour: SERIES[0] }, &name);
    let paper = (f64::from(PAPER_AT.0), PAPER_AT.1);
    chart.dots(&[paper], Dot { mark: Mark::Square, colour: PAPER }, "2001");
    Figure {
        name: match host {
            Host::Linux => "figure-11-5-linux".to_owned(),
            _ => "figure-11-5".to_owned(),
        },
        caption: "Towards the end of a long block there is nothing left to process.".to_owned(),
        picture: chart.finish(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn law_a_line_that_does_not_fall_contradicts_the_claim() {
        let line = |shares: &[f64], confidence| {
            let mean = |value: &f64| Mean { value: *value, confidence, count: 5 };
            let found: Vec<(u32, Mean)> = (1..).zip(shares.iter().map(mean)).collect();
            contradictions(Host::Linux, &found)
        };
        assert!(line(&[30.0, 29.0, 26.0, 25.0, 22.0], 1.0).is_empty());
        let flat = line(&[30.4, 28.6, 29.6, 29.1, 29.7], 1.5);
        assert_eq!(flat, ["linux: 29.7 % of 5 ms, 29.6 % of 3 ms: no smaller part"]);
        let grows = line(&[30.0, 29.0, 20.0, 28.0, 10.0], 1.5);
        assert_eq!(grows, ["linux: 28.0 % of 4 ms, 20.0 % of 3 ms"]);
        assert!(line(&[30.0, 29.0], 1.0).is_empty(), "too little to say anything");
    }
}
