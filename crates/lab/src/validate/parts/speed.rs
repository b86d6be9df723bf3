//! How fast each processor is at one task (AIRLAB, 3; CMU 1982, Measuring Time in Multiprocessor Systems, 4.3, figure 11), and a table to normalise by.
//!
//! Interruptions only make a task longer, so the fastest quarter of its runs shows the processor.

use super::{processors, shown};
use crate::experiment::LabError;
use crate::experiments::{SERIES, solid};
use crate::findings::{Figure, Raw, Table, record};
use crate::validate::found::{Found, Level, Metric, Sentence};
use crate::validate::machine::{Core, Machine};
use crate::validate::options::Options;
use crate::validate::part::Part;
use windfall_clocks::Samples;
use windfall_plot::chart::{Axis, Chart};
use windfall_time::Span;

pub(crate) const PART: Part = Part {
    name: "speed",
    title: "how fast each processor is at one task",
    question: "do all processors need the same time for one task, alone and all at once?",
    run: found,
};

/// Rounds of the task.
const ROUNDS: u64 = 5_000_000;
/// In thousandths: what more than this makes a processor slow. The modules of Cm* were within 4.6 % of each other, and counted as equally fast; guests of a hypervisor differ by that from second to second.
const ALIKE: u64 = 100;
/// A processor leaves others alone for this long between two runs.
const PAUSE: Span = Span::from_millis(5);

/// Runs of one processor.
struct Runs {
    processor: u16,
    times: Samples,
}

impl Runs {
    /// The time that a quarter of the runs did not exceed.
    fn typical(&self) -> Span {
        self.times.quantile(1, 4)
    }
}

fn runs(core: &mut dyn Core, count: usize) -> Vec<Span> {
    let run = |_| {
        let next = core.now() + PAUSE;
        core.sleep_until(next);
        let begun = core.now();
        std::hint::black_box(core.compute(ROUNDS));
        core.now().saturating_since(begun)
    };
    (0..count).map(run).collect()
}

fn measured(machine: &dyn Machine, on: &[u16], count: usize) -> Result<Vec<Runs>, LabError> {
    let body = |processor: u16, core: &mut dyn Core| Runs {
        processor,
        times: Samples::of(runs(core, count)),
    };
    Ok(machine.gather(on, body)?.0)
}

/// By how many thousandths one time is longer than another.
fn longer(time: Span, than: Span) -> u64 {
    let more = time.saturating_sub(than).as_nanos();
    more.saturating_mul(1_000) / than.as_nanos().max(1)
}

fn percent(thousandths: u64) -> String {
    format!("{}.{} %", thousandths / 10, thousandths % 10)
}

/// How often each processor runs the task by itself: of so many runs in all its part, from a least number to a most one. So a machine of many processors takes no minutes.
fn times(processors: usize, (all, least, most): (usize, usize, usize)) -> usize {
    (all / processors.max(1)).clamp(least, most)
}

fn found(machine: &dyn Machine, options: &Options) -> Result<Found, LabError> {
    let count = times(machine.processors().len(), options.either((800, 12, 40), (240, 4, 12)));
    let mut alone = Vec::new();
    for processor in machine.processors() {
        alone.extend(measured(machine, &[*processor], count)?);
    }
    let together = measured(machine, machine.processors(), count)?;
    let mut found = Found::default();
    found.circumstances.push(format!("{ROUNDS} rounds of integer work, {count} runs on each processor by itself, then on all at once"));
    let fastest = alone.iter().map(Runs::typical).min().unwrap_or(Span::ZERO);
    says_alone(&mut found, &alone, fastest);
    says_together(&mut found, &alone, &together);
    found.tables.push(table(&alone, &together, fastest));
    found.figures.push(figure(&alone));
    for runs in &alone {
        let name = format!("speed.task.cpu{}", runs.processor);
        found.metrics.push(Metric::time(name, runs.typical()).noise(30, 0));
    }
    let each = alone.iter().flat_map(|runs| {
        let times = runs.times.clone().into_times();
        times.into_iter().map(|time| record![runs.processor, time.as_nanos()])
    });
    found.raw.push(Raw::csv("validate-speed", "processor,task_ns", each));
    Ok(found)
}

