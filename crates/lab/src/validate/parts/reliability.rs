//! The baseline of AIRLAB (3): mean time to failure and to error, and the lifetime that fits them.
//!
//! From a file of incidents, where one is given, and from what this machine recorded: its journal or the kernel's messages, machine checks, counters of memory controllers. A failure stops what the machine is for; an error is found, and the machine goes on.

use super::{grouped, shown};
use crate::experiment::LabError;
use crate::experiments::{SERIES, dashed, solid};
use crate::findings::{Figure, Table};
use crate::validate::found::{Better, Found, Level, Metric, Sentence, Unit};
use crate::validate::machine::Machine;
use crate::validate::options::Options;
use crate::validate::suite::Part;
use windfall_doctor::records::{Records, records};
use windfall_plot::chart::{Axis, Chart};
use windfall_reliability::sources::Found::Here;
use windfall_reliability::sources::{Controller, Log, Subject};
use windfall_reliability::{
    Comparison, Confidence, Exponential, Incidents, Kind, Sample, Verdict, Weibull, compare,
};
use windfall_time::Span;

pub(crate) const PART: Part = Part {
    name: "reliability",
    title: "mean time to failure and to error",
    question: "how often did this machine fail or show an error, and does its age matter?",
    run: found,
};

/// The kinds, as they are written of.
const KINDS: [(Kind, &str, &str); 2] =
    [(Kind::Failure, "failure", "failures"), (Kind::Error, "error", "errors")];

/// Several messages of one cause come within this time.
const ONE_CAUSE: Span = Span::from_secs(60);

fn found(machine: &dyn Machine, options: &Options<'_>) -> Result<Found, LabError> {
    let mut found = Found::default();
    match &options.incidents {
        Some((name, text)) => of_file(&mut found, name, text)?,
        None => found.not_done(
            "reliability by a file",
            "none was given; write one, and name it with `--incidents`",
        ),
    }
    if machine.is_here() {
        of_records(&mut found, &records())?;
    } else {
        found.not_done("what the machine recorded", "a simulated machine records nothing");
    }
    Ok(found)
}

fn of_file(found: &mut Found, name: &str, text: &str) -> Result<(), LabError> {
    let incidents = Incidents::read(text).map_err(|why| LabError::Run(format!("{name}: {why}")))?;
    let count = grouped(incidents.list().len() as u64);
    let days = days(incidents.window().length());
    found.circumstances.push(format!("{name}: {count} incidents in {days}"));
    lifetimes(found, name, &|kind| incidents.sample(kind))
}

fn days(span: Span) -> String {
    format!("{:.1} days", span.as_secs_f64() / 86_400.0)
}

/// The records of this machine about itself.
fn of_records(found: &mut Found, records: &Records) -> Result<(), LabError> {
    if let Some(how) = &records.virtual_machine {
        found.circumstances.push(format!("a virtual machine: {how}"));
    }
    if let Some(why) = &records.without_journal {
        found.not_done("reliability by the journal", why.clone());
    }
    match &records.log {
        Here(log) => of_log(found, records.from, &log.clone().merged(ONE_CAUSE))?,
        without => {
            found.not_done(format!("reliability by the {}", records.from), without.to_string())
        }
    }
    match &records.machine_checks {
        Here(0) => found.says(Level::Fact, "No machine check was logged."),
        Here(count) => found.sentences.push(machine_checks(*count as u64)),
        without => found.not_done("machine checks", without.to_string()),
    }
    match &records.controllers {
        Here(controllers) => of_controllers(found, controllers),
        without => found.not_done("errors of memory", without.to_string()),
    }
    Ok(())
}

fn machine_checks(count: u64) -> Sentence {
    let text = format!(
        "{} machine checks were logged: the processor or the memory reported errors of its own.",
        grouped(count)
    );
    let remedy = "read them with `rasdaemon` or `journalctl -k | grep 'Hardware Error'`, and have the part replaced that they name";
    Sentence::new(Level::Warning, text).remedy(remedy)
}

