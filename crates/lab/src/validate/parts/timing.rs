//! How much work fits into a period, idle and under load: what wake-ups, interrupts and stolen time leave of it.
//!
//! A thread on each processor sleeps until a period begins, and looks at the clock until it ends. Each burst counts for its period and for all shorter ones. It leaves its processor alone for as long as it takes it.

mod amiss;
pub(super) mod burst;
mod loads;
mod phase;
mod record;
mod said;
mod shown;

use crate::experiment::LabError;
use crate::validate::found::{Better, Found, Metric, Unit};
use crate::validate::machine::{Core, LoadKind, Machine};
use crate::validate::options::Options;
use crate::validate::part::Part;
use burst::Burst;
use phase::Phase;
use record::{Quantile, Record};
use std::sync::atomic::Ordering;
use windfall_time::Span;

pub(crate) const PART: Part = Part {
    name: "timing",
    title: "how much work fits into a period: wake-ups, interrupts and what is stolen",
    question: "with which periods, and how much work in each, can this machine be trusted?",
    run: found,
};

/// The periods, shortest first.
const PERIODS: [Span; 6] = [
    Span::from_nanos(250_000),
    Span::from_nanos(500_000),
    Span::from_millis(1),
    Span::from_millis(2),
    Span::from_millis(5),
    Span::from_millis(10),
];
/// An idle machine is measured for so long at most.
const IDLE: Span = Span::from_secs(60);
/// A processor is left alone for this long at least between two bursts.
const PAUSE: Span = Span::from_nanos(100_000);

/// Measures for so long.
fn phase(machine: &dyn Machine, options: &Options, length: Span) -> Result<Phase, LabError> {
    let mut periods = PERIODS.to_vec();
    periods.extend(options.needs.iter().map(|need| need.period));
    periods.sort_unstable();
    periods.dedup();
    let longest = *periods.last().expect("there are six");
    let (needs, stopped) = (&options.needs, &options.stopped);
    let body = |processor: u16, core: &mut dyn Core| {
        let mut record = Record::new(processor, &periods, needs);
        let end = core.now() + length;
        // Each period gets as much time as the longest.
        'measured: loop {
            for period in &periods {
                for _ in 0..longest.as_nanos() / period.as_nanos() {
                    if core.now() >= end || stopped.load(Ordering::Relaxed) {
                        break 'measured;
                    }
                    record.add(&Burst::run(core, (*period).max(PAUSE), *period), *period);
                }
            }
        }
        record
    };
    let (records, class) = machine.gather(machine.processors(), body)?;
    Ok(Phase { records, class })
}

fn found(machine: &dyn Machine, options: &Options) -> Result<Found, LabError> {
    let mut found = Found::default();
    let idle_for = Span::from_nanos(options.length.as_nanos() / 4).min(IDLE);
    let idle = phase(machine, options, idle_for)?;
    let alone = loads::measured(machine, options)?;
    (options.progress)("the same under load");
    let load = machine.load(&LoadKind::ALL);
    let loaded = phase(machine, options, options.length)?;
    drop(load);
    let class = loaded.class.words();
    let (idle_for, loaded_for) = (super::shown(idle_for), super::shown(options.length));
    let kinds: Vec<_> = LoadKind::ALL.iter().map(|kind| kind.words()).collect();
    found.circumstances.push(format!(
        "{}, {class}; idle for {idle_for}, then for {loaded_for} beside {} ordinary threads on each processor: {}. They end with it and leave nothing behind. What other programs do meanwhile counts as well",
        super::processors(machine.processors()),
        kinds.len(),
        kinds.join("; "),
    ));
    let remedies = remedies(&mut found, machine);
    said::trust(&mut found, &loaded, remedies);
    said::needs(&mut found, &loaded);
    said::unseen(&mut found, &loaded);
    said::few(&mut found, &loaded);
    found.tables.extend([shown::periods(&idle, &loaded), shown::wakes(&idle, &loaded)]);
    loads::find(&mut found, &idle, &alone);
    found.figures.push(shown::figure(&loaded));
    found.raw.push(shown::raw(&idle, &loaded));
    metrics(&mut found, &loaded);
    Ok(found)
}