fn says_alone(found: &mut Found, alone: &[Runs], fastest: Span) {
    let slow: Vec<_> =
        alone.iter().filter(|runs| longer(runs.typical(), fastest) > ALIKE).collect();
    if slow.is_empty() {
        let most = alone.iter().map(|runs| longer(runs.typical(), fastest)).max().unwrap_or(0);
        if alone.len() > 1 {
            found.says(
                Level::Fact,
                format!(
                    "The processors are equally fast within {} (those of Cm* within 4.6 %).",
                    percent(most)
                ),
            );
        }
        return;
    }
    for runs in slow {
        let more = percent(longer(runs.typical(), fastest));
        let text = format!(
            "Processor {} is slow: it needs {more} more time for the same task than the fastest does.",
            runs.processor
        );
        let remedy = "normalise times by the table, give it less work; where it should be as fast, compare clock rates and heat (scaling_cur_freq in /sys/devices/system/cpu) and what else runs there";
        found.sentences.push(Sentence::new(Level::Warning, text).remedy(remedy));
    }
}

fn says_together(found: &mut Found, alone: &[Runs], together: &[Runs]) {
    let slower = |(one, all): (&Runs, &Runs)| (longer(all.typical(), one.typical()), one.processor);
    let slowed: Vec<_> =
        alone.iter().zip(together).map(slower).filter(|(more, _)| *more > 100).collect();
    let Some((most, _)) = slowed.iter().max() else { return };
    let numbers: Vec<_> = slowed.iter().map(|(_, processor)| *processor).collect();
    let text = format!(
        "All at once they are slower, by up to {} on {}: threads of one core, or a host with fewer processors than it shows.",
        percent(*most),
        processors(&numbers)
    );
    let remedy = "count on the speed that they have all at once, or keep the siblings of a core idle (thread_siblings_list in /sys/devices/system/cpu)";
    found.sentences.push(Sentence::new(Level::Warning, text).remedy(remedy));
}

fn table(alone: &[Runs], together: &[Runs], fastest: Span) -> Table {
    let title = "time for one task; multiply times of a processor by the factor to compare them with the fastest";
    let head = ["processor", "least", "typical", "most", "all at once", "longer", "factor"];
    let mut table = Table::new(title, 1, &head);
    for (one, all) in alone.iter().zip(together) {
        let typical = one.typical();
        let thousandths = fastest.as_nanos() * 1_000 / typical.as_nanos().max(1);
        table.rows.push(vec![
            one.processor.to_string(),
            shown(one.times.least()),
            shown(typical),
            shown(one.times.most()),
            shown(all.typical()),
            percent(longer(typical, fastest)),
            format!("{}.{:03}", thousandths / 1_000, thousandths % 1_000),
        ]);
    }
    table
}

/// As figure 11: how many processors took how long.
#[expect(clippy::cast_precision_loss, reason = "drawn")]
fn figure(alone: &[Runs]) -> Figure {
    const PARTS: usize = 10;
    let ms: Vec<f64> = alone.iter().map(|runs| runs.typical().as_nanos() as f64 / 1e6).collect();
    let least = ms.iter().copied().fold(f64::INFINITY, f64::min) * 0.97;
    let most = (ms.iter().copied().fold(0.0, f64::max) * 1.03).max(least * 1.07);
    let wide = (most - least) / PARTS as f64;
    let count = |part: usize| {
        let (from, to) = (least + wide * part as f64, least + wide * (part + 1) as f64);
        ms.iter().filter(|one| (from..to).contains(one)).count() as f64
    };
    let counts: Vec<f64> = (0..PARTS).map(count).collect();
    let highest = counts.iter().copied().fold(1.0, f64::max);
    let x = Axis::between("time, ms", least, most);
    let mut chart = Chart::new(
        "processors by their time for one task",
        "",
        x,
        Axis::until("processors", highest + 1.0),
    );
    let mut corners = vec![(least, 0.0)];
    for (part, count) in counts.iter().enumerate() {
        let from = least + wide * part as f64;
        corners.extend([(from, *count), (from + wide, *count)]);
    }
    corners.push((most, 0.0));
    chart.line(&corners, solid(SERIES[0]), "");
    Figure {
        name: "validate-speed".to_owned(),
        caption: "As figure 11 of the paper, which has 34 processors of Cm* with a mean of 15.0 s."
            .to_owned(),
        picture: chart.finish(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::validate::machine::{Planted, Simulated};

    #[test]
    fn limit_many_processors_take_no_minutes() {
        let options = Options::quick(Span::from_secs(1));
        let runs = |processors: usize| {
            let machine = Simulated::new(vec![Planted::default(); processors]);
            let found = found(&machine, &options).unwrap();
            found.raw[0].text.lines().count() - 1
        };
        assert_eq!([2, 20, 40, 64].map(runs), [24, 240, 240, 256]);
    }
}