fn of_log(found: &mut Found, from: &str, log: &Log) -> Result<(), LabError> {
    let (starts, observed) = (grouped(log.boots().len() as u64), days(log.observed()));
    found.circumstances.push(format!("{from}: {starts} starts, {observed} of operation"));
    let title = format!(
        "incidents by the {from}; what comes again within {} counts once",
        shown(ONE_CAUSE)
    );
    let mut table = Table::new(&title, 1, &["what", "times"]);
    let row =
        |(subject, count): &(Subject, usize)| vec![subject.to_string(), grouped(*count as u64)];
    table.rows = log.counts().iter().map(row).collect();
    found.tables.push(table);
    lifetimes(found, &format!("the {from}"), &|kind| log.sample(kind))
}

fn of_controllers(found: &mut Found, controllers: &[Controller]) {
    let head = ["controller", "corrected", "not corrected"];
    let mut table = Table::new("errors of memory, by its controllers (EDAC)", 1, &head);
    for one in controllers {
        let (corrected, uncorrected) = (grouped(one.corrected), grouped(one.uncorrected));
        table.rows.push(vec![one.name.clone(), corrected.clone(), uncorrected.clone()]);
        let name = format!("reliability.corrected.{}", one.name);
        let metric = Metric::new(name, one.corrected, Unit::Count, Better::Lower);
        found.metrics.push(metric.noise(0, 0));
        if one.corrected + one.uncorrected == 0 {
            continue;
        }
        let text = format!(
            "Memory controller {} corrected {corrected} errors, and could not correct {uncorrected}.",
            one.name
        );
        let level = if one.uncorrected > 0 { Level::Fault } else { Level::Warning };
        let remedy =
            "replace the memory module whose counter goes on (/sys/devices/system/edac/mc)";
        found.sentences.push(Sentence::new(level, text).remedy(remedy));
    }
    found.tables.push(table);
}

/// The statistics of a source's incidents.
fn lifetimes(
    found: &mut Found,
    source: &str,
    sample: &dyn Fn(Kind) -> Sample,
) -> Result<(), LabError> {
    let head = ["of", "incidents", "mean time (95 %)", "lifetime", "shape (95 %)"];
    let mut table = Table::new(&format!("lifetimes, by {source}"), 1, &head);
    for (kind, one, several) in KINDS {
        let sample = sample(kind);
        let wrong =
            |why: &dyn core::fmt::Display| LabError::Run(format!("{source}: {several}: {why}"));
        let exponential =
            Exponential::fit(&sample, Confidence::USUAL).map_err(|why| wrong(&why))?;
        let mean = exponential.mean();
        found.says(Level::Fact, format!("By {source}, the mean time to {one} is {mean}."));
        let compared = compare(&sample, Confidence::USUAL);
        let (lifetime, shape) = match &compared {
            Ok(compared) => (compared.verdict.to_string(), shape(&compared.weibull)),
            Err(why) => (why.to_string(), "-".to_owned()),
        };
        let events = grouped(sample.events() as u64);
        table.rows.push(vec![several.to_owned(), events, mean.to_string(), lifetime, shape]);
        if let Ok(compared) = &compared {
            says_age(found, one, compared);
            found.figures.push(figure(several, &sample, compared));
        }
    }
    found.tables.push(table);
    Ok(())
}

fn shape(weibull: &Weibull) -> String {
    let shape = weibull.shape();
    format!("{:.2} ({:.2} to {:.2})", shape.value, shape.low, shape.high)
}

fn says_age(found: &mut Found, one: &str, compared: &Comparison) {
    let text = match compared.verdict {
        Verdict::WearsOut => format!(
            "The time since the last {one} matters: another becomes likelier with age. Restarting or replacing in time helps."
        ),
        Verdict::EarlyFaults => format!(
            "The time since the last {one} matters: most come soon after the one before. Look for one cause of several."
        ),
        _ => return,
    };
    found.says(Level::Warning, text);
}

