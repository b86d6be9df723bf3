//! Whether each processor computes rightly: the same deterministic work on all, voted on and compared with known answers (crate `cores`).

use super::{grouped, processors, shown};
use crate::experiment::LabError;
use crate::findings::Table;
use crate::validate::found::{Better, Found, Level, Metric, Sentence, Unit};
use crate::validate::machine::Machine;
use crate::validate::options::Options;
use crate::validate::part::Part;
use windfall_cores::{Ended, Finding, Report, Until, Verdict};
use windfall_time::Span;

pub(crate) const PART: Part = Part {
    name: "cores",
    title: "whether each processor computes rightly",
    question: "do integers, floating point, vectors, memory and atomic operations of each processor yield what they must?",
    run: found,
};

/// More than this is neither needed in a full run nor bearable.
const LONGEST: Span = Span::from_secs(60);

fn found(machine: &dyn Machine, options: &Options) -> Result<Found, LabError> {
    let length = Span::from_nanos(options.length.as_nanos() / 8).min(LONGEST);
    let report = machine.cores().run(Until::Passed(length));
    let report = report.map_err(|why| LabError::Run(format!("the check of processors: {why}")))?;
    let mut found = Found::default();
    found.circumstances.push(format!(
        "{} rounds in {}, each on {} at once; {} KiB of memory each: {}",
        grouped(report.rounds),
        shown(length),
        processors(&report.processors.iter().map(|one| one.processor).collect::<Vec<_>>()),
        grouped(report.block.bytes / 1024),
        report.block.why
    ));
    says(&mut found, &report);
    for absent in &report.absent {
        found.not_done(format!("the work of processor {}", absent.processor), absent.why.clone());
    }
    for kind in &report.left_out {
        found.not_done(format!("{kind} work"), "these processors have no such instructions");
    }
    found.tables.push(table(&report));
    for one in &report.processors {
        let wrong = one.kinds.iter().map(|kind| kind.wrong).sum();
        let name = format!("cores.wrong.cpu{}", one.processor);
        found.metrics.push(Metric::new(name, wrong, Unit::Count, Better::Lower).noise(0, 0));
    }
    Ok(found)
}

fn says(found: &mut Found, report: &Report) {
    for finding in report.findings() {
        let text = finding.to_string();
        let mut letters = text.chars();
        let first = letters.next().map(|letter| letter.to_ascii_uppercase());
        let text: String = first.into_iter().chain(letters).chain(['.']).collect();
        let remedy = if matches!(&finding, Finding::Ended { why: Ended::NoAnswer(_), .. }) {
            "look for threads above ordinary ones on that processor (`ps -eLo psr,cls,rtprio,comm`) and for `soft lockup` or `rcu` in the kernel's log; without either, take the processor out of use"
        } else {
            "take the processor out of use (`echo 0 > /sys/devices/system/cpu/cpuN/online`), repeat this for longer, and let the maker or the host's owner know"
        };
        found.sentences.push(Sentence::new(Level::Fault, text).remedy(remedy));
    }
    if report.verdict() == Verdict::Sound {
        let by = if report.is_voted() { "known answers and the vote" } else { "known answers" };
        let work = report.rounds * report.processors.len() as u64;
        found.says(Level::Fact, format!("All processors computed rightly, by {by}, in {} rounds of work. A wrong round that was not seen may come in fewer than 1 of {} (95 % sure).", grouped(work), grouped((work / 3).max(1))));
    }
}

fn table(report: &Report) -> Table {
    let head =
        ["processor", "work", "rounds", "wrong", "the vote agrees", "processor time a round"];
    let mut table = Table::new("work of each processor", 2, &head);
    for one in &report.processors {
        for kind in &one.kinds {
            let each = Span::from_nanos(kind.time.as_nanos() / kind.rounds.max(1));
            table.rows.push(vec![
                one.processor.to_string(),
                kind.kind.to_string(),
                grouped(kind.rounds),
                grouped(kind.wrong),
                grouped(kind.outvoted),
                shown(each),
            ]);
        }
    }
    table
}