/// The remedies for short periods here, as far as `windfall doctor` knows any.
fn remedies(found: &mut Found, machine: &dyn Machine) -> Vec<String> {
    if !machine.is_here() {
        return Vec::new();
    }
    match windfall_doctor::examine() {
        Ok(examination) => amiss::remedies(&examination.checks),
        Err(why) => {
            found.not_done("what would help short periods (`windfall doctor`)", why.to_string());
            Vec::new()
        }
    }
}

/// A period that was not measured has none: it would be the best that is possible.
fn metrics(found: &mut Found, loaded: &Phase) {
    for record in loaded.records.iter().filter(|record| record.late.count() > 0) {
        let name = |what: &str| format!("timing.{what}.cpu{}", record.processor);
        let quantile = Quantile::P99;
        found
            .metrics
            .push(Metric::time(name("wake.p99"), record.late.at(quantile)).noise(50, 20_000));
        for of in record.periods.iter().filter(|of| of.lost.count() > 0) {
            let left = of.period.saturating_sub(of.lost.at(quantile));
            let metric = Metric::new(
                name(&format!("work.{}.p99", of.period)),
                left.as_nanos(),
                Unit::Nanoseconds,
                Better::Higher,
            );
            // Wake-ups differ by tens of microseconds from day to day.
            found.metrics.push(metric.noise(10, 40_000));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::validate::found::Level;
    use crate::validate::machine::{Planted, Simulated};

    fn of(length: Span, needs: &[&str]) -> Found {
        let needs = needs.iter().map(|need| need.parse().unwrap()).collect();
        let options = Options { needs, ..Options::quick(length) };
        found(&Simulated::new(vec![Planted::default(); 2]), &options).unwrap()
    }

    fn about<'a>(found: &'a Found, words: &str) -> Vec<(Level, &'a str)> {
        let all = found.sentences.iter().filter(|one| one.text.contains(words));
        all.map(|one| (one.level, one.text.as_str())).collect()
    }

    #[test]
    fn refuses_to_call_a_need_met_whose_period_never_came_up() {
        let short = of(Span::from_secs(10), &["500ms/1s", "1us/1ms"]);
        let said = about(&short, "500 ms of work in every 1 s");
        assert!(said.len() == 1 && said[0].0 == Level::Fault, "{said:?}");
        assert!(said[0].1.contains("not measured") && said[0].1.contains("processors 0 and 1"));
        let met = about(&short, "1 us of work in every 1 ms");
        assert!(met[0].0 == Level::Answer && met[0].1.contains("in all of"), "{met:?}");
        // As long as the remedy says.
        let remedies: Vec<_> = short.sentences.iter().flat_map(|one| &one.remedies).collect();
        assert!(remedies.iter().any(|one| one.contains("within 14 s")), "{remedies:?}");
        let long = of(Span::from_secs(15), &["500ms/1s"]);
        let said = about(&long, "500 ms of work in every 1 s");
        assert!(
            said[0].0 == Level::Answer && said[0].1.contains("in all of 2 periods"),
            "{said:?}"
        );
    }

    #[test]
    fn law_what_was_not_measured_has_no_metric_and_few_are_said_to_be_few() {
        let need = ["500ms/1s"];
        let names = |found: &Found| -> Vec<String> {
            found.metrics.iter().map(|metric| metric.name.clone()).collect()
        };
        let short = of(Span::from_secs(10), &need);
        assert!(names(&short).iter().all(|name| !name.contains("work.1s")), "{:?}", names(&short));
        assert!(names(&short).contains(&"timing.work.5ms.p99.cpu0".to_owned()));
        let (few, long) = (about(&short, "so few there were of"), of(Span::from_secs(15), &need));
        assert!(few[0].1.contains("of 10 ms (0), 1 s (0)."), "{few:?}");
        assert!(names(&long).contains(&"timing.work.1s.p99.cpu1".to_owned()));
    }
}
