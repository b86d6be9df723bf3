//! The baseline of AIRLAB (3): mean time to failure and to error, and the lifetime that fits them.
//!
//! From a file of incidents, where one is given, and from what this machine recorded: its journal or the kernel's messages, machine checks, counters of memory controllers. A failure stops what the machine is for; an error is found, and the machine goes on.

mod lifetimes;

use super::{grouped, shown};
use crate::experiment::LabError;
use crate::findings::Table;
use crate::validate::found::{Better, Found, Level, Metric, Sentence, Unit};
use crate::validate::machine::Machine;
use crate::validate::options::Options;
use crate::validate::part::Part;
use windfall_doctor::records::{Records, records};
use windfall_reliability::sources::Found::Here;
use windfall_reliability::sources::{Controller, Log, Subject};
use windfall_reliability::{Confidence, Incidents};
use windfall_time::Span;

pub(crate) const PART: Part = Part {
    name: "reliability",
    title: "mean time to failure and to error",
    question: "how often did this machine fail or show an error, and does its age matter?",
    run: found,
};

/// Several messages of one cause come within this time.
const ONE_CAUSE: Span = Span::from_secs(60);

fn found(machine: &dyn Machine, options: &Options) -> Result<Found, LabError> {
    let mut found = Found::default();
    match &options.incidents {
        Some((name, incidents)) => of_file(&mut found, name, incidents)?,
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

fn of_file(found: &mut Found, name: &str, incidents: &Incidents) -> Result<(), LabError> {
    let count = grouped(incidents.list().len() as u64);
    let days = days(incidents.window().length());
    found.circumstances.push(format!("{name}: {count} incidents in {days}"));
    let of = |kind| (incidents.sample(kind), incidents.count(kind));
    lifetimes::find(found, name, "file", &of)
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
    let of = |kind| (log.sample(kind), log.count(kind));
    lifetimes::find(found, &format!("the {from}"), "log", &of)
}

fn of_controllers(found: &mut Found, controllers: &[Controller]) {
    let head = ["controller", "corrected", "not corrected", "mean time (95 %)"];
    let mut table = Table::new("errors of memory, by its controllers (EDAC)", 1, &head);
    for one in controllers {
        let (corrected, uncorrected) = (grouped(one.corrected), grouped(one.uncorrected));
        let mean = of_controller(found, one);
        table.rows.push(vec![one.name.clone(), corrected.clone(), uncorrected.clone(), mean]);
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

/// A sentence with the mean time to an error of its memory; also what the table shows.
fn of_controller(found: &mut Found, one: &Controller) -> String {
    let name = &one.name;
    match one.mean(Confidence::USUAL) {
        Ok(mean) => {
            let text = format!(
                "By the counts of memory controller {name}, the mean time to error is {mean}."
            );
            found.says(Level::Fact, text);
            lifetimes::metric(found, &format!("{name}.error"), mean);
            mean.to_string()
        }
        Err(_) => {
            let why = "the kernel does not say for how long it has counted (seconds_since_reset)";
            found.not_done(format!("mean time to error of memory controller {name}"), why);
            "-".to_owned()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::validate::machine::Simulated;

    fn of(text: &str) -> Found {
        let incidents = Some(("incidents.txt".to_owned(), Incidents::read(text).unwrap()));
        let options = Options { incidents, ..Options::quick(Span::from_secs(1)) };
        found(&Simulated::new(Vec::new()), &options).unwrap()
    }

    #[test]
    fn paper_mean_times_to_failure_and_to_error_come_from_a_file() {
        let text = "window 2026-01-01T00:00:00Z 2026-01-31T00:00:00Z\n2026-01-04T06:00:00Z failure power\n2026-01-12T09:30:00Z error EDAC\n2026-01-21T00:00:00Z failure panic\n";
        let found = of(text);
        let said: Vec<_> = found.sentences.iter().map(|one| one.text.as_str()).collect();
        assert!(said[0].contains("mean time to failure is 15.00 d"), "{said:?}");
        assert!(said[1].contains("mean time to error is 30.00 d"), "{said:?}");
        let none = of("window 2026-01-01T00:00:00Z 2026-01-31T00:00:00Z\nnone\n");
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
        let found = of(&text);
        let warned = found.sentences.iter().find(|one| one.level == Level::Warning).unwrap();
        assert!(warned.text.contains("soon after the one before"), "{}", warned.text);
        assert_eq!(found.figures.len(), 1);
    }

    fn said<'a>(found: &'a Found, words: &str) -> Vec<&'a str> {
        let texts = found.sentences.iter().map(|one| one.text.as_str());
        texts.filter(|text| text.contains(words)).collect()
    }

    #[test]
    fn law_the_mean_is_that_of_the_lifetime_that_fits_and_its_fit_is_shown() {
        // Failures after nearly equal times: the exponential's interval would be far too wide.
        let mut text = "window 0 1000\n".to_owned();
        for at in [101, 199, 302, 398, 503, 600, 697, 802, 899] {
            text.push_str(&format!("{at} failure\n"));
        }
        let found = of(&text);
        let mean = said(&found, "mean time to failure");
        assert!(mean[0].contains("is 1.67 min (1.6"), "{mean:?}");
        assert!(mean[0].ends_with(", by the Weibull lifetime that fits better."), "{mean:?}");
        let metric = &found.metrics[0];
        assert_eq!((metric.name.as_str(), metric.value), ("reliability.mean.file.failure", 100));
        assert!(metric.noise < 10 && metric.better == Better::Higher, "{metric:?}");
        assert_eq!(found.metrics.len(), 1, "no error came, so there is only a bound");
        let row = &found.tables[0].rows[0];
        assert!(row[5].starts_with("1.70 min"), "{row:?}");
        assert_eq!(row[6..], ["0.58 (0.34)", "0.25 (0.29)"]);
        assert!(said(&found, "neither lifetime fits").is_empty());
    }

    #[test]
    fn law_incidents_that_no_lifetime_fits_and_those_without_a_span_are_said() {
        // Two clusters of spans, far from each other, and one incident where observation begins.
        let (mut text, mut at) = ("window 0 300000\n0 error\n".to_owned(), 0);
        for number in 0..40 {
            at += if number % 2 == 0 { 100 + number } else { 10_000 + number };
            text.push_str(&format!("{at} error\n"));
        }
        let found = of(&text);
        let neither = said(&found, "neither lifetime fits the errors");
        assert_eq!(neither.len(), 1, "{:?}", found.sentences);
        let merged = said(&found, "1 of the errors came with another, or when observation began");
        assert_eq!(merged.len(), 1);
        assert_eq!(found.tables[0].rows[1][1], "41");
    }

    #[test]
    fn law_each_memory_controller_has_a_mean_or_says_why_not() {
        let files = [
            ("mc0/ce_count", "4"),
            ("mc0/ue_count", "0"),
            ("mc0/seconds_since_reset", "400"),
            ("mc1/ce_count", "0"),
            ("mc1/ue_count", "0"),
            ("mc1/seconds_since_reset", "86400"),
            ("mc2/ce_count", "0"),
            ("mc2/ue_count", "0"),
        ];
        let Here(controllers) = windfall_reliability::sources::edac(files).unwrap() else {
            panic!("there are three")
        };
        let mut found = Found::default();
        of_controllers(&mut found, &controllers);
        assert!(said(&found, "controller mc0, the mean")[0].contains("1.67 min"));
        assert!(said(&found, "controller mc1, the mean")[0].contains("at least"));
        assert!(said(&found, "controller mc2, the mean").is_empty());
        assert!(found.undone[0].what.contains("mc2") && found.undone.len() == 1);
        let means = found.metrics.iter().filter(|metric| metric.name.contains(".mean."));
        let means: Vec<_> = means.map(|metric| (metric.name.as_str(), metric.value)).collect();
        assert_eq!(means, [("reliability.mean.mc0.error", 100)]);
        assert_eq!(found.tables[0].rows[2][3], "-");
    }
}