/// The part of spans that lasted longer, beside both fits.
fn figure(several: &str, sample: &Sample, compared: &Comparison) -> Figure {
    let mut hours: Vec<f64> =
        sample.ended().iter().map(|span| span.as_secs_f64() / 3_600.0).collect();
    hours.sort_by(f64::total_cmp);
    let most = hours.last().copied().unwrap_or(1.0).max(1e-3) * 1.1;
    let mut chart = Chart::new(
        &format!("spans between {several} that last longer"),
        "",
        Axis::until("hours", most),
        Axis::until("part of them", 1.0),
    );
    #[expect(clippy::cast_precision_loss, reason = "drawn")]
    let part = |left: usize| left as f64 / (hours.len() + sample.censored().len()) as f64;
    let mut steps = vec![(0.0, 1.0)];
    for (place, at) in hours.iter().enumerate() {
        let before = steps.last().map_or(1.0, |(_, part)| *part);
        let left = hours.len() - place - 1 + sample.censored().len();
        steps.extend([(*at, before), (*at, part(left))]);
    }
    chart.line(&steps, solid(SERIES[0]), "observed");
    let curve = |survival: &dyn Fn(f64) -> f64| -> Vec<(f64, f64)> {
        (0..=100)
            .map(|step| most * f64::from(step) / 100.0)
            .map(|at| (at, survival(at * 3_600.0)))
            .collect()
    };
    let exponential = curve(&|seconds| compared.exponential.survival(seconds));
    chart.line(&exponential, dashed(SERIES[1]), "exponential");
    chart.line(&curve(&|seconds| compared.weibull.survival(seconds)), dashed(SERIES[2]), "Weibull");
    Figure {
        name: format!("validate-reliability-{several}"),
        caption: format!(
            "The part of spans between {several} that lasted longer than so many hours, and what both lifetimes say. Spans that were cut off count as longer."
        ),
        picture: chart.finish(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::validate::machine::Simulated;
    use std::sync::atomic::AtomicBool;

    fn of(text: &str) -> Result<Found, LabError> {
        let options = Options {
            length: Span::from_secs(1),
            quick: true,
            parts: Vec::new(),
            needs: Vec::new(),
            limits: Vec::new(),
            incidents: Some(("incidents.txt".to_owned(), text.to_owned())),
            progress: &|_| (),
            stopped: &AtomicBool::new(false),
        };
        found(&Simulated::new(Vec::new()), &options)
    }

    #[test]
    fn paper_mean_times_to_failure_and_to_error_come_from_a_file() {
        let text = "window 2026-01-01T00:00:00Z 2026-01-31T00:00:00Z\n2026-01-04T06:00:00Z failure power\n2026-01-12T09:30:00Z error EDAC\n2026-01-21T00:00:00Z failure panic\n";
        let found = of(text).unwrap();
        let said: Vec<_> = found.sentences.iter().map(|one| one.text.as_str()).collect();
        assert!(said[0].contains("mean time to failure is 15.00 d"), "{said:?}");
        assert!(said[1].contains("mean time to error is 30.00 d"), "{said:?}");
        let none = of("window 2026-01-01T00:00:00Z 2026-01-31T00:00:00Z\nnone\n").unwrap();
        assert!(none.sentences[0].text.contains("at least"), "{:?}", none.sentences);
    }

    #[test]
    fn law_spans_that_grow_longer_or_shorter_are_told_from_those_that_do_not() {
        // Failures in pairs: the second of each comes within a minute.
        let mut text = "window 2026-01-01T00:00:00Z 2026-03-01T00:00:00Z\n".to_owned();
        for day in 1..=28 {
            text.push_str(&format!(
                "2026-01-{day:02}T12:00:00Z failure a\n2026-01-{day:02}T12:00:50Z failure b\n"
            ));
        }
        let found = of(&text).unwrap();
        let warned = found.sentences.iter().find(|one| one.level == Level::Warning).unwrap();
        assert!(warned.text.contains("soon after the one before"), "{}", warned.text);
        assert_eq!(found.figures.len(), 1);
    }

    #[test]
    fn refuses_a_file_with_its_name_and_line() {
        let said =
            of("window 2026-01-31T00:00:00Z 2026-01-01T00:00:00Z\nnone\n").unwrap_err().to_string();
        assert!(said.starts_with("incidents.txt: ") && said.contains("line 1"), "{said}");
    }
}
